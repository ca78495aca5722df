"""What `verify` does: recompute claims, and compare the answers with the last run."""

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

from private_experts.errors import InputError
from private_experts.replication.files import write_text
from private_experts.replication.ledger.ledger import Claim, Ledger
from private_experts.replication.machine import differences
from private_experts.replication.plotting.numbers import duration
from private_experts.replication.verify import reader_report as report
from private_experts.replication.verify.checking import plain, table_of
from private_experts.replication.verify.comparing import Comparison, compare
from private_experts.replication.verify.last_run import LastRun
from private_experts.replication.verify.reader_report import Pair
from private_experts.replication.verify.recomputing import Answer, Question, crashed, recompute, recompute_all
from private_experts.replication.verify.sampling import drawn, weight
from private_experts.replication.verify.terminal import wrapped

# 1 is Python's own, when a program fails, and 2 is for input that a person can correct.
AS_EXPECTED, NOT_RUN, DISAGREES, UNEXPECTED = 0, 3, 4, 5
SOFTWARE = 70  # EX_SOFTWARE of sysexits.h: a check crashed


def one(question: Question, ledger: Ledger, run: LastRun, evidence: Path | None, as_json: bool) -> Pair:
    """Recompute a claim and print what came out; `evidence` gets its evidence as CSV."""
    claim, given, entry = question.claim, run.given(question.claim), run.entries.get(question.claim.id, {})
    if not as_json:
        slip = ledger.errata[claim.erratum] if claim.erratum else None
        print("\n".join(report.heading(question, slip, entry.get("caught", ""))), flush=True)
    try:
        answer = recompute(question, given)
    except InputError:
        raise
    except Exception as error:
        answer = crashed(question, error)
        print("".join(answer.record["traceback"]), file=sys.stderr, end="")
    if evidence is not None and not answer.crashed:
        write_text(evidence, table_of(answer.rows) if answer.rows else f"reason\n{answer.record['reason']}\n")
    comparison = _compared(answer, run)
    if as_json:
        _print_json(report.as_record(answer, comparison))
        return answer, comparison
    differing = _differences([comparison], run)
    last = report.agreement(answer, comparison, entry, differing) if comparison else wrapped(_why_not(question, run))
    print("\n".join([*report.evidence(answer), *last]))
    return answer, comparison


def many(questions: Sequence[Question], run: LastRun, processes: int, as_json: bool) -> list[Pair]:
    """Recompute claims, print each when it is there, and end with a table of agreements, also when stopped before."""
    started = time.perf_counter()
    expected = sum(each.seconds for each in questions)
    if not as_json:
        wait = f"about {duration(expected / processes)} on {processes} free core{'s' * (processes > 1)}"
        print(f"{len(questions)} claims, seed {questions[0].seed}: {wait}", flush=True)
    pairs: list[Pair] = []
    tasks = [(each, _given(each.claim, run)) for each in sorted(questions, key=lambda each: -each.seconds)]
    said, line = f"{{}} of {len(questions)} claims", "{desc}, {elapsed}, about {remaining} left"
    try:
        with tqdm(desc=said.format(0), total=expected, bar_format=line, leave=False, disable=None) as bar:
            for answer in recompute_all(tasks, processes):
                try:
                    pairs.append((answer, _compared(answer, run)))
                except (InputError, OSError) as error:  # evidence of the run that is missing or damaged
                    pairs.append((crashed(answer.question, error), None))
                if not as_json:
                    tqdm.write(report.line(*pairs[-1]))
                bar.set_description_str(said.format(len(pairs)), refresh=False)
                bar.update(answer.question.seconds)
    finally:
        pairs.sort(key=lambda pair: questions.index(pair[0].question))
        if as_json:
            _print_json({"claims": [report.as_record(*pair, rows=False) for pair in pairs]})
        else:
            seconds = time.perf_counter() - started
            checked = [answer for answer, comparison in pairs if comparison is None and "reason" not in answer.record]
            uncompared = [_why_not(answer.question, run) for answer in checked]
            print(
                "\n".join(report.agreements(pairs, seconds, uncompared, _differences([each for _, each in pairs], run)))
            )
    return pairs


def sampled(questions: Sequence[Question], ledger: Ledger, run: LastRun, count: int, seed: int) -> list[Question]:
    """Return a sample, by `sampling.weight`, of the questions that the data allows; refuse if there is none."""
    able = {each.claim.id: each for each in questions if not isinstance(_given(each.claim, run), InputError)}
    if not able:
        raise InputError("all of these claims need hospital data; run make reproduce first")
    weights = {}
    for name, each in able.items():
        slip = ledger.errata[each.claim.erratum].severity if each.claim.erratum else None
        weights[name] = weight(each.claim, slip, run.strength(name))
    return [able[name] for name in drawn(weights, count, seed)]


def exit_code(pairs: Sequence[Pair]) -> int:
    """Return what tells of verdicts and agreements; `reader_cli.verify` says what each number means."""
    if any(answer.crashed for answer, _ in pairs):
        return SOFTWARE
    if not all(answer.as_expected for answer, _ in pairs):
        return UNEXPECTED
    if not all(comparison is None or comparison.agrees for _, comparison in pairs):
        return DISAGREES
    return NOT_RUN if all(answer.verdict == "not run" for answer, _ in pairs) else AS_EXPECTED


def _given(claim: Claim, run: LastRun) -> dict[str, Any] | InputError:
    try:
        return run.given(claim)
    except InputError as missing:
        return missing


def _compared(answer: Answer, run: LastRun) -> Comparison | None:
    claim = answer.question.claim
    if answer.crashed or _why_not(answer.question, run):
        return None
    return compare(answer, run.entries[claim.id], run.rows(claim))


def _differences(comparisons: Sequence[Comparison | None], run: LastRun) -> list[str]:
    """Return what differs between this machine and that of the run, if there is something that this could explain."""
    return differences(run.machine) if any(each and each.to_explain for each in comparisons) else []


def _why_not(question: Question, run: LastRun) -> str:
    """Return why an answer cannot be compared with the last run; nothing where it can."""
    if question.claim.id not in run.entries:
        return report.NO_RUN
    other = question.claim.experiment(question.quick) != question.claim.experiment(run.quick)
    if other:
        return report.OTHER_GRID[run.quick]
    try:
        run.rows(question.claim)
    except InputError as missing:
        return f"Not compared: {missing}"
    return ""


def _print_json(found: object) -> None:
    print(json.dumps(plain(found), indent=1))
