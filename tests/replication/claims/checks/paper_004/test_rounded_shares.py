"""What is wrong with fixed share's weights is seen, and bounds how far they are from exact ones."""

from fractions import Fraction

import numpy as np
import pytest

from private_experts.algorithms.fixed_share import FixedShare
from private_experts.randomness import rng_for
from private_experts.replication.claims.certified.balls import precision
from private_experts.replication.claims.checks.paper_004.rounded_shares import Defects, defects, relative_error
from private_experts.replication.claims.checks.paper_004.shares import weights_of

ROUNDS, N, SWITCHES, FACTOR = 24, 4, 3, 3.0
FLOOR = SWITCHES / (N * ROUNDS)
GAINS = (np.random.default_rng(1).random((ROUNDS, 2, N)) < 0.4).astype(np.float64)


def computed() -> np.ndarray:
    algorithm = FixedShare(
        N, horizon=ROUNDS, switches=SWITCHES, eta=np.log(FACTOR), rng=rng_for(0, "unused"), repetitions=2
    )
    return weights_of(algorithm, GAINS)


def exact() -> list[list[list[Fraction]]]:
    """Return the weights in fractions, by lowering the number of experts above the floor until it is right."""
    floor, found = Fraction(SWITCHES, N * ROUNDS), []
    weights = [[Fraction(1, N)] * N for _ in range(2)]
    for gains in GAINS:
        found.append(weights)
        following = []
        for w, row in zip(weights, gains.tolist(), strict=True):
            u = [each * (3 if gain else 1) for each, gain in zip(w, row, strict=True)]
            kept = [True] * N
            while True:
                c = (1 - floor * kept.count(False)) / sum(each for each, keep in zip(u, kept, strict=True) if keep)
                lower = [keep and c * each > floor for each, keep in zip(u, kept, strict=True)]
                if lower == kept:
                    break
                kept = lower
            following.append([max(floor, c * each) if keep else floor for each, keep in zip(u, kept, strict=True)])
        weights = following
    return found


def test_the_error_of_computed_weights_is_within_its_bound_which_is_small() -> None:
    weights = computed()
    found = defects(weights, np.where(GAINS[:-1] > 0, FACTOR, 1.0), FLOOR)
    with precision():
        most = relative_error(found, ROUNDS, N, FLOOR)
    ratios = [
        abs(Fraction(one) / other - 1)
        for rows, others in zip(weights.tolist(), exact(), strict=True)
        for row, true in zip(rows, others, strict=True)
        for one, other in zip(row, true, strict=True)
    ]
    assert float(max(ratios)) < most < 1e-9


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


def test_weights_that_sum_to_nothing_are_not_known() -> None:
    with precision():
        assert not relative_error(Defects(0.0, 1.0), ROUNDS, N, FLOOR).is_finite()
