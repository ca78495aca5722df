"""Exact privacy of whole plays, by every accounting, and a search for the pair that gives most away. [001, Theorem 4.1]

The set is a needle: a box in d dimensions with one long side, along which all losses are linear. The other coordinates
then know nothing of the losses, and the play on the long side is exact on a fine grid. In many dimensions the measures
are narrow against the set, so that the edge hides nothing. [mathematics/001.md#worst-pairs]
"""

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from private_experts.convex import gaussian_accounting
from private_experts.convex.domains import Box
from private_experts.convex.exact_delta import Moments, epsilon, every_round_moments, play_moments
from private_experts.convex.gibbs import GridGibbs
from private_experts.convex.parameters import Parameters, private_parameters
from private_experts.privacy.gaussian_mechanism import calibrate_mu
from private_experts.randomness import rng_for
from private_experts.replication.claims.evidence import Point

Array = NDArray[np.float64]
Grid = Mapping[str, Any]

LONG_SIDE = 0.99  # the others are as short as the diameter 1 demands


def _careful(horizon: int, dimension: int, spent: float, delta: float) -> Parameters:
    return private_parameters(horizon, dimension, spent, delta, accounting="careful")


def _gaussian(horizon: int, dimension: int, spent: float, delta: float) -> Parameters:
    return gaussian_accounting.lazy_private_parameters(horizon, dimension, float(calibrate_mu(spent, delta)))


def _often(horizon: int, dimension: int, spent: float, delta: float) -> Parameters:
    """Return parameters of P-COMW that draws in nine of ten rounds whatever the loss, so that draws cost most of it."""
    return gaussian_accounting.lazy_private_parameters(horizon, dimension, float(calibrate_mu(spent, delta)), p=0.9)


def _every_round(horizon: int, dimension: int, spent: float, delta: float) -> Parameters:
    """Return the parameters of fresh draws, written as those of P-COMW with p = 1."""
    level = float(calibrate_mu(spent, delta))
    return Parameters(*gaussian_accounting.every_round_parameters(horizon, dimension, level), 0.0, 1.0, horizon - 1)


ACCOUNTINGS: dict[str, Callable[[int, int, float, float], Parameters]] = {
    "mended": private_parameters,
    "careful": _careful,
    "gaussian": _gaussian,
    "gaussian, p = 0.9": _often,
    "every round": _every_round,
}


def _streams(places: Array, slopes: Array, change: int, ends: tuple[float, float] = (1.0, -1.0)) -> list[Array]:
    """Return two streams of linear losses (T, m) with these slopes (T,), but for two others in the round `change`."""
    pair = [slopes.copy(), slopes.copy()]
    for one, end in zip(pair, ends, strict=True):
        one[change] = end
    return [one[:, None] * places for one in pair]


def _family(play: Parameters, cells: int) -> GridGibbs:
    """Return the Gibbs measures on the long side of the needle."""
    return GridGibbs(Box((-LONG_SIDE / 2,), (LONG_SIDE / 2,)).grid(cells), beta=play.beta, lam=play.lam)


def _moments(play: Parameters, laws: Array, others: Array) -> Moments:
    """Return the moments of the privacy loss of a play."""
    return every_round_moments(laws, others) if play.p == 1 else play_moments(laws, others, play.log_phi, play.p)


def whole_plays(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The paths of a play are (epsilon, delta)-indistinguishable: their exact epsilon is at most what is promised.

    It is that of plays without a budget, and at least that of plays with one. [mathematics/001.md#exact-delta]
    """
    points, delta = [], grid["delta"]
    for accounting, horizon, promised, dimension in product(grid["accounting"], grid["T"], grid["epsilon"], grid["d"]):
        play = ACCOUNTINGS[accounting](horizon, dimension, promised, delta)
        family = _family(play, grid["cells"])
        for share, before, after in grid["streams"]:
            change = int(share * (horizon - 1))
            slopes = np.where(np.arange(horizon) < change, before, after).astype(float)
            laws = [family.laws(each) for each in _streams(family.points[:, 0], slopes, change)]
            found = max(epsilon(_moments(play, *pair), delta) for pair in (laws, laws[::-1]))
            where = {
                "accounting": accounting, "T": horizon, "epsilon": promised, "d": dimension,
                "change": change + 1, "slope before": before, "slope after": after,
            }  # fmt: skip
            points.append(Point(where, found, promised * (1 + 1e-6)))
            if accounting == "every round" and change == 0 and dimension >= grid["narrow"]:
                points.append(Point({**where, "side": "below"}, found, promised * (1 - grid["attained"]), sense=">="))
    return points


def search(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """No pair of streams that a search finds gives away more than opposite losses in round 1, and none besides.

    The search starts at random slopes, constant on blocks, a random round of the change, and random slopes there. It
    moves all of them at random and keeps what gives more away. The value is the largest epsilon found, as a share.
    [mathematics/001.md#worst-pairs]
    """
    points, horizon, delta = [], grid["T"], grid["delta"]
    for accounting in grid["accounting"]:
        play = ACCOUNTINGS[accounting](horizon, grid["d"], grid["epsilon"], delta)
        family = _family(play, grid["cells"])

        def given_away(slopes: Array, change: int, ends: tuple[float, float]) -> float:
            laws = [family.laws(each) for each in _streams(family.points[:, 0], slopes, change, ends)]  # noqa: B023
            return epsilon(_moments(play, *laws), delta)  # noqa: B023

        unit = given_away(np.zeros(horizon), 0, (1.0, -1.0))
        rng, found = rng_for(seed, "worst pair", accounting, horizon), []
        for _ in range(grid["starts"]):
            here, best = rng.uniform(0, 1, grid["blocks"] + 3), 0.0
            for step in range(grid["steps"]):
                there = np.clip(here + step / grid["steps"] * rng.normal(0, 0.3, here.size), 0, 1)
                slopes = np.repeat(2 * there[3:] - 1, -(-horizon // grid["blocks"]))[:horizon]
                ends = (2 * there[1] - 1, 2 * there[2] - 1)
                value = given_away(slopes, int(there[0] * (horizon - 1)), ends) if ends[0] != ends[1] else 0.0
                if value > best:
                    here, best = there, value
            found.append(best / unit)
        where = {"accounting": accounting, "T": horizon}
        notes = {"epsilon of opposite losses in round 1": unit, "least of the starts": min(found)}
        points.append(Point(where, max(found), 1 + grid["allowed"], notes=notes))
    return points
