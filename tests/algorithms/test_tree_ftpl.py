import contextlib
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from private_experts.algorithms import FollowTheLeader, PrefixFTPL, TreeFTPL
from private_experts.algorithms.tree_ftpl import min_regret_scale
from private_experts.errors import InputError
from private_experts.games import play
from private_experts.privacy import GaussianDP, SimulatedNoise, TreeSums
from private_experts.randomness import rng_for
from tests.each import each

CENTRAL = GaussianDP(1.0, "central")


def tree_of(n, horizon, mu, scale, noise, repetitions=1, sensitivity=0.1):
    return TreeFTPL(
        n,
        GaussianDP(mu, "central"),
        horizon=horizon,
        sensitivity=sensitivity,
        noise=noise,
        scale=scale,
        repetitions=repetitions,
    )


def simulated(*key):
    return SimulatedNoise(rng_for(0, "test tree-ftpl", *key))


def scale_of(scale, sensitivity, horizon, mu):
    """Return the noise of a prefix of as many nodes as the tree is high."""
    tree = tree_of(100, horizon, mu, scale, simulated(), sensitivity=sensitivity)
    return float(tree._sums.node_scale * math.sqrt(tree._sums.height))  # type: ignore[attr-defined]


@each(
    ("sensitivity", "horizon", "mu", "scale"),
    [
        (1.0, 148, 1.0, 8.0),
        (0.5, 148, 0.25, 16.0),
        (1.0, 1, 2.0, 0.5),
        (2.0, 4, 1.0, 4.0),
        (1.0, 5, 1.0, 3.0),
    ],
)
def test_min_noise_is_sensitivity_times_height_over_level(sensitivity, horizon, mu, scale):
    assert scale_of("min_noise", sensitivity, horizon, mu) == pytest.approx(scale, rel=1e-15)


def test_min_noise_without_privacy_is_none_and_perfect_privacy_is_refused():
    assert scale_of("min_noise", 1.0, 148, math.inf) == 0.0
    for scale in ("min_noise", "min_regret"):
        with pytest.raises(InputError, match="mu = 0"):
            scale_of(scale, 1.0, 148, 0.0)


def test_min_regret_is_the_square_root_of_the_horizon_unless_privacy_needs_more():
    assert scale_of("min_regret", 1.0, 148, math.inf) == pytest.approx(math.sqrt(148), rel=1e-15)
    assert scale_of("min_regret", 1.0, 148, 1.0) == pytest.approx(math.sqrt(148), rel=1e-15)  # 12.2 > 8
    assert scale_of("min_regret", 1.0, 148, 0.5) == pytest.approx(16.0, rel=1e-15)
    each_round = np.full(148, 1.0)
    each_round[3] = 2.0
    scales = min_regret_scale(GaussianDP(0.5, "central"), each_round, 148)
    assert scales[[2, 3]].tolist() == [16.0, 32.0]


def test_another_word_for_the_scale_is_refused():
    with pytest.raises(InputError, match=r"^tree FTPL: scale = 'least': write 'min_noise' or 'min_regret'$"):
        tree_of(2, 8, 1.0, "least", simulated())


@settings(deadline=None, max_examples=60, derandomize=True)
@given(st.floats(0.01, 10), st.integers(1, 1000), st.floats(0.01, 10))
def test_no_private_noise_has_a_smaller_regret_bound_than_min_regret(sensitivity, horizon, mu):
    def bound(s):
        return s + horizon / s

    least = scale_of("min_noise", sensitivity, horizon, mu)
    best = bound(scale_of("min_regret", sensitivity, horizon, mu))
    assert all(best <= bound(s) * (1 + 1e-12) for s in least * np.geomspace(1, 1e4, 200))


@settings(deadline=None, max_examples=60, derandomize=True)
@given(
    hnp.arrays(
        np.float64,
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=20),
        elements=st.integers(0, 8).map(lambda k: k / 8),  # their sums are exact, so ties are true ties
    )
)
def test_min_noise_without_privacy_is_exactly_follow_the_leader(gains):
    rounds, n = gains.shape
    tree = tree_of(n, rounds, math.inf, "min_noise", simulated(), repetitions=2)
    np.testing.assert_array_equal(play(tree, gains), play(FollowTheLeader(n, repetitions=2), gains))


@each("padded", [True, False])
@each("bounds", [(0, 1), (-1, 3)])
@each("scale", [None, 3.0])
def test_it_leads_in_the_sums_of_its_sensitivity_however_gains_are_given(padded, bounds, scale):
    low, width = bounds[0], bounds[1] - bounds[0]
    given = {"horizon": 20, "noise": simulated("unit"), "padded": padded, "repetitions": 40}
    of_leader, of_sums = ({"scale": scale * width}, {"scale": scale}) if scale else ({}, {})
    leader = TreeFTPL(3, CENTRAL, sensitivity=width / 2, bounds=bounds, **given, **of_leader)
    given["noise"] = simulated("unit")
    sums = TreeSums(3, CENTRAL, sensitivity=0.5, **given, **of_sums)
    for t, gains in enumerate(rng_for(0, "unit").random((15, 3))):
        np.testing.assert_array_equal(leader.predict(), sums.release().argmax(axis=1))
        told = low + width * gains
        leader.update(told[None] if t % 2 else told)
        sums.add(gains)


@each("bounds", [None, (-3.0, 1.0)])
def test_sums_for_more_than_gains_can_move_lead_nobody(bounds):
    most = math.sqrt(2) * (4.0 if bounds else 1.0)
    for share in (1 - 1e-6, 1 + 1e-6):
        made = {"horizon": 9, "sensitivity": most * share, "noise": SimulatedNoise(0)}
        sums = TreeSums(2, CENTRAL, **made)
        allowed = pytest.raises(InputError, match=r"leader of prefix sums: .*, and nobody moves")
        with contextlib.nullcontext() if share < 1 else allowed:
            PrefixFTPL(sums, bounds=bounds)
