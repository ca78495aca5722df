"""What the checks of a round cost: each algorithm with them and without, side by side on the same rounds.

Without means that every function that only looks and refuses is replaced by one that does neither, here and
nowhere else. Two copies of an algorithm play the same rounds with the same draws, a few rounds at a time in
turns. The ratio is the median over these turns, of CPU time.
"""

import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from statistics import median
from typing import Any

import numpy as np

from benchmarks import clock
from private_experts import games, privacy, private_oco, validation
from private_experts.algorithms import CentralAlgorithm
from private_experts.privacy import guarantees, reports
from private_experts.private_oco import gibbs
from private_experts.randomness import rng_for
from tests.algorithms.cases import CASES, LOCAL, Case

SIZES = ((1000, 10), (100, 10))  # copies, experts
ROUNDS = 128
SHORT = 1e-3  # seconds that a turn should take, or one round if that takes longer
LEAST, FEWEST = 0.2, 60  # seconds of CPU time, and pairs of turns, for each ratio
WORTH_A_LOOK = 1.05

Rounds = Any  # what `play` takes, or a generator of it
Turn = tuple[float, float]  # seconds without checks and with them

# What looks and refuses, and what stands in for it.
IDLE: dict[Callable[..., Any], Callable[..., Any]] = {
    validation.checked_gains: lambda gains, *_, **__: gains,
    validation.prevalidated: lambda rounds, *_, **__: [(rounds, True)],
    reports.check_report: lambda report, *_: report,
    guarantees.check_guarantee: lambda guarantee, *_: guarantee,
    validation.checked_vector: lambda vector, *_: vector.copy(),
    validation.checked_loss: lambda values, *_: values,
    validation.check_steepness: lambda *_: None,
    validation.check_rounds_left: lambda *_: None,
}


def frozen(report: reports.Reports) -> None:
    """Let no one write to a report's values. `Reports` does this too, once it has looked at them."""
    fixed = report.values.view()
    fixed.flags.writeable = False
    object.__setattr__(report, "values", fixed)


def places() -> list[tuple[Any, str, Any, Any]]:
    """Return where each check stands, by which name, and what stands in for it."""
    found = [
        (reports.Reports, "__post_init__", frozen),
        (gibbs.GridGibbs, "accepted", lambda _, loss, *__: loss),
    ]
    for module in [module for name, module in sys.modules.items() if name.startswith("private_experts.")]:
        for name, value in vars(module).items():
            idle = IDLE.get(value) if callable(value) and value.__hash__ else None
            found += [(module, name, idle)] if idle else []
    return [(where, name, getattr(where, name), idle) for where, name, idle in found]


@cache
def stream(shape: tuple[int, ...]) -> np.ndarray:
    """Return gains."""
    return rng_for(1, "benchmark checks").random(shape)


class Player:
    """A copy of an algorithm, and what it is told round by round."""

    def __init__(self, case: Case, feed: str, repetitions: int, n: int) -> None:
        self.noise = privacy.SimulatedNoise(rng_for(1, "noise"))
        self.algorithm = case.make(n, ROUNDS, repetitions, self.noise, rng_for(1, "own"))
        self.gains = stream((ROUNDS, repetitions, n) if feed == "own streams" else (ROUNDS, n))
        self.feed, self.repetitions, self.played = feed, repetitions, 0

    def coming(self, rounds: int) -> Rounds:
        """Return what it is told in the coming rounds."""
        part = self.gains[self.played : self.played + rounds]
        self.played += rounds
        if self.feed not in ("reports", "reports, made"):
            return part
        made = games.private_reports(part, LOCAL, 1.0, self.noise, self.repetitions)
        return made if self.feed == "reports, made" else list(made)

    def seconds(self, rounds: int) -> float:
        """Play the coming rounds, and return the CPU time that it took."""
        feedback = self.coming(rounds)
        start = time.process_time()
        games.play(self.algorithm, feedback, resume=True)
        return time.process_time() - start


class ConvexPlayer(Player):
    """The same for a learner of the convex room: a fresh draw in each round."""

    def __init__(
        self, family: private_oco.GridGibbs | private_oco.LinearGibbs, losses: np.ndarray, repetitions: int
    ) -> None:
        self.algorithm = private_oco.GibbsEveryRound(
            family, horizon=ROUNDS + 1, rng=rng_for(1), repetitions=repetitions
        )
        self.gains, self.feed, self.played = losses, "losses", 0

    def seconds(self, rounds: int) -> float:
        """See `Player.seconds`."""
        feedback = self.coming(rounds)
        start = time.process_time()
        for loss in feedback:
            self.algorithm.predict()
            self.algorithm.update(loss)
        return time.process_time() - start


def turns(make: Callable[[], Player]) -> list[Turn]:
    """Let two copies of a player take turns, again and again from the first round; return the time of each.

    Before either turn all checks are put in place or out of it, so that both begin from the same state of the
    caches.
    """
    make().seconds(ROUNDS)  # imports, and what is kept from call to call
    rounds = max(1, min(ROUNDS, int(SHORT / (make().seconds(ROUNDS) / ROUNDS))))
    taken: list[Turn] = []
    checks, games_played = places(), 0
    try:
        while sum(map(sum, taken)) * rounds < LEAST or len(taken) < FEWEST:
            orders = [(True, False), (False, True)]
            # Where a copy lies in memory can matter, and who plays first: both change from game to game.
            copies = {checked: make() for checked in orders[games_played // 2 % 2]}
            games_played += 1
            for turn in range(ROUNDS // rounds):
                spent = {}
                for checked in orders[(games_played + turn) % 2]:
                    for where, name, real, idle in checks:
                        setattr(where, name, real if checked else idle)
                    spent[checked] = copies[checked].seconds(rounds) / rounds
                taken.append((spent[False], spent[True]))
    finally:
        for where, name, real, _ in checks:
            setattr(where, name, real)
    return taken


def players(repetitions: int, n: int) -> Iterator[tuple[str, Callable[[], Player]]]:
    """Yield every algorithm with each way in which it can be told its rounds."""
    for name, case in CASES.items():
        feeds = ["reports", "reports, made"] if case.local else ["one stream"]
        example = Player(case, feeds[0], repetitions, n).algorithm
        if isinstance(example, CentralAlgorithm) and example.repetitions == repetitions:
            feeds.append("own streams")
        for feed in feeds:
            yield f"{name}: {feed}", lambda case=case, feed=feed: Player(case, feed, repetitions, n)
    grid = private_oco.GridGibbs(private_oco.Box([-0.5], [0.5]).grid(200), beta=2.0, lam=1.0)
    slopes = rng_for(1, "slopes").uniform(-1, 1, (ROUNDS, 1))
    yield (
        "fresh draws on a grid of 200 points",
        lambda: ConvexPlayer(grid, slopes * grid.points[:, 0], repetitions),
    )
    line = private_oco.LinearGibbs(private_oco.Box([-0.5], [0.5]), beta=2.0, lam=1.0)
    yield "fresh draws from an interval", lambda: ConvexPlayer(line, slopes, repetitions)


def round_and_ratio(taken: list[Turn]) -> tuple[float, float]:
    """Return the seconds of a round without checks, and the ratio of one with them."""
    return median(bare for bare, _ in taken), median(full / bare for bare, full in taken)


def main() -> None:
    for repetitions, n in SIZES:
        rows = {"": "ratio   a round without   checks"}
        for name, make in players(repetitions, n):
            seconds, ratio = round_and_ratio(turns(make))
            bare = 1e6 * seconds
            mark = "" if ratio < WORTH_A_LOOK else "  *"
            rows[name] = f"{ratio:.3f}  {bare:>10.1f} us  {(ratio - 1) * bare:>+10.2f} us{mark}"
        clock.report(
            f"CPU time of a round with checks / without, {repetitions} copies x {n} experts; * from "
            f"{WORTH_A_LOOK} on",
            rows,
        )
