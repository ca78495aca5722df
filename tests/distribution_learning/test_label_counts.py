"""Counts do not depend on the last bits of a law."""

import numpy as np
import pytest

from private_experts.distribution_learning.label_counts import label_counts
from tests.each import each

USERS = np.full(200, 10**9)


def counts(law: list[float]) -> list[list[int]]:
    return label_counts(np.random.default_rng(1), USERS, np.array(law)).tolist()


@each("place", [0.5, 0.3, 1e-9])
def test_a_law_that_differs_in_its_last_bits_draws_the_same(place: float) -> None:
    laws = [[value, 1 - value] for value in (place, np.nextafter(place, 1), np.nextafter(place, 0))]
    assert counts(laws[0]) == counts(laws[1]) == counts(laws[2])
    assert np.mean(counts(laws[0]), axis=0) == pytest.approx([place * 1e9, (1 - place) * 1e9], rel=0.1)


@each("ulps", [-4, 2])
def test_labels_of_one_probability_have_one_probability_whatever_rounding_did_to_them(ulps: int) -> None:
    third = 1 / 30
    assert counts([1 - 2 * third, third, third]) == counts(
        [1 - 2 * third, third * (1 + ulps * 2.0**-53), third]
    )
