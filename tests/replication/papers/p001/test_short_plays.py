"""All paths of short plays: an epsilon is only proved where it is, and inputs are rounded once."""

import numpy as np
import pytest

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


def test_all_paths_of_a_stream_have_the_probability_1() -> None:
    streams = np.array([[[0.5, -0.5], [0.0, 0.0], [0.5, -0.5]], [[0.0, 0.0]] * 3])
    play = short_plays.steps(np.array([-0.5, 0.5]), streams, 0.5, 8.0, 0.1, 0.2)
    for budget in (1, 2):
        sums = short_plays.path_probabilities(play, budget).sum(axis=1)
        assert sums == pytest.approx([1.0, 1.0], rel=1e-14)
    assert play.error < 2e-16
