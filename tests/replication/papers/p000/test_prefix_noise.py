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


def test_local_reports_and_the_padded_tree_have_the_noise_of_their_formulas() -> None:
    with precision():
        assert floats(prefix_noise.local_reports([3.0, 4.0, 9.0])) == pytest.approx([3.0, 5.0])
        for rounds, levels in ((2, 1), (8, 3), (9, 4), (148, 8)):
            found = floats(prefix_noise.padded_tree([0.5, *[0.25] * (rounds - 1)]))
            assert found == [0.5 * levels] * (rounds - 1)


def test_the_noise_of_a_strategy_is_that_of_the_library_whatever_its_scale() -> None:
    bounds, strategy = PATTERNS["rising"](12), square_root(12)
    with precision():
        found, twice = (floats(prefix_noise.by_strategy(bounds, factor * strategy)) for factor in (1, 2))
    expected = noise_deviation(prefix_sums(12)[:-1], strategy, bounds).tolist()
    assert found == pytest.approx(expected, rel=1e-12)
    assert twice == pytest.approx(expected, rel=1e-12)
