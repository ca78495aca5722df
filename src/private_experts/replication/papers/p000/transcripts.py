"""Reports of all rounds, where an adversary chooses gains by the reports before. [000, Section 2.2]

A game of a few rounds and one expert is a tree. Reports are seen in cells, which end where the best tests on
one report change their mind, so that nothing of these is lost and the law of all reports is a finite table of
balls. [mathematics/000.md#adaptive-privacy]
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, product

import numpy as np

from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.privacy.reports import reporter
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, exp, largest, normal_cdf, precision, rational
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p000.certified_laws import gaussian_delta

Past = tuple[int, ...]  # the cells of the reports so far
Strategy = Mapping[Past, int]  # the gain, 0 or 1, after each past


def report_law(gain: int, past: Past, gains: Sequence[int], cells: "Cells") -> list[Ball]:
    """Return the law of the next report's cell: a gain plus fresh noise, whatever the past was."""
    return cells.law(gain)


class Cells:
    """Cells in which reports of a gain of 0 or 1 are seen; they end where the log-ratio is x or -x."""

    def __init__(self, mu: float, epsilons: Sequence[float], further: Sequence[float]) -> None:
        self.mu = mu
        # The log-ratio of N(1, 1/mu^2) to N(0, 1/mu^2) at y is mu^2 (y - 1/2).
        places = sorted({0.5 + side * x / mu**2 for x in epsilons for side in (-1, 1)} | {*further})
        self.count = len(places) + 1
        upto = [[normal_cdf((end - gain) * ball(mu)) for end in map(ball, places)] for gain in (0, 1)]
        self._laws = [[high - low for low, high in pairwise([ball(0), *law, ball(1)])] for law in upto]

    def law(self, gain: int) -> list[Ball]:
        """Return the probabilities of the cells."""
        return self._laws[gain]


def transcript(
    cells: Cells, rounds: int, strategy: Strategy, changed: int, by: int
) -> Iterator[tuple[Past, Ball]]:
    """Yield all that may be seen in a game, with its probability; one round's gain is changed by 0 or 1."""

    def grown(past: Past, gains: tuple[int, ...], chance: Ball) -> Iterator[tuple[Past, Ball]]:
        if len(past) == rounds:
            yield past, chance
            return
        # Both games follow one strategy: later gains differ only as far as other reports were seen.
        gain = strategy[past] ^ (by if len(past) == changed else 0)
        for cell, probability in enumerate(report_law(gain, past, gains, cells)):
            yield from grown((*past, cell), (*gains, gain), chance * probability)

    return grown((), (), ball(1))


def strategies(cells: int, rounds: int, count: int, rng: np.random.Generator) -> Iterator[Strategy]:
    """Yield strategies: all of them for two rounds, and some that are drawn for more."""
    pasts = [past for length in range(rounds) for past in product(range(cells), repeat=length)]
    # The number of strategies is doubly exponential in the rounds.
    choices = (
        product((0, 1), repeat=len(pasts))
        if rounds == 2
        else rng.integers(0, 2, (count, len(pasts))).tolist()
    )
    for chosen in choices:
        yield dict(zip(pasts, chosen, strict=True))


def _delta(law: Sequence[Ball], other: Sequence[Ball], epsilon: float) -> Ball:
    """Return the least delta at epsilon for two laws: what the one exceeds e^epsilon times the other by."""
    factor = exp(ball(epsilon))
    return sum(((one - factor * two).max(ball(0)) for one, two in zip(law, other, strict=True)), ball(0))


def adaptive_privacy(grid: Grid, seed: int) -> list[Point]:
    """All reports give away of one round's gain what mu-GDP allows, no less, against every adversary.

    The value is the largest difference of delta from that of mu-GDP, over strategies, the round whose gain
    differs, and both directions. The last point is that the code's reports are gains plus the generator's
    next numbers, whatever came before.
    """
    points = []
    for (rounds, further), mu in product(grid["games"], grid["mu"]):
        with precision():
            off = {epsilon: [ball(0)] for epsilon in grid["epsilon"]}
            cells = Cells(mu, grid["epsilon"], further)
            for strategy in strategies(
                cells.count, rounds, grid["drawn"], rng_for(seed, "strategies", rounds)
            ):
                for changed in range(rounds):
                    both = [
                        [chance for _, chance in transcript(cells, rounds, strategy, changed, by)]
                        for by in (0, 1)
                    ]
                    # Both directions: delta is not symmetric in its laws.
                    for epsilon, (one, two) in product(off, (both, both[::-1])):
                        # Both signs: less than delta would mean that cells lose something, more that
                        # adaptivity breaks the promise.
                        off[epsilon].append(abs(_delta(one, two, epsilon) - gaussian_delta(epsilon, mu)))
            for epsilon, differences in off.items():
                where = {"rounds": rounds, "mu": mu, "epsilon": epsilon, "of": "transcript"}
                notes = {"cells": cells.count, "games": len(differences) // 2}
                points.append(at_point(where, largest(differences), ball(grid["tolerance"]), notes))
    for mu in grid["mu"]:
        points.append(_code(mu, grid["T"], seed))
    return points


def _code(mu: float, horizon: int, seed: int) -> Point:
    """Return how far the code's reports are from adaptive gains plus the generator's next numbers."""
    # The same stream twice: one for the code, one to know which numbers it must have used.
    numbers, gain, off = rng_for(seed, "adaptive reports", mu), np.zeros((1, 1)), 0.0
    report = reporter(GaussianDP(mu, "local"), SimulatedNoise(rng_for(seed, "adaptive reports", mu)))
    for _ in range(horizon):
        values = report(gain, 1.0).values
        off = max(off, abs(values - gain - numbers.standard_normal((1, 1)) / mu).item())
        gain = (values < 0.5).astype(np.float64)
    return at_point({"rounds": horizon, "mu": mu, "of": "code"}, ball(off), rational("1e-12"))
