"""The desk of a reviewer: list the claims, and recompute some of them outside the workflow."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from private_experts.errors import PROGRAM, InputError
from private_experts.replication.stage_cli import DESK

if TYPE_CHECKING:
    from private_experts.replication.claims.ledger import Ledger


def claims(
    paper: Annotated[str | None, DESK] = None,
    verdict: Annotated[str | None, DESK] = None,
    strength: Annotated[str | None, DESK] = None,
    root: Annotated[Path | None, DESK] = None,
    results: Annotated[Path | None, DESK] = None,
) -> int:
    """List the claims of the papers with their verdicts, and how strong these are.

    The verdicts are those of the last run of the workflow; without a run they are unknown.

    Parameters
    ----------
    paper
        Short name, such as 000.
    verdict
        Only claims with this verdict: holds, fails, undecided, not-run, by-construction or unknown.
    strength
        Only claims of this strength: certified, enumerated, agrees, tight, loose, sign, counterexample, vacuous or
        by-construction.
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
    from private_experts.replication.claims.last_run import LastRun
    from private_experts.replication.claims.ledger import as_expected
    from private_experts.replication.claims.strength import STRENGTHS
    from private_experts.replication.claims.verdicts import ORDER

    everything, run = _ledger(root).claims, LastRun(_root(root), _results(root, results))
    verdicts = {name: entry["verdict"] for name, entry in run.entries.items()}
    known = {claim.paper for claim in everything.values()}
    if paper is not None and paper not in known:
        raise InputError(f"--paper {paper}: no such paper; write one of {', '.join(sorted(known))}")
    wanted = verdict.replace("-", " ") if verdict is not None else None
    if wanted not in {None, "unknown", *ORDER}:
        raise InputError(f"--verdict {verdict}: write holds, fails, undecided, not-run, by-construction or unknown")
    strong = strength.replace("-", " ") if strength is not None else None
    if strong not in {None, *STRENGTHS}:
        raise InputError(
            f"--strength {strength}: write one of {', '.join(each.replace(' ', '-') for each in STRENGTHS)}"
        )
    strengths = {name: entry.get("strength", {}).get("name", "") for name, entry in run.entries.items()}
    chosen = [
        (claim, verdicts.get(name, "unknown"), strengths.get(name, ""))
        for name, claim in everything.items()
        if paper in (None, claim.paper)
        and wanted in (None, verdicts.get(name, "unknown"))
        and strong in (None, strengths.get(name, ""))
    ]
    print("\n".join(report.listing(chosen, run.took, ran=bool(run.entries))))
    return int(not all(came == "unknown" or as_expected(claim.expected, came) for claim, came, _ in chosen))


def verify(
    claim: Annotated[str | None, DESK] = None,
    /,
    all: Annotated[bool, DESK] = False,
    sample: Annotated[int | None, DESK] = None,
    repetitions: Annotated[int | None, DESK] = None,
    seed: Annotated[int | None, DESK] = None,
    quick: Annotated[bool, DESK] = False,
    processes: Annotated[int, DESK] = 2,
    json: Annotated[bool, DESK] = False,
    evidence: Annotated[Path | None, DESK] = None,
    root: Annotated[Path | None, DESK] = None,
    results: Annotated[Path | None, DESK] = None,
) -> int:
    """Recompute one claim by itself, a sample of them, or all, and compare with the last run.

    Parameters
    ----------
    claim
        Its id, such as 000/theorem-1; the command claims lists them.
    all
        Recompute every claim; the last lines are a table of agreements.
    sample
        Recompute so many claims, drawn at random: grave errata and chance are likelier. Another seed draws others.
    repetitions
        Number of repetitions; the claim's own unless given.
    seed
        Seed; the last run's own unless given. Another seed is another experiment.
    quick
        Use the smaller grid of the smoke run.
    processes
        How many claims to recompute at the same time, of a sample or of all.
    json
        Say everything in JSON.
    evidence
        Write the evidence of the one claim to this CSV file too.
    root
        The project's folder; this clone unless given.
    results
        Folder of the results; ROOT/results unless given.

    Returns
    -------
    int
        0 when all verdicts are as expected or none is expected, 1 when one is another, 3 when no check can be run on
        the data at hand, 4 when all are as expected but not what the last run stored.
    """
    from private_experts.replication.claims.last_run import LastRun
    from private_experts.replication.claims.recomputing import Question
    from private_experts.replication.claims.verifying import exit_code, many, one, sampled

    if (claim is not None) + all + (sample is not None) != 1:
        raise InputError("verify: name one claim, such as 000/theorem-1, or write --all or --sample 10")
    for name, value, least in (
        ("repetitions", repetitions, 2),
        ("seed", seed, 0),
        ("sample", sample, 1),
        ("processes", processes, 1),
    ):
        if value is not None and value < least:
            raise InputError(f"--{name} {value}: write a number of at least {least}")
    if claim is None and evidence is not None:
        raise InputError("--evidence: is for one claim; the evidence of a run lies in results/claims")
    place, ledger = _root(root), _ledger(root)
    run = LastRun(place, _results(root, results))
    seed = run.seed if seed is None else seed
    if claim is not None and claim not in ledger.claims:
        raise InputError(f"{claim}: no such claim; {_nearest(claim, list(ledger.claims))}")
    chosen = [ledger.claims[claim]] if claim is not None else list(ledger.claims.values())
    questions = [Question(each, seed, quick, repetitions) for each in chosen]
    try:
        if claim is not None:
            return exit_code([one(questions[0], ledger, run, evidence, json)])
        if sample is not None:
            questions = sampled(questions, ledger, run, sample, seed)
        return exit_code(many(questions, run, processes, json))
    except KeyboardInterrupt:
        print(f"{PROGRAM}: stopped", file=sys.stderr)
        return 130  # as a shell tells of a program that was stopped


def _root(root: Path | None) -> Path:
    """Return the project's folder: the given one, the working directory, or the clone that the package runs from."""
    places = [root] if root is not None else [Path(), Path(__file__).parents[4]]
    for place in places:
        if (place / "claims" / "schema.yaml").is_file():
            return place
    raise InputError(f"{places[0].absolute()}: has no claims/; run in the project's folder or name it with --root")


def _results(root: Path | None, results: Path | None) -> Path:
    if results is None:
        return _root(root) / "results"
    if not results.is_dir():
        raise InputError(f"--results {results}: no such folder; leave it out where there was no run")
    return results


def _ledger(root: Path | None) -> "Ledger":
    from private_experts.replication.claims import ledger

    folder = _root(root) / "claims"
    return ledger.read(sorted(folder.glob("[0-9]*.yaml")), folder / "schema.yaml")


def _nearest(name: str, names: Sequence[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, names, n=3, cutoff=0.4)
    return f"did you mean {' or '.join(map(shlex.quote, close))}?" if close else "private-experts claims lists them"
