"""All paths of short plays: an epsilon is only proved where it is, and inputs are rounded once."""

import numpy as np
import pytest

from private_experts.replication.balls.balls import ball, exp
from private_experts.replication.papers.p001 import short_plays
from private_experts.replication.papers.p001.paths import least_epsilon
from tests.each import each

pytestmark = pytest.mark.usefixtures("in_balls")

LAWS = np.array([[0.8, 0.2], [0.5, 0.5]]), np.array([[0.4, 0.6], [0.5, 0.5]])


@each("delta", [0.0, 0.2, 0.5])
def test_the_least_epsilon_is_proved_to_a_billionth_and_another_one_is_not(delta: float) -> None:
    found = float(least_epsilon(*LAWS, delta).max())
    around = short_plays.epsilon_around(*LAWS, delta, found, 0)
    assert around.contains(found)
    assert around.rad() < 2e-9
    for factor in (0.98, 1.02):
        assert not short_plays.epsilon_around(*LAWS, 0.2, factor * np.log(1.5), 0).is_finite()


@each("side", [-1, 1])
def test_an_excess_is_on_its_side_though_probabilities_are_off_to_the_other(side: int) -> None:
    """At an epsilon just below log 2 the difference of both sides is a millionth of each."""
    p, q = LAWS
    off = side * short_plays.SURE / 200
    found = short_plays._excess(p * (1 - off), q * (1 + off), 0.693146, side)
    # of the first set, which has the largest
    true = ball(float(p[0, 0])) - exp(ball(0.693146)) * float(q[0, 0])
    assert side * (found - true) > 0


def test_all_paths_of_a_stream_have_the_probability_1() -> None:
    streams = np.array([[[0.5, -0.5], [0.0, 0.0], [0.5, -0.5]], [[0.0, 0.0]] * 3])
    play = short_plays.steps(np.array([-0.5, 0.5]), streams, 0.5, 8.0, 0.1, 0.2)
    for budget in (1, 2):
        sums = short_plays.path_probabilities(play, budget).sum(axis=1)
        assert sums == pytest.approx([1.0, 1.0], rel=1e-14)
    assert play.error < 2e-16
