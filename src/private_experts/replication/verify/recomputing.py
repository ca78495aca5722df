"""Recomputing claims outside the workflow: one here, or many in processes of their own."""

import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from private_experts.errors import InputError
from private_experts.replication.ledger.checking import computed
from private_experts.replication.ledger.ledger import Claim
from private_experts.replication.ledger.verdicts import surprises
from private_experts.replication.verify.last_run import LastRun

CRASHED = "crashed"  # in the place of a verdict


@dataclass(frozen=True)
class Question:
    """A claim with the seed and the grid to check it with."""

    claim: Claim
    seed: int
    quick: bool = False

    @property
    def grid(self) -> dict[str, Any]:
        """The grid to check it on."""
        return self.claim.experiment(self.quick).grid


@dataclass(frozen=True)
class Answer:
    """What came out: the evidence, the record of the verdict, and the seconds that it took."""

    question: Question
    rows: Sequence[Mapping[str, Any]]
    record: Mapping[str, Any]
    seconds: float = 0.0

    @property
    def verdict(self) -> str:
        """The verdict."""
        return str(self.record["verdict"])

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is as expected; on a quick grid a claim may stay undecided."""
        return not self.surprises

    @property
    def surprises(self) -> list[str]:
        """Which verdicts, of the claim and of its statements, are not as expected."""
        if self.verdict == CRASHED:
            return []
        return surprises(self.question.claim.compared(self.record), allow_undecided=self.question.quick)


def recompute(question: Question, run: LastRun) -> Answer:
    """Recompute a claim from the results that it rests on; its error says nothing of other claims."""
    started = time.perf_counter()
    try:
        experiment = question.claim.experiment(question.quick)
        rows, record = computed(experiment, question.seed, **run.inputs_of(question.claim))
    except InputError as error:
        return Answer(question, [], {"verdict": "not run", "reason": str(error)})
    except Exception as error:
        traceback.print_exc()
        return crashed(question, error)
    return Answer(question, rows, record, time.perf_counter() - started)


def crashed(question: Question, error: BaseException) -> Answer:
    """Return the answer of a check that ended in an error."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return Answer(question, [], {"verdict": CRASHED, "reason": ": ".join([type(error).__name__, *lines[:1]])})


def recompute_all(questions: Sequence[Question], run: LastRun, processes: int) -> Iterator[Answer]:
    """Recompute claims, the longest first, in so many processes (one: this), and yield answers at once."""
    # A long claim that begins last would leave all other processes idle.
    longest_first = sorted(questions, key=lambda question: -question.claim.seconds)
    if processes == 1 or len(questions) == 1:
        yield from (recompute(question, run) for question in longest_first)
        return
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context
    from signal import SIG_DFL, SIGINT, signal

    # A fresh interpreter for each: a fork would inherit whatever threads this process has. Who stops the
    # command stops them too, and this process reports it for all.
    fresh = get_context("spawn")
    with ProcessPoolExecutor(
        processes, mp_context=fresh, initializer=signal, initargs=(SIGINT, SIG_DFL)
    ) as pool:
        submitted = {pool.submit(recompute, question, run): question for question in longest_first}
        try:
            for future in as_completed(submitted):
                # A process that was ended, as for want of memory, takes those with it that have not been
                # recomputed.
                error = future.exception()
                yield crashed(submitted[future], error) if error else future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
