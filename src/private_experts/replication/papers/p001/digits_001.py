"""What P-COMW and fresh Gibbs draws publish, number by number. [verdicts.md#drawn-noise]"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import expit, ndtr, ndtri

from private_experts.arrays import Array
from private_experts.private_oco.domains import Ball, Box
from private_experts.private_oco.every_round import GibbsEveryRound
from private_experts.private_oco.gaussian import LinearGibbs
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.private_oco.pcomw import PCOMW
from private_experts.replication.papers.drawn_samples import Digits, twins

_Pairs = Iterator[tuple[Any, Any]]
_BETA, _LAM = 2.0, 20.0
_COPIES = 2500
_SLOPES = np.array([[0.4, -0.2, 0.1, 0.3, -0.3], [0.4, 0.3, -0.2, -0.1, -0.6], [0.0] * 5])


def _published(learner: GibbsEveryRound | PCOMW, losses: Array) -> Iterator[Array]:
    """Yield what is published in each round; the last loss decides nothing that is played."""
    yield learner.predict()
    for loss in losses[:-1]:
        learner.update(loss)
        yield learner.predict()


def _fresh_draws(seed: int) -> _Pairs:
    """Draws on 16 points and in a cube of five dimensions are quantiles of numbers of their own."""
    rng, again = twins(seed, "points")
    points = np.linspace(-0.5, 0.5, 16)[:, None]
    losses = np.array([[0.5], [-0.4], [0.0]]) * points[:, 0]
    learner = GibbsEveryRound(
        GridGibbs(points, beta=_BETA, lam=_LAM), horizon=3, rng=rng, repetitions=_COPIES
    )
    for t, numbers in enumerate(_published(learner, losses)):
        masses = np.exp(-_BETA * (losses[:t].sum(axis=0) + _LAM / 2 * points[:, 0] ** 2))
        upto = masses.cumsum()
        yield numbers, np.searchsorted(upto, upto[-1] * again.random(_COPIES), side="right")
    rng, again = twins(seed, "cube")
    cube = LinearGibbs(Box((-0.5,) * 5, (0.5,) * 5), beta=_BETA, lam=_LAM)
    learner = GibbsEveryRound(cube, horizon=3, rng=rng, repetitions=_COPIES)
    for t, x in enumerate(_published(learner, _SLOPES)):
        total = _SLOPES[:t].sum(axis=0)
        below, at, above = (ndtr((end + total / _LAM) * math.sqrt(_BETA * _LAM)) for end in (-0.5, x, 0.5))
        share = again.random(x.shape)  # from whichever end is the nearer to the mode
        yield (at - below) / (above - below), np.where(total > 0, share, 1 - share)
    yield from _disc(seed)


def _disc(seed: int) -> _Pairs:
    """Points of a disc are the first in it that a square of its own law gives, down the first axis."""
    rng, again = twins(seed, "disc")
    slopes = np.array([[0.6, 0.0], [0.0, 0.0]])
    disc, square = (
        LinearGibbs(domain, beta=_BETA, lam=_LAM) for domain in (Ball(2, 0.5), Box((-0.5,) * 2, (0.5,) * 2))
    )
    learner = GibbsEveryRound(disc, horizon=2, rng=rng, repetitions=_COPIES)
    for t, played in enumerate(_published(learner, slopes)):
        around = square.law(slopes[:t].sum(axis=0)).sample(again, 2 * _COPIES + 64)
        yield played, around[(around**2).sum(axis=1) <= 0.25][:_COPIES]


def _lotteries(seed: int) -> _Pairs:
    """P-COMW's lotteries and draws in 60 rounds; and all draws of a budget are in its level."""
    rounds, copies, log_phi, p = 60, 100, 0.3, 0.2
    rng, again = twins(seed, "lotteries")
    points = np.linspace(-0.5, 0.5, 9)[:, None]
    family = GridGibbs(points, beta=_BETA, lam=_LAM)
    losses = np.linspace(-1.0, 1.0, rounds)[:, None] * points[:, 0]

    def player(budget: float) -> PCOMW:
        return PCOMW(family, log_phi=log_phi, p=p, budget=budget, rng=rng, repetitions=copies, horizon=rounds)

    # On a grid a draw reveals what a pair of outcomes does whose odds the loss moves by beta G D = 2.
    of_draws = player(4.1).guarantee.mu ** 2 - player(0.0).guarantee.mu ** 2
    yield of_draws, 5 * (2 * ndtri(expit(_BETA))) ** 2
    rng, again = twins(seed, "lotteries")
    law = family.law(family.nothing)
    expected = law.sample(again, copies)
    total = np.zeros(9)
    for t, published in enumerate(_published(player(math.inf), losses)):
        if t:
            total = total + losses[t - 1]
            before, law = law, family.law(total)
            ratio = law.log_density(expected) - before.log_density(expected) - log_phi
            for_the_loss, for_none = again.random((2, copies))
            kept = (for_the_loss < np.exp(np.clip(ratio, -2 * log_phi, 0))) & (for_none >= p)
            expected[~kept] = law.sample(again, int((~kept).sum()))
        yield published, expected


DIGITS: Digits = {"GibbsEveryRound": _fresh_draws, "PCOMW": _lotteries}
