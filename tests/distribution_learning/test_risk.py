"""Divergences of many rounds that are added up through products, against those of each round."""

import numpy as np
import pytest

from private_experts.distribution_learning.risk import SummedDivergence, kl
from private_experts.randomness import rng_for
from tests.each import each

COPIES, LABELS = 3, 4


def drawn(rounds, truths, spread=1.0):
    """Truths that take turns, and predictions of all copies, over many orders of size."""
    rng = rng_for(0, "test risk", rounds, truths, spread)
    odds = np.exp(spread * rng.standard_normal((truths + rounds * COPIES, LABELS)))
    laws = odds / odds.sum(axis=1, keepdims=True)
    return laws[np.arange(rounds) % truths], laws[truths:].reshape(rounds, COPIES, LABELS)


@each(
    ("rounds", "truths", "spread"), [(7, 1, 1.0), (60, 3, 1.0), (60, 40, 1.0), (60, 2, 30.0), (20, 2, 200.0)]
)
def test_divergences_through_products_are_the_sum_of_each_rounds(rounds, truths, spread):
    """Of one truth and many, more than are kept, and where products leave the range of numbers."""
    pairs = list(zip(*drawn(rounds, truths, spread), strict=True))
    found = SummedDivergence(COPIES)
    for p, q in pairs:
        found.add(p, q)
    np.testing.assert_allclose(found.total(), sum(kl(p, q) for p, q in pairs), rtol=1e-12)


def test_labels_that_truths_never_name_add_nothing():
    """Also where truths name other labels with the same probabilities, and predictions give them little."""
    predictions = drawn(60, 3)[1]
    truths = [np.roll([0.5, 0.3, 0.2, 0], shift) for shift in range(4)] * 15
    predictions[40:50, 1] *= 1e-150
    found = SummedDivergence(COPIES)
    for p, q in zip(truths, predictions, strict=True):
        found.add(p, q)
    expected = sum(kl(p, q) for p, q in zip(truths, predictions, strict=True))
    np.testing.assert_allclose(found.total(), expected, rtol=1e-12)


def test_a_label_without_mass_costs_nothing_in_the_truth_and_all_in_the_prediction():
    found, half = SummedDivergence(2), np.full((2, 2), 0.5)
    found.add(np.array([1.0, 0.0]), half)
    found.add(np.array([0.5, 0.5]), half)
    assert found.total() == pytest.approx(np.log([2, 2]))
    found.add(np.array([0.5, 0.5]), np.array([[1.0, 0.0], [0.5, 0.5]]))
    assert found.total().tolist() == [np.inf, pytest.approx(np.log(2))]
