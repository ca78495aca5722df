"""The exact privacy of Algorithm 1's vector, and mutants."""

from dataclasses import replace
from typing import Any

import pytest

from private_experts.distributions.approximate import NoisyVector
from private_experts.distributions.composition import coordinate_level
from private_experts.distributions.vector_privacy import composed_delta, coordinates
from private_experts.replication.claims.checks.paper_003 import vector
from private_experts.replication.claims.evidence import decide

SEED = 1
LEVEL: dict[str, Any] = {
    "class": ["sure, K = 2", "packed 2 x 20"], "T": [10000], "eps": [1.0], "delta": 1e-5, "share": 0.2
}  # fmt: skip
ONE = LEVEL | {"class": ["sure, K = 2"]}
NOISE: dict[str, Any] = {"K": [2, 512], "eps": [8.0], "delta": [1e-9], "multiple": 0.4, "steps": 250}


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that replaces something that the checks use."""
    return lambda name, value: monkeypatch.setattr(vector, name, value)


def test_the_exact_level_is_far_below_the_one_asked_for() -> None:
    points = vector.vector_privacy(LEVEL, 2, SEED)
    assert decide(points) == "holds"
    levels = [point.value for point in points if point.where["quantity"] == "level"]
    assert levels == pytest.approx([0.128151, 0.132933], abs=1e-6)


def test_noise_that_is_a_hundredth_less_is_caught(put: Any) -> None:
    put("coordinates", lambda classes, horizon, noise, parts: coordinates(classes, horizon, 0.99 * noise, parts))
    assert decide(vector.vector_privacy(LEVEL | {"class": ["packed 2 x 20"]}, 2, SEED)) == "fails"


def test_nodes_without_their_tails_are_caught(put: Any) -> None:
    def cut(*given: Any) -> Any:
        densities, weights = coordinates(*given)
        weights[0] = 0.0
        return densities, weights

    put("coordinates", cut)
    assert decide(vector.vector_privacy(ONE, 2, SEED)) == "fails"


def test_the_noise_of_the_proof_is_not_a_fifth(put: Any) -> None:
    class Less(NoisyVector):
        @property
        def scaling(self) -> Any:
            twice = replace(self.guarantee, epsilon=2 * self.guarantee.epsilon)
            return NoisyVector(self.experts, twice, horizon=self.horizon).scaling

    put("NoisyVector", Less)
    assert decide(vector.vector_privacy(ONE, 2, SEED)) == "fails"


def test_two_fifths_of_the_noise_are_enough_and_three_eighths_are_not() -> None:
    assert decide(vector.vector_noise(NOISE, 2, SEED)) == "holds"
    assert decide(vector.vector_noise(NOISE | {"multiple": 0.375}, 2, SEED)) == "fails"


def test_coordinates_that_are_a_tenth_less_private_are_caught(put: Any) -> None:
    put("coordinate_level", lambda *given: 1.1 * coordinate_level(*given))
    assert decide(vector.vector_noise(NOISE, 2, SEED)) == "fails"


def test_one_coordinate_more_for_each_ten_is_caught(put: Any) -> None:
    put("composed_delta", lambda experts, *given: composed_delta(int(1.1 * experts), *given))
    assert decide(vector.vector_noise(NOISE | {"K": [512]}, 2, SEED)) == "fails"
