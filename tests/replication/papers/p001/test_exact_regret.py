"""Laws, regret and draws of plays on a grid are as near as they say to those in balls, by another route."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from private_experts.private_oco.domains import Ball, Box
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.private_oco.losses import LOSSES
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import ball, lower, smallest, upper
from private_experts.replication.balls.cells import Cells, log_ratios
from private_experts.replication.balls.elementary import exps
from private_experts.replication.papers.p001 import exact_regret
from private_experts.replication.papers.p001.exact_chains import clipped, gibbs
from private_experts.replication.papers.p001.exact_regret import (
    diameter,
    fresh_draws,
    lotteries,
    measures,
    regret,
)
from tests.each import each
from tests.replication.papers.replaced import put

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


def test_what_each_round_gets_wrong_is_added_and_not_magnified() -> None:
    """A scale that is off by e makes the chance to keep off by at most 2 e, and the law by 4 e a round."""
    found = apart(*(lotteries(measures(FAMILY, LOSS), 0.1 + off, 0.1) for off in (0.0, E)))
    assert (found <= 4 * E * np.arange(12)).all()
    assert found.max() > E / 2


def test_fresh_draws_have_the_gibbs_measures() -> None:
    laws, lost, _ = in_balls(1e-9, 1.0)  # each lottery draws anew
    play = fresh_draws(measures(FAMILY, LOSS))
    assert regret(play, LOSS).contains(lost)
    assert all(away <= play.off[0] for away in distances(play, laws))


def test_the_best_point_is_best_in_the_end() -> None:
    losses = np.array([[0.25, 1.0], [0.5, 0.0], [0.5, 0.0]])
    play = fresh_draws(measures(GridGibbs(np.zeros((2, 1)), beta=1e-18, lam=1.0), losses))
    found = regret(play, losses)
    assert lower(found) <= 1.125 - 1 <= upper(found)
    assert upper(found) - lower(found) < 1e-11


def test_laws_of_which_too_little_is_known_are_refused() -> None:
    with pytest.raises(ValueError, match="known up to"):
        lotteries(measures(GridGibbs(FAMILY.points, beta=1e9, lam=1e-6), LOSS * 3e3), 1.0, 0.0)


def test_diameters() -> None:
    assert abs(diameter(Box((-0.4, -0.3), (0.4, 0.3))) - 1) < 1e-15
    assert diameter(Ball(2, 0.5)) == 1
    assert diameter(Box((0.0,), (3.0,))) == 3


def apart(one: Any, two: Any) -> Any:
    return np.abs(one.laws - two.laws).sum(axis=1)


def kept_for_sure() -> Cells:
    """Return the first measure and a far one in all later rounds, with ratios that are 1 all the same."""
    laws = measures(FAMILY, SAME)[[0, *[6] * 11]]
    return replace(laws, exponents=np.tile(laws.exponents[0], (12, 1)), sums=np.full(12, laws.sums[0]))


def test_probabilities_of_keeping_that_are_too_small_move_twice_as_much_in_every_round() -> None:
    right = lotteries(kept_for_sure(), 0.0, 0.0)
    with put(exact_regret, exps=lambda x: exps(x) * (1 - E), EXP_STEPS=int(E * 2**53)):
        wrong = lotteries(kept_for_sure(), 0.0, 0.0)
    found, most = apart(right, wrong), 2 * E * np.arange(12)
    assert (found[1:] > 0.95 * most[1:]).all()
    assert (found <= wrong.off).all()
    assert (wrong.off <= most + 2.1 * E).all()
    assert wrong.draws.overlaps(right.draws)
    assert upper(wrong.draws) - lower(wrong.draws) > E * 12 * 12
    assert regret(wrong, 100 * SAME).overlaps(regret(right, 100 * SAME))


@each("counted", [True, False])
def test_measures_that_are_off_are_covered_if_that_is_counted(counted: bool) -> None:
    laws, factors = measures(FAMILY, SAME), np.where(SAME > 0, 1 + E, 1 - E)
    off = replace(laws, masses=laws.masses * factors, error=ball(1.001 * E * counted))
    for play in (fresh_draws, lambda laws: lotteries(laws, 5.0, 0.0)):
        right, wrong = play(laws), play(off)
        assert (apart(right, wrong) <= wrong.off.astype(float)).all() == counted


def test_logarithms_that_are_off_are_counted() -> None:
    right = lotteries(kept_for_sure(), 1e-5, 0.0)
    with put(exact_regret, log_ratios=lambda *given: (log_ratios(*given)[0] - E, log_ratios(*given)[1] + E)):
        wrong = lotteries(kept_for_sure(), 1e-5, 0.0)
    found = apart(right, wrong)
    assert found.max() > E
    assert (found <= wrong.off).all()


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
