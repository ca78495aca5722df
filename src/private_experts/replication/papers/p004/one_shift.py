"""The exact regret of weights over all sequences with at most one switch, where the best expert changes once.

For H rounds expert 0 loses nothing and all others g, then expert 1 loses nothing. So weights are powers of
``r = e^(-rate g)`` and geometric series, never negative, and operations bound rounding.
[mathematics/004.md#laws-of-all-rounds]
"""

from typing import NamedTuple

import numpy as np

from private_experts.arrays import Array
from private_experts.replication.balls.balls import Ball, ball, exp, log
from private_experts.replication.balls.sums import NORMAL, compound, floats, gamma, rounded

_TERMS = 200  # of a binomial tail


class Weights(NamedTuple):
    """Total weights of sequences now at expert 0, at expert 1, and at one of the others, by round."""

    first: Array
    second: Array
    other: Array


def before(n: int, horizon: int, powers: Array, sums: Array) -> Weights:
    """Return the weights in the rounds before the shift, after m = 0, 1, ... rounds."""
    m = np.arange(float(horizon // 2))
    # Sequences are counted and not listed: the class has about n^2 T of them.
    stay = 1 + (horizon - 1 - m) * (n - 1)  # in so many ways a sequence without a switch goes on
    power, total, r = powers[: m.size], sums[: m.size], powers[1]
    other = power * stay + total + (n - 2) * (m * power)
    return Weights(stay + (n - 1) * (r * total), other, other)


def after(n: int, horizon: int, powers: Array, sums: Array) -> Weights:
    """Return the weights in the rounds after the shift, when k = 0, 1, ... rounds have passed since."""
    half = horizon // 2
    k = np.arange(float(horizon - half))
    stay = 1 + (horizon - 1 - half - k) * (n - 1)
    power, total, r, whole, faded = powers[: k.size], sums[: k.size], powers[1], sums[half], powers[half]
    # switched to expert 0 before the shift; and since, from expert 1 and from another one
    back = power * (r * whole)
    first = power * stay + (back + faded * total) + (n - 2) * (back + power * faded * k)
    second = faded * stay + (whole + r * total) + (n - 2) * (faded * half + faded * (r * total))
    # With two experts there are no others to switch from, and n - 3 would be negative.
    from_others = (n - 3) * (power * faded * (half + k)) if n > 3 else 0.0
    other = power * faded * stay + power * (whole + k) + (power * faded * half + faded * total) + from_others
    return Weights(first, second, other)


def regret(n: int, horizon: int, gap: float, rate: Ball) -> Ball:
    """Return a ball around the expected regret, for an even number of rounds.

    A power of r has as many roundings as its exponent, and a sum of powers as many again. A weight has two
    such factors and fewer than 20 operations, and so have the sum of weights and what it divides.
    """
    assert horizon % 2 == 0
    (r,), error = floats([exp(-rate * gap)])
    half = horizon // 2
    # Products in a row and not a power function, whose rounding nobody bounds.
    powers = np.concatenate([[1.0], np.full(half, r).cumprod()])
    sums = np.concatenate([[0.0], powers[:-1].cumsum()])
    early, late = before(n, horizon, powers, sums), after(n, horizon, powers, sums)
    # The wrong experts' weights, not one minus the best's: late chances are tiny and would cancel.
    wrong = early.second + (n - 2) * early.other, late.first + (n - 2) * late.other
    chances = [
        weight / (best + weight) for weight, best in zip(wrong, (early.first, late.second), strict=True)
    ]
    total = float(chances[0].sum() + chances[1].sum())
    steps = 2 * (2 * horizon + 20) + horizon + 3  # of the quotient's two parts, and of the sum over rounds
    # Powers are inputs with up to `half` factors r, twice in a weight; the best expert's weight is at least
    # 1, so that what is lost of the others' is at most their number times all factors, in each round.
    inputs = compound(error + gamma(1), 4 * (half + 1))
    return ball(gap) * rounded(total, steps, inputs, NORMAL * ball(horizon) ** 3 * n**2)


def out_of_draws(rounds: int, chance: Ball, draws: int) -> Ball:
    """Return a ball of the chance that at least so many of independent draws happen, above their mean.

    Each further number is less likely by a factor that falls. So what is left out is at most a geometric
    series.
    """
    odds, many = chance / (1 - chance), ball(rounds)
    # By logarithms: the binomial coefficient may have thousands of digits.
    ways = (many + 1).lgamma() - (ball(draws) + 1).lgamma() - (many - draws + 1).lgamma()
    term, total, last = exp(ways + draws * log(chance) + (many - draws) * log(1 - chance)), ball(0), draws
    while last < min(draws + _TERMS, rounds):
        total, last = total + term, last + 1
        term *= odds * (rounds - last + 1) / last
    # The quotient of terms falls with their number, so this one bounds all that follow.
    factor = odds * (rounds - last) / (last + 1)
    return (total + term).union(total + term / (1 - factor)) if factor < 1 else ball(0, 1)
