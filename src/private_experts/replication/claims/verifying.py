"""What verify does: recompute one claim or many, say how far it is, and set the answers against the last run."""

import json
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from private_experts.errors import InputError
from private_experts.replication.claims import agreement, terminal
from private_experts.replication.claims.agreement import Pair
from private_experts.replication.claims.checking import plain, table_of
from private_experts.replication.claims.comparing import Comparison, compare
from private_experts.replication.claims.last_run import LastRun
from private_experts.replication.claims.ledger import Ledger
from private_experts.replication.claims.recomputing import Answer, Question, recompute, recompute_all
from private_experts.replication.claims.waiting import estimated, left, telling, together
from private_experts.replication.drawing.numbers import duration
from private_experts.replication.files import write_text

AS_EXPECTED, UNEXPECTED, NOT_RUN, DISAGREES = 0, 1, 3, 4  # 2 is for input that a person can correct


def one(question: Question, ledger: Ledger, run: LastRun, evidence: Path | None, as_json: bool) -> Pair:
    """Recompute a claim and say what came out; `evidence` gets its evidence as CSV."""
    claim = question.claim
    estimate = estimated(question, run.took, run.quick)
    given = run.given(claim)
    if not as_json:
        erratum = ledger.errata[claim.erratum] if claim.erratum else None
        caught = run.entries.get(claim.id, {}).get("caught", "")
        said = [*terminal.heading(claim, erratum, estimate, caught), *terminal.effort(claim, question.repetitions)]
        print("\n".join(said), flush=True)
    began = time.process_time()
    with telling(lambda spent: f"{claim.id}: {left(spent, time.process_time() - began, estimate.seconds)}"):
        answer = recompute(question, given)
    if evidence is not None:
        write_text(evidence, table_of(answer.rows) if answer.rows else f"reason\n{answer.record['reason']}\n")
    comparison = _compared(answer, run)
    if as_json:
        _print_json(agreement.as_record(answer, comparison))
        return answer, comparison
    print("\n".join(terminal.answer(answer)))
    if comparison is None:
        print(_why_not(question, run))
    else:
        print("\n".join(agreement.compared(comparison, answer, run.entries[claim.id], run.machine)))
    return answer, comparison


def many(questions: Sequence[Question], run: LastRun, processes: int, as_json: bool) -> list[Pair]:
    """Recompute claims, say each when it is there, and end with a table of agreements, also when stopped before."""
    took = {each.claim.id: estimated(each, run.took, run.quick).seconds for each in questions}
    longest_first = sorted(questions, key=lambda each: -took[each.claim.id])
    expected = together([took[each.claim.id] for each in longest_first], processes)
    width, started = max(len(each.claim.id) for each in questions), time.perf_counter()
    hands = "a free core" if processes == 1 else f"{processes} free cores"
    if not as_json:
        print(f"{len(questions)} claims, seed {questions[0].seed}: about {duration(expected)} on {hands}", flush=True)
    pairs: list[Pair] = []

    def so_far(spent: float) -> str:
        done = sum(took[answer.question.claim.id] for answer, _ in pairs)
        return f"{len(pairs)} of {len(questions)} claims, {left(spent, done, sum(took.values()))}"

    stopped = False
    with telling(so_far), suppress(KeyboardInterrupt):
        stopped = True
        for answer in recompute_all([(each, _given(each, run)) for each in longest_first], processes):
            comparison = _compared(answer, run)
            pairs.append((answer, comparison))
            if not as_json:
                print(agreement.line(answer, comparison, len(pairs), len(questions), width), flush=True)
        stopped = False
    order = {each.claim.id: place for place, each in enumerate(questions)}
    pairs.sort(key=lambda pair: order[pair[0].question.claim.id])
    if as_json:
        _print_json({"claims": [agreement.as_record(*pair, rows=False) for pair in pairs]})
    else:
        checked = [answer for answer, comparison in pairs if comparison is None and answer.verdict != "not run"]
        uncompared = [_why_not(answer.question, run) for answer in checked]
        print("\n".join(agreement.table(pairs, time.perf_counter() - started, uncompared)))
    if stopped:
        raise KeyboardInterrupt
    return pairs


def sampled(questions: Sequence[Question], ledger: Ledger, run: LastRun, count: int, seed: int) -> list[Question]:
    """Return a sample of the questions that the data at hand allows, by `sampling.weight`.

    Raises
    ------
    InputError
        When it allows none.
    """
    from private_experts.replication.claims.sampling import drawn, weight

    able = {each.claim.id: each for each in questions if not isinstance(_given(each, run), InputError)}
    if not able:
        raise InputError("all of these claims need the hospital data; run make reproduce first")
    weights = {}
    for name, each in able.items():
        erratum = ledger.errata[each.claim.erratum] if each.claim.erratum else None
        weights[name] = weight(each.claim, erratum.severity if erratum else None, run.strength(name))
    return [able[name] for name in drawn(weights, count, seed)]


def exit_code(pairs: Sequence[Pair]) -> int:
    """Return what tells of verdicts and agreements; `desk.verify` says what each number means."""
    if not all(answer.as_expected for answer, _ in pairs):
        return UNEXPECTED
    if not all(comparison is None or comparison.agrees for _, comparison in pairs):
        return DISAGREES
    return NOT_RUN if all(answer.verdict == "not run" for answer, _ in pairs) else AS_EXPECTED


def _given(question: Question, run: LastRun) -> dict[str, Any] | InputError:
    try:
        return run.given(question.claim)
    except InputError as missing:
        return missing


def _compared(answer: Answer, run: LastRun) -> Comparison | None:
    """Return how an answer agrees with the last run; None where that has not checked the claim, or on another grid."""
    claim = answer.question.claim
    return None if _why_not(answer.question, run) else compare(answer, run.entries[claim.id], run.rows(claim))


def _why_not(question: Question, run: LastRun) -> str:
    """Return why an answer cannot be compared with the last run; nothing where it can."""
    if question.claim.id not in run.entries:
        return agreement.NO_RUN
    other = question.claim.experiment(question.quick) != question.claim.experiment(run.quick)
    return agreement.OTHER_GRID[run.quick] if other else ""


def _print_json(found: object) -> None:
    json.dump(plain(found), sys.stdout, indent=1)
    print()
