"""How long a person still has to wait: what claims will take, and a line on standard error while they do."""

import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple, TextIO

from private_experts.replication.claims.recomputing import Question
from private_experts.replication.drawing.numbers import duration

PATIENCE = 3.0  # seconds that nobody minds
OFTEN, SELDOM = 1.0, 30.0  # seconds between two lines, on a terminal and in a file
_CLEAR = "\r\x1b[K"  # to the beginning of the line, and erase it


class Estimate(NamedTuple):
    """The seconds that a claim will take on a core that has nothing else to do, and how that is known."""

    seconds: float
    how: str

    def words(self) -> str:
        """Return it in words."""
        return f"about {duration(self.seconds)} on a free core, {self.how}"


def estimated(question: Question, took: Mapping[str, float], quick_before: bool) -> Estimate:
    """Return what a claim will take.

    Parameters
    ----------
    question : Question
        What is asked.
    took : mapping
        What claims took in the last run here, by id.
    quick_before : bool
        Whether that run was on quick grids.
    """
    claim = question.claim
    # In a run, claims on panels share their games, and the first one pays.
    known = took.get(claim.id) if question.quick == quick_before and claim.needs != "panels" else None
    seconds = claim.seconds if known is None else known
    if question.repetitions and question.by_chance:
        seconds *= question.repetitions / claim.effective_repetitions(question.quick)[0]
    if known is not None:
        return Estimate(seconds, "by the last run here")
    return Estimate(seconds, "or less, as its full grid takes that" if question.quick else "by a run elsewhere")


def together(seconds: Sequence[float], processes: int) -> float:
    """Return how long tasks take that so many processes share, each taking the next one when it is free.

    Examples
    --------
    >>> together([3.0, 2.0, 2.0], processes=2)
    4.0
    """
    free = [0.0] * processes
    for each in seconds:
        first = free.index(min(free))
        free[first] += each
    return max(free)


def left(seconds: float, work: float, expected: float) -> str:
    """Return how long something has taken and how long it still will, at the pace that it has.

    Parameters
    ----------
    seconds : float
        Since it began.
    work : float
        How much of it is done, in the unit of `expected`. On a busy machine it grows more slowly than time.
    expected : float
        How much it is in all.

    Examples
    --------
    >>> left(20.0, 5.0, 15.0)
    '20 s, about 40 s left'
    >>> left(20.0, 16.0, 15.0)
    '20 s, longer than expected'
    """
    if work <= 0:
        return duration(seconds)
    rest = (expected - work) * seconds / work
    return f"{duration(seconds)}, " + (f"about {duration(rest)} left" if rest > 0 else "longer than expected")


@contextmanager
def telling(words: Callable[[float], str], stream: TextIO | None = None) -> Iterator[None]:
    """Tell how far something is, once it takes longer than three seconds, until it ends.

    On a terminal one line is renewed each second. Elsewhere a line is written each half a minute.

    Parameters
    ----------
    words : callable
        Given the seconds so far, returns the line.
    stream : text file, optional
        Standard error unless given.
    """
    out = sys.stderr if stream is None else stream
    alive, over, started = out.isatty(), threading.Event(), time.monotonic()

    def watch() -> None:
        pause = PATIENCE
        while not over.wait(pause):
            line = words(time.monotonic() - started)
            out.write(_CLEAR + line if alive else f"{line}\n")
            out.flush()
            pause = OFTEN if alive else SELDOM

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        if alive:
            out.write(_CLEAR)
            out.flush()
