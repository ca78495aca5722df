"""Strategies for a person in several rounds: the best of their kind, and no worse than other libraries'."""

import numpy as np
import pytest

from private_experts.errors import InputError
from private_experts.privacy import GaussianDP, MatrixSums, Participation, SimulatedNoise, privacy_report
from private_experts.privacy.factorization import noise_deviation, optimal, prefix_sums, square_root
from private_experts.privacy.participation import level_in_rounds
from private_experts.privacy.strategies_in_rounds import optimal_band, strategy_for
from tests.each import each

RISING = np.linspace(1.0, 2.0, 12)


def squared(strategy: np.ndarray, sensitivity: np.ndarray | None = None) -> float:
    """Return the mean squared noise of prefix sums."""
    rounds = len(strategy)
    one = np.ones(rounds) if sensitivity is None else sensitivity
    return float(np.square(noise_deviation(prefix_sums(rounds), strategy, one)).mean())


def cost(strategy: np.ndarray, pattern: Participation) -> float:
    return squared(strategy) * level_in_rounds(strategy.T @ strategy, pattern) ** 2


@each("sensitivity", [np.ones(12), RISING])
def test_a_band_of_all_diagonals_is_the_best_strategy(sensitivity) -> None:
    best = optimal(prefix_sums(12), sensitivity, tolerance=1e-9).strategy
    np.testing.assert_allclose(optimal_band(prefix_sums(12), sensitivity, 12), best, atol=1e-3)


@each("width", [1, 5])
def test_no_change_within_the_band_has_less_noise(width) -> None:
    made = optimal_band(prefix_sums(12), RISING, width)
    assert (np.triu(made, 1) == 0).all()
    assert (np.tril(made, -width) == 0).all()
    assert (np.diag(made) > 0).all()
    np.testing.assert_allclose(np.square(made).sum(axis=0), 1.0, rtol=1e-12)
    least, rng = squared(made, RISING), np.random.default_rng(0)
    for _ in range(50):
        other = made + 0.01 * rng.standard_normal(made.shape) * (made != 0)
        assert squared(other / np.sqrt(np.square(other).sum(axis=0)), RISING) >= least * (1 - 1e-9)


# Of jax-privacy 2.0.0: mean squared noise of toeplitz.optimize_banded_toeplitz(T, width) with the length 1.
TOEPLITZ = {(24, 6): 4.220570404288405, (24, 24): 3.5125950023458277, (94, 13): 7.3979494594976165}


@each(("rounds", "width"), [(24, 6), (24, 24), (94, 13)])
def test_bands_have_no_more_noise_than_the_best_ones_of_equal_columns(rounds, width) -> None:
    found = squared(optimal_band(prefix_sums(rounds), np.ones(rounds), width))
    assert 0.9 * TOEPLITZ[rounds, width] < found < TOEPLITZ[rounds, width]


@each("count", [2, 4])
def test_rounds_that_are_as_far_apart_as_the_band_is_wide_add_up_in_squares(count) -> None:
    strategy = optimal_band(prefix_sums(12), np.ones(12), 3)
    settings = {"strategy": strategy, "sensitivity": np.ones(12), "noise": SimulatedNoise(0)}
    sums = MatrixSums(1, GaussianDP(0.7, "central"), **settings)
    found = privacy_report(sums, delta=1e-6, rounds=Participation(count, apart=3)).together.mu
    assert found == pytest.approx(np.sqrt(count) * 0.7, rel=1e-9)


@each(
    ("pattern", "like"),
    [
        (Participation(1), lambda sums, one: optimal(sums, one).strategy),
        (Participation(4), lambda sums, one: square_root(len(one))),
        (Participation(24), lambda sums, one: np.eye(len(one))),
        (Participation(4, apart=6), lambda sums, one: optimal_band(sums, one, 6)),
        (Participation(2, apart=6), lambda sums, one: optimal_band(sums, one, 6)),
        (Participation(2, apart=30), lambda sums, one: optimal(sums, one).strategy),
    ],
)
def test_the_best_strategy_fits_the_rounds_of_a_person(pattern, like) -> None:
    sums, one = prefix_sums(24), np.ones(24)
    found = strategy_for(sums, one, pattern)
    np.testing.assert_array_equal(found, like(sums, one))
    others = [np.eye(24), square_root(24), optimal(sums, one).strategy, optimal_band(sums, one, 6)]
    assert all(cost(found, pattern) <= cost(other, pattern) * (1 + 1e-12) for other in others)


def test_wrong_widths_and_sensitivities_are_refused() -> None:
    with pytest.raises(InputError, match="strategy: width"):
        optimal_band(prefix_sums(4), np.ones(4), 0)
    with pytest.raises(InputError, match="sensitivity: shape"):
        optimal_band(prefix_sums(4), np.ones(3), 2)


# --------------------------------------------------------------- beside jax-privacy, where it is installed

# get_min_sep_sensitivity_upper_bound(square_root(T), min_sep, max_participations) of version 2.0.0
ROOTS = {
    (12, 1, 4): 3.3508588143326485,
    (20, 4, 3): 2.3541372860525174,
    (94, 13, 4): 2.8899873305780557,
    (94, 1, 94): 50.171019331579465,
}


@each("case", ROOTS)
def test_levels_are_at_most_the_sensitivities_of_jax_privacy(case) -> None:
    rounds, apart, count = case
    made = square_root(rounds)
    found = level_in_rounds(made.T @ made, Participation(count, apart=apart))
    # theirs is the bound that the earliest rounds do not need
    assert 0.97 * ROOTS[case] <= found <= ROOTS[case] * (1 + 1e-9)


def test_levels_beside_jax_privacy_itself() -> None:
    jax = pytest.importorskip("jax")
    theirs = pytest.importorskip("jax_privacy.matrix_factorization.sensitivity")
    toeplitz = pytest.importorskip("jax_privacy.matrix_factorization.toeplitz")
    jax.config.update("jax_enable_x64", True)
    for (rounds, apart, count), written in ROOTS.items():
        made = square_root(rounds)
        bound = float(theirs.get_min_sep_sensitivity_upper_bound(made, apart, count))
        assert bound == pytest.approx(written, rel=1e-9)
        band = optimal_band(prefix_sums(rounds), np.ones(rounds), apart)
        found = level_in_rounds(band.T @ band, Participation(count, apart=apart))
        assert found == pytest.approx(float(theirs.get_sensitivity_banded(band, apart, count)), rel=1e-9)
    for (rounds, width), written in TOEPLITZ.items():
        weights = toeplitz.optimize_banded_toeplitz(rounds, width)
        squares = float(
            toeplitz.per_query_error(strategy_coef=weights, n=rounds).mean() * (weights @ weights)
        )
        assert squares == pytest.approx(written, rel=1e-4)
