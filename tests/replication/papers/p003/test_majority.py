"""The checks of weighted majority reach the expected verdict on a small grid, and another one on a mutant."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

from private_experts.distribution_learning.weighted_majority import (
    WeightedMajority,
    learning_rate,
    regret_bound,
    second_order_bound,
)
from private_experts.randomness import rng_for
from private_experts.replication.balls.sums import gamma
from private_experts.replication.papers.p003 import majority
from tests.replication.papers.caught import caught
from tests.replication.papers.small_checks import SEED, verdict

ALL = {"K": [2, 128], "T": [300]}
ONE = {"losses": ["one is better", "one is good"], "K": [2, 32], "T": [300]}


class Stubborn(WeightedMajority):
    """Never changes its mind."""

    @property
    def weights(self) -> Any:
        return np.full(self.total.shape, 1 / self.total.shape[1])


class Hasty(WeightedMajority):
    """Follows the leader."""

    @property
    def weights(self) -> Any:
        return np.eye(self.total.shape[1])[self.total.argmin(axis=1)]


def test_the_regret_bound_holds_with_the_right_rate_and_fails_with_the_printed_one() -> None:
    assert verdict(majority.lemma_4, ALL) == "holds"
    assert verdict(majority.lemma_4_printed, ALL) == "fails"


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


@pytest.mark.parametrize("mutant", [Stubborn, Hasty])
def test_another_learner_is_caught(mutant: Any, put: Any) -> None:
    put(majority, "WeightedMajority", mutant)
    assert verdict(majority.lemma_4, ALL) == "fails"


def test_bounds_too_small_are_caught(put: Any) -> None:
    put(majority, "second_order_bound", lambda *arguments: (1 - 1e-9) * second_order_bound(*arguments))
    assert verdict(majority.lemma_4, ALL) == "fails"
    put(majority, "second_order_bound", second_order_bound)
    put(majority, "regret_bound", lambda *arguments: (1 - 1e-9) * regret_bound(*arguments))
    assert verdict(majority.lemma_4, ALL) == "fails"


def test_regret_with_one_loss_revealed_is_under_its_bound() -> None:
    assert verdict(majority.lemma_7, ONE, 50) == "holds"


def test_a_learner_of_one_loss_who_learns_nothing_is_caught(put: Any) -> None:
    put(majority, "WeightedMajority", Stubborn)
    assert caught(lambda: majority.lemma_7(ONE, 40, SEED))


def test_the_rate_for_all_losses_is_too_slow_for_one(put: Any) -> None:
    put(majority, "learning_rate", lambda experts, horizon, revealed: learning_rate(experts, horizon))
    assert verdict(majority.lemma_7, ONE | {"K": [32], "T": [800]}, 20) == "fails"


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
    point = next(
        point
        for point in majority.lemma_4({"K": [2], "T": [300]}, SEED)
        if point.where["losses"] == "coin flips"
    )
    assert point.high - point.low > float(gamma(300).lower()) * 100  # at least 100 are paid
