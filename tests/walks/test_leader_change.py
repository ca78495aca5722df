import math

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from private_experts.errors import InputError
from private_experts.walks.leader_change import (
    argument,
    bound,
    decline,
    inverse_exact,
    log_bound,
    look_up,
    solve,
)
from private_experts.walks.levy_bound import sharper_log_bound
from tests.each import each


def as_printed(beta):
    """Theorem 1 as the paper writes it, at 50 digits."""
    beta = mpmath.mpf(beta)
    phi = mpmath.npdf(beta)
    middle = mpmath.erf(beta / mpmath.sqrt(2))  # Phi(beta) - Phi(-beta)
    return 2 * mpmath.ncdf(-mpmath.sqrt(2) * beta) + 2 * mpmath.sqrt(mpmath.pi) * phi * middle


def test_the_bound_is_right_to_12_digits_down_to_1e_300():
    beta = np.concatenate([np.linspace(0.001, 37.1, 75), [1e-8, 1e-3, 0.1]])
    with mpmath.workdps(50):
        expected = [as_printed(point) for point in beta]
        assert min(expected) < 1e-298
        errors = [
            abs(mpmath.mpf(float(value)) / exact - 1)
            for value, exact in zip(bound(beta), expected, strict=True)
        ]
    assert max(errors) < 1e-12


def test_far_out_the_logarithm_stays_finite():
    with mpmath.workdps(50):
        assert float(log_bound(200.0)) == pytest.approx(float(mpmath.log(as_printed(200))), rel=1e-13)
    assert log_bound(math.inf) == -math.inf


@each("beta", [0.3, 1.0, 2.5, 6.0])
def test_the_bound_is_the_half_normal_fall_of_the_leader_meeting_the_tail_of_its_challengers(beta):
    # What the proof adds up: in units of eta sqrt(B), the leader falls by x (half-normal), the highest
    # challenger rises by c - x beyond its mean with probability exp(-(c - x)^2 / 2) at most; c = sqrt2 beta.
    with mpmath.workdps(30):
        c = mpmath.sqrt(2) * beta
        both = mpmath.quad(
            lambda x: 2 * mpmath.npdf(x) * mpmath.exp(-((c - x) ** 2) / 2), mpmath.linspace(0, c, 9)
        )
        assert float(bound(beta)) == pytest.approx(float(2 * mpmath.ncdf(-c) + both), rel=1e-13)


def test_where_the_theorem_says_nothing_the_bound_is_one():
    assert bound([0.0, -1e-9, -3.0, -math.inf]).tolist() == [1.0] * 4


def test_the_decline_is_the_slope_of_the_bound_and_integrates_to_one():
    beta = np.array([0.1, 0.7, 2.0, 5.0, 12.0])
    with mpmath.workdps(40):
        slopes = [-float(mpmath.diff(as_printed, point)) for point in beta]
        whole = mpmath.quad(lambda x: float(decline(float(x))), mpmath.linspace(0, 14, 15))
    np.testing.assert_allclose(decline(beta), slopes, rtol=1e-12)
    assert float(whole) == pytest.approx(1.0, abs=1e-14)
    assert decline(-1.0) == 0


def test_the_argument_by_hand():
    assert argument(50, 1, 20, 24, rho=1) == pytest.approx(30 / math.sqrt(40) - math.sqrt(math.log(46)))
    assert argument(50, 2, 8, 2) == pytest.approx(50 / 8 - math.sqrt(math.log(2)))
    assert argument(np.array([[1.0], [2.0]]), np.array([1.0, 2.0, 3.0]), 5, 3).shape == (2, 3)


def test_without_noise_or_steps_only_the_drift_can_change_the_leader():
    assert argument([5.0, 4.0, 3.0], 0.0, 4, 2, rho=1.0).tolist() == [math.inf, -math.inf, -math.inf]
    assert argument([1.0, 0.0], 1.0, 0, 2).tolist() == [math.inf, -math.inf]
    assert argument(1e300, 1e-300, 1, 2) == math.inf  # and warns of nothing


PROBABILITIES = np.concatenate(
    [np.geomspace(1e-300, 1, 20_001), 1 - np.geomspace(1e-12, 1, 2001)[:-1], np.linspace(1e-6, 1, 5001)]
)


def test_the_table_is_right_to_1e_6_everywhere():
    # Near P = 1 the inverse itself is lost to rounding: there 1e-6 is what 1e-16 of P can move it by.
    p = PROBABILITIES[PROBABILITIES <= 1 - 1e-9]
    np.testing.assert_allclose(look_up(np.log(p)), inverse_exact(p), rtol=0, atol=1e-7)
    np.testing.assert_allclose(
        look_up(np.log(PROBABILITIES)), inverse_exact(PROBABILITIES), rtol=0, atol=2e-5
    )


def test_the_inverse_falls_from_the_end_of_the_table_to_zero():
    p = np.geomspace(1e-300, 1, 100_001)
    assert np.all(np.diff(look_up(np.log(p))) < 0)
    assert look_up([0.0, 0.5, -1e9]).tolist() == [0.0, 0.0, look_up(math.log(1e-300))]
    assert float(inverse_exact(1.0)) == pytest.approx(0.0, abs=1e-15)


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.floats(-5000, -1e-6))
def test_solving_and_bounding_undo_each_other(log_p):
    assert float(log_bound(solve(log_p))) == pytest.approx(log_p, rel=1e-9, abs=1e-15)


@each("p", [1e-301, 1.0000001, math.nan, [0.5, 2.0]])
def test_what_is_no_probability_of_the_table_is_refused(p):
    with pytest.raises(InputError, match="probabilities must lie in"):
        inverse_exact(p)


@settings(deadline=None, max_examples=50, derandomize=True)
@example(30.0, 2.0, 9, 2, 0.0)
@given(
    st.floats(0, 500),
    st.floats(0.1, 10),
    st.integers(1, 1000),
    st.integers(2, 1000),
    st.sampled_from([0.0, 1.0]),
)
def test_the_sharper_bound_is_never_above_theorem_1_and_counts_each_challenger_once(k, eta, steps, n, rho):
    sharper = sharper_log_bound(k, eta, steps, n, rho)
    assert sharper <= log_bound(argument(k, eta, steps, n, rho))
    union = (n - 1) * math.erfc((k - rho * steps) / (2 * eta * math.sqrt(steps)))
    if union > 1e-290:
        smaller = min(union, float(bound(argument(k, eta, steps, n, rho))), 1.0)
        assert math.exp(sharper) == pytest.approx(smaller, rel=1e-9)
