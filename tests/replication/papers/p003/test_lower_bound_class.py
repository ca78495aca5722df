"""Measured risks against the lower bound, and mutants."""

from typing import Any

import numpy as np
import pytest

from private_experts.distribution_learning import HadamardResponse
from private_experts.privacy.guarantees import PureDP
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p003 import lower_bound_class
from tests.each import each
from tests.replication.papers.small_checks import SEED

HARD = {"mechanism": ["posterior", "posterior of signs"], "K": [7], "T_over_least": [10**6], "eps": [4.0]}
HARD |= {"multiple": [1.0, 48.0], "level": {"eps": 1.0, "T_over_least": 10**4, "copies": 80_000}}


def by_risk(grid: dict[str, Any], repetitions: int) -> str:
    """The verdict of the risks alone."""
    points = lower_bound_class.theorem_3(grid, repetitions, SEED)
    return decide([point for point in points if point.where["aspect"] == "risk"])


def by_level(grid: dict[str, Any]) -> str:
    """The verdict of the attack alone."""
    return decide(lower_bound_class._levels(grid, 100, SEED))


def test_nobody_is_below_the_lower_bound() -> None:
    points = lower_bound_class.theorem_3(HARD, 60, SEED)
    assert decide(points) == "holds"
    risks = [point for point in points if point.where["aspect"] == "risk"]
    assert all(20 < point.notes["times_the_bound"] < 400 for point in risks)
    assert not any(point.vacuous for point in points)


def test_a_constant_a_hundred_times_larger_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lower_bound_class, "_CONSTANT", 1.32)
    assert by_risk(HARD | {"mechanism": ["posterior"], "multiple": [1.0]}, 60) == "fails"


@each("name", HARD["mechanism"])
def test_reports_that_protect_half_as_well_as_they_say_are_caught(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bound alone allows even eight times the level, but 48 times the bound does not."""
    make = lower_bound_class.mechanism_of

    def times(factor: float) -> Any:
        return lambda *game: make(*game[:-1], factor * game[-1])

    grid = HARD | {"mechanism": [name], "eps": [0.5]}
    monkeypatch.setattr(lower_bound_class, "mechanism_of", times(8))
    assert by_risk(grid | {"multiple": [1.0]}, 400) == "holds"
    monkeypatch.setattr(lower_bound_class, "mechanism_of", times(2))
    assert by_risk(grid, 400) == "fails"
    assert by_level(grid) == "fails"


def test_what_is_played_keeps_its_level() -> None:
    assert by_level(HARD | {"mechanism": ["posterior of signs", "centred reports", "algorithm 2"]}) == "holds"


def test_a_learner_who_knows_the_truth_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    class Knows(HadamardResponse):
        @property
        def channel(self) -> Any:
            return np.eye(self.labels) * (1 - 1e-9) + 1e-9 / self.labels

    def play_the_truth(name: str, experts: int, labels: int, horizon: int, epsilon: float) -> Knows:
        return Knows(experts, PureDP(epsilon, "local"), labels=labels, horizon=horizon)

    monkeypatch.setattr(lower_bound_class, "mechanism_of", play_the_truth)
    large = HARD | {"mechanism": ["posterior"], "T_over_least": [10**10], "eps": [0.5], "multiple": [1.0]}
    assert by_risk(large, 60) == "fails"


def test_signs_are_a_channel_of_the_level() -> None:
    channel = HadamardResponse(7, PureDP(0.7, "local"), labels=8, horizon=100).channel
    np.testing.assert_allclose(channel.sum(axis=1), 1.0)
    assert np.log(channel.max(axis=0) / channel.min(axis=0)).max() == pytest.approx(0.7)
