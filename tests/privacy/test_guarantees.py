import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from private_experts.errors import InputError
from private_experts.privacy import GaussianDP
from tests.each import each

POSITIVE = st.floats(1e-6, 1e6)


@each("mu", [-1.0, -1e-300, -math.inf, math.nan])
def test_a_level_that_is_negative_or_no_number_is_refused_in_one_line(mu):
    with pytest.raises(InputError, match=r"^privacy level mu = .*: write a positive number, or inf") as caught:
        GaussianDP(mu, "local")
    assert "\n" not in str(caught.value)
    assert str(mu) in str(caught.value)


def test_level_0_can_be_stated_but_no_finite_noise_attains_it():
    perfect = GaussianDP(0.0, "local")
    with pytest.raises(InputError, match=r"^privacy level mu = 0: .* write a positive number$"):
        perfect.noise_scale(1.0)


def test_no_privacy_needs_no_noise():
    assert GaussianDP(math.inf, "central").noise_scale(3.0) == 0.0


def test_noise_scale_in_closed_form():
    assert GaussianDP(0.5, "local").noise_scale(math.sqrt(2)) == math.sqrt(8)
    assert GaussianDP(4, "central").noise_scale(1.0) == 0.25


@settings(deadline=None, max_examples=60, derandomize=True)
@given(POSITIVE, POSITIVE)
def test_noise_of_scale_s_on_sensitivity_d_has_level_d_over_s_and_back(sensitivity, scale):
    assert GaussianDP(sensitivity / scale, "local").noise_scale(sensitivity) == pytest.approx(scale, rel=1e-12)


@settings(deadline=None, max_examples=60, derandomize=True)
@given(POSITIVE, POSITIVE, st.floats(1.01, 100))
def test_more_privacy_or_more_sensitivity_needs_proportionally_more_noise(mu, sensitivity, factor):
    scale = GaussianDP(mu, "local").noise_scale(sensitivity)
    assert GaussianDP(mu / factor, "local").noise_scale(sensitivity) == pytest.approx(factor * scale, rel=1e-12)
    assert GaussianDP(mu, "local").noise_scale(factor * sensitivity) == pytest.approx(factor * scale, rel=1e-12)


@each(
    ("mu", "model", "text"),
    [
        (1.0, "local", "1-GDP (local)"),
        (0.25, "central", "0.25-GDP (central)"),
        (0, "local", "0-GDP (local)"),
        (math.inf, "local", "no privacy"),
        (math.inf, "central", "no privacy"),
    ],
)
def test_text_names_level_and_model(mu, model, text):
    assert str(GaussianDP(mu, model)) == text


def test_a_guarantee_is_a_value_and_cannot_be_changed():
    assert GaussianDP(1, "local") == GaussianDP(1.0, "local")
    assert GaussianDP(1.0, "local") != GaussianDP(1.0, "central")
    with pytest.raises(AttributeError):
        GaussianDP(1.0, "local").mu = 2.0
