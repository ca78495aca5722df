"""Costs in closed form are the largest that a fine grid finds, or a little more."""

from itertools import product

import numpy as np
import pytest

from private_experts.private_oco.domains import Box
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.private_oco.losses import LOSSES
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import ball, near
from private_experts.replication.balls.piecewise_gaussian import PiecewiseGaussian, gibbs
from private_experts.replication.balls.piecewise_linear import PiecewiseLinear, line
from private_experts.replication.papers.p001 import round_costs
from private_experts.replication.papers.p001.chains import keep_probabilities
from private_experts.replication.papers.p001.paths import least_epsilon
from private_experts.replication.papers.p001.round_costs import Lottery, Streams, piecewise_losses
from tests.each import each
from tests.replication.papers.replaced import put

pytestmark = pytest.mark.usefixtures("in_balls")

ENDS = (-0.5, 0.5)
PLACES = Box((-0.5,), (0.5,)).grid(2001)


def values_at(loss: PiecewiseLinear, places: np.ndarray) -> list[float]:
    return [near(ball(loss(x))) for x in places.tolist()]


@each("name", ["linear", "constant", "hinges"])
def test_drawn_losses_are_those_of_the_library(name: str) -> None:
    family = GridGibbs(Box((-0.5,), (0.5,)).grid(9), beta=1.0, lam=1.0)
    expected = LOSSES[name](family, 7, 1.0, rng_for(3, "losses"))
    losses = piecewise_losses(name, 7, float(np.abs(family.points).max()), rng_for(3, "losses"))
    found = [values_at(loss, family.points[:, 0]) for loss in losses]
    np.testing.assert_allclose(found, expected, atol=1e-14)


@each("place", [-0.5, -0.45, 0.1, 0.5])
def test_measures_of_balls_are_those_of_fractions(place: float) -> None:
    total = sum(piecewise_losses("hinges", 6, 0.5, rng_for(5, "measure")), line(40.0, *ENDS))
    one, two = gibbs(total, 9.35, 2.0), PiecewiseGaussian(ball(9.35) * 2, total * -ball(9.35))
    for side in ("below", "above"):
        assert abs(getattr(one, side)(ball(place)) - getattr(two, side)(ball(place))) < 1e-25
    assert abs(one.log_total - two.log_total) < 1e-25


def on_grid(streams: Streams) -> tuple[np.ndarray, np.ndarray]:
    """Return the logarithms of the measures of both streams on a fine grid."""
    family = GridGibbs(PLACES, beta=near(streams.beta), lam=near(streams.lam))
    few, all_places = PLACES[::50, 0], PLACES[:, 0]  # all kinks of the streams here are at few, or none is
    fine = [[np.interp(all_places, few, values_at(loss, few)) for loss in side] for side in streams.losses]
    one, two = family.laws(np.array(fine))
    return one, two


SLOPES = [0.8, -0.3, 0.1, 0.2, 1.0, -0.6]


@each("side", [1.0, -1.0])  # of the streams' mirror image, whose costs are the same
@each(
    ("rounds", "change", "u", "log_phi", "p"),
    [
        (6, 0, 1.0, 0.5, 0.1),
        (6, 2, 1.0, 4.0, 0.3),
        (6, 1, 0.1, 0.01, 0.05),
        (6, 0, 2.0, 0.01, 0.2),
        (6, 1, 1.0, 9.0, 0.1),  # nothing is clipped
        (2, 0, 1.0, 0.5, 0.1),  # the round after the change is the last
        (4, 2, 0.5, 0.5, 0.1),
    ],
)
def test_costs_are_those_of_a_fine_grid(
    rounds: int, change: int, u: float, log_phi: float, p: float, side: float
) -> None:
    lam = ball(8.0)
    streams = Streams.of([line(side * slope, *ENDS) for slope in SLOPES[:rounds]], change, lam * u * u, lam)
    one, two = on_grid(streams)
    keep, other = (keep_probabilities(laws, log_phi, p) for laws in (one, two))
    costs = np.maximum(np.abs(np.log(keep / other)), np.abs(np.log((1 - keep) / (1 - other)))).max(axis=1)
    lottery = Lottery(ball(log_phi), ball(p))
    assert near(streams.first_lottery(lottery)) == pytest.approx(costs[change], rel=3e-3)
    later = costs[change + 1 :].max(initial=0.0)
    assert near(streams.later_lotteries(lottery)) == pytest.approx(later, rel=3e-3)
    laws = np.exp([one, two])
    for delta in (1e-2, 1e-6):
        found = [least_epsilon(*order, delta)[change + 1 :].max() for order in (laws, laws[::-1])]
        epsilon = streams.draws(delta)
        assert near(epsilon) == pytest.approx(max(found), rel=3e-3)
        assert epsilon.rad() < 1e-11


@each("seed", range(6))
def test_the_dearest_place_of_a_later_lottery_is_found(seed: int) -> None:
    """The largest cost is compared with that at places all over the interval."""
    rng = rng_for(seed, "dearest")
    losses = piecewise_losses("hinges", 3, 0.5, rng)
    streams = Streams.of(losses, 0, ball(float(rng.uniform(1, 9))), ball(5.0))
    lottery = Lottery(ball(float(rng.uniform(0.01, 1))), ball(0.1))
    moved = [measures[2].log_total - measures[1].log_total for measures in streams.measures]
    ratios = [-streams.beta * losses[1](x) for x in np.linspace(-0.5, 0.5, 201).tolist()]
    costs = [lottery.cost(*(ratio - change for change in moved)) for ratio in ratios]
    dearest = streams.later_lotteries(lottery)
    assert all(cost <= dearest + 1e-30 for cost in costs)
    assert near(dearest) == pytest.approx(max(map(near, costs)), rel=0.05)


def test_an_epsilon_that_is_not_reached_is_no_number() -> None:
    streams = Streams.of(piecewise_losses("constant", 4, 0.5, rng_for(1, "costs")), 0, ball(4.0), ball(4.0))
    assert streams.draws(0.01).is_finite()
    assert streams._least_epsilon(1, 0, 0.01, 50.0).is_nan()  # it starts beyond
    with put(round_costs, _STEPS=1):
        assert streams.draws(0.01).is_nan()


def test_an_epsilon_that_was_proved_stays_where_others_are_undecided() -> None:
    streams, found = Streams.of([line(1.0, *ENDS)] * 3, 0, ball(4.0), ball(4.0)), iter([3.0, 2.0, 1.0, 0.5])
    undecided, known = (lambda *given: (ball(0, 1), ball(1))), (lambda *given: ball(next(found)))
    with put(Streams, _excess=undecided, _least_epsilon=known):
        assert near(streams.draws(0.01)) == 3.0


def test_a_program_is_compared_in_two_lotteries_of_the_second_stream() -> None:
    losses, places = piecewise_losses("hinges", 5, 0.5, rng_for(2, "program")), Box((-0.5,), (0.5,)).grid(20)
    streams, lottery = Streams.of(losses, 1, ball(6.0), ball(5.0)), Lottery(ball(0.5), ball(0.2))
    values = np.array([values_at(loss, places[:, 0]) for loss in streams.losses[1]])
    keep = keep_probabilities(GridGibbs(places, beta=6.0, lam=5.0).laws(values), 0.5, 0.2)
    assert streams.apart(lottery, places[:, 0], keep) < 1e-13
    assert streams.apart(lottery, places[:, 0], keep[[0, 0, 2, 3]]) > 1e-3
    for lottery_of, place in product((1, -1), range(20)):
        wrong = keep.copy()
        wrong[lottery_of, place] += 1e-9
        assert streams.apart(lottery, places[:, 0], wrong) > 0.9e-9
