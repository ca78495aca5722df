"""What is wrong with fixed share's weights is seen, and bounds how far they are from exact ones."""

from fractions import Fraction

import numpy as np
import pytest

from private_experts.algorithms.clipped_simplex import project
from private_experts.algorithms.fixed_share import FixedShare
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import precision
from private_experts.replication.papers.p004.rounded_shares import Defects, defects, relative_error
from private_experts.replication.papers.p004.share_bounds import weights_of

ROUNDS, N, SWITCHES, FACTOR = 24, 4, 3, 3.0
FLOOR = SWITCHES / (N * ROUNDS)
GAINS = (np.random.default_rng(1).random((ROUNDS, 2, N)) < 0.4).astype(np.float64)


def computed() -> np.ndarray:
    algorithm = FixedShare(
        N, horizon=ROUNDS, switches=SWITCHES, eta=np.log(FACTOR), rng=rng_for(0, "unused"), repetitions=2
    )
    return weights_of(algorithm, GAINS)


def exact() -> list[list[list[Fraction]]]:
    """Return weights in fractions, by lowering the number of experts above the floor until it is right."""
    floor, found = Fraction(SWITCHES, N * ROUNDS), []
    weights = [[Fraction(1, N)] * N for _ in range(2)]
    for gains in GAINS:
        found.append(weights)
        following = []
        for w, row in zip(weights, gains.tolist(), strict=True):
            u = [weight * (3 if gain else 1) for weight, gain in zip(w, row, strict=True)]
            kept = [True] * N
            while True:
                c = (1 - floor * kept.count(False)) / sum(
                    weight for weight, keep in zip(u, kept, strict=True) if keep
                )
                lower = [keep and c * weight > floor for weight, keep in zip(u, kept, strict=True)]
                if lower == kept:
                    break
                kept = lower
            following.append(
                [max(floor, c * weight) if keep else floor for weight, keep in zip(u, kept, strict=True)]
            )
        weights = following
    return found


def largest_error(weights: np.ndarray, true: list[list[list[Fraction]]]) -> float:
    """Return how far a weight is from the exact one, relative."""
    return max(
        float(abs(Fraction(one) / other - 1))
        for rows, others in zip(weights.tolist(), true, strict=True)
        for row, exactly in zip(rows, others, strict=True)
        for one, other in zip(row, exactly, strict=True)
    )


def test_the_error_of_computed_weights_is_within_its_bound_which_is_small() -> None:
    weights = computed()
    found = defects(weights, np.where(GAINS[:-1] > 0, FACTOR, 1.0), FLOOR)
    with precision():
        most = relative_error(found, ROUNDS, N, FLOOR)
    assert largest_error(weights, exact()) < most < 1e-9


def test_defects_of_all_rounds_add_up() -> None:
    """In each round the first expert above the floor is too high by 1e-7 and others too low."""
    weights = [np.full((2, N), 1 / N)]
    for gains in GAINS[:-1]:
        found = project(weights[-1] * np.where(gains > 0, FACTOR, 1.0), FLOOR)
        weights.append(np.where(found > FLOOR, found * [1 + 1e-7, *[1 - 1e-7] * (N - 1)], found))
    found = defects(np.array(weights), np.where(GAINS[:-1] > 0, FACTOR, 1.0), FLOOR)
    with precision():
        most = relative_error(found, ROUNDS, N, FLOOR)
    assert 2e-6 < largest_error(np.array(weights), exact()) < most < 1e-4


def test_what_a_sum_misses_is_large_next_to_the_little_that_is_above_the_floor() -> None:
    """Of 32 experts one is above the floor, with 99 percent of all, too low by 1e-7 a round."""
    n, rounds, floor = 32, 3, 0.99 / 32
    factors, weights = np.array([FACTOR, *[1.0] * (n - 1)]), [np.full((1, n), 1 / n)]
    for _ in range(rounds - 1):
        weights.append(project(weights[-1] * factors, floor) * [1 - 1e-7, *[1.0] * (n - 1)])
    found = defects(np.array(weights), np.tile(factors, (rounds - 1, 1, 1)), floor)
    assert found.rule < 1e-14
    with precision():
        most = relative_error(found, rounds, n, floor)
    top = 1 - (n - 1) * Fraction(floor)
    assert float(abs(Fraction(weights[-1][0, 0]) / top - 1)) < most < 1e-4


@pytest.mark.parametrize("kind", ["an expert too high", "an expert below the floor", "a sum"])
def test_weights_that_are_wrong_in_one_round_are_seen(kind: str) -> None:
    weights = computed()
    if kind == "an expert too high":
        weights[9, 0, weights[9, 0].argmax()] *= 1 + 1e-6
    elif kind == "a sum":
        weights[9, 0] *= 1 + 1e-6
    else:
        weights[9, 0, weights[9, 0].argmin()] = FLOOR * (1 - 1e-6)
    found = defects(weights, np.where(GAINS[:-1] > 0, FACTOR, 1.0), FLOOR)
    assert max(found) > 5e-7 / N


def test_an_expert_at_the_floor_that_should_rise_is_seen() -> None:
    found = defects(np.array([[[0.4, 0.5, 0.1]], [[0.4, 0.5, 0.1]]]), np.array([[[1.0, 1.0, 3.0]]]), 0.1)
    assert found.rule == pytest.approx(2)


def test_weights_that_sum_to_nothing_are_not_known() -> None:
    with precision():
        assert not relative_error(Defects(0.0, 1.0), ROUNDS, N, FLOOR).is_finite()
