"""The noise of prefix sums in balls is that of the mechanisms that play, and of their best estimates."""

import numpy as np
import pytest

from private_experts.privacy.factorization import noise_deviation, prefix_sums, square_root
from private_experts.replication.balls.balls import Ball, near, precision
from private_experts.replication.papers.p000 import prefix_noise
from private_experts.replication.papers.p000.central_prefix_sums import PATTERNS, release_of
from tests.each import each


def floats(lengths: list[Ball]) -> list[float]:
    assert all(length.rad() < 1e-10 for length in lengths)
    return [near(length) for length in lengths]


@each(("pattern", "rounds"), [("constant", 2), ("rising", 9), ("spikes", 20), ("spikes", 33)])
@pytest.mark.parametrize("refined", [False, True])
def test_trees_have_the_noise_of_those_that_play(pattern: str, rounds: int, refined: bool) -> None:
    bounds = PATTERNS[pattern](rounds)
    played = release_of("tree-honaker" if refined else "tree-tight", bounds, 1.0).loadings[1:]
    with precision():
        found = floats(prefix_noise.tight_tree(bounds.tolist(), refined))
    assert found == pytest.approx(np.sqrt(np.square(played).sum(axis=1)).tolist(), rel=1e-12)


def test_a_refined_tree_of_four_has_the_variances_of_least_squares() -> None:
    """Leaves of variance 3, pairs of variance 3 and the whole of variance 3: by hand."""
    with precision():
        found = floats(prefix_noise.tight_tree([1.0] * 5, refined=True))
    pair = 1 / (1 / 3 + 1 / 6)
    whole = 1 / (1 / 3 + 1 / (2 * pair))
    assert np.square(found).tolist() == pytest.approx([3, pair, pair + 3, whole])


def test_local_reports_and_the_padded_tree_have_the_noise_of_their_formulas() -> None:
    with precision():
        assert floats(prefix_noise.local_reports([3.0, 4.0, 9.0])) == pytest.approx([3.0, 5.0])
        for rounds, levels in ((2, 1), (8, 3), (9, 4), (148, 8)):
            found = floats(prefix_noise.padded_tree([0.5, *[0.25] * (rounds - 1)]))
            assert found == [0.5 * levels] * (rounds - 1)


def test_a_strategy_is_scaled_to_its_level() -> None:
    bounds, strategy = PATTERNS["rising"](12), square_root(12)
    with precision():
        found = floats(prefix_noise.by_strategy(bounds, strategy))
        assert found == pytest.approx(
            noise_deviation(prefix_sums(12)[:-1], strategy, bounds).tolist(), rel=1e-12
        )
        strategy[3, 3] *= 1.1
        longest = near(prefix_noise.longest(strategy))
        assert longest == pytest.approx(np.linalg.norm(strategy[:, 3]))
        twice = floats(prefix_noise.by_strategy(bounds, 2 * strategy))
        assert twice == pytest.approx(floats(prefix_noise.by_strategy(bounds, strategy)), rel=1e-12)
