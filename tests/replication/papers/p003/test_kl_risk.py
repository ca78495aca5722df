"""The checks of KL risk reach the expected verdict on a small grid, and another one on a mutant."""

import math
from typing import Any

import pytest

from private_experts.distribution_learning import label_mixture, mixture, scaling
from private_experts.distribution_learning.pure import NoisyCoordinate
from private_experts.distribution_learning.scaling import Scaling
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.ledger.checking import points_of
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p003 import kl_risk
from private_experts.replication.papers.p003.classes import tilted
from tests.replication.papers.caught import caught
from tests.replication.papers.p003.wrong_learners import Stubborn
from tests.replication.papers.small_checks import SEED, verdict

GAMES = {
    "class": ["needle 0.9", "lower bound"],
    "T_long": [10**12],
    "eps": [1.0],
    "features": ["permuted", "late"],
    "T": [100],
    "eps_low_privacy": [100.0],
    "K": [4],
}
CHECKS = {
    "algorithm 1": kl_risk.theorem_4,
    "algorithm 2": kl_risk.theorem_5,
    "response": kl_risk.randomized_response,
}
everyone = pytest.mark.parametrize("name", CHECKS)


@everyone
def test_the_risk_is_under_its_bound(name: str) -> None:
    points = points_of(CHECKS[name], GAMES, 20, SEED)
    assert decide(points) == "holds"
    assert {point.where["features"] for point in points} == {"one", "permuted", "late"}


@everyone
def test_learning_nothing_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (mixture, label_mixture):
        monkeypatch.setattr(module, "WeightedMajority", Stubborn)
    assert caught(lambda: points_of(CHECKS[name], GAMES, 20, SEED))


def test_a_learner_that_learns_nothing_has_the_risk_that_is_called_lazy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mixture, "WeightedMajority", Stubborn)
    for _, _, risk, lazy in kl_risk._games("algorithm 2", GAMES, 3, SEED):
        assert risk.kl == pytest.approx(lazy, rel=2e-3)  # but for clipping
        assert lazy > 0


def test_points_with_a_bound_above_t_log_k_are_vacuous() -> None:
    points = kl_risk.theorem_5(GAMES | {"T_long": [10**6, 10**12], "features": []}, 20, SEED)
    assert {(point.where["T"], point.vacuous) for point in points} == {(10**6, True), (10**12, False)}


LARGE = GAMES | {"class": [], "features": ["constant", "late"], "T": [300], "eps_low_privacy": [8.0]}


def test_the_posterior_is_under_its_bound_for_large_epsilon() -> None:
    points = kl_risk.large_epsilon(LARGE, 40, SEED)
    assert decide(points) == "holds"
    assert not any(point.vacuous for point in points)


def test_a_posterior_that_learns_nothing_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_mixture, "WeightedMajority", Stubborn)
    assert caught(lambda: kl_risk.large_epsilon(LARGE, 40, SEED))


RANGE = {
    "algorithm": ["algorithm 1", "algorithm 2"],
    "class": ["tilted 1.0", "dirichlet"],
    "K": [4],
    "T": [50],
    "eps": [0.1, 10.0],
}


def test_reports_are_in_range_as_often_as_they_should() -> None:
    assert verdict(kl_risk.reports_in_range, RANGE) == "holds"


def test_a_smaller_shift_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    class Short(Scaling):
        shift = property(lambda self: 0.9 * Scaling.shift.func(self))  # type: ignore[assignment]

    monkeypatch.setattr(kl_risk, "mechanism_of", lambda *arguments: _with(Short, *arguments))
    assert verdict(kl_risk.reports_in_range, RANGE) == "fails"


def _with(
    kind: Any, algorithm: str, experts: int, labels: int, horizon: int, epsilon: float
) -> NoisyCoordinate:
    mechanism = NoisyCoordinate(experts, PureDP(epsilon, "local"), horizon=horizon)
    mechanism.__dict__["scaling"] = kind(experts, horizon=horizon, level=epsilon)
    return mechanism


def test_the_probability_out_of_range_is_that_of_drawn_reports() -> None:
    scale, draws, f = (
        Scaling(4, horizon=10, level=1.0, gamma=-3.0),
        200_000,
        tilted(4, 1.0),
    )  # a shift so small that it matters
    clipped = scaling.np.log(kl_risk.clip(f, 10).values)
    noise = scale.laplace(rng_for(0, "range"), (draws,))
    for value in (clipped.min(), clipped.max()):
        losses = scale.losses(value + noise, f.shape[1])
        room = scale.losses(value, f.shape[1])
        exact = sum(math.exp(-distance / (scale.factor * scale.noise)) / 2 for distance in (room, 1 - room))
        # Six standard deviations: a false alarm below 1e-8.
        assert abs(((losses < 0) | (losses > 1)).mean() - exact) < 6 * 0.5 / math.sqrt(draws)
