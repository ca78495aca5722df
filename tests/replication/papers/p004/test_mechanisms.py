"""Mechanisms: each check gives its verdict, and another one when something is wrong."""

import numpy as np
import pytest

from private_experts.privacy.above_threshold import halting_law
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p004 import mechanisms
from tests.each import each
from tests.replication.papers.small_checks import verdict, wrong

LAPLACE = {"sensitivity": [3.0], "epsilon": [0.1, 4.0], "reach": 20.0, "moved": [0.5, 1.0]}
NORMS = {"N": [1, 3], "T": [2, 1000]}
ANSWERS = {"T": [1, 10], "beta": [0.1, 0.5], "epsilon": 0.5}
PAST = {"epsilon": [0.5], "delta": [0.01]}


def test_the_quoted_lemmas_are_parts_of_one_claim_and_hold() -> None:
    points = mechanisms.as_quoted({"Lemma 2.2": LAPLACE, "Lemma 2.4": ANSWERS, "Lemma B.3": NORMS})
    assert decide(points) == "holds"
    assert {point.where["lemma"] for point in points} == {"Lemma 2.2", "Lemma 2.4", "Lemma B.3"}


@each(
    ("name", "mutant", "check", "grid", "expected"),
    [
        ("noise_scale", 0.99, mechanisms.lemma_2_2, LAPLACE, "fails"),
        ("NORM", 4.01, mechanisms.lemma_b3, NORMS, "holds"),  # the largest noise
        ("NORM", 3.95, mechanisms.lemma_b3, NORMS, "fails"),
    ],
)
def test_noise_a_hundredth_smaller_is_caught(name, mutant, check, grid, expected) -> None:
    with wrong(mechanisms, name, mutant):
        assert decide(check(grid)) == expected


@each(
    ("name", "mutant", "expected"),  # verdicts on answers, and on the library's numbers
    [
        ("accuracy", 0.25, ("fails", "fails")),
        ("in_units", lambda right, query, epsilon: right(query, epsilon, 4.0), ("fails", "fails")),
        ("accuracy", 1 + 1e-11, ("holds", "fails")),
        ("halting_law", lambda right, *given: right(*given, 1 + 1e-10), ("holds", "fails")),
    ],
)
def test_less_accuracy_and_a_program_that_is_slightly_off_are_caught(name, mutant, expected) -> None:
    with wrong(mechanisms, name, mutant):
        points = mechanisms.lemma_2_4(ANSWERS | {"T": [1, 10, 100]})
    answers, library = ([point for point in points if bool(point.where["T"]) == of] for of in (True, False))
    assert (decide(answers), decide(library)) == expected


def test_wrong_answers_are_counted_as_by_hand() -> None:
    queries = np.array([-3.0, 0.0, 3.0])
    law = halting_law(queries, 1.0)
    assert mechanisms.failure(queries, 2.0, 1.0) == pytest.approx(law[0] + law[3])
    assert mechanisms.failure(np.array([0.0, 1.0]), 2.0, 1.0) == 0.0


def test_given_past_plays_delta_grows() -> None:
    assert verdict(mechanisms.conditioning_printed, PAST) == "fails"
    assert verdict(mechanisms.conditioning, PAST) == "holds"

    def smaller(right, p, q, epsilon):
        return right(p, q, epsilon) / (1.01 if len(p) > 3 else 1.0)

    with wrong(mechanisms, "hockey_stick", smaller):
        assert verdict(mechanisms.conditioning, PAST) == "fails"
