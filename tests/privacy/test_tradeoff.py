import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, optimize, stats

from private_experts.errors import InputError
from private_experts.privacy import tradeoff

# Decimal digits of the second route; the two terms of delta(epsilon) agree in up to 20 of them.
DIGITS = 90

SEVERAL = settings(deadline=None, max_examples=60, derandomize=True)
LEVELS = st.floats(-6, math.log10(50)).map(lambda x: 10**x)
UNIT = st.floats(0, 1)
# Two components of every kind: no information, little, much.
MIXTURES = [
    ([1.0], [1.0]),
    ([0.25, 0.75], [2.0, 0.3]),
    ([0.5, 0.3, 0.2], [1e-3, 1.0, 6.0]),
    ([0.4, 0.6], [0.0, 1.5]),
    ([0.2, 0.3, 0.5], [0.0, 0.7, 2.5]),
]


def precise_log_delta(epsilon, mu):
    """Return log(Phi(-z1) - e^epsilon Phi(-z2)) as an mpmath number."""
    with mpmath.workdps(DIGITS):
        e, m = mpmath.mpf(float(epsilon)), mpmath.mpf(float(mu))
        tails = [mpmath.erfc((e / m + sign * m / 2) / mpmath.sqrt(2)) / 2 for sign in (-1, 1)]
        return mpmath.log(tails[0] - mpmath.exp(e) * tails[1])


@st.composite
def mixtures(draw, zero=True):
    size = draw(st.integers(1, 6))
    raw = np.array(draw(st.lists(st.floats(0.01, 1), min_size=size, max_size=size)))
    levels = st.floats(-2, 0.7).map(lambda x: 10**x)
    mus = draw(st.lists(levels | st.just(0.0) if zero else levels, min_size=size, max_size=size))
    return raw / raw.sum(), np.array(mus)


# The curve of one mechanism


@SEVERAL
@given(st.floats(1e-12, 1 - 1e-12), st.floats(1e-6, 20))
def test_the_gaussian_curve_is_its_formula(alpha, mu):
    assert tradeoff.gaussian(alpha, mu) == pytest.approx(stats.norm.cdf(stats.norm.isf(alpha) - mu), rel=1e-10)


def test_the_gaussian_curve_at_its_edges():
    alphas = np.array([0.0, 0.1, 0.7, 1.0])
    np.testing.assert_array_equal(tradeoff.gaussian(alphas, 0.0), 1 - alphas)
    np.testing.assert_array_equal(tradeoff.gaussian(alphas, np.inf), 0.0)
    np.testing.assert_array_equal(tradeoff.gaussian([0.0, 1.0], 1.0), [1.0, 0.0])
    # At mu = 2 c the curve passes through (Phi(-c), Phi(-c)).
    corner = stats.norm.cdf(-np.array([0.1, 1.0, 3.0]))
    np.testing.assert_allclose(tradeoff.gaussian(corner, [0.2, 2.0, 6.0]), corner, rtol=1e-13)


def test_arguments_broadcast_and_one_number_gives_one_number():
    assert tradeoff.gaussian(np.zeros((3, 1)), [1.0, 2.0]).shape == (3, 2)
    assert tradeoff.delta(np.zeros((3, 1)), [1.0, 2.0]).shape == (3, 2)
    assert tradeoff.epsilon(np.full((3, 1), 0.1), [1.0, 2.0]).shape == (3, 2)
    assert tradeoff.calibrate_mu(np.ones((3, 1)), [0.1, 0.2]).shape == (3, 2)
    assert tradeoff.mixture_delta(np.zeros((3, 1)), np.full((2, 4), 0.25), [1.0, 2.0, 3.0, 4.0]).shape == (3, 2)
    assert tradeoff.mixture_tradeoff(np.zeros((3, 1)), np.full((2, 4), 0.25), 1.0).shape == (3, 2)
    assert tradeoff.mixture_epsilon([0.1, 0.2, 0.3], [0.5, 0.5], [1.0, 2.0]).shape == (3,)
    for value in (
        tradeoff.gaussian(0.5, 1.0),
        tradeoff.delta(0.5, 1.0),
        tradeoff.epsilon(0.1, 1.0),
        tradeoff.calibrate_mu(1.0, 0.1),
        tradeoff.compose([1.0, 2.0]),
        tradeoff.mixture_tradeoff(0.5, [1.0], [1.0]),
    ):
        assert isinstance(value, float)


def test_rows_of_a_batch_of_mixtures_are_what_each_gives_alone():
    weights, mus = np.array([[0.5, 0.5], [0.1, 0.9]]), np.array([[1.0, 0.0], [0.2, 3.0]])
    x = np.array([0.02, 0.4])
    for function in (tradeoff.mixture_tradeoff, tradeoff.mixture_epsilon, tradeoff.mixture_delta):
        together = function(x, weights, mus)
        alone = [function(x[i], weights[i], mus[i]) for i in range(2)]
        np.testing.assert_allclose(together, alone, rtol=1e-13)


# delta(epsilon) of one mechanism


def grid():
    """Pairs (epsilon, mu) with delta from near 1 down to 1e-300, epsilon up to 1e4, mu from 1e-6 to 50."""
    mus = np.concatenate([np.geomspace(1e-6, 50, 24), [0.1, 0.999, 1.0, 1.0 + 1e-9, 1.001]])
    for mu in mus:
        z = np.concatenate([np.linspace(-mu / 2, min(37, mu / 2), 6), np.linspace(-0.5, 37, 14)])
        epsilon = np.maximum(mu * (z + mu / 2), 0)
        yield from ((e, mu) for e in [0.0, *epsilon[epsilon <= 1e4]])


def test_delta_agrees_with_ninety_digits_down_to_1e_minus_300():
    pairs = np.array(list(grid()))
    measured, logs = tradeoff.delta(*pairs.T), tradeoff.log_delta(*pairs.T)
    least = 1.0
    for (epsilon, mu), value, log_value in zip(pairs, measured, logs, strict=True):
        with mpmath.workdps(DIGITS):
            log_exact = precise_log_delta(epsilon, mu)
            if log_exact < mpmath.log(1e-300):
                continue
            exact = mpmath.exp(log_exact)
            least = min(least, float(exact))
            assert abs(mpmath.mpf(float(value)) / exact - 1) < 1e-12, (epsilon, mu)
            # Near the middle of its range delta is right to a few units in the last place.
            assert abs(mpmath.mpf(float(value)) / exact - 1) < 5e-15 - 5e-16 * log_exact, (epsilon, mu)
            assert abs(mpmath.mpf(float(log_value)) - log_exact) < 1e-12, (epsilon, mu)
    assert least < 1e-290


@pytest.mark.parametrize(("epsilon", "mu"), [(1e4, 1.0), (1e-3, 1e-6), (300.0, 2.5), (1e4, 100.0), (50.0, 1.0000001)])
def test_log_delta_goes_on_where_delta_is_too_small_for_a_float(epsilon, mu):
    exact = float(precise_log_delta(epsilon, mu))
    assert tradeoff.log_delta(epsilon, mu) == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize("mu", [321.0, 1e4 / 3, 1e6 / 7])
def test_delta_keeps_its_digits_where_epsilon_over_mu_and_mu_over_2_nearly_cancel(mu):
    for z in (1.0, 20.0, 36.9):
        epsilon = mu * (z + mu / 2)
        log_exact = precise_log_delta(epsilon, mu)
        with mpmath.workdps(DIGITS):
            exact = mpmath.exp(log_exact)
            assert abs(mpmath.mpf(float(tradeoff.delta(epsilon, mu))) / exact - 1) < 1e-12


def test_log_delta_is_finite_far_out_and_no_warning_is_given():
    far = tradeoff.log_delta([1e10, 1e18, 1e20, 1e5, 1e4], [1.5, 20.0, 20.0, 1e-3, 1e-3])
    np.testing.assert_allclose(far, -0.5 * np.array([1e10 / 1.5, 5e16, 5e18, 1e8, 1e7]) ** 2, rtol=1e-8)
    assert tradeoff.log_delta(1e300, 1e-300) == -np.inf
    assert tradeoff.delta(1.0, 1e300) == 1.0


def test_reference_values_at_mu_1():
    # 000.3, unamplified, as printed
    np.testing.assert_allclose(tradeoff.delta([0, 0.5, 1, 2], 1.0), [0.3829, 0.2384, 0.1269, 0.0209], atol=5.1e-5)


def test_delta_at_its_edges():
    assert tradeoff.delta(0.0, 0.0) == 0
    assert tradeoff.delta(3.0, 0.0) == 0
    assert tradeoff.delta(3.0, np.inf) == 1
    assert tradeoff.delta(np.inf, 3.0) == 0
    # delta(0) is the total variation 2 Phi(mu/2) - 1 = erf(mu / sqrt 8).
    mus = np.array([1e-9, 0.1, 1.0, 10.0])
    np.testing.assert_allclose(tradeoff.delta(0.0, mus), [math.erf(mu / math.sqrt(8)) for mu in mus], rtol=1e-14)
    assert tradeoff.delta(0.0, 1e-300) == pytest.approx(1e-300 / math.sqrt(2 * math.pi), rel=1e-12)


@pytest.mark.parametrize("mu", [0.03, 1.0, 4.0])
def test_the_formula_for_negative_epsilon_that_the_docstring_gives(mu):
    e = 0.7
    # delta(-e) is the integral of (q - e^{-e} p)_+; the ratio q/p exceeds e^{-e} right of x.
    x = -e / mu + mu / 2
    direct = stats.norm.sf(x - mu) - math.exp(-e) * stats.norm.sf(x)
    assert 1 - math.exp(-e) * (1 - tradeoff.delta(e, mu)) == pytest.approx(direct, rel=1e-12)


@SEVERAL
@given(LEVELS, st.floats(0, 36), st.floats(1.001, 2))
def test_delta_falls_with_epsilon_and_rises_with_mu(mu, z, factor):
    epsilon = mu * (z + mu / 2)
    here = tradeoff.log_delta(epsilon, mu)
    assert tradeoff.log_delta(factor * epsilon, mu) < here
    assert tradeoff.log_delta(epsilon, factor * mu) > here


# Inverses


@SEVERAL
@given(LEVELS, st.floats(-2, 36))
def test_epsilon_inverts_delta(mu, z):
    epsilon = max(mu * (z + mu / 2), 0.0)
    delta = tradeoff.delta(epsilon, mu)
    again = tradeoff.epsilon(delta, mu)
    assert again == pytest.approx(epsilon, rel=1e-12, abs=1e-12 * mu)
    assert tradeoff.delta(again, mu) == pytest.approx(delta, rel=1e-12)


@SEVERAL
@given(LEVELS, st.floats(-2, 36))
def test_calibrate_mu_inverts_delta(mu, z):
    epsilon = max(mu * (z + mu / 2), 0.0)
    delta = tradeoff.delta(epsilon, mu)
    again = tradeoff.calibrate_mu(epsilon, delta)
    assert again == pytest.approx(mu, rel=1e-12)
    assert tradeoff.delta(epsilon, again) == pytest.approx(delta, rel=1e-12)


@SEVERAL
@given(st.floats(-8, 4).map(lambda x: 10**x), st.floats(-300, -1e-3).map(lambda x: 10**x))
def test_calibrated_levels_spend_what_is_allowed_and_no_more(epsilon, delta):
    mu = tradeoff.calibrate_mu(epsilon, delta)
    assert tradeoff.log_delta(epsilon, mu) == pytest.approx(math.log(delta), rel=1e-13, abs=1e-13)
    assert tradeoff.log_delta(epsilon, mu * (1 + 1e-9)) > math.log(delta)


def test_reference_noise_for_epsilon_1_and_delta_1e_minus_6():
    # By 60 digits 4.22467888932683529...; a bisection in floats stops at ...6815.
    assert 1 / tradeoff.calibrate_mu(1.0, 1e-6) == pytest.approx(4.22467888932683529, rel=1e-15)


def test_inverses_at_their_edges():
    np.testing.assert_array_equal(tradeoff.epsilon([0.0, 1e-9, 1.0], 0.0), 0.0)
    np.testing.assert_array_equal(tradeoff.epsilon([0.0, 0.5, 1.0], np.inf), [np.inf, np.inf, 0.0])
    np.testing.assert_array_equal(tradeoff.epsilon([0.0, 0.4, 1.0], 1.0), [np.inf, 0.0, 0.0])  # delta(0) = 0.383
    np.testing.assert_array_equal(tradeoff.calibrate_mu([0.0, 2.0], 0.0), 0.0)
    np.testing.assert_array_equal(tradeoff.calibrate_mu([0.0, 2.0], 1.0), np.inf)
    np.testing.assert_array_equal(tradeoff.calibrate_mu(np.inf, [0.0, 0.5]), np.inf)
    assert tradeoff.calibrate_mu(0.0, math.erf(1.5 / math.sqrt(8))) == pytest.approx(1.5, rel=1e-14)
    assert tradeoff.epsilon([], 1.0).shape == (0,)
    assert tradeoff.calibrate_mu([], 0.1).shape == (0,)


# Mixtures


@pytest.mark.parametrize(("weights", "mus"), MIXTURES)
def test_no_likelihood_ratio_test_on_a_fine_grid_beats_the_mixture_curve_and_the_best_comes_close(weights, mus):
    # Each component's line is cut into cells of exact probability; cells of all components enter the rejection
    # region by falling likelihood ratio at their middle. Each such region is a test, and nearly the best one.
    cells = np.concatenate([[-np.inf], np.arange(-12, 20, 2e-3), [np.inf]])

    def mass(ends):
        return np.where(ends[1:] > 0, -np.diff(stats.norm.sf(ends)), np.diff(stats.norm.cdf(ends)))

    p = np.concatenate([w * mass(cells) for w in weights])
    q = np.concatenate([w * mass(cells - mu) for w, mu in zip(weights, mus, strict=True)])
    middle = np.concatenate([[-12.0], np.arange(-12, 20, 2e-3)]) + 1e-3
    order = np.argsort(-np.concatenate([mu * middle - mu**2 / 2 for mu in mus]), kind="stable")
    alpha, beta = p[order].cumsum(), 1 - q[order].cumsum()
    take = np.linspace(0, alpha.size - 1, 400).astype(int)
    curve = tradeoff.mixture_tradeoff(np.minimum(alpha[take], 1.0), weights, mus)
    assert np.all(curve <= beta[take] + 1e-9)
    assert np.all(curve >= beta[take] - 3e-6)


@SEVERAL
@given(mixtures(), st.floats(-8, 8), UNIT)
def test_the_curve_passes_through_the_errors_of_every_threshold(mixture, threshold, gamma):
    for s in (threshold, 0.0):
        first, second = tradeoff.mixture_errors(s, *mixture, gamma)
        # A rounding of alpha moves beta by e^s times as much.
        assert tradeoff.mixture_tradeoff(first, *mixture) == pytest.approx(second, abs=1e-15 * math.exp(abs(s)) + 1e-13)


def test_errors_of_one_component_in_closed_form():
    mu = 1.5
    first, second = tradeoff.mixture_errors([0.4, -2.0], [1.0], [mu])
    # The ratio mu x - mu^2/2 exceeds s when x > s/mu + mu/2.
    cut = np.array([0.4, -2.0]) / mu + mu / 2
    np.testing.assert_allclose(first, stats.norm.sf(cut), rtol=1e-13)
    np.testing.assert_allclose(second, stats.norm.cdf(cut - mu), rtol=1e-13)


def test_a_component_of_level_0_is_accepted_above_threshold_0_rejected_below_and_randomised_at_it():
    weights, mus = [0.3, 0.7], [0.0, 1.0]
    corner = 0.7 * stats.norm.cdf(-0.5)
    for s, rejected in ((1e-12, 0.0), (-1e-12, 0.3)):
        np.testing.assert_allclose(
            tradeoff.mixture_errors(s, weights, mus), [corner + rejected, corner + 0.3 - rejected], atol=1e-11
        )
    for gamma in (0.0, 0.25, 1.0):
        np.testing.assert_allclose(
            tradeoff.mixture_errors(0.0, weights, mus, gamma),
            [corner + 0.3 * gamma, corner + 0.3 * (1 - gamma)],
            rtol=1e-14,
        )
    alpha = corner + np.array([0.0, 0.1, 0.3])
    np.testing.assert_allclose(tradeoff.mixture_tradeoff(alpha, weights, mus), corner + np.array([0.3, 0.2, 0.0]))


@SEVERAL
@given(mixtures(), UNIT)
def test_level_0_is_the_limit_of_small_levels(mixture, alpha):
    weights, mus = mixture
    small = np.where(mus == 0, 1e-10, mus)
    assert tradeoff.mixture_tradeoff(alpha, weights, mus) == pytest.approx(
        tradeoff.mixture_tradeoff(alpha, weights, small), abs=1e-9
    )


def test_components_of_level_inf_are_always_told_apart():
    weights, mus = [0.3, 0.2, 0.5], [1.0, 0.0, np.inf]
    alphas = np.array([0.0, 0.1, 0.3, 0.5, 0.9, 1.0])
    # Only half of the time is there anything to decide, with the curve of the other two on that half.
    rest = 0.5 * tradeoff.mixture_tradeoff(np.minimum(2 * alphas, 1), [0.6, 0.4], [1.0, 0.0])
    np.testing.assert_allclose(tradeoff.mixture_tradeoff(alphas, weights, mus), rest, atol=1e-14)
    np.testing.assert_allclose(
        tradeoff.mixture_delta([0.0, 1.0, np.inf], weights, mus), 0.5 + 0.3 * tradeoff.delta([0.0, 1.0, np.inf], 1.0)
    )
    np.testing.assert_array_equal(tradeoff.mixture_epsilon([0.2, 0.5, 0.99], weights, mus), [np.inf, np.inf, 0.0])
    inverse = tradeoff.mixture_epsilon(0.51, weights, mus)
    assert tradeoff.delta(inverse, 1.0) == pytest.approx(0.01 / 0.3, rel=1e-12)
    np.testing.assert_array_equal(tradeoff.mixture_tradeoff(alphas, [1.0], [np.inf]), 0.0)
    np.testing.assert_allclose(
        tradeoff.mixture_tradeoff(alphas, [0.5, 0.5], [0.0, np.inf]), np.maximum(0.5 - alphas, 0), atol=1e-15
    )
    assert tradeoff.mixture_epsilon(0.5, [0.5, 0.5], [0.0, np.inf]) == 0.0


@SEVERAL
@given(st.floats(1e-12, 1 - 1e-9), st.floats(-3, 0.9).map(lambda x: 10**x), st.floats(0, 10), st.integers(1, 4))
def test_a_mixture_of_equals_is_one_of_them(alpha, mu, epsilon, copies):
    weights, mus = np.full(copies, 1 / copies), np.full(copies, mu)
    # A rounding of alpha moves beta by the slope; alpha near 1 loses digits in 1 - alpha.
    assert tradeoff.mixture_tradeoff(alpha, weights, mus) == pytest.approx(
        tradeoff.gaussian(alpha, mu), rel=1e-6, abs=1e-13
    )
    assert tradeoff.mixture_log_delta(epsilon, weights, mus) == pytest.approx(
        tradeoff.log_delta(epsilon, mu), rel=1e-13, abs=1e-13
    )


def test_the_curve_of_one_component_is_the_gaussian_one_to_fourteen_digits():
    alphas, mu = np.array([0.0, 1e-300, 1e-20, 1e-3, 0.2, 0.5, 0.75, 1 - 2**-30, 1.0]), 1.3
    np.testing.assert_allclose(
        tradeoff.mixture_tradeoff(alphas, [1.0], [mu]), tradeoff.gaussian(alphas, mu), rtol=2e-14
    )


def test_a_component_of_weight_0_changes_nothing():
    alphas = np.linspace(0, 1, 11)
    for mu in (0.0, 50.0, np.inf):
        np.testing.assert_allclose(
            tradeoff.mixture_log_delta(1000.0, [0.0, 1.0], [mu, 1.0]), tradeoff.log_delta(1000, 1)
        )
        np.testing.assert_allclose(tradeoff.mixture_epsilon(1e-9, [0.0, 1.0], [mu, 1.0]), tradeoff.epsilon(1e-9, 1.0))
        np.testing.assert_allclose(
            tradeoff.mixture_tradeoff(alphas, [0.0, 1.0], [mu, 1.0]), tradeoff.gaussian(alphas, 1.0), rtol=1e-13
        )


@pytest.mark.parametrize(("weights", "mus"), MIXTURES)
def test_delta_is_the_supremum_over_thresholds_and_is_attained_at_epsilon(weights, mus):
    thresholds = np.linspace(-3, 6, 1801)
    for epsilon in (0.0, 0.25, 1.0, 2.5):
        first, second = tradeoff.mixture_errors(thresholds, weights, mus)
        advantage = 1 - second - math.exp(epsilon) * first
        delta = tradeoff.mixture_delta(epsilon, weights, mus)
        assert np.all(advantage <= delta + 1e-14)
        assert advantage[np.argmin(np.abs(thresholds - epsilon))] == pytest.approx(delta, abs=1e-12)


@pytest.mark.parametrize(("weights", "mus"), MIXTURES)
def test_delta_is_the_integral_of_the_excess_density(weights, mus):
    for epsilon in (0.0, 0.5, 2.0):
        total = 0.0
        for w, mu in zip(weights, mus, strict=True):
            if mu > 0:
                cut = epsilon / mu + mu / 2

                def excess(x, mu=mu, epsilon=epsilon):
                    return stats.norm.pdf(x - mu) - math.exp(epsilon) * stats.norm.pdf(x)

                total += w * integrate.quad(excess, cut, max(cut, mu) + 10, epsabs=1e-12)[0]
        assert tradeoff.mixture_delta(epsilon, weights, mus) == pytest.approx(total, abs=1e-9)


@SEVERAL
@given(mixtures(zero=False), st.floats(0, 20))
def test_mixture_epsilon_inverts_mixture_delta(mixture, epsilon):
    delta = tradeoff.mixture_delta(epsilon, *mixture)
    if 1e-300 < delta < 0.99:
        again = tradeoff.mixture_epsilon(delta, *mixture)
        assert tradeoff.mixture_delta(again, *mixture) == pytest.approx(delta, rel=1e-12)
        assert again == pytest.approx(epsilon, rel=1e-10, abs=1e-12)


@SEVERAL
@given(mixtures())
def test_a_trade_off_curve_is_convex_falling_symmetric_and_below_the_diagonal(mixture):
    alphas = np.linspace(0, 1, 201)
    curve = tradeoff.mixture_tradeoff(alphas, *mixture)
    assert curve[0] == pytest.approx(1, abs=1e-14)
    assert curve[-1] == 0
    assert np.all(np.diff(curve) <= 1e-14)
    assert np.all(np.diff(curve, 2) >= -1e-13)
    assert np.all(curve <= 1 - alphas + 1e-14)
    middle = (curve > 1e-9) & (alphas > 0)
    np.testing.assert_allclose(tradeoff.mixture_tradeoff(curve[middle], *mixture), alphas[middle], atol=1e-9)


@st.composite
def ordered_sizes(draw):
    """Two laws of a batch size in 1..m, the second stochastically larger: the larger of two survival functions."""
    m = draw(st.integers(1, 12))
    laws = []
    for _ in range(2):
        raw = np.array(draw(st.lists(st.floats(0, 1), min_size=m, max_size=m))) + 1e-3
        laws.append(raw[::-1].cumsum()[::-1] / raw.sum())
    larger = np.maximum(*laws)
    return [survival - np.append(survival[1:], 0) for survival in (laws[0], larger)]


@SEVERAL
@given(ordered_sizes(), st.floats(-1, 0.7).map(lambda x: 10**x))
def test_stochastically_larger_batches_are_at_least_as_private(laws, mu):
    # 000, Lemma 1
    mus = mu / np.sqrt(np.arange(1, laws[0].size + 1))
    alphas, epsilons = np.linspace(0, 1, 101), np.linspace(0, 5, 21)
    smaller, larger = (tradeoff.mixture_tradeoff(alphas, law, mus) for law in laws)
    assert np.all(smaller <= larger + 1e-13)
    smaller, larger = (tradeoff.mixture_delta(epsilons, law, mus) for law in laws)
    assert np.all(smaller >= larger - 1e-15)
    assert np.all(smaller <= tradeoff.delta(epsilons, mu) + 1e-15)  # amplified is never worse than not


def proxy_batch_sizes(t=500, eta=10.0, alpha=0.01, largest=65):
    """Return the proxy law of the batch size in 000.3 (iii) for two experts, by quadrature."""

    def leader_change(beta):
        if beta <= 0:
            return 1.0
        inside = 2 * math.sqrt(math.pi) * stats.norm.pdf(beta) * (stats.norm.cdf(beta) - stats.norm.cdf(-beta))
        return 2 * stats.norm.cdf(-math.sqrt(2) * beta) + inside

    first = math.sqrt(math.log(2))
    survival = [1.0]
    for b in range(1, largest):
        tolerance = alpha * math.sqrt(math.log(2) / (t + b))
        beta = optimize.brentq(lambda x, tolerance=tolerance: leader_change(x) - tolerance, 0.1, 30)
        gap = eta * math.sqrt(2 * (b + 1)) * (beta + first) + b + 1
        steps = min(b, t) - 1
        sigma = eta * math.sqrt(t - steps)

        def held(x, gap=gap, steps=steps, sigma=sigma):
            density = math.exp(-((x / sigma) ** 2) / 4) / math.sqrt(math.pi) / sigma
            change = leader_change((x - gap - steps) / (eta * math.sqrt(2 * steps)) - first) if steps else 0.0
            return density * (1 - change)

        survival.append(integrate.quad(held, gap + steps, gap + steps + 12 * sigma, limit=200)[0])
    survival = np.maximum.accumulate(survival[::-1])[::-1]
    return survival - np.append(survival[1:], 0)


def test_reference_values_of_amplification_by_random_batches():
    # 000.3: n = 2, mu = 1, proxy law at t = 500, eta = 10, cut at 65.
    # S(1) = 1 - erf(k / (2 eta sqrt 500)) = 0.75217 exactly, where the restated paper prints 0.7519, and
    # with it 0.0898 for delta(0.5); with the exact S(1) that is 0.0897. All other printed digits stand.
    law = proxy_batch_sizes()
    survival = 1 - law.cumsum()[[0, 1, 3, 7, 15, 31]]
    assert survival[0] == pytest.approx(1 - math.erf(99.8584 / (20 * math.sqrt(500))), abs=1e-6)
    np.testing.assert_allclose(survival[1:], [0.6213, 0.4885, 0.3263, 0.1578, 0.0384], atol=5.1e-5)
    amplified = tradeoff.mixture_delta([0, 0.5, 1, 2], law, 1 / np.sqrt(np.arange(1, 66)))
    np.testing.assert_allclose(amplified[:3], [0.2174, 0.0897, 0.0385], atol=5.1e-5)
    np.testing.assert_allclose(amplified[3], 0.00536, atol=5.1e-6)


# Composition


@SEVERAL
@given(st.lists(st.floats(0, 50), max_size=8))
def test_levels_compose_like_the_length_of_a_vector(mus):
    assert tradeoff.compose(mus) == pytest.approx(math.hypot(*mus), rel=1e-14)


def test_composition_runs_along_the_last_axis_and_keeps_the_ends():
    np.testing.assert_allclose(tradeoff.compose([[3.0, 4.0], [5.0, 12.0]]), [5.0, 13.0], rtol=1e-15)
    assert tradeoff.compose([]) == 0
    assert tradeoff.compose([0.0, 0.0]) == 0
    assert tradeoff.compose([1.0, np.inf]) == np.inf
    assert tradeoff.compose([3e-200, 4e-200]) == pytest.approx(5e-200)


def test_two_mechanisms_are_told_apart_as_their_composition_says():
    # The pair (x1, x2) projected on (mu1, mu2): quadrature of the excess density over the plane.
    mu, epsilon, h = np.array([0.8, 0.5]), 0.6, 0.02
    x = np.arange(-9, 9, h)
    p = stats.norm.pdf(x)
    q1, q2 = stats.norm.pdf(x - mu[0]), stats.norm.pdf(x - mu[1])
    excess = np.maximum(np.outer(q1, q2) - math.exp(epsilon) * np.outer(p, p), 0).sum() * h * h
    assert tradeoff.delta(epsilon, tradeoff.compose(mu)) == pytest.approx(excess, rel=1e-4)


# Between curve and profile


@pytest.mark.parametrize(("weights", "mus"), MIXTURES)
def test_curve_to_profile_and_profile_to_curve_agree_with_the_closed_forms(weights, mus):
    thresholds = np.linspace(-9, 9, 6001)
    alphas, betas = tradeoff.mixture_errors(thresholds, weights, mus)
    epsilons = np.linspace(0, 4, 9)
    profile = tradeoff.delta_from_tradeoff(epsilons, alphas, betas)
    exact = tradeoff.mixture_delta(epsilons, weights, mus)
    assert np.all(profile <= exact + 1e-14)
    np.testing.assert_allclose(profile, exact, atol=1e-6)

    points = np.linspace(0.001, 0.999, 41)
    fine = np.concatenate([np.linspace(0, 0.02, 1001), np.linspace(0.02, 9, 6001)])
    curve = tradeoff.tradeoff_from_deltas(points, fine, tradeoff.mixture_delta(fine, weights, mus))
    exact = tradeoff.mixture_tradeoff(points, weights, mus)
    assert np.all(curve <= exact + 1e-13)
    np.testing.assert_allclose(curve, exact, atol=1e-6)


def test_one_guarantee_certifies_two_straight_lines():
    epsilon, delta = math.log(2), 0.1
    alphas = np.array([0.0, 0.2, 0.3, 0.5, 0.9, 1.0])
    # 1 - 0.1 - 2 alpha up to alpha = 0.3, then (0.9 - alpha) / 2.
    expected = np.array([0.9, 0.5, 0.3, 0.2, 0.0, 0.0])
    np.testing.assert_allclose(tradeoff.tradeoff_from_deltas(alphas, [epsilon], [delta]), expected, atol=1e-15)
    np.testing.assert_array_equal(tradeoff.tradeoff_from_deltas([0.0, 0.5], [2000.0], [0.25]), [0.75, 0.0])
    np.testing.assert_array_equal(tradeoff.tradeoff_from_deltas([0.0, 0.5], [], []), 0.0)


def test_profile_of_a_curve_at_its_edges():
    assert tradeoff.delta_from_tradeoff(0.0, [0.0, 1.0], [1.0, 0.0]) == 0
    assert tradeoff.delta_from_tradeoff(np.inf, [0.0, 0.5], [0.7, 0.2]) == pytest.approx(0.3)
    assert tradeoff.delta_from_tradeoff(5000.0, [0.0, 1e-300], [1.0, 0.0]) == 0
    assert tradeoff.delta_from_tradeoff(0.0, [0.25], [0.25]) == 0.5


# Refusals


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: tradeoff.gaussian(1.5, 1.0), "type I error alpha = 1.5: write a number from 0 to 1"),
        (lambda: tradeoff.gaussian(0.5, [1.0, -2.0]), "privacy level mu = -2: write a number that is at least 0"),
        (lambda: tradeoff.delta(-0.5, 1.0), "epsilon = -0.5: write a number that is at least 0"),
        (lambda: tradeoff.delta(math.nan, 1.0), "epsilon = nan: write a number that is at least 0"),
        (lambda: tradeoff.epsilon(1.5, 1.0), "delta = 1.5: write a number from 0 to 1"),
        (lambda: tradeoff.calibrate_mu(1.0, -0.1), "delta = -0.1: write a number from 0 to 1"),
        (lambda: tradeoff.compose([math.nan]), "privacy level mu = nan: write a number that is at least 0"),
        (lambda: tradeoff.mixture_delta(0.0, [0.5, 0.4], [1.0, 2.0]), "weights of a mixture: they sum to 0.9, write"),
        (lambda: tradeoff.mixture_delta(0.0, [1.5, -0.5], [1.0, 2.0]), "weight of a mixture = 1.5: write a number"),
        (lambda: tradeoff.mixture_delta(0.0, 1.0, 1.0), "weights of a mixture: write a list"),
        (lambda: tradeoff.mixture_errors(math.nan, [1.0], [1.0]), "threshold = nan: write a number"),
        (lambda: tradeoff.mixture_errors(0.0, [1.0], [1.0], 2.0), "gamma = 2: write a number from 0 to 1"),
    ],
)
def test_wrong_numbers_are_refused_in_one_line(call, text):
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value).startswith(text)
    assert "\n" not in str(caught.value)


# Google's accountant, an independent second route


@pytest.fixture
def dp_accounting():
    return pytest.importorskip("dp_accounting", reason="dp-accounting is part of the extra 'test'")


def test_dp_accounting_finds_the_same_epsilon_and_noise(dp_accounting):
    for mu in (0.05, 0.5, 1.0, 4.0):
        for delta in (1e-2, 1e-6, 1e-12):
            theirs = dp_accounting.get_epsilon_gaussian(1 / mu, delta)
            assert tradeoff.epsilon(delta, mu) == pytest.approx(theirs, rel=1e-10, abs=1e-11)
    for epsilon in (0.1, 1.0, 8.0):
        for delta in (1e-2, 1e-6, 1e-12):
            theirs = dp_accounting.get_sigma_gaussian(epsilon, delta)
            assert 1 / tradeoff.calibrate_mu(epsilon, delta) == pytest.approx(theirs, rel=1e-10)


@pytest.mark.parametrize(
    ("times", "mu", "epsilon", "low", "high"),
    [(1, 1.0, 1.0, -1e-10, 1e-10), (1000, 1.0, 1.0, -1e-8, 1e-5), (1000, 0.5, 3.0, -1e-8, 1e-3)],
)
def test_privacy_loss_distributions_find_the_same_delta(dp_accounting, times, mu, epsilon, low, high):
    # Their grid makes delta of a composition a little larger: by 2.6e-6 and 1.6e-4 of itself in the last two cases.
    from dp_accounting.pld import privacy_loss_distribution

    each = mu / math.sqrt(times)
    loss = privacy_loss_distribution.from_gaussian_mechanism(1 / each, value_discretization_interval=1e-4)
    theirs = loss.self_compose(times).get_delta_for_epsilon(epsilon)
    ours = tradeoff.delta(epsilon, tradeoff.compose(np.full(times, each)))
    assert low < theirs / ours - 1 < high
