"""The commands for readers: list the claims, and recompute some of them outside the workflow."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from private_experts.errors import PROGRAM, InputError
from private_experts.replication.stage_cli import PERSON

if TYPE_CHECKING:
    from private_experts.replication.ledger.ledger import Ledger
    from private_experts.replication.verify.last_run import LastRun

Root = Annotated[Path | None, PERSON, "The project's folder; by default this clone."]
Results = Annotated[Path | None, PERSON, "Folder of the results; by default ROOT/results."]


def claims(
    paper: Annotated[str | None, PERSON, "Short name, such as 000."] = None,
    verdict: Annotated[
        str | None,
        PERSON,
        "Only claims with this verdict: holds, fails, undecided, not-run, by-construction or unknown.",
    ] = None,
    strength: Annotated[
        str | None,
        PERSON,
        "Only claims of this strength: certified, enumerated, agrees, tight, loose, sign, lenient, counterexample, "
        "vacuous or by-construction.",
    ] = None,
    root: Root = None,
    results: Results = None,
) -> int:
    """List the claims of the papers with their verdicts and strengths.

    The verdicts are those of the last run of the workflow; without a run they are unknown. The exit code is 5 when a
    listed claim did not come out as expected, otherwise 0.
    """
    from private_experts.replication.ledger.ledger import as_expected
    from private_experts.replication.ledger.strength import STRENGTHS
    from private_experts.replication.ledger.verdicts import ORDER
    from private_experts.replication.verify.reader_report import listing
    from private_experts.replication.verify.verifying import AS_EXPECTED, UNEXPECTED

    ledger, run = _project(root, results)
    wanted = {"paper": paper, "verdict": verdict, "strength": strength}
    choices = {"paper": ledger.papers, "verdict": (*ORDER, "unknown"), "strength": STRENGTHS}
    for option, value in wanted.items():
        known = [each.replace(" ", "-") for each in choices[option]]
        if value is not None and value not in known:
            raise InputError(f"--{option} {value}: write one of {', '.join(known)}")
    chosen = []
    for name in run.entries or ledger.claims:  # a run's claims are in the order in which they are read
        if (claim := ledger.claims.get(name)) is None:
            continue
        came, strong = run.entries.get(name, {}).get("verdict", "unknown"), run.strength(name) or ""
        found = (claim.paper, came.replace(" ", "-"), strong.replace(" ", "-"))
        if all(value in (None, has) for value, has in zip(wanted.values(), found, strict=True)):
            chosen.append((claim, run.entries.get(name, {})))
    print("\n".join(listing(chosen, ran=bool(run.entries))))
    verdicts = [(claim.expected, entry["verdict"]) for claim, entry in chosen if entry]
    return AS_EXPECTED if all(as_expected(*each) for each in verdicts) else UNEXPECTED


def verify(
    claim: Annotated[
        str | None, PERSON, "Id of the claim, such as 000/theorem-1; `private-experts claims` lists them."
    ] = None,
    /,
    all: Annotated[bool, PERSON, "Recompute all claims, and end with a table of agreements."] = False,
    sample: Annotated[
        int | None,
        PERSON,
        "Recompute this many claims, sampled by importance: fatal errata and stochastic claims are likelier.",
    ] = None,
    repetitions: Annotated[int | None, PERSON, "Number of repetitions; by default the claim's own."] = None,
    sample_seed: Annotated[
        int | None, PERSON, "Seed that chooses the claims of --sample; by default that of the last run."
    ] = None,
    seed: Annotated[
        int | None,
        PERSON,
        "Seed of the experiments; by default that of the last run, which must give its values again.",
    ] = None,
    quick: Annotated[bool, PERSON, "Use the small grid, as make smoke does."] = False,
    processes: Annotated[int, PERSON, "Number of claims to recompute in parallel."] = 2,
    json: Annotated[bool, PERSON, "Print JSON."] = False,
    evidence: Annotated[Path | None, PERSON, "Also write the evidence to this CSV file; for one claim only."] = None,
    root: Root = None,
    results: Results = None,
) -> int:
    """Recompute one claim, a sample of claims, or all, and compare with the last run.

    The exit code is 0 when all verdicts are as expected or none is expected, 3 when no check can be run on the
    available data, 4 when all are as expected but values differ from those of the last run by more than rounding, 5
    when a verdict is not as expected, 70 when a check crashed; the others are recomputed all the same. It is 1 when
    the command itself fails, and 2 for wrong input.
    """
    from private_experts.replication.verify.recomputing import Question
    from private_experts.replication.verify.verifying import exit_code, many, one, sampled

    if (claim is not None) + all + (sample is not None) != 1:
        raise InputError("verify: name one claim, such as 000/theorem-1, or write --all or --sample 10")
    least = {"repetitions": (repetitions, 2), "seed": (seed, 0), "sample": (sample, 1), "processes": (processes, 1)}
    least |= {"sample-seed": (sample_seed, 0)}
    for name, (value, smallest) in least.items():
        if value is not None and value < smallest:
            raise InputError(f"--{name} {value}: write a number of at least {smallest}")
    if sample_seed is not None and sample is None:
        raise InputError("--sample-seed needs --sample; --seed is that of the experiments")
    if claim is None and evidence is not None:
        raise InputError("--evidence needs one claim; the evidence of a run is in results/claims")
    ledger, run = _project(root, results)
    if claim is not None and claim not in ledger.claims:
        raise InputError(f"{claim}: no such claim; {_nearest(claim, list(ledger.claims))}")
    chosen = [ledger.claims[claim]] if claim is not None else list(ledger.claims.values())
    questions = [Question(each, run.seed if seed is None else seed, quick, repetitions) for each in chosen]
    try:
        if claim is not None:
            return exit_code([one(questions[0], ledger, run, evidence, json)])
        if sample is not None:
            questions = sampled(questions, ledger, run, sample, run.seed if sample_seed is None else sample_seed)
        return exit_code(many(questions, run, processes, json))
    except KeyboardInterrupt:
        print(f"{PROGRAM}: stopped", file=sys.stderr)
        return 130  # as a shell tells of a program that was stopped


def _project(root: Path | None, results: Path | None) -> tuple["Ledger", "LastRun"]:
    """Return claims and last run: of the given folder, the working directory, or the clone the package runs from."""
    from private_experts.replication.ledger.ledger import read
    from private_experts.replication.verify.last_run import LastRun

    places = [root] if root is not None else [Path(), Path(__file__).parents[4]]
    home = next((place for place in places if (place / "claims" / "schema.yaml").is_file()), None)
    if home is None:
        raise InputError(f"{places[0].absolute()}: has no claims/; run in the project's folder, or give it as --root")
    code = Path(__file__).parents[2]
    if root is None and (home / "src" / code.name).is_dir() and not (home / "src" / code.name).samefile(code):
        raise InputError(
            f"this folder's code is in {(home / 'src').absolute()}, and {PROGRAM} is imported from {code.parent}; run "
            f"make, or pip install --editable . in this folder, or write --root {home} to check it by that code"
        )
    if results is not None and not results.is_dir():
        raise InputError(f"--results {results}: no such folder; omit it if there was no run")
    ledger = read(sorted((home / "claims").glob("[0-9]*.yaml")), home / "claims" / "schema.yaml")
    return ledger, LastRun(home, results or home / "results")


def _nearest(name: str, names: list[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, names, n=3, cutoff=0.4)
    return f"did you mean {' or '.join(map(shlex.quote, close))}?" if close else "private-experts claims lists them"
