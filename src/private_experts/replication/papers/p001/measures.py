"""Gibbs measures of convex losses on an interval and on a disc, in balls. [001, Section 3]

On the interval the density is piecewise Gaussian. On the disc centres of cells stand for the set, with proved
errors of sums; how far the measure on the cells is from that on the disc is not bounded.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from private_experts.arrays import Array
from private_experts.private_oco import domains
from private_experts.private_oco.domains import Box, Domain
from private_experts.replication.balls import cells
from private_experts.replication.balls.balls import BITS, Ball, ball, exp, lower, near, precision, sqrt, upper
from private_experts.replication.balls.piecewise_gaussian import PiecewiseGaussian, divergence, gibbs
from private_experts.replication.balls.piecewise_linear import PiecewiseLinear
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p001.convex_losses import STEEPEST, Maxima, convex, pairs

Pair = tuple[Maxima, Maxima]

# Two from the origin to the nearest edge.
LOW, HIGH = -2.0, 6.0
DOMAINS: dict[str, Domain] = {"interval": Box((LOW,), (HIGH,)), "disc": domains.Ball(2, 2.0)}
# what is allowed, as a share of a bound that is attained, for the cells that stand for the disc
_FOR_CELLS = 1e-9

# Bits to work with, more if a ratio is undecided. Linear losses miss their bound by what an edge cuts off. On
# the interval the nearest one is up to 35 deviations from the measure of no loss, where a normal density is
# e^-600.
_BITS = {"interval": (BITS, 400, 1500), "disc": (BITS,)}

_UNIT = 2.0**-52


@dataclass(frozen=True)
class OnInterval:
    """A measure on an interval, with a piecewise Gaussian density."""

    law: PiecewiseGaussian

    @property
    def log_total(self) -> Ball:
        """The logarithm of the integral that normalises the measure."""
        return self.law.log_total

    def mean(self, function: Maxima) -> Ball:
        """Return the expectation of a function."""
        return self.law.of(function.on(LOW, HIGH)).mean()

    def log_moment(self, function: Maxima, scale: float) -> Ball:
        """Return the logarithm of the expectation of ``exp(scale F)``."""
        return self.law.of(function.on(LOW, HIGH)).log_moment(scale)

    def tails(self, function: Maxima, middle: Ball, widths: Sequence[Ball]) -> list[Ball]:
        """Return the masses of the points where a function is at least so far from a number."""
        return self._tails(function.on(LOW, HIGH), middle, widths)

    def _tails(self, function: PiecewiseLinear, middle: Ball, widths: Sequence[Ball]) -> list[Ball]:
        variable = self.law.of(function)
        return [variable.at_least(middle + width) + variable.at_most(middle - width) for width in widths]

    def ratio_tails(self, other: Any, levels: Sequence[Ball]) -> list[Ball]:
        """Return the masses of the points where the log-ratio to another measure is at least so large."""
        function, constant = self.law.log_ratio(other.law)
        return self._tails(function, -constant, levels)

    def divergence(self, other: Any) -> Ball:
        """Return the Kullback-Leibler divergence of the measure from another one."""
        return divergence(self.law, other.law)

    def deltas(self, other: Any, epsilons: Sequence[float]) -> list[Ball]:
        """Return by epsilon the least delta with the measure at most ``e^epsilon other + delta``."""
        function, constant = self.law.log_ratio(other.law)
        of_self, of_other = self.law.of(function), other.law.of(function)
        levels = [(epsilon - constant, exp(ball(epsilon))) for epsilon in epsilons]
        # Delta is the excess of mass on the set where the ratio exceeds e^epsilon: the best test.
        return [of_self.at_least(level) - factor * of_other.at_least(level) for level, factor in levels]


@dataclass(frozen=True)
class OnCells:
    """A measure on the centres of cells, shape (m, d), which have equal weights without losses."""

    law: cells.Cells
    points: Array
    _kept: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @cached_property
    def log_total(self) -> Ball:
        """The logarithm of the sum that normalises the measure."""
        return cells.log_sum(self.law)

    def mean(self, function: Maxima) -> Ball:
        """Return the expectation of a function, whose values in floats are taken as they are."""
        return cells.mean(self.law, self._at(function))

    def log_moment(self, function: Maxima, scale: float) -> Ball:
        """Return the logarithm of the expectation of ``exp(scale F)``."""
        return cells.log_moment(self.law, self._at(function), scale)

    def tails(self, function: Maxima, middle: Ball, widths: Sequence[Ball]) -> list[Ball]:
        """Return the masses of the points where a function is at least so far from a number."""
        rounded = near(middle)
        return self._tails(np.abs(self._at(function) - rounded), upper(abs(middle - rounded)), widths)

    def _at(self, function: Maxima) -> Array:
        """Return a function's values in the cells, which are kept for the next question about it."""
        if self._kept.get("function") is not function:
            self._kept.update(function=function, values=function.at(self.points))
        values: Array = self._kept["values"]
        return values

    def _tails(self, sizes: Array, off: float, levels: Sequence[Ball]) -> list[Ball]:
        """Return the masses of the points where values with such errors, and one rounding, reach a level."""
        apart, masses = off + _UNIT * float(sizes.max()), []
        for level in levels:
            # A point whose value is too near to the level is counted as out for one end, and as in for the
            # other.
            surely = sizes >= upper(level) + 2 * apart
            perhaps = sizes >= lower(level) - 2 * apart
            least = cells.mass(self.law, surely)
            # The one set contains the other, and mostly they are the same.
            same = np.count_nonzero(surely) == np.count_nonzero(perhaps)
            masses.append(least if same else least.union(cells.mass(self.law, perhaps)))
        return masses

    def ratio_tails(self, other: Any, levels: Sequence[Ball]) -> list[Ball]:
        """Return the masses of the points where the log-ratio to another measure is at least so large."""
        ratios, off = cells.log_ratios(self.law, other.law)
        return self._tails(np.abs(ratios), off, levels)

    def divergence(self, other: Any) -> Ball:
        """Return the Kullback-Leibler divergence of the measure from another one."""
        return cells.divergence(self.law, other.law)

    def deltas(self, other: Any, epsilons: Sequence[float]) -> list[Ball]:
        """Return by epsilon the least delta with the measure at most ``e^epsilon other + delta``."""
        return [cells.beyond(self.law, other.law, epsilon) for epsilon in epsilons]


Measure = OnInterval | OnCells


def on_interval(loss: Maxima, beta: float, lam: float) -> PiecewiseGaussian:
    """Return the Gibbs measure of a loss on the interval."""
    return gibbs(loss.on(LOW, HIGH), beta, lam)


@dataclass(frozen=True)
class Case:
    """A set with its parameters, its cells along a side, and whether the linear pair feels its edge."""

    name: str
    beta: float
    lam: float
    cells: int
    far: bool

    @property
    def where(self) -> dict[str, Any]:
        """The parameters, as the evidence has them."""
        return {"set": self.name, "beta": self.beta, "lam": self.lam}

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return DOMAINS[self.name].dimension

    @property
    def bits(self) -> int:
        """The most bits that `sharply` works with; what it returns is compared with as many."""
        return _BITS[self.name][-1]

    def limit(self, bound: float) -> Ball:
        """Return a bound that is attained, on the disc with an allowance for its cells."""
        return ball(bound) if self.name == "interval" else ball(bound) * (1 + ball(_FOR_CELLS))

    def scale(self, lipschitz: float) -> Ball:
        """Return u, the length of a shift by G / lam in standard deviations of a Gaussian."""
        return lipschitz * sqrt(ball(self.beta) / self.lam)

    def sharply(
        self, numbers: Callable[..., Sequence[Ball]], bound: float, *arguments: Any
    ) -> Sequence[Ball]:
        """Return ``numbers(case, *given)``, with as many bits as tell whether the first is below a bound."""
        results: Sequence[Ball] = ()
        for bits in _BITS[self.name]:
            with precision(bits):
                results = numbers(self, *arguments)
            if results[0] < bound or results[0] > bound:
                break
        return results

    @cached_property
    def points(self) -> Array:
        """The centres of the cells of a disc, shape (m, d)."""
        return DOMAINS[self.name].grid(self.cells)

    def pairs(
        self, lipschitz: float, instances: Mapping[str, int], rng: np.random.Generator
    ) -> Iterator[Pair]:
        """Yield pairs of losses for this set. See `convex_losses.pairs`."""
        return pairs(self.dimension, self.span, lipschitz, instances[self.name], rng)

    def convex(self, lipschitz: float, pieces: int, rng: np.random.Generator) -> Maxima:
        """Return a random loss for this set. See `convex_losses.convex`."""
        return convex(self.dimension, self.span, lipschitz, pieces, rng)

    @property
    def span(self) -> float:
        """The largest coordinate in size, of the interval or of the cells' centres."""
        return max(-LOW, HIGH) if self.name == "interval" else float(np.abs(self.points).max())

    def measures(self, *losses: Maxima) -> list[Measure]:
        """Return the Gibbs measures of some losses."""
        if self.name == "interval":
            return [OnInterval(on_interval(loss, self.beta, self.lam)) for loss in losses]
        laws = cells.gibbs(
            np.stack([loss.at(self.points) for loss in losses]), self.points, self.beta, self.lam
        )
        return [OnCells(laws[number], self.points) for number in range(len(losses))]


def cases(grid: Grid) -> Iterator[Case]:
    """Yield the cases of the grid but for discs that need too many cells; see `with_unresolved`."""
    for name, beta, lam in product(grid["set"], grid["beta"], grid["lam"]):
        count = _cells(grid, name, beta, lam)
        if name == "interval" or count <= grid["most_cells"][name]:
            # Shifts of up to 3 G / lam and five deviations fit between the origin and the nearest edge.
            far = 3 * grid["G"] / lam + 5 / np.sqrt(beta * lam) <= 2.0
            yield Case(name, beta, lam, count, bool(far))


def _cells(grid: Grid, name: str, beta: float, lam: float) -> int:
    """Return the cells along a side; on the disc, `fineness` (2) in a density's shortest length of change."""
    if name == "interval":
        return 0
    # The deviation of the Gaussian, or the length over which the steepest loss changes a density by e.
    finest = min(1 / np.sqrt(beta * lam), 1 / (beta * (STEEPEST[2] + grid["G"])))
    return max(
        int(grid["cells"][name]), int(np.ceil(grid.get("fineness", 2) * DOMAINS[name].diameter / finest))
    )


def with_unresolved(points: list[Point], grid: Grid) -> list[Point]:
    """Return points with a note that names the cases of the grid with too many cells to compute, if any."""
    unresolved = [
        f"{name}, beta {beta:g}, lambda {lam:g}"
        for name, beta, lam in product(grid["set"], grid["beta"], grid["lam"])
        if _cells(grid, name, beta, lam) > grid["most_cells"].get(name, 0)
    ]
    return (
        [replace(point, notes={**point.notes, "not resolved": "; ".join(unresolved)}) for point in points]
        if unresolved
        else points
    )
