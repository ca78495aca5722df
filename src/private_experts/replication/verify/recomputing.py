"""Recomputing claims outside the workflow: one here, or many in processes of their own."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from traceback import format_exception
from typing import Any

from private_experts.errors import InputError
from private_experts.replication.ledger.ledger import Claim, as_expected
from private_experts.replication.verify.checking import computed

CRASHED = "crashed"  # in the place of a verdict


@dataclass(frozen=True)
class Question:
    """A claim with the seed, the grid and the number of repetitions (its own unless given) to check it with."""

    claim: Claim
    seed: int
    quick: bool = False
    repetitions: int | None = None

    @property
    def by_chance(self) -> bool:
        """Whether repetitions decide it, so that another seed is another experiment."""
        return self.claim.kind == "stochastic" or self.claim.cap > 2

    @property
    def grid(self) -> dict[str, Any]:
        """The grid to check it on."""
        return self.claim.experiment(self.quick).grid

    @property
    def seconds(self) -> float:
        """What it takes on a free core, about; less on a quick grid."""
        if self.repetitions is None or not self.by_chance:
            return self.claim.seconds
        return self.claim.seconds * self.repetitions / self.claim.experiment(self.quick).repetitions


@dataclass(frozen=True)
class Answer:
    """What came out: the evidence, the record of the verdict, and the seconds that it took."""

    question: Question
    rows: Sequence[Mapping[str, Any]]
    record: Mapping[str, Any]
    seconds: float

    @property
    def verdict(self) -> str:
        """The verdict."""
        return str(self.record["verdict"])

    @property
    def crashed(self) -> bool:
        """Whether the check ended in an error."""
        return self.verdict == CRASHED

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is as expected; on a quick grid a claim may stay undecided."""
        if self.crashed:
            return False
        return as_expected(self.question.claim.expected, self.verdict, allow_undecided=self.question.quick)


def recompute(question: Question, given: Mapping[str, Any] | InputError) -> Answer:
    """Recompute a claim from the results that it rests on; when these are missing, it is not run."""
    if isinstance(given, InputError):
        return Answer(question, [], {"verdict": "not run", "reason": str(given)}, 0.0)
    started, what = time.perf_counter(), question.claim.experiment(question.quick)
    if question.repetitions:
        first = question.repetitions
        what = what._replace(repetitions=first, cap=max(first, what.cap))
    rows, record = computed(what, question.seed, **given)
    return Answer(question, rows, record, time.perf_counter() - started)


def crashed(question: Question, error: BaseException) -> Answer:
    """Return the answer of a check that ended in an error, with what tells where."""
    lines = [each.strip() for each in str(error).splitlines() if each.strip()]
    reason = ": ".join([type(error).__name__, *lines[:1]])
    return Answer(question, [], {"verdict": CRASHED, "reason": reason, "traceback": format_exception(error)}, 0.0)


def _attempt(question: Question, given: Mapping[str, Any] | InputError) -> Answer:
    """Recompute a claim, one of many: an error in one of them says nothing about the others."""
    try:
        return recompute(question, given)
    except Exception as error:
        return crashed(question, error)


def recompute_all(tasks: Sequence[tuple[Question, Mapping[str, Any] | InputError]], processes: int) -> Iterator[Answer]:
    """Recompute claims, the longest first, in so many processes (one: this one), and yield each answer at once."""
    if processes == 1:
        yield from (_attempt(*task) for task in tasks)
        return
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context
    from signal import SIG_DFL, SIGINT, signal

    # A fresh interpreter for each: a fork would inherit whatever threads this process has. Who stops the command stops
    # them too, and this process reports it for all.
    fresh = get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=fresh, initializer=signal, initargs=(SIGINT, SIG_DFL)) as pool:
        try:
            asked = {pool.submit(_attempt, *task): task for task in tasks}
            left = []
            for done in as_completed(asked):
                try:
                    yield done.result()
                except BrokenProcessPool:  # a process was ended, as for want of memory, and took the others with it
                    left.append(asked[done])
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
    while left:  # one after the other, which shows whose it was
        with ProcessPoolExecutor(1, mp_context=fresh, initializer=signal, initargs=(SIGINT, SIG_DFL)) as alone:
            try:
                while left:
                    task = left.pop(0)
                    yield alone.submit(_attempt, *task).result()
            except BrokenProcessPool as error:
                yield crashed(task[0], error)
