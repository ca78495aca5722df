"""The error of selecting among steady and volatile actions, as a ball. [mathematics/002.md#volatile-streams]

An action wins with the probability ``integral of f(y - s_j) prod_{i != j} F(y - s_i) dy``. For Gumbel noise
the trapezoidal rule with step h is off by ``2 / (cos a (e^(2 pi a / h) - 1))`` at most, relative, for each a
below pi/2. [Trefethen and Weideman, The exponentially convergent trapezoidal rule, SIAM Review 2014, Theorem
5.1]
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from private_experts.arrays import Array
from private_experts.replication.balls.balls import BITS, Ball, ball, exp, pi, precision
from private_experts.replication.balls.elementary import EXP_STEPS, exps
from private_experts.replication.balls.sums import compound, floats, gamma, rounded
from private_experts.replication.papers.p002.softmax_errors import by_block, prefix, whole
from private_experts.replication.papers.p002.volatile import Volatile

_STEP = 0.25  # of the rule, at most, in noise scales
_STRIP = 1.4  # the a above
_SMALL = 1 / 80  # the step of sums for Laplace noise, at most
# how far nodes reach below the best action's score, and above all
_BELOW, _FAR_BELOW, _ABOVE = 6.4, 20.0, 40.0
_MOST = 690.0  # e to minus this is still a normal float


def _power(x: Array, times: int) -> Array:
    """Return a power by repeated products: so many roundings, and as many times the relative error of x."""
    result = np.ones_like(x)
    for _ in range(times):
        # One product a time: its roundings are plain to count, and powers here are small.
        result *= x
    return result


def grown(x: Array) -> Array:
    """Return e to the power of floats of either sign: one more rounding than `exps`."""
    # `exps` is proved for arguments up to 0 alone.
    return np.asarray(np.where(x > 0, 1 / exps(-np.maximum(x, 0.0)), exps(np.minimum(x, 0.0))))


def decayed(x: Array) -> Array:
    """Return e to minus floats of at least 0, and 0 beyond `_MOST`; beyond 690 this loses < 1e-299."""
    return np.asarray(np.where(x > _MOST, 0.0, exps(-np.minimum(x, _MOST))))


@lru_cache(maxsize=4096)  # streams of a grid often differ in other things alone
def _heads(rounds: int, chances: tuple[float, float]) -> Array:
    """Return the binomial law, two roundings for each round."""
    # By convolution, whose terms are positive: a closed form would need logarithms of factorials.
    return np.ones(1) if rounds == 0 else np.convolve(_heads(rounds - 1, chances), chances)


def _mixtures(law: Array, many: int, *tables: Array) -> list[Array]:
    """Return means of tables at nodes: with each of the heads the argument is so many steps larger."""
    # A head moves the score by a whole number of steps, so tables are shifted and never computed anew.
    reach = many * (len(law) - 1) + 1
    return [np.asarray(sliding_window_view(table, reach)[:, ::many] @ law) for table in tables]


@lru_cache(maxsize=64)
def _coin(stream: Volatile) -> tuple[tuple[float, float], Ball]:
    """Return the chances to lose `small` and `large`, and their relative error."""
    with precision(BITS):
        p = (ball(stream.best) + stream.gap - stream.small) / (ball(float(stream.large)) - stream.small)
        both, error = floats([1 - p, p])
    return (float(both[0]), float(both[1])), error


class _Places(NamedTuple):
    """Where integrals are taken, from the best score that a volatile action can have, in noise scales."""

    many: int  # steps that a volatile action's score moves by with each head
    h: float  # the step
    places: tuple[float, float]  # of the best action's and the steady ones' scores, from that one
    nodes: Array  # in steps
    grid: Array  # arguments of the noise, in steps
    size: float  # the largest number that an exponent is made of


def _places(stream: Volatile, epsilon: float, r: int, step: float, below: float) -> _Places:
    """Return places at most `step` apart, from `below` under the best action's score on."""
    scale = 2 / epsilon
    head = (stream.large - stream.small) / scale
    many = math.ceil(head / step)
    h, top = head / many, -r * stream.small / scale
    best, steady = (-r * (stream.best + near) / scale for near in (0.0, stream.near))
    first = math.ceil((best - below - top) / h)
    last = math.ceil((max(top, best) - top + math.log(int(stream.counts.sum())) + _ABOVE) / h)
    grid: Array = np.arange(first, last + 1 + many * r, dtype=np.float64)
    size = abs(best) + abs(steady) + abs(top) + h * (abs(first) + abs(last) + many * r)
    return _Places(many, h, (best - top, steady - top), grid[: last + 1 - first], grid, size)


def softmax_error(stream: Volatile, epsilon: float, r: int) -> Ball:
    """Return the expected gap of the action that a softmax of rate eps/2 selects after r rounds.

    Nodes are at multiples of h from the best score of a volatile action. With E = e^-x the noise has F = e^-E
    and f = E F. An exponent x is off by six roundings; in ``e^-E``, not 0 for up to 690 alone, its error
    counts 690 times. Above the nodes f is at most ``e^-x``; below them the best action alone has F below
    1e-260.
    """
    many, h, places, nodes, grid, size = _places(stream, epsilon, r, _STEP, _BELOW)
    coin, of_coin = _coin(stream)
    e = grown(-h * grid)
    noise = decayed(e)
    below, density = _mixtures(_heads(r, coin), many, noise, e * noise)
    of_best, of_steady = (grown(place - h * nodes) for place in places)
    together = decayed(of_best + stream.steady * of_steady)
    others = _power(below, stream.volatile - 1)
    steady_sum = float((of_steady * together * others * below).sum() * h * stream.steady)
    volatile_sum = float((density * together * others).sum() * h * stream.volatile)

    with precision(BITS):
        of_e = (1 + gamma(EXP_STEPS + 1)) * exp(gamma(8) * size) - 1
        of_noise = (1 + gamma(EXP_STEPS)) * exp(_MOST * (of_e + gamma(3)) * 1.001) - 1
        mixed = (1 + of_noise) * (1 + of_e) * (1 + gamma(r + 3)) * (1 + compound(of_coin + gamma(2), r)) - 1
        inputs = (1 + compound(mixed, stream.volatile)) * (1 + of_noise) * (1 + of_e) - 1
        steps = nodes.size + stream.volatile + 8
        rule = 2 / (ball(_STRIP).cos() * (exp(2 * pi() * _STRIP / h) - 1))
        # The rule's error is relative to the true integral, so it is divided by and not added.
        around = ball(1).union(1 / (1 - rule)).union(1 / (1 + rule))
        left_out = ball(0, exp(-ball(_ABOVE)).upper() + 1e-250)
        # of less than 1e7 products, each of what is below 1e-299 and what is at most e^40
        lost = ball(1e-250)
        chances = [
            (rounded(total, steps, inputs, lost) + left_out) * around for total in (steady_sum, volatile_sum)
        ]
        return ball(stream.near) * chances[0] + ball(stream.gap) * chances[1]


def raised(x: Array, times: int) -> Array:
    """Return a power by squares: fewer than twice so many roundings on any way."""
    result = np.ones_like(x)
    while times:
        result = result * x if times % 2 else result
        x, times = x * x, times // 2
    return result


def noisy_max_error(stream: Volatile, epsilon: float, r: int) -> Ball:
    """Return the mean gap of report-noisy-max's action after r rounds, with noise of scale 2/eps.

    Distribution functions rise. So between two nodes the integral of a product of them with respect to
    another lies between the products at the nodes times what the other gains: in closed form, or for steady
    actions between the densities at both nodes times h, up to e^h. Below the nodes the best action is with at
    most e^-20, above anyone with e^-40.
    """
    many, h, places, nodes, grid, size = _places(stream, epsilon, r, _SMALL, _FAR_BELOW)
    coin, of_coin = _coin(stream)
    with precision(BITS):
        # How much Laplace's distribution gains in a step, by its tail: below 0 the tail grows, above it
        # shrinks.
        gains, of_gain = floats([ball(h).expm1(), -(-ball(h)).expm1()])

    def noise(x: Array) -> tuple[Array, Array]:
        tail = exps(-np.abs(x)) / 2
        return tail, np.where(x < 0, tail, 1 - tail)

    tail, table = noise(h * grid)
    below, more = _mixtures(_heads(r, coin), many, table, tail * np.where(grid < 0, gains[0], gains[1]))
    (_, of_best), (density, of_steady) = (noise(h * nodes - place) for place in places)
    rest, shared = raised(of_steady, max(stream.steady - 1, 0)), of_best * _power(below, stream.volatile - 1)
    product, product_of_steady = shared * rest * (of_steady if stream.steady else 1.0), shared * rest * below
    pairs = np.stack([density[:-1], density[1:]])
    # A product at the left node is too small, and at the right one too large, for the whole step between.
    sums = [
        stream.steady * h * float((product_of_steady[:-1] * pairs.min(axis=0)).sum()),
        stream.volatile * float((product[:-1] * more[:-1]).sum()),
        stream.steady * h * float((product_of_steady[1:] * pairs.max(axis=0)).sum()),
        stream.volatile * float((product[1:] * more[:-1]).sum()),
    ]

    with precision(BITS):
        of_tail = (1 + gamma(EXP_STEPS)) * exp(gamma(8) * size) - 1
        of_table = (1 + of_tail) * (1 + of_gain) * (1 + gamma(8)) - 1
        mixed = (1 + of_table) * (1 + gamma(r + 2)) * (1 + compound(of_coin + gamma(2), r)) - 1
        inputs = (1 + compound(mixed, stream.volatile)) * (1 + compound(of_table, stream.steady + 2)) - 1
        steps = nodes.size + stream.volatile + 2 * stream.steady + 16
        lost = ball(1e-250)  # products below the least normal float
        balls = [rounded(total, steps, inputs, lost) for total in sums]
        least = ball(stream.near) * balls[0] + ball(stream.gap) * balls[1]
        # Within a step the density may have its peak, which is above its larger end by e^h at most.
        most = ball(stream.near) * balls[2] * exp(ball(h) * 1.001) + ball(stream.gap) * balls[3]
        return least.union(
            most + ball(max(stream.near, stream.gap)) * (exp(-ball(_FAR_BELOW)) + exp(-ball(_ABOVE)))
        )


def rival_errors(name: str, stream: Volatile, epsilon: float, blocks: int) -> list[Ball]:
    """Return expected errors of blocks: randomised prefix, whole blocks or their report-noisy-max."""
    with precision(BITS):
        # The first action is drawn without data.
        spread = ball(stream.near) * stream.steady + ball(stream.gap) * stream.volatile
        first = spread / int(stream.counts.sum())
        if name == "noisy max":
            return [first, *(noisy_max_error(stream, epsilon, 2**m) for m in range(blocks - 1))]
        shortest = prefix if name == "randomised prefix" else whole
        # Only lengths that prefixes can have; other errors are not numbers, so that their use would show.
        needed = {r for m in range(blocks - 1) for r in range(shortest(2**m), 2**m + 1)}
        nothing = ball("nan")
        errors = [
            softmax_error(stream, epsilon, r) if r in needed else nothing for r in range(1, max(needed) + 1)
        ]
        return by_block(first, errors, blocks, shortest)
