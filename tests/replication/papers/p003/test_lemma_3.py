"""Composition of Algorithm 1's coordinates in ball arithmetic, and mutants."""

import math
from typing import Any

import pytest

from private_experts.distribution_learning.label_composition import advanced, coordinate_level
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p003 import lemma_3
from tests.replication.papers.small_checks import verdict

COMPOSED = {"K": [2, 128, 512], "eps": [1.0], "delta": [1e-5], "level": [0.01, 0.1]}


def test_composition_holds() -> None:
    points = lemma_3.lemma_3(COMPOSED)
    assert decide(points) == "holds"
    stated = [point for point in points if point.where["quantity"] == "epsilon, noise of the statement"]
    assert all(
        point.value <= 0.5 * point.bound and 0.1 < point.notes["sufficient_noise"] < 0.5 for point in stated
    )


@pytest.mark.parametrize("factor", [2.5, 4.0])
def test_coordinates_that_are_less_private_are_caught(factor: float, put: Any) -> None:
    put(lemma_3, "coordinate_level", lambda *arguments: factor * coordinate_level(*arguments))
    assert verdict(lemma_3.lemma_3, COMPOSED) == "fails"


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(lambda k, e, d: 0.75 * advanced(k, e, d), id="a quarter less"),
        pytest.param(
            lambda k, e, d: k * e**2 / 2 + e * math.sqrt(k * math.log(1 / d)), id="no 2 under the root"
        ),
        pytest.param(lambda k, e, d: k * e**2 / 2, id="the mean loss alone"),
    ],
)
def test_a_smaller_total_of_composition_is_caught(mutant: Any, put: Any) -> None:
    put(lemma_3, "advanced", mutant)
    assert verdict(lemma_3.lemma_3, COMPOSED) == "fails"


@pytest.mark.parametrize("name", ["spent", "worst_delta", "optimal_delta"])
def test_a_number_that_is_a_thousandth_larger_is_caught(name: str, put: Any) -> None:
    right = getattr(lemma_3, name)
    put(lemma_3, name, lambda *asked: 1.001 * right(*asked))
    assert verdict(lemma_3.lemma_3, COMPOSED) == "fails"
