"""The commands for readers: list the claims, and recompute some of them outside the workflow."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from private_experts.errors import PROGRAM, InputError
from private_experts.replication.stage_cli import PERSON

if TYPE_CHECKING:
    from private_experts.replication.ledger.ledger import Ledger


def claims(
    paper: Annotated[str | None, PERSON] = None,
    verdict: Annotated[str | None, PERSON] = None,
    strength: Annotated[str | None, PERSON] = None,
    root: Annotated[Path | None, PERSON] = None,
    results: Annotated[Path | None, PERSON] = None,
) -> int:
    """List the claims of the papers with their verdicts and strengths.

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
        The project's folder; by default this clone.
    results
        Folder of the results; by default ROOT/results.

    Returns
    -------
    int
        1 when a listed claim did not come out as expected, otherwise 0.
    """
    from private_experts.replication.ledger.ledger import as_expected
    from private_experts.replication.ledger.strength import STRENGTHS
    from private_experts.replication.ledger.verdicts import ORDER
    from private_experts.replication.verify.last_run import LastRun
    from private_experts.replication.verify.reader_report import listing

    everything, run = _ledger(root).claims, LastRun(_root(root), _results(root, results))
    _known("--paper", paper, sorted({claim.paper for claim in everything.values()}))
    _known("--verdict", verdict, [each.replace(" ", "-") for each in (*ORDER, "unknown")])
    _known("--strength", strength, [each.replace(" ", "-") for each in STRENGTHS])
    chosen = []
    for name, claim in everything.items():
        entry = run.entries.get(name, {})
        came, strong = entry.get("verdict", "unknown"), entry.get("strength", {}).get("name", "")
        found = (claim.paper, came.replace(" ", "-"), strong.replace(" ", "-"))
        if all(wanted in (None, has) for wanted, has in zip((paper, verdict, strength), found, strict=True)):
            chosen.append((claim, came, strong))
    print("\n".join(listing(chosen, ran=bool(run.entries))))
    return int(not all(came == "unknown" or as_expected(claim.expected, came) for claim, came, _ in chosen))


def _known(option: str, value: str | None, choices: Sequence[str]) -> None:
    if value is not None and value not in choices:
        raise InputError(f"{option} {value}: write one of {', '.join(choices)}")


def verify(
    claim: Annotated[str | None, PERSON] = None,
    /,
    all: Annotated[bool, PERSON] = False,
    sample: Annotated[int | None, PERSON] = None,
    repetitions: Annotated[int | None, PERSON] = None,
    seed: Annotated[int | None, PERSON] = None,
    quick: Annotated[bool, PERSON] = False,
    processes: Annotated[int, PERSON] = 2,
    json: Annotated[bool, PERSON] = False,
    evidence: Annotated[Path | None, PERSON] = None,
    root: Annotated[Path | None, PERSON] = None,
    results: Annotated[Path | None, PERSON] = None,
) -> int:
    """Recompute one claim, a sample of claims, or all, and compare with the last run.

    Parameters
    ----------
    claim
        Id of the claim, such as 000/theorem-1; `private-experts claims` lists them.
    all
        Recompute all claims, and end with a table of agreements.
    sample
        Recompute this many claims, sampled by importance: fatal errata and stochastic claims are likelier.
    repetitions
        Number of repetitions; by default the claim's own.
    seed
        Seed; by default that of the last run. Another seed is another experiment.
    quick
        Use the small grid, as make smoke does.
    processes
        Number of claims to recompute in parallel.
    json
        Print JSON.
    evidence
        Also write the evidence to this CSV file; for one claim only.
    root
        The project's folder; by default this clone.
    results
        Folder of the results; by default ROOT/results.

    Returns
    -------
    int
        0 when all verdicts are as expected or none is expected, 1 when one is not, 3 when no check can be run on the
        available data, 4 when all are as expected but values differ from those of the last run.
    """
    from private_experts.replication.verify.last_run import LastRun
    from private_experts.replication.verify.recomputing import Question
    from private_experts.replication.verify.verifying import exit_code, many, one, sampled

    if (claim is not None) + all + (sample is not None) != 1:
        raise InputError("verify: name one claim, such as 000/theorem-1, or write --all or --sample 10")
    least = {"repetitions": (repetitions, 2), "seed": (seed, 0), "sample": (sample, 1), "processes": (processes, 1)}
    for name, (value, smallest) in least.items():
        if value is not None and value < smallest:
            raise InputError(f"--{name} {value}: write a number of at least {smallest}")
    if claim is None and evidence is not None:
        raise InputError("--evidence needs one claim; the evidence of a run is in results/claims")
    ledger, run = _ledger(root), LastRun(_root(root), _results(root, results))
    if claim is not None and claim not in ledger.claims:
        raise InputError(f"{claim}: no such claim; {_nearest(claim, list(ledger.claims))}")
    chosen = [ledger.claims[claim]] if claim is not None else list(ledger.claims.values())
    questions = [Question(each, run.seed if seed is None else seed, quick, repetitions) for each in chosen]
    try:
        if claim is not None:
            return exit_code([one(questions[0], ledger, run, evidence, json)])
        if sample is not None:
            questions = sampled(questions, ledger, run, sample, questions[0].seed)
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
    raise InputError(f"{places[0].absolute()}: has no claims/; run in the project's folder, or give it as --root")


def _results(root: Path | None, results: Path | None) -> Path:
    if results is None:
        return _root(root) / "results"
    if not results.is_dir():
        raise InputError(f"--results {results}: no such folder; omit it if there was no run")
    return results


def _ledger(root: Path | None) -> "Ledger":
    from private_experts.replication.ledger import ledger

    folder = _root(root) / "claims"
    return ledger.read(sorted(folder.glob("[0-9]*.yaml")), folder / "schema.yaml")


def _nearest(name: str, names: Sequence[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, names, n=3, cutoff=0.4)
    return f"did you mean {' or '.join(map(shlex.quote, close))}?" if close else "private-experts claims lists them"
