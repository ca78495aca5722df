"""Does the check of a claim notice when a step of the library is left out?

The steps that the check takes are traced once on its quick grid. A sample of them is left out, one at a time, and the
check is run again. It **notices** when its verdict is another one than before, or when it refuses repetitions that do
not vary at all. It **crashes** when anything else is raised, and is **endless** when it takes `PATIENCE` times as long
as before. The step **passed** when the evidence is another and says the same. When it is the same to the last bit, the
step does nothing on this grid, and another one is tried, until `MOST` have done something or `TRIED` were tried.
"""

import signal
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal

from private_experts.errors import InputError
from private_experts.replication.ledger.checking import points_of
from private_experts.replication.ledger.evidence import Point, decide
from private_experts.replication.ledger.ledger import Claim
from tests.power.steps import Step, in_turn, taken, without

MOST, TRIED = 8, 24  # steps of a claim that do something, and that are left out
FEWER = 2  # divides both for a claim that plays on the hospitals, whose games are long on any grid
PATIENCE = 10  # how many times as long as before a check may take, apart from the first seconds
AT_LEAST = 2.0  # seconds, as all here of the processor's time, so that a busy machine changes no fate

Check = Callable[[], Sequence[Point]]
Fate = Literal["noticed", "crashed", "endless", "unchanged", "passed"]


class _TooLongError(BaseException):
    """Raised in a check that does not end; none of its handlers takes it for an error of its own."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """End what takes longer, by a signal."""

    def ring(*_: object) -> None:
        raise _TooLongError

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def fate(check: Check, before: Sequence[Point], seconds: float) -> Fate:
    """Return what becomes of a check that has found some points before, and now runs without a step."""
    try:
        with within(seconds), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            after = list(check())
            turned = not after or decide(after) != decide(before)
            same = repr([point.row() for point in after]) == repr([point.row() for point in before])
    except InputError as refusal:
        return "noticed" if "repetitions are equal" in str(refusal) else "crashed"
    except _TooLongError:
        return "endless"
    except Exception:
        return "crashed"
    return "noticed" if turned else "unchanged" if same else "passed"


def left_out(
    claim: Claim, check: Callable[..., Sequence[Point]], given: Mapping[str, Any], seed: int
) -> dict[str, Any]:
    """Return how many steps of a claim's check were left out, and what became of them, as columns of the table.

    The check runs on its quick grid, with a tenth of its repetitions if they give the verdict that all of them give.
    """
    quick = claim.experiment(quick=True)
    grid, repetitions = quick.grid, quick.repetitions

    def run() -> Sequence[Point]:
        return points_of(check, grid, repetitions, seed, **given)

    steps = taken(run)
    began = time.process_time()
    points = run()
    if decide(points) == "undecided":
        repetitions = claim.repetitions
        began = time.process_time()
        points = run()
    seconds = AT_LEAST + PATIENCE * (time.process_time() - began)
    divisor = 1 if claim.needs is None else FEWER
    fates: dict[Step, Fate] = {}
    for step in in_turn(steps, claim.id)[: TRIED // divisor]:
        with without(step):
            fates[step] = fate(run, points, seconds)
        if len(fates) - Counter(fates.values())["unchanged"] == MOST // divisor:
            break
    return summary(fates)


def summary(fates: Mapping[Step, Fate]) -> dict[str, Any]:
    """Return fates as the columns of the table; see `left_out`."""
    counts = Counter(fates.values())
    numbers = {name: counts[name] for name in ("noticed", "crashed", "endless", "unchanged")}
    passed = " | ".join(str(step) for step, end in fates.items() if end == "passed")
    return {"steps": len(fates), **numbers, "passed": passed}
