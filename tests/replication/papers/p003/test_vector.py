"""The exact privacy of Algorithm 1's vector, and mutants."""

from dataclasses import replace
from typing import Any

import pytest

from private_experts.distribution_learning.approximate import NoisyVector
from private_experts.distribution_learning.label_composition import coordinate_level
from private_experts.distribution_learning.vector_privacy import coordinates, delta_bounds, level_at
from private_experts.replication.balls.balls import ball, precision, rational
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p003 import vector
from private_experts.replication.papers.p003.laplace_sums import together
from private_experts.replication.papers.p003.vector_level import report
from tests.replication.papers.small_checks import failing, verdict

LEVEL: dict[str, Any] = {
    "class": ["sure, K = 2", "packed 2 x 20"], "T": [10000], "eps": [1.0], "delta": 1e-5, "share": 0.2
}  # fmt: skip
ONE = LEVEL | {"class": ["sure, K = 2"]}
NOISE: dict[str, Any] = {"K": [2, 128], "eps": [8.0], "delta": [1e-9], "multiple": 0.4, "steps": 1000}


def test_the_exact_level_is_far_below_the_one_asked_for() -> None:
    points = vector.vector_privacy(LEVEL)
    assert decide(points) == "holds"
    levels = [point.value for point in points if point.where["quantity"] == "level"]
    assert levels == pytest.approx([0.128151, 0.132933], abs=1e-6)
    assert all(point.certified for point in points)


def test_noise_that_is_a_hundredth_less_is_caught(put: Any) -> None:
    put(vector, "report", lambda f, horizon, noise: report(f, horizon, rational("0.99") * noise))
    assert failing(vector.vector_privacy(LEVEL | {"class": ["packed 2 x 20"]}), "quantity") == {
        "level",
        "level, library",
    }


def test_laplace_mechanisms_that_are_one_too_few_are_caught(put: Any) -> None:
    put(vector, "together", lambda experts, *given: together(experts - 1, *given))
    assert "level" in failing(vector.vector_privacy(ONE), "quantity")
    assert "delta, library" in failing(vector.vector_noise(NOISE), "quantity")


@pytest.mark.parametrize("factor", [1 - 2e-6, 1 + 2e-6])
def test_a_librarys_level_that_is_two_millionths_off_is_caught(factor: float, put: Any) -> None:
    put(vector, "level_at", lambda *given: factor * level_at(*given))
    assert failing(vector.vector_privacy(ONE), "quantity") == {
        "level, library", "level of Laplace mechanisms, library"
    }  # fmt: skip


def test_nodes_without_a_tail_are_caught(put: Any) -> None:
    def cut(*given: Any) -> Any:
        densities, weights = coordinates(*given)
        weights[0] = 0.0
        return densities, weights

    put(vector, "coordinates", cut)
    assert failing(vector.vector_privacy(ONE), "quantity") == {"mass, library"}


def test_a_level_that_is_not_private_at_once_or_that_balls_do_not_decide_is_not_made_up() -> None:
    with precision():
        assert vector._level(lambda _: False, ball(2.0)).is_nan()
        assert vector._level(lambda _: None, ball(2.0)).is_nan()
        left = vector._level(lambda at: True if at > 1.2 else False if at < 0.8 else None, ball(2.0))
        assert left.contains(0.8)
        assert left.contains(1.2)
        found = vector._level(lambda at: bool(at >= 1.2), ball(2.0))
        assert found.contains(rational("1.2"))
        assert found.rad() < 1e-7


def test_the_noise_of_the_proof_is_not_a_fifth(put: Any) -> None:
    class Less(NoisyVector):
        @property
        def scaling(self) -> Any:
            twice = replace(self.guarantee, epsilon=2 * self.guarantee.epsilon)
            return NoisyVector(self.experts, twice, horizon=self.horizon).scaling

    put(vector, "NoisyVector", Less)
    assert verdict(vector.vector_privacy, ONE) == "fails"


def test_two_fifths_of_the_noise_are_enough_and_three_eighths_are_not() -> None:
    points = vector.vector_noise(NOISE)
    assert decide(points) == "holds"
    assert all(point.certified for point in points)
    assert failing(vector.vector_noise(NOISE | {"multiple": 0.375}), "quantity") == {"delta"}


def test_a_level_of_a_coordinate_that_is_not_the_stated_one_is_caught(put: Any) -> None:
    put(vector, "coordinate_level", lambda *given: (1 + 1e-11) * coordinate_level(*given))
    assert failing(vector.vector_noise(NOISE), "quantity") == {"level of a coordinate, library"}


def test_losses_rounded_to_too_few_places_are_caught() -> None:
    assert failing(vector.vector_noise(NOISE | {"steps": 250}), "quantity") == {"delta, library"}


def test_one_coordinate_more_for_each_ten_is_caught(put: Any) -> None:
    put(vector, "delta_bounds", lambda experts, *given: delta_bounds(int(1.1 * experts), *given))
    assert failing(vector.vector_noise(NOISE), "quantity") == {"delta, library"}
