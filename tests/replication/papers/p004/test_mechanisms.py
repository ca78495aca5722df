"""Mechanisms: each check gives its verdict, and another one when something is wrong."""

from typing import Any

import numpy as np
import pytest

from private_experts.privacy.above_threshold import accuracy, halting_law
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p004 import mechanisms
from private_experts.replication.papers.p004.halting import in_units
from tests.replication.papers.small_checks import verdict

LAPLACE = {"sensitivity": [3.0], "epsilon": [0.1, 4.0], "reach": 20.0, "moved": [0.5, 1.0]}


def test_the_laplace_mechanism_has_its_level_and_not_a_hundredth_less(put: Any) -> None:
    assert decide(mechanisms.lemma_2_2(LAPLACE)) == "holds"
    put(mechanisms, "noise_scale", lambda sensitivity, epsilon: 0.99 * sensitivity / epsilon)
    assert decide(mechanisms.lemma_2_2(LAPLACE)) == "fails"


NORMS = {"N": [1, 3], "T": [2, 1000]}
ANSWERS = {"T": [1, 10], "beta": [0.1, 0.5], "epsilon": 0.5}


def test_answers_are_as_accurate_as_stated() -> None:
    assert decide(mechanisms.lemma_2_4(ANSWERS)) == "holds"


@pytest.mark.parametrize(
    ("name", "mutant"),
    [
        ("accuracy", lambda queries, epsilon, beta: 0.25 * accuracy(queries, epsilon, beta)),
        ("in_units", lambda query, epsilon: in_units(query, epsilon, 4.0)),
    ],
    ids=["a quarter of alpha", "four times the noise"],
)
def test_less_accuracy_is_caught(name: str, mutant: Any, put: Any) -> None:
    put(mechanisms, name, mutant)
    points = mechanisms.lemma_2_4(ANSWERS | {"T": [1, 10, 100]})
    assert decide([point for point in points if point.where["T"]]) == "fails"


@pytest.mark.parametrize(
    ("name", "mutant"),
    [
        ("accuracy", lambda queries, epsilon, beta: (1 + 1e-11) * accuracy(queries, epsilon, beta)),
        ("halting_law", lambda queries, epsilon: halting_law(queries, epsilon, 1 + 1e-10)),
    ],
)
def test_a_program_that_is_slightly_off_is_caught(name: str, mutant: Any, put: Any) -> None:
    put(mechanisms, name, mutant)
    points = mechanisms.lemma_2_4(ANSWERS)
    assert decide([point for point in points if point.where["T"]]) == "holds"
    assert decide([point for point in points if not point.where["T"]]) == "fails"


def test_the_quoted_lemmas_are_parts_of_one_claim() -> None:
    points = mechanisms.as_quoted({"Lemma 2.2": LAPLACE, "Lemma 2.4": ANSWERS, "Lemma B.3": NORMS})
    assert decide(points) == "holds"
    assert {point.where["lemma"] for point in points} == {"Lemma 2.2", "Lemma 2.4", "Lemma B.3"}


def test_wrong_answers_are_counted_as_by_hand() -> None:
    law = halting_law(np.array([-3.0, 0.0, 3.0]), 1.0)
    assert mechanisms.failure(np.array([-3.0, 0.0, 3.0]), 2.0, 1.0) == pytest.approx(law[0] + law[3])
    assert mechanisms.failure(np.array([0.0, 1.0]), 2.0, 1.0) == 0.0


@pytest.mark.parametrize(("constant", "expected"), [(4.01, "holds"), (3.95, "fails")])
def test_the_largest_noise_is_as_stated(constant: float, expected: str, put: Any) -> None:
    put(mechanisms, "NORM", constant)
    assert decide(mechanisms.lemma_b3(NORMS)) == expected


PAST = {"epsilon": [0.5], "delta": [0.01]}


def test_given_past_plays_delta_grows() -> None:
    assert verdict(mechanisms.conditioning_printed, PAST) == "fails"
    assert verdict(mechanisms.conditioning, PAST) == "holds"


def test_a_smaller_delta_given_past_plays_is_caught(put: Any) -> None:
    stick = mechanisms.hockey_stick
    put(
        mechanisms, "hockey_stick", lambda p, q, epsilon: stick(p, q, epsilon) / (1.01 if len(p) > 3 else 1.0)
    )
    assert verdict(mechanisms.conditioning, PAST) == "fails"
