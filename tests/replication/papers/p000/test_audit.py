"""The audit finds the promised privacy, and finds too little noise."""

from typing import Any

import pytest

from private_experts.privacy.noise import SimulatedNoise
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import audit

CHECKED = audit

SEED = 1
SUMS = {"stream": ["zero"], "alpha": [1.0], "mu": [1.0], "T": 12, "t": 10, "threshold": [0.0], "slack": 0.03}
PLAYS = {"stream": ["zero"], "T": 5, "t": [1], "alpha": [2.0], "mu": [1.0], "threshold": [0.0], "slack": 0.03}


@pytest.fixture
def noise(put: Any) -> Any:
    """Return a function that multiplies all noise by a factor that the algorithm does not know of."""

    def scaled(factor: float) -> None:
        class Other(SimulatedNoise):
            def perturb(self, values: Any, scale: float, repetitions: int) -> Any:
                return super().perturb(values, factor * scale, repetitions)

        put(SimulatedNoise=Other)

    return scaled


def against(points: Any, promise: str) -> str:
    return decide(point for point in points if point.where["promise"] == promise)


def test_the_sums_betray_what_is_promised_and_no_more() -> None:
    points = audit.audit_sums(SUMS, 20_000, SEED)
    assert against(points, "mu-GDP") != "fails"
    assert against(points, "true law") == "holds"
    assert against(points, "proxy law") != "fails"


def test_with_a_tenth_less_noise_the_sums_break_the_amplified_promise(noise: Any) -> None:
    noise(0.9)
    assert against(audit.audit_sums(SUMS, 20_000, SEED), "proxy law") == "fails"


def test_with_a_fifth_less_noise_the_sums_break_every_promise(noise: Any) -> None:
    noise(0.8)
    points = audit.audit_sums(SUMS, 5_000, SEED)
    assert {against(points, each) for each in ("mu-GDP", "proxy law", "true law")} == {"fails"}


def test_sums_over_batches_that_end_a_round_early_are_caught(put: Any) -> None:
    # Privacy as if each batch had a round more than it has.
    curve = audit.mixture_tradeoff
    put(mixture_tradeoff=lambda first, weights, levels: curve(first, weights, levels / 1.2))
    assert decide(audit.audit_sums(SUMS, 10_000, SEED)) == "fails"


def test_the_plays_betray_what_their_law_says() -> None:
    assert decide(audit.audit_plays(PLAYS, 20_000, SEED)) == "holds"


def test_with_a_fifth_less_noise_the_plays_leave_their_law(noise: Any) -> None:
    noise(0.8)
    points = audit.audit_plays(PLAYS, 30_000, SEED)
    assert against(points, "law of the plays") == "fails"
    assert against(points, "mu-GDP") == "holds"


def test_with_half_the_noise_the_plays_break_the_promise(noise: Any) -> None:
    noise(0.5)
    assert against(audit.audit_plays(PLAYS, 5_000, SEED), "mu-GDP") == "fails"
