"""The checks of rates reach the expected verdict on a small grid, and another one on a mutant."""

import math
from typing import Any

import pytest

from private_experts.distributions import long_run
from private_experts.distributions.classes import needle
from private_experts.distributions.pure import NoisyCoordinate
from private_experts.distributions.risk import total_variation
from private_experts.replication.claims.checks.paper_003 import rates
from private_experts.replication.claims.evidence import decide

SEED = 1
ATTAINED = {
    "algorithm": ["algorithm 1", "algorithm 2"],
    "class": ["needle 0.9"],
    "K": [32],
    "T": [10**12],
    "eps": [1.0],
    "share": 0.15,
}
RATES = {
    "amplitude": 0.9,
    "T": [10**12, 10**14],
    "K": [32, 64],
    "eps": [0.25, 1.0],
    "at_T": 10**14,
    "at_K": 8,
    "at_eps": 1.0,
    "tolerance": {"T": 0.1, "K": 0.25, "eps": 0.1},
}
LABELS = {
    "K": 4,
    "amplitude": 0.9,
    "T": 10**10,
    "eps": 1.0,
    "M": [8, 128],
    "slopes": {"algorithm 2": [-0.15, 0.15], "randomised response": [0.75, 1.25]},
}
SIX = {"K": [2], "eps": [1.0], "alpha": [0.4], "amplitude": [0.1, 0.9]}
SHRINKING = {"K": [8], "eps": [1.0], "T": [10**12], "share": 0.25}


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that replaces something that the checks use."""
    return lambda name, value: monkeypatch.setattr(rates, name, value)


class Faster(NoisyCoordinate):
    """Has four times the learning rate of the bound."""

    @property
    def learning_rate(self) -> float:
        return 4 * super().learning_rate


class OneRate(NoisyCoordinate):
    """Has a learning rate that does not depend on the horizon."""

    @property
    def learning_rate(self) -> float:
        return 1e-6


def test_the_bounds_are_attained_up_to_a_factor() -> None:
    assert decide(rates.bound_attained(ATTAINED, 40, SEED)) == "holds"


def test_a_faster_learner_is_told_from_one_that_attains_its_bound(put: Any) -> None:
    put("mechanism_of", lambda algorithm, experts, labels, horizon, epsilon: Faster(experts, horizon, epsilon))
    assert decide(rates.bound_attained(ATTAINED, 40, SEED)) == "fails"


def test_the_rates_are_those_of_the_theorem() -> None:
    assert decide(rates.rates(RATES, 200, SEED)) == "holds"


def test_a_rate_that_forgets_the_horizon_is_caught(put: Any) -> None:
    put("NoisyCoordinate", OneRate)
    assert decide(rates.rates(RATES, 50, SEED)) == "fails"


@pytest.mark.parametrize("along", ["T", "K", "eps"])
def test_a_slope_a_third_off_is_caught(along: str, put: Any) -> None:
    scaled = {"T": (lambda x: x**1.34), "K": (lambda x: x**1.5), "eps": (lambda x: x**0.7)}[along]

    class Bent(NoisyCoordinate):
        @property
        def learning_rate(self) -> float:
            at = {"T": self.horizon / 1e14, "K": self.experts / 8, "eps": 1 / self.epsilon}[along]
            return super().learning_rate * at / scaled(at)

    put("NoisyCoordinate", Bent)
    points = [point for point in rates.rates(RATES, 100, SEED) if point.where["along"] == along]
    assert decide(points) == "fails"


def test_labels_matter_to_randomised_response_alone() -> None:
    assert decide(rates.labels(LABELS, 40, SEED)) == "holds"


def test_mechanisms_exchanged_are_caught(put: Any) -> None:
    of = rates.mechanism_of
    other = {"algorithm 2": "randomised response", "randomised response": "algorithm 2"}
    put("mechanism_of", lambda algorithm, *rest: of(other[algorithm], *rest))
    assert decide(rates.labels(LABELS, 40, SEED)) == "fails"


def test_the_averaged_variation_is_as_small_as_theorem_6_says() -> None:
    assert decide(rates.theorem_6(SIX, 40, SEED)) == "holds"


def test_the_sample_size_is_the_least() -> None:
    horizon = rates.sample_size(4, 0.5, 0.2)
    ratios = [
        NoisyCoordinate(4, int(factor * horizon), 0.5).risk_bound / (2 * factor * horizon) for factor in (1, 0.99)
    ]
    assert math.sqrt(ratios[0]) <= 0.2 < math.sqrt(ratios[1])


@pytest.mark.parametrize("factor", [1e-5, 1e3])
def test_other_sample_sizes_are_caught(factor: float, put: Any) -> None:
    size = rates.sample_size
    put("sample_size", lambda *arguments: int(factor * size(*arguments)))
    assert decide(rates.theorem_6(SIX | {"K": [8]}, 40, SEED)) == "fails"


def test_twice_the_variation_breaks_pinsker_s_inequality(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_run, "total_variation", lambda p, q: 2 * total_variation(p, q))
    points = [each for each in rates.theorem_6(SIX, 20, SEED) if each.where["quantity"] == "TV - sqrt(KL / 2)"]
    assert decide(points) == "fails"


def test_theorem_6_is_attained_by_needles_that_shrink() -> None:
    assert decide(rates.theorem_6_attained(SHRINKING, 40, SEED)) == "holds"


@pytest.mark.parametrize("amplitude", [0.9, 1e-4])
def test_needles_that_do_not_shrink_attain_nothing(amplitude: float, put: Any) -> None:
    put("needle", lambda experts, _: needle(experts, amplitude))
    assert decide(rates.theorem_6_attained(SHRINKING, 40, SEED)) == "fails"
