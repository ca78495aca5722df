"""Composition of pure guarantees agrees with an enumeration and with Google's accountant."""

import itertools
import math

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution

from private_experts.distribution_learning.label_composition import (
    advanced,
    basic_or_advanced,
    coordinate_level,
)
from private_experts.errors import InputError
from private_experts.replication.papers.p003.lemma_3 import optimal_delta
from tests.each import each


@each(("mechanisms", "level", "epsilon"), [(3, 0.3, 0.0), (5, 0.7, 1.1)])
def test_the_optimum_is_that_of_all_answers_of_randomised_responses(
    mechanisms: int, level: float, epsilon: float
) -> None:
    truth = np.array([math.exp(level), 1.0]) / (1 + math.exp(level))
    delta = 0.0
    for answers in itertools.product((0, 1), repeat=mechanisms):
        of_one, of_other = (math.prod(law[answer] for answer in answers) for law in (truth, truth[::-1]))
        delta += max(of_one - math.exp(epsilon) * of_other, 0.0)
    assert optimal_delta(mechanisms, level, epsilon) == pytest.approx(delta, rel=1e-10, abs=1e-16)


@each(("mechanisms", "level"), [(8, 0.2), (128, 0.05)])
def test_coordinates_with_laplace_noise_cost_no_more_than_the_worst_mechanisms(
    mechanisms: int, level: float
) -> None:
    one = privacy_loss_distribution.from_laplace_mechanism(1 / level, value_discretization_interval=1e-4)
    epsilon = advanced(mechanisms, level, 1e-3)
    laplace = one.self_compose(mechanisms).get_delta_for_epsilon(0.7 * epsilon)
    assert 0 < laplace <= optimal_delta(mechanisms, level, 0.7 * epsilon)
    assert optimal_delta(mechanisms, level, epsilon) <= 1e-3


def test_basic_composition_is_better_for_few_mechanisms() -> None:
    assert basic_or_advanced(4, 0.1, 1e-5) == pytest.approx(0.4)
    assert basic_or_advanced(4000, 0.1, 1e-5) == advanced(4000, 0.1, 1e-5) < 400


def test_the_level_of_a_coordinate_is_the_paper_s() -> None:
    root = 2 * math.sqrt(2 * 7 * math.log(1e5)) + math.sqrt(7 * 0.5)
    assert coordinate_level(7, 0.5, 1e-5) == pytest.approx(0.5 / root, rel=1e-12)
    assert coordinate_level(7, 0.5, 1e-5, 1) > coordinate_level(7, 0.5, 1e-5)


@each(
    ("call", "words"),
    [
        (lambda: coordinate_level(7, 0.0, 1e-5), "privacy level epsilon = 0"),
        (lambda: coordinate_level(7, 0.5, 0.0), "delta = 0"),
        (lambda: advanced(7, 0.5, 1.0), "delta = 1"),
        (lambda: basic_or_advanced(7, 0.0, 0.1), "level of a mechanism = 0"),
    ],
)
def test_levels_and_deltas_that_promise_nothing_are_refused(call, words) -> None:
    with pytest.raises(InputError, match=words):
        call()
