"""The checks of weighted majority reach the expected verdict on a small grid, and another one on a mutant."""

import itertools
import math

import numpy as np
import pytest

from private_experts.distribution_learning.weighted_majority import WeightedMajority, learning_rate
from private_experts.randomness import rng_for
from private_experts.replication.balls.sums import gamma
from private_experts.replication.papers.p003 import majority
from tests.each import each
from tests.replication.papers.caught import caught
from tests.replication.papers.p003.wrong_learners import Stubborn
from tests.replication.papers.small_checks import SEED, verdict, wrong

ALL = {"K": [2, 128], "T": [300]}
ONE = {"losses": ["one is better", "one is good"], "K": [2, 32], "T": [300]}


class Hasty(WeightedMajority):
    """Follows the leader."""

    @property
    def weights(self):
        return np.eye(self.total.shape[1])[self.total.argmin(axis=1)]


def test_the_regret_bounds_hold_with_the_right_rate_and_fail_with_the_printed_one() -> None:
    assert verdict(majority.lemma_4, ALL) == "holds"
    assert verdict(majority.lemma_4_printed, ALL) == "fails"
    assert verdict(majority.lemma_7, ONE, 50) == "holds"  # with one loss revealed


@each(
    ("name", "mutant"),
    [
        ("WeightedMajority", Stubborn),
        ("WeightedMajority", Hasty),
        ("second_order_bound", 1 - 1e-9),
        ("regret_bound", 1 - 1e-9),
    ],
)
def test_another_learner_or_bound_is_caught(name, mutant) -> None:
    with wrong(majority, name, mutant):
        assert verdict(majority.lemma_4, ALL) == "fails"


def test_a_learner_of_one_loss_who_learns_nothing_or_at_the_rate_for_all_losses_is_caught() -> None:
    with wrong(majority, "WeightedMajority", Stubborn):
        assert caught(lambda: majority.lemma_7(ONE, 40, SEED))
    with wrong(majority, "learning_rate", lambda right, experts, horizon, revealed: right(experts, horizon)):
        assert verdict(majority.lemma_7, ONE | {"K": [32], "T": [800]}, 20) == "fails"


def test_alternating_losses_cost_what_the_closed_form_says() -> None:
    experts, horizon = 128, 300
    points = {
        point.where["losses"]: point.value
        for point in majority.lemma_4_printed({"K": [experts], "T": [horizon]}, SEED)
        if point.where["bound_of"] == "Lemma 4"
    }
    assert points["alternating, closed form"] == pytest.approx(points["alternating"], rel=1e-9)
    for printed in (False, True):
        rate = learning_rate(experts, horizon, 1 if printed else None)
        names, paid, best, *_ = majority._play_all(experts, horizon, rate, rng_for(0, "alternating"))
        exact = horizon / 2 * (1 / (1 + math.exp(-rate)) - 0.5)
        assert (paid - best)[names.index("alternating")] == pytest.approx(exact, rel=1e-9)


def test_the_mean_regret_is_that_of_an_enumeration_of_what_is_revealed() -> None:
    losses, rate, repetitions = rng_for(0, "few losses").random((5, 3)), 0.8, 20_000
    exact = 0.0
    for shown in itertools.product(range(3), repeat=5):
        total = np.zeros(3)
        for given, j in zip(losses, shown, strict=True):
            weights = np.exp(-rate * total)
            exact += weights @ given / weights.sum() / 3**5
            total[j] += given[j]
    exact -= losses.sum(axis=0).min()
    regrets = majority.revealed_one(losses, rate, repetitions, rng_for(0, "revealed"))
    # Five standard errors: a false alarm below 1e-6.
    assert abs(regrets.mean() - exact) < 5 * regrets.std() / math.sqrt(repetitions)


def test_regrets_count_a_rounding_for_each_expert_and_round() -> None:
    points = majority.lemma_4({"K": [2], "T": [300]}, SEED)
    point = next(point for point in points if point.where["losses"] == "coin flips")
    assert point.high - point.low > float(gamma(300).lower()) * 100  # at least 100 are paid
