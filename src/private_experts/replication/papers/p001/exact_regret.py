"""Expected regret and draws on grids, as balls: laws in floats of which the total error is bounded.

A Markov kernel brings no two laws further apart. So errors of the rounds add up and are not magnified.
[mathematics/001.md#exact-laws]
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from private_experts.arrays import Array
from private_experts.private_oco import domains
from private_experts.private_oco.domains import Domain
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.replication.balls.balls import Ball, ball, largest, log, sqrt, square, upper
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.balls.cells import LOST, Cells, gibbs, log_ratios
from private_experts.replication.balls.elementary import EXP_STEPS, exps
from private_experts.replication.balls.sums import NORMAL, gamma, signed
from private_experts.replication.ledger.evidence import Point

APART = 1e-6  # how far the program's regrets and draws may be, in units of the largest
ROUNDING = 1e-12  # of the program's bounds, relative
_MORE = 1.001  # laws in floats add up to less than this


class Play(NamedTuple):
    """The laws of the points in floats, and at most how far from the true ones, summed over the points."""

    laws: Array  # (T, m)
    off: Array  # (T,)
    draws: Ball  # expected, at all lotteries


def measures(family: GridGibbs, losses: Array) -> Cells:
    """Return the Gibbs measures mu_1 to mu_T of losses (T, m), taken as exact binary numbers."""
    totals = np.zeros_like(losses)
    # Totals of the rounds before, as mu_t does not see the loss of round t.
    np.cumsum(losses[:-1], axis=0, out=totals[1:])
    off = _MORE * gamma(len(losses)) * float(np.abs(losses).sum(axis=0).max())
    return gibbs(totals, family.points, family.beta, family.lam, off)


def fresh_draws(laws: Cells) -> Play:
    """Return the play that draws each point from its Gibbs measure."""
    horizon = len(laws.masses)
    return Play(laws.masses, np.full(horizon, _off(laws)), ball(horizon - 1))


def lotteries(laws: Cells, log_phi: float, p: float) -> Play:
    """Return the play of P-COMW without a budget; parameters are taken as exact binary numbers."""
    horizon, m = laws.masses.shape
    ratios, off = log_ratios(laws[1:], laws[:-1])
    # In logarithms, where the clipping to [Phi^-2, 1] is exact.
    keep = (1 - p) * exps(np.clip(ratios - log_phi, -2 * log_phi, 0.0))
    of_keep = ball(off) + gamma(1) * 2 * log_phi + gamma(EXP_STEPS + 2)
    law, draws = laws.masses.copy(), 0.0
    for t, keep_now in enumerate(keep, start=1):
        anew = float((law[t - 1] * (1 - keep_now)).sum())
        law[t] = law[t - 1] * keep_now + law[t] * anew
        draws += anew
    off_each_round = _MORE * (2 * of_keep + _off(laws) + gamma(m + 4)) + 4 * m * ball(NORMAL)
    # Linear in the rounds and not exponential: a kernel magnifies no distance.
    apart = upper(off_each_round) * np.arange(1, horizon + 1)
    if not apart[-1] < _MORE - 1:
        raise ValueError(f"the laws of this play are known up to {apart[-1]} alone")
    # The chance of a draw is at most 1, so each round's law is wrong by as much as its distance.
    wrong = upper(_MORE * (float(apart.sum()) + horizon * (of_keep + gamma(m + horizon))))
    return Play(law, apart, ball(draws) + ball(-wrong, wrong))


def regret(play: Play, losses: Array) -> Ball:
    """Return the expected regret against the best point of the grid, for losses (T, m) as they stand."""
    sizes = np.abs(losses)
    paid, most = (float((play.laws * values).sum(axis=1).sum()) for values in (losses, sizes))
    apart = _MORE * float((play.off * sizes.max(axis=1)).sum())
    # Masses below the least normal float are lost or rounded badly: bounded absolutely.
    lost = losses.size * ball(NORMAL) * float(sizes.max())
    return signed(paid, most, sum(losses.shape) + 1, lost=lost) + ball(-apart, apart) - _best(losses, sizes)


def unlearned(losses: Array) -> float:
    """Return the expected regret of uniform draws from all points, for losses (T, m)."""
    return float(losses.mean(axis=1).sum() - losses.sum(axis=0).min())


def _best(losses: Array, sizes: Array) -> Ball:
    """Return the least sum of losses of a point."""
    apart = upper(_MORE * gamma(len(losses)) * float(sizes.sum(axis=0).max()))
    return ball(float(losses.sum(axis=0).min())) + ball(-apart, apart)


def _off(laws: Cells) -> Ball:
    """Return how far a measure is from the true one in total; cells that are lost count twice."""
    return laws.error + 2 * laws.masses.shape[-1] * ball(LOST)


def programs(
    where: Mapping[str, Any], name: str, off: Sequence[Ball | float], bounds: Sequence[Ball | float]
) -> list[Point]:
    """Return how far the program's numbers are from balls, as shares of G D T, and its bounds, relative."""
    return [
        at_point({**where, name: "program's value"}, largest(off), ball(APART)),
        at_point({**where, name: "program's bound"}, largest(bounds), ball(ROUNDING)),
    ]


def diameter(domain: Domain) -> Ball:
    """Return the diameter of a set, whose ends or radius are taken for the binary numbers that they are."""
    if isinstance(domain, domains.Ball):
        return 2 * ball(domain.radius)
    return sqrt(
        sum((square(ball(high) - low) for low, high in zip(domain.low, domain.high, strict=True)), ball(0))
    )


def gibbs_bound(
    horizon: int, dimension: int, beta: float, lam: float, lipschitz: float, across: Ball
) -> Ball:
    """Return ``lam D^2 / 2 + G^2 T / lam + d log(T) / beta + G D`` for a diameter D."""
    regulariser, stability = ball(lam) * square(across) / 2, square(ball(lipschitz)) * horizon / lam
    return regulariser + stability + dimension * log(ball(horizon)) / beta + lipschitz * across
