"""P-COMW and its rivals in play: the laws are right, and the comparison tells when a rival is not private."""

from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import stats

from private_experts.privacy.factorization import noise_deviation, prefix_sums, square_root
from private_experts.private_oco.domains import Box
from private_experts.private_oco.every_round import GibbsEveryRound
from private_experts.private_oco.gaussian import LinearGibbs
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p001 import rivals
from private_experts.replication.papers.p001.linear_games import total_loss
from tests.each import each
from tests.replication.papers.small_checks import SEED, failing, times, verdict

SMALL = {
    "d": [1, 10],
    "T": [256, 1000],
    "stream": ["constant"],
    "epsilon": 1.0,
    "delta": 1e-6,
    "factors": [0.25, 1.0, 4.0],
    "optimal_up_to": 0,
    "played": ["tree", "banded"],
    "long": {"ahead": [[1, 20_000], [10, 20_000]], "behind": [[1, 10**10]], "blocks": 2000},
}


def test_the_leader_loses_least_and_a_learner_that_never_moves_or_has_local_noise_is_caught() -> None:
    points = rivals.rivals(SMALL, 40, SEED)
    assert decide(points) == "holds"
    assert all(point.lazy_fails for point in points)
    local = {"none cancels": lambda rounds: 4 * np.sqrt(np.arange(1.0, rounds + 1))}
    assert verdict(rivals.rivals, SMALL | {"played": []}, 1, NOISE=local) == "fails"


@each("dimension", [1, 10])
def test_blocks_of_rounds_enclose_what_is_summed_round_by_round(dimension: int) -> None:
    signs, level = np.ones(5000), 0.5
    blocks = rivals._Blocks(5000, 2000, dimension)
    leader = rivals.leader_regret("square root", signs, dimension, level)
    gibbs = rivals.gibbs_regret(signs, dimension, 0.3, 40.0)
    for summed, least, most in (
        (leader, blocks.leader_at_least(level), blocks.leader_at_most(level)),
        (gibbs, blocks.gibbs_at_least(0.3, 40.0), blocks.gibbs_at_most(0.3, 40.0)),
    ):
        assert 0.99 * summed <= least <= summed <= most <= 1.01 * summed


def test_sums_of_squares_of_the_root_are_enclosed_beyond_what_is_listed(put: Any) -> None:
    listed = rivals.root_noise(50_000)
    exact = listed**2 / listed[-1]
    rounds = np.array([1, 2, 999, 1000, 1001, 5000, 50_000])
    put(rivals, "_LISTED", 1000)
    above, below = (rivals._root_sums(rounds, shift) for shift in (0.25, 0.5))
    np.testing.assert_allclose(above[:4], exact[rounds[:4] - 1], rtol=1e-13)
    assert (below[4:] < exact[rounds[4:] - 1]).all()
    assert (exact[rounds[4:] - 1] < above[4:]).all()
    np.testing.assert_allclose(above, below, rtol=2e-4)


@each("distance", [5.0, 50.0, 1e4, 1e9])
@each("width", [1e-3, 0.3, 20.0])
def test_the_depth_of_a_truncated_variable_far_outside(distance: float, width: float) -> None:
    with mpmath.workdps(80):  # the mean of y under the density e^(-y (distance + y / 2)) up to the width
        d, w, root = mpmath.mpf(distance), mpmath.mpf(width), mpmath.sqrt(2)
        mass = (mpmath.erfc(d / root) - mpmath.erfc((d + w) / root)) * mpmath.sqrt(mpmath.pi / 2)
        mean = (1 - mpmath.exp(-w * (d + w / 2))) / (mass * mpmath.exp(d * d / 2)) - d
    depth = float(rivals._depth(np.array([distance]), width)[0])
    assert depth == pytest.approx(float(mean), rel=1e-11)
    # A box of this width around 0, with deviation 1, on both sides of the change of formula.
    point = float(rivals._truncated(np.array([-width / 2 - distance]), 1.0, width / 2)[0])
    assert point + width / 2 == pytest.approx(float(mean), rel=1e-6)


@each(("whose", "noise"), [("leader_at_most", "square root"), ("gibbs_at_most", "P-COMW")])
def test_whoever_is_said_to_be_ahead_with_thirty_times_the_regret_is_not(whose: str, noise: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rivals._Blocks, whose, times(30, getattr(rivals._Blocks, whose)))
        assert failing([*rivals._long_games(SMALL, 0.5)], "noise") == {noise}


@each("mean", [-3.0, -0.2, 0.0, 0.4, 50.0])
def test_the_means_of_clipped_and_of_truncated_normal_variables(mean: float) -> None:
    half, deviation = 0.5, 0.8
    clipped = stats.norm(mean, deviation).expect(
        lambda x: np.clip(x, -half, half), mean - 12, mean + 12, points=[-half, half], limit=200
    )
    assert rivals._clipped(np.array(mean), deviation, half) == pytest.approx(clipped, abs=1e-6)
    if abs(mean) < 5:
        cuts = (-half - mean) / deviation, (half - mean) / deviation
        truncated, off = stats.truncnorm(*cuts, mean, deviation).mean(), 1e-9
    else:  # where SciPy loses its digits, it is an exponential law at the near end
        truncated, off = half - deviation**2 / (mean - half), 1e-4
    assert rivals._truncated(np.array(mean), deviation, half) == pytest.approx(truncated, abs=off)


@each("which", ["tree", "banded"])
def test_games_that_are_played_have_the_mean_of_the_law(which: str) -> None:
    signs, level = rivals.STREAMS["turning"](64), 2.0
    regrets = rivals.simulated_regrets(which, signs, 3, level, 4000, SEED, "law", which)
    law, error = rivals.leader_regret(which, signs, 3, level), regrets.std() / np.sqrt(regrets.size)
    assert abs(regrets.mean() - law) < 5 * error  # a false alarm once in 10^6
    assert error < 0.02 * law


def test_fresh_draws_have_the_mean_of_the_law() -> None:
    signs, dimension = rivals.STREAMS["biased"](64), 3
    half = 0.5 / np.sqrt(dimension)
    family = LinearGibbs(Box([-half] * dimension, [half] * dimension), beta=0.5, lam=15.0)
    learner = GibbsEveryRound(family, horizon=64, rng=rng_for(SEED, "fresh law"), repetitions=4000)
    slopes = np.outer(signs, np.full(dimension, 1 / np.sqrt(dimension)))
    regrets = total_loss(learner, slopes) + abs(signs.sum()) / 2
    law, error = rivals.gibbs_regret(signs, dimension, 0.5, 15.0), regrets.std() / np.sqrt(regrets.size)
    assert abs(regrets.mean() - law) < 5 * error  # a false alarm once in 10^6


def test_the_noise_of_the_square_root_is_near_that_of_the_factorisation_with_columns_of_length_1() -> None:
    """Scaling all columns to length 1 lowers the noise a little."""
    one = np.ones(200)
    scaled = noise_deviation(prefix_sums(200), square_root(200), one)
    ratio = rivals.NOISE["square root"](200) / scaled
    assert 1.0 <= ratio.mean() < 1.2
    assert (rivals._optimal_noise(200) ** 2).mean() <= (scaled**2).mean()


def test_the_drift_is_taken_off_the_regret_of_the_lazy_play_or_added() -> None:
    """Where all draws lose 5, whatever beta and lam."""
    favoured, fair = (
        rivals.gibbs_rivals(lambda beta, lam: 5.0, 1000, 1, 0.5, [1.0], drifts)["P-COMW"]
        for drifts in (-1, 1)
    )
    assert favoured < 5.0 < fair


THEOREM = {
    "accounting": ["careful"],
    "d": [1],
    "T": [500, 100_000],
    "stream": ["constant"],
    "epsilon": 1.0,
    "delta": 1e-6,
}


def test_theorem_4_1_keeps_its_regret_and_a_point_that_never_moves_does_not() -> None:
    law, played, longer = rivals.theorem_4_1_regret(THEOREM, 200, SEED)
    assert decide([law, played, longer]) == "holds"
    assert played.low < law.value < played.high
    assert longer.lazy_fails
    assert not longer.vacuous


def test_a_gibbs_measure_of_another_temperature_is_caught() -> None:
    regret = rivals.gibbs_regret
    hot = {"gibbs_regret": lambda signs, d, beta, lam: regret(signs, d, beta / 20, lam)}
    assert verdict(rivals.theorem_4_1_regret, THEOREM, 2, **hot) == "fails"
