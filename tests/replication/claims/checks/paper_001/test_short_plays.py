"""All paths of short plays: an epsilon is only proved where it is, and inputs are rounded once."""

import numpy as np
import pytest

from private_experts.convex.paths import least_epsilon
from private_experts.replication.claims.certified.balls import precision
from private_experts.replication.claims.checks.paper_001 import short_plays

LAWS = np.array([[0.8, 0.2], [0.5, 0.5]]), np.array([[0.4, 0.6], [0.5, 0.5]])


@pytest.mark.parametrize("delta", [0.0, 0.2, 0.5])
def test_the_least_epsilon_is_proved_to_a_billionth(delta: float) -> None:
    found = float(least_epsilon(*LAWS, delta).max())
    with precision():
        ball = short_plays.epsilon_around(*LAWS, delta, found, 0)
    assert ball.contains(found)
    assert ball.rad() < 2e-9


@pytest.mark.parametrize("factor", [0.98, 1.02])
def test_another_epsilon_is_not_proved(factor: float) -> None:
    with precision():
        assert not short_plays.epsilon_around(*LAWS, 0.2, factor * np.log(1.5), 0).is_finite()


def test_all_paths_of_a_stream_have_the_probability_1() -> None:
    with precision():
        alphabet = np.array([[0.5, -0.5], [0.0, 0.0]])
        play = short_plays.steps(np.array([-0.5, 0.5]), alphabet, 3, 0.5, 8.0, 0.1, 0.2)
        for budget in (1, 2):
            assert short_plays.path_probabilities(play, 2, budget).sum(axis=1) == pytest.approx(np.ones(4), rel=1e-14)
    assert play.error < 2e-16
