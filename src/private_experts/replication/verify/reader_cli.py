"""The commands for readers: list the claims, and recompute some of them outside the workflow."""

import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from private_experts.errors import PROGRAM, InputError
from private_experts.replication.stage_cli import ARGUMENT, PERSON
from private_experts.replication.verify import code_origin

if TYPE_CHECKING:
    from private_experts.replication.ledger.ledger import Ledger
    from private_experts.replication.verify.comparing import Comparison
    from private_experts.replication.verify.last_run import LastRun
    from private_experts.replication.verify.reader_report import Pair
    from private_experts.replication.verify.recomputing import Answer

# 1 is Python's own, when a program fails, and 2 is for input that a person can correct.
AS_EXPECTED, NOT_RUN, DISAGREES, UNEXPECTED = 0, 3, 4, 5
SOFTWARE = 70  # EX_SOFTWARE of sysexits.h: a check crashed
STOPPED = 130  # as a shell tells of a program that was stopped

Results = Annotated[Path, PERSON, "Folder of the results of the last run."]


def claims(results: Results = Path("results")) -> int:
    """List the claims of the papers with their verdicts and how these are known.

    The verdicts are those of the last run of the workflow; without a run they are unknown. The exit code is 5
    when a claim did not come out as expected, otherwise 0.
    """
    from private_experts.replication.ledger.verdicts import surprises
    from private_experts.replication.verify.reader_report import coloured, listing

    ledger, run = _project(results)
    # A run's claims are in the order in which they are read.
    chosen = [ledger.claims[name] for name in run.entries or ledger.claims if name in ledger.claims]
    print("\n".join(map(coloured, listing(chosen, run.entries))))
    found = [claim.compared(run.entries[claim.id]) for claim in chosen if claim.id in run.entries]
    return UNEXPECTED if any(map(surprises, found)) else AS_EXPECTED


def verify(
    claim: Annotated[
        str | None, ARGUMENT, "Id of the claim, such as 000/theorem-1; `claims` lists them."
    ] = None,
    all: Annotated[bool, PERSON, "Recompute all claims."] = False,
    seed: Annotated[
        int | None,
        PERSON,
        "By default that of the last run, which must give its values again; or another experiment.",
    ] = None,
    quick: Annotated[bool, PERSON, "Use the small grid, as make smoke does."] = False,
    processes: Annotated[int, PERSON, "Number of claims to recompute in parallel."] = 2,
    results: Results = Path("results"),
) -> int:
    """Recompute one claim, or all, and compare with the last run.

    The exit code is 0 when all verdicts are as expected or none is expected, 3 when no check can be run on
    the available data, 4 when all are as expected but values differ from those of the last run by more than
    rounding, 5 when a verdict is not as expected, 70 when a check crashed; the others are recomputed all the
    same. It is 1 when the command itself fails, and 2 for wrong input.
    """
    from tqdm import tqdm

    from private_experts.replication.verify import reader_report as report
    from private_experts.replication.verify.recomputing import Question, crashed, recompute_all

    if (claim is not None) == all:
        raise InputError("verify: name one claim, such as 000/theorem-1, or write --all")
    for name, value, smallest in (("seed", seed, 0), ("processes", processes, 1)):
        if value is not None and value < smallest:
            raise InputError(f"--{name} {value}: write a number of at least {smallest}")
    ledger, run = _project(results)
    try:
        if (lock := Path("requirements.lock")).is_file():
            code_origin.refuse_other_versions(lock)
    except InputError as other:  # whoever tries other versions may see what comes out
        code_origin.refuse_what_does_not_load(other)
        print(f"{PROGRAM}: warning: {other}", file=sys.stderr)
    code_origin.refuse_damaged(lock)
    if claim is not None and claim not in ledger.claims:
        raise InputError(f"{claim}: no such claim; {_nearest(claim, list(ledger.claims))}")
    chosen = [ledger.claims[claim]] if claim is not None else list(ledger.claims.values())
    # The seed of the run by default: only the same question has to give the same values.
    questions = [Question(claim, run.seed if seed is None else seed, quick) for claim in chosen]
    slips = {claim.id: ledger.errata.get(claim.erratum or "") for claim in chosen}
    if claim is not None:
        print("\n".join(report.heading(questions[0], slips[claim])), flush=True)
    started, stopped = time.perf_counter(), False
    pairs: list[Pair] = []
    progress = tqdm(
        total=sum(question.claim.seconds for question in questions),
        bar_format="{desc}, {elapsed}, about {remaining} left",
        leave=False,
        disable=None if all else True,
    )
    try:
        for answer in recompute_all(questions, run, processes):
            try:
                pair = (answer, _compared(answer, run))
            except (InputError, OSError) as error:  # evidence of the run that is missing or damaged
                pair = (crashed(answer.question, error), None)
            pairs.append(pair)
            slip = slips[answer.question.claim.id]
            if all:
                tqdm.write(report.coloured(report.line(*pair, slip)))
                progress.set_description_str(f"{len(pairs)} of {len(questions)} claims", refresh=False)
                progress.update(answer.question.claim.seconds)
            else:
                last = report.agreement(pair[1], run.entries.get(answer.question.claim.id, {}))
                print("\n".join(map(report.coloured, [*report.evidence(pair[0], slip), *last])))
    except KeyboardInterrupt:
        stopped = True
    progress.close()
    if all:
        print("\n".join(report.agreements(pairs, time.perf_counter() - started)))
    if stopped:
        print(f"{PROGRAM}: stopped", file=sys.stderr)
    return STOPPED if stopped else _exit_code(pairs)


def _compared(answer: "Answer", run: "LastRun") -> "Comparison | None":
    """Return how an answer agrees with the last run; None where it has none, or one on other grids."""
    from private_experts.replication.verify.comparing import compare
    from private_experts.replication.verify.recomputing import CRASHED

    claim, question = answer.question.claim, answer.question
    if answer.verdict == CRASHED or claim.id not in run.entries:
        return None
    # other tolerances, too few repetitions
    if claim.experiment(question.quick) != claim.experiment(run.quick):
        return None
    return compare(answer, run.entries[claim.id], run.rows(claim))


def _exit_code(pairs: Sequence["Pair"]) -> int:
    # In the order of gravity: a crash says nothing about the claim, a wrong verdict more than other values.
    if any(answer.verdict == "crashed" for answer, _ in pairs):
        return SOFTWARE
    if not all(answer.as_expected for answer, _ in pairs):
        return UNEXPECTED
    if not all(comparison is None or comparison.agrees for _, comparison in pairs):
        return DISAGREES
    return NOT_RUN if all(answer.verdict == "not run" for answer, _ in pairs) else AS_EXPECTED


def _project(results: Path) -> tuple["Ledger", "LastRun"]:
    """Return the claims of the project in this folder, and its last run."""
    from private_experts.replication.ledger.ledger import read
    from private_experts.replication.verify.last_run import LastRun

    schema = Path("claims/schema.yaml")
    if not schema.is_file():
        raise InputError(
            "there is no claims/ in this folder; go to the project's folder, which `git clone` made"
        )
    code_origin.check(Path())
    if not results.is_dir() and results != Path("results"):
        raise InputError(f"--results {results}: no such folder; omit it if there was no run")
    ledger, run = read(sorted(Path("claims").glob("[0-9]*.yaml")), schema), LastRun(Path(), results)
    # Expectations belong to the pinned data.
    return ledger if run.pinned else ledger.on_other_data(), run


def _nearest(name: str, names: list[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, names, n=3, cutoff=0.4)
    return (
        f"did you mean {' or '.join(map(shlex.quote, close))}?" if close else f"{PROGRAM} claims lists them"
    )
