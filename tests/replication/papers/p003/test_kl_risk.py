"""The checks of KL risk reach the expected verdict on a small grid, and another one on a mutant."""

import math

import numpy as np
import pytest

from private_experts.distribution_learning.scaling import Scaling
from private_experts.randomness import rng_for
from private_experts.replication.ledger.checking import points_of
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p003 import kl_risk
from private_experts.replication.papers.p003.classes import tilted
from tests.each import each
from tests.replication.papers.caught import caught
from tests.replication.papers.p003.wrong_learners import nothing_learnt
from tests.replication.papers.small_checks import SEED, verdict, wrong

GAMES = {"class": ["needle 0.9", "lower bound"], "T_long": [10**12], "eps": [1.0], "T": [100], "K": [4]}
GAMES |= {"features": ["permuted", "late"], "eps_low_privacy": [100.0]}
LARGE = GAMES | {"class": [], "features": ["constant", "late"], "T": [300], "eps_low_privacy": [8.0]}
RANGE = {"algorithm": ["algorithm 1", "algorithm 2"], "class": ["tilted 1.0", "dirichlet"], "K": [4]}
RANGE |= {"T": [50], "eps": [0.1, 10.0]}


@each(
    ("check", "grid", "repetitions", "features"),
    [
        (kl_risk.theorem_4, GAMES, 20, {"one", "permuted", "late"}),
        (kl_risk.theorem_5, GAMES, 20, {"one", "permuted", "late"}),
        (kl_risk.randomized_response, GAMES, 20, {"one", "permuted", "late"}),
        (kl_risk.large_epsilon, LARGE, 40, {"constant", "late"}),
    ],
)
def test_the_risk_is_under_its_bound_and_learning_nothing_is_caught(
    check, grid, repetitions, features
) -> None:
    points = points_of(check, grid, repetitions, SEED)
    assert decide(points) == "holds"
    assert {point.where["features"] for point in points} == features
    assert check is not kl_risk.large_epsilon or not any(point.vacuous for point in points)
    with nothing_learnt():
        assert caught(lambda: points_of(check, grid, repetitions, SEED))


def test_a_learner_that_learns_nothing_has_the_risk_that_is_called_lazy() -> None:
    with nothing_learnt():
        for _, _, risk, lazy in kl_risk._games("algorithm 2", GAMES, 3, SEED):
            assert risk.kl == pytest.approx(lazy, rel=2e-3)  # but for clipping
            assert lazy > 0


def test_points_with_a_bound_above_t_log_k_are_vacuous() -> None:
    points = kl_risk.theorem_5(GAMES | {"T_long": [10**6, 10**12], "features": []}, 20, SEED)
    assert {(point.where["T"], point.vacuous) for point in points} == {(10**6, True), (10**12, False)}


def test_reports_are_in_range_as_often_as_they_should_and_a_smaller_shift_is_caught() -> None:
    assert verdict(kl_risk.reports_in_range, RANGE) == "holds"

    class Short(Scaling):
        shift = property(lambda self: 0.9 * Scaling.shift.func(self))

    def with_short_shift(right, algorithm, experts, labels, horizon, epsilon):
        mechanism = right("algorithm 2", experts, labels, horizon, epsilon)
        mechanism.__dict__["scaling"] = Short(experts, horizon=horizon, level=epsilon)
        return mechanism

    with wrong(kl_risk, "mechanism_of", with_short_shift):
        assert verdict(kl_risk.reports_in_range, RANGE) == "fails"


def test_the_probability_out_of_range_is_that_of_drawn_reports() -> None:
    # with a shift so small that it matters
    scale, draws, f = Scaling(4, horizon=10, level=1.0, gamma=-3.0), 200_000, tilted(4, 1.0)
    clipped = np.log(kl_risk.clip(f, 10).values)
    noise = scale.laplace(rng_for(0, "range"), (draws,))
    for value in (clipped.min(), clipped.max()):
        losses, room = scale.losses(value + noise, f.shape[1]), scale.losses(value, f.shape[1])
        exact = sum(math.exp(-distance / (scale.factor * scale.noise)) / 2 for distance in (room, 1 - room))
        # Six standard deviations: a false alarm below 1e-8.
        assert abs(((losses < 0) | (losses > 1)).mean() - exact) < 6 * 0.5 / math.sqrt(draws)
