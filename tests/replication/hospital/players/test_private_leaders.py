"""The algorithms of papers 002 and 004 on a panel: each at the level that the study asks for."""

import math

import numpy as np
import pytest

from private_experts.algorithms.fixed_share import tuned_step
from private_experts.privacy.conversions import pure_within
from private_experts.privacy.guarantees import GaussianDP
from private_experts.randomness import rng_for
from private_experts.replication.hospital.game import game
from private_experts.replication.hospital.panel import Panel
from private_experts.replication.hospital.players import private_leaders
from tests.each import each

NAMES = {
    "noisy-fixed-share", "laplace-fixed-share", "dyadic-leader", "dyadic-softmax", "randomized-prefix",
    "restarting-leader", "shrinking-dartboard", "hedge", "fixed-share",
}  # fmt: skip
BEDS = 20.0


def a_game(levels=(1.0,), weeks=12, repetitions=5, adjacency="move", gains=None):
    gains = rng_for(3, "curators").random((weeks, 3)) if gains is None else gains
    names = tuple(f"2020-08-{7 + week:02}" for week in range(len(gains)))
    panel = Panel(names, ("a", "b", "c"), gains, np.linspace(2 * BEDS, BEDS, len(gains)))
    return game(panel, "NM", levels, repetitions, 1, adjacency)


def test_every_algorithm_plays_at_every_level() -> None:
    plays = private_leaders.play(a_game((math.inf, 0.5)))
    assert {(play.algorithm, play.mu) for play in plays} == {(name, mu) for name in NAMES for mu in (math.inf, 0.5)}
    assert all(play.earned.shape == (12, 5) for play in plays)


def test_the_same_seed_gives_the_same_plays() -> None:
    first, again = private_leaders.play(a_game()), private_leaders.play(a_game())
    assert all(np.array_equal(one.earned, other.earned) for one, other in zip(first, again, strict=True))


@each("adjacency", ["move", "removal"])
@each("mu", [0.25, 1.0, 3.0])
def test_a_pure_algorithm_has_the_epsilon_that_implies_mu_gdp_for_gains_in_units_of_a_persons_reach(mu, adjacency):
    makers = private_leaders._makers(a_game(adjacency=adjacency), mu)
    for name in ("dyadic-leader", "dyadic-softmax", "randomized-prefix", "restarting-leader"):
        make, unit = makers[name]
        assert make(rng_for(1, "x")).guarantee.epsilon == pytest.approx(pure_within(GaussianDP(mu, "central")).epsilon)
        assert unit == pytest.approx(1 / BEDS, rel=1e-12)


@each(("adjacency", "moved"), [("move", 2), ("removal", 1)])
def test_fixed_share_gets_the_noise_that_hides_a_person(adjacency, moved):
    scales, steps, changes = {}, {}, set()

    class Recorder:
        def __init__(self, n, horizon, switches, eta, scale, rng, repetitions, law):
            scales[law], steps[law] = scale, eta
            changes.add((horizon, switches))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(private_leaders, "NoisyFixedShare", Recorder)
        makers = private_leaders._makers(a_game(weeks=48, adjacency=adjacency), 0.5)
        for name in ("noisy-fixed-share", "laplace-fixed-share"):
            makers[name][0](rng_for(1, "x"))
    epsilon = pure_within(GaussianDP(0.5, "central")).epsilon
    assert scales["gaussian"] == pytest.approx(math.sqrt(moved) / BEDS / 0.5)  # L2 distance over mu
    assert scales["laplace"] == pytest.approx(moved / BEDS / epsilon)  # L1 distance over epsilon
    assert changes == {(48, 4)}  # the best hospital changes once a quarter, four times in 48 weeks
    for law, variance in (("gaussian", scales["gaussian"] ** 2), ("laplace", 2 * scales["laplace"] ** 2)):
        assert steps[law] == pytest.approx(tuned_step(3, 48, 4) / math.sqrt(2 * (1 + variance)))


def test_without_privacy_the_leaders_follow_the_best_hospital() -> None:
    gains = np.tile([0.1, 0.6, 0.2], (16, 1))
    plays = {play.algorithm: play for play in private_leaders.play(a_game((math.inf,), gains=gains))}
    for name in ("dyadic-leader", "dyadic-softmax", "randomized-prefix"):
        assert (plays[name].earned[1:] == 0.6).all()
    assert private_leaders.NO_PRIVACY >= 1e6


def test_privacy_costs_gain() -> None:
    gains = np.tile([0.1, 0.6, 0.2], (64, 1))
    plays = {
        (play.algorithm, play.mu): play.earned.mean()
        for play in private_leaders.play(a_game((math.inf, 0.02), gains=gains, repetitions=50))
    }
    for name in NAMES - {"hedge", "fixed-share", "shrinking-dartboard"}:
        assert plays[name, math.inf] > plays[name, 0.02] + 0.05, name
