"""The desk of a reviewer: list the claims, and recompute one of them outside the workflow."""

import shlex
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from private_experts.errors import InputError
from private_experts.replication.command_line import DESK
from private_experts.replication.records import read_json

if TYPE_CHECKING:
    from private_experts.replication.claims.ledger import Claim, Ledger

AS_EXPECTED, UNEXPECTED, NOT_RUN = 0, 1, 3  # 2 is for input that a person can correct


def claims(
    paper: Annotated[str | None, DESK] = None,
    verdict: Annotated[str | None, DESK] = None,
    root: Annotated[Path | None, DESK] = None,
    results: Annotated[Path | None, DESK] = None,
) -> int:
    """List the claims of the papers with their verdicts.

    The verdicts are those of the last run of the workflow; without a run they are unknown.

    Parameters
    ----------
    paper
        Short name, such as 000.
    verdict
        Only claims with this verdict: holds, fails, undecided, not-run, by-construction or unknown.
    root
        The project's folder; this clone unless given.
    results
        Folder of the results; ROOT/results unless given.

    Returns
    -------
    int
        1 when a listed claim did not come out as expected, otherwise 0.
    """
    from private_experts.replication.claims import terminal as report
    from private_experts.replication.claims.ledger import as_expected
    from private_experts.replication.claims.verdicts import ORDER

    everything, record = _ledger(root).claims, _record(_results(root, results) / "claims.json")
    verdicts = {entry["id"]: entry["verdict"] for entry in record.get("claims", [])}
    known = {claim.paper for claim in everything.values()}
    if paper is not None and paper not in known:
        raise InputError(f"--paper {paper}: no such paper; write one of {', '.join(sorted(known))}")
    wanted = verdict.replace("-", " ") if verdict is not None else None
    if wanted not in {None, "unknown", *ORDER}:
        raise InputError(f"--verdict {verdict}: write holds, fails, undecided, not-run, by-construction or unknown")
    chosen = [
        (claim, verdicts.get(name, "unknown"))
        for name, claim in everything.items()
        if paper in (None, claim.paper) and wanted in (None, verdicts.get(name, "unknown"))
    ]
    print("\n".join(report.listing(chosen)))
    fine = all(came == "unknown" or as_expected(claim.expected, came) for claim, came in chosen)
    return AS_EXPECTED if fine else UNEXPECTED


def verify(
    claim: Annotated[str, DESK],
    /,
    repetitions: Annotated[int | None, DESK] = None,
    seed: Annotated[int | None, DESK] = None,
    quick: Annotated[bool, DESK] = False,
    evidence: Annotated[Path | None, DESK] = None,
    root: Annotated[Path | None, DESK] = None,
    results: Annotated[Path | None, DESK] = None,
) -> int:
    """Recompute one claim by itself, and print its evidence and verdict.

    Parameters
    ----------
    claim
        Its id, such as 000/theorem-1; the command claims lists them.
    repetitions
        Number of repetitions; the claim's own unless given.
    seed
        Seed; the study's own unless given. Another seed is another experiment.
    quick
        Use the smaller grid of the smoke run.
    evidence
        Write the evidence to this CSV file too.
    root
        The project's folder; this clone unless given.
    results
        Folder of the results; ROOT/results unless given.

    Returns
    -------
    int
        0 when the verdict is as expected or none is expected, 1 when it is another one, 3 when the check cannot be
        run on the data at hand.
    """
    from private_experts.replication.claims import terminal as report
    from private_experts.replication.claims.checking import computed, table_of
    from private_experts.replication.files import write_text

    ledger = _ledger(root)
    everything = ledger.claims
    if claim not in everything:
        raise InputError(f"{claim}: no such claim; {_nearest(claim, list(everything))}")
    if repetitions is not None and repetitions < 2:
        raise InputError(f"--repetitions {repetitions}: write a number of at least 2")
    if seed is not None and seed < 0:
        raise InputError(f"--seed {seed}: write a number of at least 0")
    asked, manifest = everything[claim], _record(_results(root, results) / "manifest.json")
    study = manifest.get("config", {}).get("values", {})
    seed = study.get("seed", 2026) if seed is None else seed
    erratum = ledger.errata[asked.erratum] if asked.erratum else None
    print("\n".join([*report.heading(asked, erratum), *report.effort(asked, repetitions)]), flush=True)
    started = time.perf_counter()
    first, cap = asked.effective_repetitions(quick)
    first = repetitions or first
    rows, record = computed(
        asked.check,
        asked.effective_grid(quick),
        first,
        max(first, cap),
        seed,
        real_data_only=asked.real_data_only,
        **_given(asked, _root(root), _results(root, results), study),
    )
    if evidence is not None:
        write_text(evidence, table_of(rows) if rows else f"reason\n{record['reason']}\n")
    print("\n".join(report.answer(asked, rows, record, seed, time.perf_counter() - started)))
    if record["verdict"] == "not run":
        return NOT_RUN
    return AS_EXPECTED if asked.expected in (None, record["verdict"]) else UNEXPECTED


def _root(root: Path | None) -> Path:
    """Return the project's folder: the given one, the working directory, or the clone that the package runs from."""
    places = [root] if root is not None else [Path(), Path(__file__).parents[4]]
    for place in places:
        if (place / "claims" / "schema.yaml").is_file():
            return place
    raise InputError(f"{places[0].absolute()}: has no claims/; run in the project's folder or name it with --root")


def _results(root: Path | None, results: Path | None) -> Path:
    return results if results is not None else _root(root) / "results"


def _ledger(root: Path | None) -> "Ledger":
    from private_experts.replication.claims import ledger

    folder = _root(root) / "claims"
    return ledger.read(sorted(folder.glob("[0-9]*.yaml")), folder / "schema.yaml")


def _record(path: Path) -> dict[str, Any]:
    """Return a record of the last run; it is empty when there was no run."""
    return read_json(path) if path.exists() else {}


def _given(claim: "Claim", root: Path, results: Path, study: Mapping[str, Any]) -> dict[str, Any]:
    """Return the results of the last run that a claim needs."""
    if claim.needs is None:
        return {}
    given: dict[str, Any] = {"provenance": results / "hospital" / "provenance.json"}
    if claim.needs == "panels":
        states = study.get("hospital", {}).get("states", [])
        given["panels"] = [results / "hospital" / "study" / "panels" / f"{state}.csv" for state in states]
    else:
        given["table"] = root / study.get("pathvars", {}).get("paper", "paper") / "tables" / "table-2.csv"
    wanted = [given["provenance"], *given.get("panels", []), *([given["table"]] if "table" in given else [])]
    missing = next((path for path in wanted if not path.exists()), None if study else results / "manifest.json")
    if missing is not None:
        raise InputError(f"{claim.id} needs the hospital data, and {missing} is missing; run make reproduce first")
    return given


def _nearest(name: str, names: Sequence[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, names, n=3, cutoff=0.4)
    return f"did you mean {' or '.join(map(shlex.quote, close))}?" if close else "private-experts claims lists them"
