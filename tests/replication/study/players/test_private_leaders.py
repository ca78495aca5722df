"""The algorithms of papers 002 and 004 on a panel: each at the level that the study asks for."""

import math
from statistics import NormalDist

import numpy as np
import pytest

from private_experts.algorithms.dartboard_privacy import dartboard_mu
from private_experts.algorithms.fixed_share import tuned_step
from private_experts.privacy.conversions import pure_within
from private_experts.privacy.guarantees import GaussianDP
from private_experts.randomness import rng_for
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.hospital_game import game
from private_experts.replication.study.laplace import laplace_within
from private_experts.replication.study.players import private_leaders
from tests.each import each

NAMES = {"noisy-fixed-share", "laplace-fixed-share", "dyadic-leader", "dyadic-softmax", "randomized-prefix"}
NAMES |= {"restarting-leader", "shrinking-dartboard", "hedge", "fixed-share"}
BEDS = 20.0


def a_game(levels=(1.0,), weeks=12, repetitions=5, adjacency="move", gains=None):
    gains = rng_for(3, "curators").random((weeks, 3)) if gains is None else gains
    names = tuple(f"2020-08-{7 + week:02}" for week in range(len(gains)))
    panel = Panel(names, ("a", "b", "c"), gains, game_beds(len(gains)))
    return game(panel, "NM", levels, repetitions, 1, adjacency)


def game_beds(weeks):
    return np.linspace(2 * BEDS, BEDS, weeks)


@each("adjacency", ["move", "removal"])
@each("mu", [0.25, 1.0, 3.0])
def test_a_leader_has_the_epsilon_that_implies_mu_gdp(mu, adjacency):
    makers = private_leaders._makers(a_game(adjacency=adjacency), mu)
    pure = pure_within(GaussianDP(mu, "central")).epsilon
    laplace = laplace_within(GaussianDP(mu, "central"), 2 if adjacency == "move" else 1)
    levels = {"dyadic-leader": laplace, "restarting-leader": pure}
    levels |= {"dyadic-softmax": 2 * pure, "randomized-prefix": 2 * pure}  # bounded range
    for name, epsilon in levels.items():
        assert makers[name][0](rng_for(1, "x")).guarantee.epsilon == pytest.approx(epsilon)


@each("adjacency", ["move", "removal"])
@each("mu", [0.005, 0.02, 1.0])
def test_the_dartboard_that_plays_spends_at_most_mu_on_the_week_of_fewest_beds(mu, adjacency):
    game = a_game(adjacency=adjacency)
    board = private_leaders._makers(game, mu)["shrinking-dartboard"][0](rng_for(1, "x"))
    eta, p, budget = board._made_with["parameters"][:3]
    reach = float(game.sensitivity.max()) / math.sqrt(game.moved)  # by a person, of one hospital's gain
    spent = dartboard_mu(eta, p, budget, batch=1 / reach)
    assert spent <= mu * (1 + 1e-9)
    assert mu == 1.0 or spent == pytest.approx(mu)  # steps of more than p are not allowed


@each(("adjacency", "share"), [("move", 1.0), ("removal", 0.5)])
def test_gains_are_in_units_of_half_of_what_moves_two_scores_apart(adjacency, share):
    game = a_game(adjacency=adjacency)
    makers = private_leaders._makers(game, 1.0)
    reach = share / game_beds(12)
    # beds fall, so the last week counts
    blocks = [reach[0], *[reach[2]] * 2, *[reach[6]] * 4, *[reach[11]] * 5]
    for name in ("dyadic-leader", "dyadic-softmax", "randomized-prefix"):
        assert makers[name][1][:, 0] == pytest.approx(blocks, rel=1e-12)
    assert makers["restarting-leader"][1] == pytest.approx(reach[11], rel=1e-12)


def test_a_block_never_has_less_noise_than_one_of_its_weeks_needs():
    values = rng_for(5, "reach").random(40)
    largest = private_leaders.largest_of_block(values)
    assert (largest >= values).all()
    # a block begins with each power of two
    assert set(np.flatnonzero(np.diff(largest)) + 2) <= {2, 4, 8, 16, 32}


@each("name", ["dyadic-leader", "dyadic-softmax"])
def test_a_person_in_the_week_of_fewest_beds_changes_the_next_leader_by_no_more_than_mu(name):
    game, mu = a_game(levels=(0.5,)), 0.5
    make, unit = private_leaders._makers(game, mu)[name]
    leader, moved = make(rng_for(1, "x")), np.array([1, -1, 0]) * game.sensitivity[6] / math.sqrt(2)

    def level(per):
        # Equal totals of two hospitals, and a third far behind, are nearly the worst case.
        one, other = (leader.law((np.array([0.0, 0.0, -50.0]) + change) / per) for change in (0, moved))
        return NormalDist().inv_cdf(other[0]) - NormalDist().inv_cdf(one[0])

    assert level(unit[6]) <= mu
    # a unit that is too small
    assert level({"dyadic-leader": 0.45, "dyadic-softmax": 0.9}[name] * unit[6]) > mu


@each(("adjacency", "moved"), [("move", 2), ("removal", 1)])
def test_fixed_share_gets_the_noise_that_hides_a_person_week_by_week(adjacency, moved):
    scales, steps, changes = {}, {}, set()

    class Recorder:
        def __init__(self, n, guarantee, *, horizon, switches, eta, noise_scale, **rest):
            law = "gaussian" if isinstance(guarantee, GaussianDP) else "laplace"
            scales[law], steps[law] = noise_scale, eta
            changes.add((horizon, switches))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(private_leaders, "NoisyFixedShare", Recorder)
        makers = private_leaders._makers(a_game(weeks=48, adjacency=adjacency), 0.5)
        for name in ("noisy-fixed-share", "laplace-fixed-share"):
            makers[name][0](rng_for(1, "x"))
    epsilon = laplace_within(GaussianDP(0.5, "central"), moved)
    assert scales["gaussian"] == pytest.approx(math.sqrt(moved) / game_beds(48) / 0.5)  # L2 distance over mu
    assert scales["laplace"] == pytest.approx(moved / game_beds(48) / epsilon)  # L1 distance over epsilon
    assert changes == {(48, 4)}  # the best hospital changes once a quarter, four times in 48 weeks
    for law, variance in (("gaussian", scales["gaussian"] ** 2), ("laplace", 2 * scales["laplace"] ** 2)):
        assert steps[law] == pytest.approx(tuned_step(3, 48, 4) / math.sqrt(2 * (1 + variance.mean())))


@each("weeks", [1, 2, 5])
def test_a_panel_of_few_weeks_is_played(weeks):
    game = a_game((math.inf, 0.5), weeks=weeks)
    assert {play.earned.shape for play in private_leaders.play(game)} == {(weeks, 5)}
    leader = private_leaders._makers(game, 0.5)["restarting-leader"][0](rng_for(1, "x"))
    assert leader._made_with["horizon"] == max(weeks, 2)


def test_without_privacy_the_leaders_follow_the_best_hospital_and_privacy_costs_gain() -> None:
    game = a_game((math.inf, 0.02), gains=np.tile([0.1, 0.6, 0.2], (64, 1)), repetitions=50)
    earned = {(play.algorithm, play.mu): play.earned for play in private_leaders.play(game)}
    for name in ("dyadic-leader", "dyadic-softmax", "randomized-prefix"):
        assert (earned[name, math.inf][1:] == 0.6).all()
    assert all(len({*map(tuple, earned[name, 0.02].T)}) > 25 for name in NAMES)  # each copy by its own draws
    for name in NAMES - {"hedge", "fixed-share", "shrinking-dartboard"}:
        assert earned[name, math.inf].mean() > earned[name, 0.02].mean() + 0.05, name
