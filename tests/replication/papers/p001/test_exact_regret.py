"""Laws, regret and draws of plays on a grid are as near as they say to those in balls, by another route."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from private_experts.private_oco.domains import Box
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.private_oco.losses import LOSSES
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import ball, lower, smallest, upper
from private_experts.replication.papers.p001 import exact_regret
from private_experts.replication.papers.p001.exact_chains import clipped, gibbs
from private_experts.replication.papers.p001.exact_regret import fresh_draws, lotteries, measures, regret
from tests.each import each

pytestmark = pytest.mark.usefixtures("in_balls")

FAMILY = GridGibbs(Box([-0.5], [0.5]).grid(5), beta=30.0, lam=3.0)
LOSS = LOSSES["linear"](FAMILY, 12, 2.0, rng_for(1, "exact regret"))
SAME = np.tile(2 * FAMILY.points[:, 0], (12, 1))
E = 1e-6  # what is off in the tests of errors, exaggerated


def in_balls(log_phi: float, p: float) -> tuple[list[list[Any]], Any, Any]:
    """Return the laws of the point in each round, the expected regret and the expected draws."""
    fresh = gibbs(FAMILY.points[:, 0], LOSS, FAMILY.beta, FAMILY.lam)
    law, laws, draws = fresh[0], [fresh[0]], ball(0)
    for now, kept in zip(fresh[1:], clipped(fresh, log_phi), strict=True):
        stay = [(1 - ball(p)) * chance for chance in kept]
        anew = sum((mass * (1 - one) for mass, one in zip(law, stay, strict=True)), ball(0))
        law = [mass * one + anew * new for mass, one, new in zip(law, stay, now, strict=True)]
        laws.append(law)
        draws += anew
    rows = zip(LOSS.tolist(), laws, strict=True)
    paid = [ball(x) * q for row, law in rows for x, q in zip(row, law, strict=True)]
    best = smallest([sum(map(ball, column), ball(0)) for column in LOSS.T.tolist()])
    return laws, sum(paid, ball(0)) - best, draws


def distances(play: Any, laws: Any) -> list[Any]:
    """Return how far the law in each round is from one in balls."""
    rows = zip(play.laws.tolist(), laws, strict=True)
    return [sum((abs(q - x) for x, q in zip(row, law, strict=True)), ball(0)) for row, law in rows]


@each("log_phi", [0.1, 5.0])  # ratios are clipped, or not
@each("p", [0.0, 0.1])
def test_a_play_is_within_what_it_says(log_phi: float, p: float) -> None:
    laws, lost, draws = in_balls(log_phi, p)
    play = lotteries(measures(FAMILY, LOSS), log_phi, p)
    assert all(away <= off for away, off in zip(distances(play, laws), play.off.tolist(), strict=True))
    found = regret(play, LOSS)
    for one, true in ((found, lost), (play.draws, draws)):
        assert one.contains(true)
        assert upper(one) - lower(one) < 1e-8


def test_fresh_draws_have_the_gibbs_measures() -> None:
    laws, lost, _ = in_balls(1e-9, 1.0)  # each lottery draws anew
    play = fresh_draws(measures(FAMILY, LOSS))
    assert regret(play, LOSS).contains(lost)
    assert all(away <= play.off[0] for away in distances(play, laws))


def apart(one: Any, two: Any) -> Any:
    return np.abs(one.laws - two.laws).sum(axis=1)


@each("counted", [True, False])
def test_measures_that_are_off_are_covered_if_that_is_counted(counted: bool) -> None:
    laws, factors = measures(FAMILY, SAME), np.where(SAME > 0, 1 + E, 1 - E)
    off = replace(laws, masses=laws.masses * factors, error=ball(1.001 * E * counted))
    for play in (fresh_draws, lambda laws: lotteries(laws, 5.0, 0.0)):
        right, wrong = play(laws), play(off)
        assert (apart(right, wrong) <= wrong.off.astype(float)).all() == counted


def test_the_best_point_is_best_in_the_end() -> None:
    losses = np.array([[0.25, 1.0], [0.5, 0.0], [0.5, 0.0]])
    play = fresh_draws(measures(GridGibbs(np.zeros((2, 1)), beta=1e-18, lam=1.0), losses))
    found = regret(play, losses)
    assert lower(found) <= 1.125 - 1 <= upper(found)
    assert upper(found) - lower(found) < 1e-11


# In sums over rounds each number but the first is just below half of the last bit of the sum before it, and
# is dropped.
DROPPED = np.full((2000, 2), 0.99 * 2.0**-53)
DROPPED[:, 1], DROPPED[0] = 0.0, [1.0, 2.0]


def test_what_sums_over_rounds_lose_is_counted() -> None:
    true = 1 + 1999 * Fraction(DROPPED[1, 0])
    best = exact_regret._best(DROPPED, DROPPED)
    assert DROPPED.sum(axis=0)[0] == 1
    assert upper(best) >= true

    laws = measures(GridGibbs(np.array([[-0.5], [0.5]]), beta=1.0, lam=1.0), DROPPED)
    one, two = map(Fraction, laws.exponents[-1])
    wrong = abs(one - two + true - Fraction(DROPPED[-1, 0]) - 2)
    assert 1e-13 < wrong <= 2 * laws.off
