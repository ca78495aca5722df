"""What a round costs exponential weights on noisy credits, against quadrature; and the bounds that follow."""

import itertools
import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.special import roots_hermitenorm

from private_experts.algorithms import textbook_bound, textbook_rate
from private_experts.algorithms.hedge_bounds import round_cost
from private_experts.randomness import rng_for
from tests.algorithms.independence import steepness
from tests.each import each

DOCUMENT = Path(__file__).parents[2] / "docs/mathematics/000.md"
RATES = [(0.03, 0.0), (0.03, 1.0), (0.3, 0.3), (0.3, 2.0), (1.0, 0.0), (1.0, 0.3), (1.0, 1.0)]
every_rate = each(("rate", "scale"), RATES)


def growth(rate, actions, scales, gains):
    """By how much the log of the mean weight grows beyond rate * mean gain, in the mean over the noise."""
    nodes, weights = roots_hermitenorm(60 if len(actions) == 2 else 16)
    z = np.array([*itertools.product(nodes, repeat=len(actions))])
    law = np.array([*itertools.product(weights / weights.sum(), repeat=len(actions))]).prod(axis=1)
    centred = gains - actions @ gains
    return float(law @ np.log(np.exp(rate * (centred + scales * z)) @ actions)) / rate


@each("seed", range(3))
def test_no_round_of_three_actions_with_scales_of_their_own_grows_by_more_than_its_cost(seed):
    rng = rng_for(seed, "three actions")
    actions = rng.dirichlet(np.exp(rng.uniform(-2, 1, 3)))
    rate, scales = math.exp(rng.uniform(-3, 0.3)), rng.uniform(0, 1.2, 3)
    cost = round_cost(rate, actions, scales)
    assert (
        max(growth(rate, actions, scales, np.array(g)) for g in itertools.product([0, 1], repeat=3)) <= cost
    )


def test_a_noisy_expert_that_nobody_names_costs_nothing():
    named = round_cost(0.3, np.array([0.4, 0.6, 0.0]), [1.0, 0.5, 50.0])
    assert named == round_cost(0.3, np.array([0.4, 0.6]), [1.0, 0.5])
    assert round_cost(0.3, np.array([0.5, 0.5]), [1.0, 0.5]) < round_cost(0.3, np.array([0.5, 0.5]), 1.0)


@every_rate
def test_the_cost_is_the_smaller_of_the_two_theorems(rate, scale):
    for actions in rng_for(0, "laws").dirichlet(np.ones(5), 20):
        disagreement = 1 - actions @ actions
        cost = round_cost(rate, actions, scale)
        assert cost <= min(rate * (1 + 4 * scale**2) / 8, rate * steepness(rate, scale) * disagreement) * (
            1 + 1e-12
        )
    certain = np.array([1 - 1e-9, 1e-9])
    assert round_cost(rate, certain, scale) == pytest.approx(rate * steepness(rate, scale) * 2e-9, rel=1e-6)


@each("rate", [50.0, 1e6])
def test_absurd_rates_have_finite_costs(rate):
    with np.errstate(all="raise", under="ignore", over="ignore"):
        costs = round_cost(min(rate, 600.0), np.array([[0.5, 0.5], [1.0, 0.0]]), 40.0)
    assert np.isfinite(costs).all()
    assert costs[1] == 0


def test_noise_beyond_all_exponents_costs_what_is_independent_of_the_law_however_small_a_probability():
    for rare in (0.5, 1e-250, 1e-305):
        cost = round_cost(1.0, np.array([1 - rare, rare]), 30.0)
        assert cost == pytest.approx(450 + min(1 / 8, (math.e - 2) * rare))
    assert round_cost(1.0, np.array([0.5, 0.5]), [0.0, 1e3]) == pytest.approx(5e5 + 1 / 8)


@each(
    ("m", "horizon", "scale", "bound"),
    [(1000, 3200, 1.0, 235), (13, 3200, 0.5, 91), (13, 147, 1.0, 30.7), (2, 3200, 1.0, 74)],
)
def test_the_textbook_bound_is_the_smallest_at_its_rate(m, horizon, scale, bound):
    noise = [scale] * horizon
    assert textbook_bound(noise, m) == pytest.approx(bound, abs=0.5 if bound > 50 else 0.05)

    def at(rate):
        return math.log(m) / rate + horizon * rate * (1 + 4 * scale**2) / 8

    assert at(textbook_rate(noise, m)) == pytest.approx(textbook_bound(noise, m))
    assert min(at(textbook_rate(noise, m) * factor) for factor in (0.9, 1.1)) > textbook_bound(noise, m)


def test_the_numbers_of_the_theorem_are_those_of_its_formula():
    """The documents show the bound at its best rate, where learners differ in a share of the rounds."""
    part = DOCUMENT.read_text(encoding="utf-8").partition('<a id="independence-rates"></a>')[2]
    rows = re.findall(
        r"^\| (\d+), (\d+), ([\d.]+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", part, re.MULTILINE
    )
    assert len(rows) == 4
    for m, horizon, scale, textbook, *shown in rows:
        learners, rounds, noise = int(m), int(horizon), float(scale)
        assert round(textbook_bound([noise] * rounds, learners)) == int(textbook)
        rates = np.geomspace(1e-3, 2, 20001)
        cost = (np.exp(rates + rates**2 * noise**2) - 1 - rates) / (2 * rates)
        best = [(math.log(learners) / rates + cost * rounds / share).min() for share in (2, 10, 100)]
        assert [round(float(bound)) for bound in best] == list(map(int, shown))
    # How much more the bound is that does not know D: at a largest rate of 1 and noise of 1, and at a small
    # rate.
    factor, known = (math.exp(2) - 2) / 2, math.sqrt(1 + 2)
    assert round(2 * math.sqrt(2 * factor) / known, 1) == 2.7
    assert "$\\bar r = \\eta = 1$ it is 2.7 times that bound" in part
    assert 2 * math.sqrt(2 * 0.75) / known == pytest.approx(math.sqrt(2))


def test_one_noise_for_all_costs_what_it_costs_as_the_noise_of_each():
    rates = np.array([1e-9, 0.02, 0.3, 1.0])
    laws = np.array([[0.2, 0.3, 0.5], [0.9, 0.1, 0.0], [1.0, 0.0, 0.0], [0.4, 0.4, 0.2]])
    for scale in (0.0, 0.1, 2.0, 60.0):  # the last beyond the largest exponent at rate 1
        together = round_cost(rates, laws, scale)
        np.testing.assert_allclose(together, round_cost(rates, laws, [scale] * 3), rtol=1e-13)
        assert [float(round_cost(rate, law, scale)) for rate, law in zip(rates, laws, strict=True)] == (
            pytest.approx(together.tolist(), rel=1e-13)
        )
