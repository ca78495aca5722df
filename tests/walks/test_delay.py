import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from private_experts.errors import InputError
from private_experts.randomness import rng_for
from private_experts.walks import compute_delay, delay
from private_experts.walks.leader_change import inverse_exact, look_up, solve
from tests.each import each


def holds(size, gap, eta, n, alpha, completed, rho):
    """Whether a batch of this size meets the tolerance, by the printed formula and nothing of the package."""
    tolerance = alpha * math.sqrt(math.log(n) / (completed + size))
    if eta == 0:
        return gap > rho * size or tolerance >= 1
    beta = (gap - rho * size) / (eta * math.sqrt(2 * size)) - math.sqrt(math.log(2 * n - 2))
    if beta <= 0:
        return tolerance >= 1
    p = math.erfc(beta) + math.sqrt(2) * math.exp(-(beta**2) / 2) * math.erf(beta / math.sqrt(2))
    return p <= tolerance


def scan(*problem, largest=300):
    return max((size for size in range(1, largest + 1) if holds(size, *problem)), default=1)


PROBLEMS = (
    st.floats(0, 400),
    st.sampled_from([0.0, 0.1, 1.0, 5.0, 30.0]),
    st.sampled_from([2, 3, 24, 500]),
    st.sampled_from([1e-200, 0.01, 0.5, 3.0]),
    st.sampled_from([0, 1, 10, 1000, 10**6]),
    st.sampled_from([0.0, 0.3, 1.0]),
)


@settings(deadline=None, max_examples=50, derandomize=True)
@given(*PROBLEMS)
def test_the_delay_is_what_a_scan_of_all_sizes_finds(gap, eta, n, alpha, completed, rho):
    expected = scan(gap, eta, n, alpha, completed, rho)
    for exact in (False, True):
        assert compute_delay(gap, eta, n, alpha, completed, rho, exact=exact, largest=300) == expected


NEAR = np.array([-1e-8, -1e-10, -1e-12, -1e-15, 0.0, 1e-15, 1e-12, 1e-10, 1e-8])


@settings(deadline=None, max_examples=50, derandomize=True)
@given(
    st.integers(2, 10**7),
    st.floats(0.1, 30),
    st.sampled_from([2, 24, 500]),
    st.sampled_from([1e-4, 0.01, 0.5]),
    st.integers(0, 10**5),
    st.sampled_from([0.0, 1.0]),
)
def test_at_the_very_threshold_of_a_size_table_and_condition_agree(size, eta, n, alpha, completed, rho):
    # The table is off by up to 5e-9: nearer to a threshold only the condition itself can tell.
    p = alpha * math.sqrt(math.log(n) / (completed + size))
    if p >= 0.9:
        return
    beta = float(inverse_exact(p))
    gap = rho * size + eta * math.sqrt(2 * size) * (beta + math.sqrt(math.log(2 * n - 2)))
    fast, exact = (
        compute_delay(gap * (1 + NEAR), eta, n, alpha, completed, rho, exact=e) for e in (False, True)
    )
    np.testing.assert_array_equal(fast, exact)
    certain = (abs(NEAR) >= 1e-12) & (abs(NEAR) * size < 0.1)
    np.testing.assert_array_equal(fast[certain], np.where(NEAR > 0, size, size - 1)[certain])


@each("eta", [0.0, 0.3, 1e100])
@each(("alpha", "n"), [(1e-305, 24), (0.01, 500), (0.9, 2), (3.0, 24)])
@each("rho", [0.0, 1.0])
def test_tabled_gaps_give_the_sizes_of_the_search(eta, alpha, n, rho):
    drawn = rng_for(0, "gaps", str(eta), str(alpha), n, str(rho))
    for completed in (0, 2, 16, 10**6 + 7):
        sizes = np.concatenate([np.arange(1, 40), drawn.integers(40, 1000, 10)])
        beta = solve(np.minimum(delay.log_tolerance(n, alpha, completed + sizes), 0.0))
        least = rho * sizes + eta * np.sqrt(2 * sizes) * (beta + math.sqrt(math.log(2 * n - 2)))
        gaps = np.maximum(
            (least[:, None] * np.concatenate([1 + NEAR, drawn.uniform(0.9, 1.1, 5)])).ravel(), 0.0
        )
        for part in (gaps, gaps[:0], gaps[:1]):
            expected = compute_delay(part, eta, n, alpha, completed, rho)
            np.testing.assert_array_equal(delay.sizes_now(part, eta, n, alpha, completed, rho), expected)


def test_without_noise_the_leader_is_kept_as_long_as_no_gains_can_reach_it():
    gaps = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 7.0]
    assert compute_delay(gaps, 0.0, 3, 0.01, 5).tolist() == [1, 1, 1, 1, 1, 2, 6]
    assert compute_delay(gaps, 0.0, 3, 0.01, 5, rho=0.5).tolist() == [1, 1, 1, 2, 3, 4, 13]
    for_ever = {"largest": 17}, {}
    for how, most in zip(for_ever, (17, 2**31), strict=True):
        assert compute_delay([0.0, 1e-9], 0.0, 3, 0.01, 5, rho=0.0, **how).tolist() == [1, most]


def test_the_cap():
    for largest in (-5, 0, 1, 2, 3, 20, 21):
        sizes = compute_delay([3.0, 50.0], 1.0, 2, 0.01, 100, largest=largest)
        assert sizes.tolist() == [1, min(20, max(largest, 1))]
    assert compute_delay(1e9, 1.0, 2, 0.01, 100, rho=0.0) == 2**31


def test_where_everything_is_tolerated_batches_reach_as_far_as_that_lasts():
    # alpha sqrt(log n / (completed + B)) >= 1 up to completed + B = 9 log 100 = 41.4
    assert compute_delay(0.0, 1.0, 100, 3.0, [0, 20, 40, 41]).tolist() == [41, 21, 1, 1]


def test_arrays_are_broadcast():
    gaps, completed, eta = np.array([[3.0], [50.0], [400.0]]), np.array([0, 10, 100, 1000]), 1.5
    sizes = compute_delay(gaps, eta, 7, 0.01, completed)
    assert sizes.shape == (3, 4)
    assert sizes.dtype == np.int64
    for i, j in np.ndindex(3, 4):
        assert sizes[i, j] == compute_delay(gaps[i, 0], eta, 7, 0.01, completed[j])
    assert compute_delay(np.zeros(0), 1.0, 2, 0.01, 0).shape == (0,)


def test_the_table_is_as_close_as_a_size_that_is_not_tested_asks_for():
    """A crossing moves relatively by at most twice the error over the least level, the root of log 2."""
    low, high = delay._TABLED
    logs = np.concatenate([np.linspace(low, -1, 20_011), -np.geomspace(1, -high, 20_011)])
    worst = np.abs(look_up(logs) - solve(logs)).max()
    assert worst < 1e-7
    assert 2 * worst / math.sqrt(math.log(2)) < 3e-7 < delay._MARGIN / 10


def test_tolerances_below_the_table_are_kept_too():
    # Around the last lead that serves a single round.
    gaps = np.linspace(75, 85, 1001)
    sizes = compute_delay(gaps, 1.0, 2, 1e-300, 10**9)
    np.testing.assert_array_equal(sizes, compute_delay(gaps, 1.0, 2, 1e-300, 10**9, exact=True))
    assert sizes[0] < sizes[-1]


def test_one_expert_or_no_tolerance_is_refused():
    with pytest.raises(InputError, match="at least 2"):
        compute_delay(1.0, 1.0, 1, 0.01, 0)
    with pytest.raises(InputError, match="alpha"):
        compute_delay(1.0, 1.0, 2, 0.0, 0)
