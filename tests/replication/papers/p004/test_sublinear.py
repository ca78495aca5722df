"""Sub-linear regret: each check gives its verdict, and another one when something is wrong."""

from typing import Any

import pytest

from private_experts.algorithms.switching_softmax import rate_within
from private_experts.replication.ledger.evidence import Point, decide
from private_experts.replication.papers.p004 import sublinear
from private_experts.replication.papers.p004.tracker import batched

NOISE = {"noise": ["laplace", "gaussian"], "T": [10**4, 10**8], "S": [1, 100], "level": [1.0]}
DRAWS = {"T": [10**12], "S": [1, 10], "epsilon": [0.1, 1.0]}
LONG = {"T": [10**16], "S": [1, 9]}


def test_noise_for_the_whole_vector_drowns_the_best_expert_and_the_printed_noise_does_not(put: Any) -> None:
    points = sublinear.noisy_share_printed(NOISE)
    assert decide(points) == "fails"
    assert all(point.value > 0.9 for point in points)
    honest = sublinear.right_by_noise
    put(
        sublinear,
        "right_by_noise",
        lambda law, rounds, n, level: honest(law, rounds, n, level * (n if law == "laplace" else n**0.5)),
    )
    assert decide(sublinear.noisy_share_printed({**NOISE, "noise": ["laplace"]})) == "holds"


def test_a_little_delta_makes_regret_sublinear_and_none_does_not(put: Any) -> None:
    points = sublinear.softmax_adaptive(DRAWS)
    assert decide(points) == "holds"
    assert all(point.lazy_fails and not point.vacuous for point in points)
    assert decide(sublinear.softmax_adaptive({**DRAWS, "epsilon": [1e-6]})) == "fails"  # at the threshold
    put(sublinear, "rate_within", lambda *given: (rate_within(*given)[0] / 2, None))
    assert decide(sublinear.softmax_adaptive(DRAWS)) == "fails"


def test_a_wrong_reference_is_told_from_the_one_that_is_meant(put: Any) -> None:
    assert decide(sublinear.contrast_printed(LONG)) == "fails"
    assert decide(sublinear.contrast_mended(LONG)) == "holds"
    assert decide(sublinear.contrast_mended({"T": [10**8], "S": [10]})) == "fails"


def verdicts(points: list[Point]) -> tuple[str, str]:
    return tuple(
        decide([point for point in points if point.where["what"] == what]) for what in ("regret", "epsilon")
    )


@pytest.mark.parametrize(
    ("factor", "found"), [(1, ("holds", "holds")), (1 / 8, ("fails", "holds")), (8, ("holds", "fails"))]
)
def test_the_tracker_with_another_step_is_caught(factor: float, found: tuple[str, str], put: Any) -> None:
    def other(*given: Any) -> Any:
        settings = batched(*given)
        return settings._replace(eta=settings.eta * factor)

    put(sublinear, "batched", other)
    assert verdicts(sublinear.shifting_separation(LONG)) == found
