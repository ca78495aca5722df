"""Recomputing claims outside the workflow: one here, or many in processes of their own."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from private_experts.errors import InputError
from private_experts.replication.claims.ledger import Claim, as_expected


@dataclass(frozen=True)
class Question:
    """What is asked of a claim: with which seed, on which grid, with how many repetitions (its own unless given)."""

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
        """The grid that is asked for."""
        return self.claim.effective_grid(self.quick)


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
    def as_expected(self) -> bool:
        """Whether it is the expected one, or none was expected, or the check could not be run.

        On a quick grid a claim may stay undecided.
        """
        return as_expected(self.question.claim.expected, self.verdict, allow_undecided=self.question.quick)


def recompute(question: Question, given: Mapping[str, Any]) -> Answer:
    """Recompute a claim from the results that it rests on."""
    from private_experts.replication.claims.checking import computed

    started, claim = time.perf_counter(), question.claim
    first, cap = claim.effective_repetitions(question.quick)
    first = question.repetitions or first
    rows, record = computed(
        claim.check,
        question.grid,
        first,
        max(first, cap),
        question.seed,
        real_data_only=claim.real_data_only,
        **given,
    )
    return Answer(question, rows, record, time.perf_counter() - started)


def recompute_all(asked: Sequence[tuple[Question, Mapping[str, Any] | InputError]], processes: int) -> Iterator[Answer]:
    """Recompute claims, each when a process is free, and yield each answer when it is there.

    Parameters
    ----------
    asked : sequence of pairs
        The question, and the results that it rests on, or why they are not there. The longest should come first.
    processes : int
        How many work at the same time; with one, it is this one.
    """
    for question, given in asked:
        if isinstance(given, InputError):
            yield Answer(question, [], {"verdict": "not run", "reason": str(given)}, 0.0)
    able = [(question, given) for question, given in asked if not isinstance(given, InputError)]
    if processes == 1:
        yield from (recompute(*each) for each in able)
        return
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context
    from signal import SIG_DFL, SIGINT, signal

    # A fresh interpreter for each: a fork would inherit whatever threads this process has. Who stops the command stops
    # them too, and this process says so for all.
    fresh = get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=fresh, initializer=signal, initargs=(SIGINT, SIG_DFL)) as pool:
        try:
            for done in as_completed([pool.submit(recompute, *each) for each in able]):
                yield done.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
