"""Steady actions beside volatile ones, and a selection's exact error. [mathematics/002.md#volatile-streams]

A steady action loses the same in every round, a volatile one one of two amounts, by a coin of its own. A
selection picks the largest of independent scores plus noise, so the winner follows from one integral.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.polynomial import Chebyshev
from scipy.stats import binom

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.arrays import Array, Indices

_NEGLIGIBLE = 1e-22  # numbers of heads that are less likely are left out
# in noise scales: where the integral begins below the best steady score, and its reach
_LOWEST, _FURTHER = 6.0, 40.0
# lengths of a long block's prefixes at which the error is computed; it is interpolated between them
_NODES = 14


@dataclass(frozen=True)
class Volatile:
    """A best action, `steady` ones that lose `near` more, `volatile` ones that lose `gap` more on average."""

    best: float  # loss in every round
    near: float
    gap: float  # above `near`
    small: float  # what a volatile action may lose; best + gap lies between small and large
    large: float
    steady: int
    volatile: int

    @property
    def heads(self) -> float:
        """Probability that a volatile action loses `large`."""
        return (self.best + self.gap - self.small) / (self.large - self.small)

    @property
    def counts(self) -> Indices:
        """Numbers of actions with the gaps 0, `near` and `gap`, shape (3,)."""
        return np.array([1, self.steady, self.volatile])

    @property
    def shortfalls(self) -> Array:
        """The three gaps, shape (3,)."""
        return np.array([0.0, self.near, self.gap])

    @property
    def means(self) -> Array:
        """Expected gains of all actions, shape (n,)."""
        return 1 - self.best - np.repeat(self.shortfalls, self.counts)


def _gumbel(x: Array) -> tuple[Array, Array]:
    """Return density and distribution function of standard Gumbel noise, the softmax's in units of 1/rate."""
    # At -6 the function is 1e-175 already; further below e^-x would overflow.
    heavy = np.exp(-np.maximum(x, -_LOWEST))
    below = np.exp(-heavy)
    return heavy * below, below


def _laplace(x: Array) -> tuple[Array, Array]:
    """Return density and distribution function of standard Laplace noise."""
    density = np.exp(-np.abs(x)) / 2
    return density, np.where(x < 0, density, 1 - density)


# Noise of a selection by name of the algorithm, and the step of the integral in scales of the noise. The
# trapezoid rule is as good as exact for Gumbel noise, which is smooth. Laplace noise has a kink, and needs
# small steps.
_NOISE: dict[str, tuple[Callable[[Array], tuple[Array, Array]], float]] = {
    "whole block": (_gumbel, 1 / 3),
    "randomised prefix": (_gumbel, 1 / 3),
    "noisy max": (_laplace, 1 / 40),
}


@lru_cache(maxsize=4096)  # streams of a grid often differ in their losses alone
def _heads(rounds: int, chance: float) -> tuple[Indices, Array]:
    """Return the likely numbers of heads in so many rounds, and their probabilities."""
    heads = np.arange(rounds + 1)
    law = binom.pmf(heads, rounds, chance)
    # The number of numbers that matter grows like sqrt(r), and every node of the integral sums over them.
    kept = law > _NEGLIGIBLE
    return heads[kept], law[kept]


def chances(name: str, stream: Volatile, epsilon: float, r: int) -> Array:
    """Return the chances that the best, some steady and some volatile action is selected after r."""
    noise, step = _NOISE[name]
    scale = 2 / epsilon
    heads, law = _heads(r, stream.heads)
    volatile = -(r * stream.small + heads * (stream.large - stream.small)) / scale
    steady = -r * (stream.best + stream.shortfalls[:2]) / scale
    # The largest of n noises lies about log n scales up.
    reach = np.log(stream.counts.sum()) + _FURTHER
    y = np.arange(
        steady[0] - (_LOWEST if noise is _gumbel else _FURTHER), max(volatile[0], steady[0]) + reach, step
    )
    by_kind = [noise(y - place) for place in steady]
    density, below = noise(y[:, None] - volatile)
    by_kind.append((density @ law, below @ law))
    with np.errstate(divide="ignore"):  # far below, no noisy score lies, and the product is 0
        logs = np.array([np.log(function) for _, function in by_kind])
    # Logs, as products of so many functions underflow; one action's factor is then taken out by a difference.
    together = stream.counts @ np.maximum(logs, -1e300)
    densities = np.array([density for density, _ in by_kind])
    others = np.exp(together - np.maximum(logs, -1e300))  # the product over all actions but one
    return np.asarray(stream.counts * (densities * others).sum(axis=1) * step)


def error(name: str, stream: Volatile, epsilon: float, r: int) -> float:
    """Return the expected gap of the action selected after r rounds."""
    return float(chances(name, stream, epsilon, r) @ stream.shortfalls)


def block_errors(name: str, algorithm: DyadicLeader, stream: Volatile, blocks: int) -> Array:
    """Return the expected errors of the first `blocks` blocks; long ones interpolated at Chebyshev points."""
    means = [float(stream.counts @ stream.shortfalls / stream.counts.sum())]
    for m in range(blocks - 1):
        longest = 2**m
        shortest = int(algorithm.shortest_prefix(np.array([longest]))[0])
        lengths = np.arange(shortest, longest + 1)
        used = lengths
        if lengths.size > _NODES:
            # At Chebyshev points an interpolation of a smooth function does not oscillate at the ends.
            points = (shortest + longest) / 2 - (longest - shortest) / 2 * np.cos(
                np.linspace(0, np.pi, _NODES)
            )
            used = np.unique(np.rint(points).astype(int))
        errors = np.array([error(name, stream, algorithm.guarantee.epsilon, int(r)) for r in used])
        if used.size < lengths.size:
            # Errors fall about exponentially in r, so their logs are nearly straight.
            curve: Any = Chebyshev.fit(used, np.log(errors), used.size - 1)
            errors = np.exp(curve(lengths))
        means.append(float(errors.mean()))
    return np.array(means)
