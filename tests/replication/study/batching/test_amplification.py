"""From batch sizes to privacy: bands that hold, levels that are inverted, causes that add up."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from private_experts.privacy import gaussian_mechanism
from private_experts.randomness import rng_for
from private_experts.replication.study.batching import amplification, batch_size_laws
from private_experts.replication.study.batching.amplification import Law
from tests import duality

SAMPLES = st.lists(st.integers(1, 40), min_size=1, max_size=30).map(np.array)


@settings(deadline=None, max_examples=30, derandomize=True)
@given(SAMPLES, st.floats(0, 1), st.randoms(use_true_random=False))
def test_envelopes_enclose_every_law_within_the_band(sample, half_width, random):
    low, high = amplification.envelopes(sample, 50, half_width)
    b = np.arange(0, 51)
    middle = amplification.empirical(sample).survival(b)
    shift = np.array([random.uniform(-half_width, half_width) for _ in b])
    other = np.clip(middle + shift, 0, 1)
    other[0], other[50] = 1, 0
    for law in (low, high):
        assert law.weights.sum() == pytest.approx(1)
        assert (law.weights > -1e-12).all()
    assert (low.survival(b) <= other + 1e-9).all()
    assert (high.survival(b) >= other - 1e-9).all()


@settings(deadline=None, max_examples=12, derandomize=True)
@given(SAMPLES, st.floats(0.01, 0.5), st.floats(0.1, 2))
def test_a_stochastically_larger_law_is_more_private(sample, half_width, mu):
    low, high = amplification.envelopes(sample, 50, half_width)
    alphas = np.linspace(0.05, 0.95, 7)
    laws = (low, amplification.empirical(sample), high)
    curves = [amplification.tradeoff_curve(law, mu, alphas) for law in laws]
    assert (curves[0] <= curves[1] + 1e-9).all()
    assert (curves[1] <= curves[2] + 1e-9).all()
    assert (gaussian_mechanism.tradeoff(alphas, mu) <= curves[0] + 1e-9).all()


def test_survival_and_mean_inverse_by_hand():
    law = Law(np.array([1, 3, 4]), np.array([0.5, 0.25, 0.25]))
    assert_allclose(law.survival(np.array([0, 1, 2, 3, 4, 9])), [1, 0.5, 0.5, 0.25, 0, 0])
    assert law.mean_inverse == pytest.approx(0.5 + 0.25 / 3 + 0.25 / 4)


@settings(deadline=None, max_examples=30, derandomize=True)
@given(st.integers(1, 30), st.floats(0.2, 2), st.floats(0.2, 2))
def test_the_effective_level_of_one_size_is_that_of_the_batch(size, mu, epsilon):
    law = Law(np.array([size]), np.array([1.0]))
    assert amplification.effective_level(law, mu, epsilon) == pytest.approx(mu / size**0.5, rel=1e-9)


def test_the_effective_level_has_the_delta_of_the_mixture():
    law = Law(np.array([1, 5]), np.array([0.4, 0.6]))
    level = amplification.effective_level(law, 1.0, 0.7)
    assert float(gaussian_mechanism.delta(epsilon=0.7, mu=level)) == pytest.approx(
        np.exp(float(amplification.log_delta(law, 1.0, 0.7)))
    )
    assert 5**-0.5 < level < 1


@pytest.fixture(scope="module")
def grid():
    of = ([1.0], 200, [60, 120])
    computed = [batch_size_laws.computed(n, *of, 0.01) for n in (2, 6)]
    simulated = [batch_size_laws.simulated(n, *of, [0.3, 1.0], 400, 0.01, 7) for n in (2, 6)]
    return pd.concat(computed, ignore_index=True), pd.concat(simulated, ignore_index=True)


@pytest.fixture(scope="module")
def cells(grid):
    return amplification.cells(*grid, 200, 0.95)


def test_no_batching_then_the_bounds_then_monte_carlo(cells):
    assert [(cell.n, cell.t) for cell in cells] == [(2, 60), (2, 120), (6, 60), (6, 120)]
    curves = amplification.tradeoff_curves(cells, np.linspace(0, 1, 21))
    wide = curves.set_index(["n", "mu", "round", "alpha", "curve"])[["beta", "low", "high"]].unstack("curve")
    beta = wide["beta"]
    assert (beta["unamplified"] <= beta["analytic"] + 1e-9).all()
    assert (beta["analytic"] <= beta["tighter"] + 1e-9).all()
    assert (beta["tighter"] <= wide["high"]["simulation"] + 1e-9).all()  # within the band
    assert (wide["low"]["simulation"] <= beta["simulation"] + 1e-9).all()
    assert (beta["simulation"] <= wide["high"]["simulation"] + 1e-9).all()
    assert (beta["analytic"] > beta["unamplified"] + 1e-3).any()


def test_profiles_are_ordered_the_other_way_and_agree_with_the_curves(cells):
    keys = ["n", "mu", "round", "epsilon", "curve"]
    wide = amplification.profiles(cells, 9).set_index(keys).unstack("curve")
    delta = wide["delta"]
    assert (delta["unamplified"] >= delta["analytic"]).all()
    assert (delta["analytic"] >= delta["tighter"] - 1e-15).all()
    assert (wide["low"]["simulation"] <= delta["simulation"]).all()
    assert (delta["simulation"] <= wide["high"]["simulation"]).all()
    alphas = np.linspace(0, 1, 2001)
    law = cells[0].bounds["proxy"]
    curve = amplification.tradeoff_curve(law, 1.0, alphas)
    dual = duality.delta_from_tradeoff(1.0, alphas, curve)
    assert float(dual) == pytest.approx(float(np.exp(amplification.log_delta(law, 1.0, 1.0))), abs=1e-6)


def test_the_summary_holds_every_measure_with_its_interval(cells):
    table = amplification.summary(cells)
    for measure in ("beta", "epsilon", "level", "rms"):
        assert (table[f"{measure}_low"] <= table[measure]).all()
        assert (table[measure] <= table[f"{measure}_high"]).all()
    alone = table[table["curve"] == "unamplified"]
    assert_allclose(alone["level"], 1.0)
    assert_allclose(alone["rms"], 1.0)
    assert_allclose(alone["epsilon"], float(gaussian_mechanism.epsilon(delta=1e-6, mu=1.0)))


def test_easier_streams_amplify_more(grid):
    table = amplification.by_gap(grid[1], grid[0], 1.0, 0.95)
    assert len(table) == 4 * 3
    for _, part in table.groupby(["n", "round"]):
        assert part["gap"].tolist() == [0, 0.3, 1]
        assert part["rms"].iloc[-1] < part["rms"].iloc[0]
        assert part["level"].iloc[-1] < part["level"].iloc[0]
        assert (part["low"] < part["rms"]).all()
        assert (part["rms"] < part["high"]).all()
    equal = table[table["gap"] == 0]
    assert (equal["low"] <= equal["proxy_rms"]).all()


def test_a_control_of_mean_zero_changes_the_mean_by_little_and_the_spread_by_much():
    rng = rng_for(8, "control")
    control = rng.standard_normal(2000)
    sample = 3 + 2 * control + 0.1 * rng.standard_normal(2000)
    better = amplification.adjusted(sample, control)
    assert better.std() < 0.06 * sample.std()
    assert abs(better.mean() - 3) < 5 * 0.1 / 2000**0.5
    for silent in (np.zeros(2000), np.resize([0.3, 0.3 * (1 + 2e-16)], 2000)):
        np.testing.assert_array_equal(amplification.adjusted(sample, silent), sample)
