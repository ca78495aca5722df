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


def against(points: Any, promise: str) -> str:
    return decide(point for point in points if point.where["promise"] == promise)


def noise_times(factor: float) -> type[SimulatedNoise]:
    class Other(SimulatedNoise):
        def perturb(self, values: Any, scale: Any, repetitions: int) -> Any:
            return super().perturb(values, factor * scale, repetitions)

    return Other


@pytest.mark.parametrize(
    ("check", "grid", "repetitions", "factor", "expected"),
    [
        (audit.audit_sums, SUMS, 20_000, 1.0, {"mu-GDP": "", "true law": "holds", "proxy law": ""}),
        # the amplified promise
        (audit.audit_sums, SUMS, 5_000, 0.8, {"mu-GDP": "fails", "proxy law": "fails", "true law": "fails"}),
        (audit.audit_plays, PLAYS, 20_000, 1.0, {"mu-GDP": "holds", "law of the plays": "holds"}),
        (audit.audit_plays, PLAYS, 30_000, 0.8, {"mu-GDP": "holds", "law of the plays": "fails"}),
        (audit.audit_plays, PLAYS, 5_000, 0.5, {"mu-GDP": "fails"}),
    ],
)
def test_noise_times_a_factor_that_the_algorithm_does_not_know_of_breaks_promises(
    check: Any, grid: dict[str, Any], repetitions: int, factor: float, expected: dict[str, str], put: Any
) -> None:
    put(SimulatedNoise=noise_times(factor))
    points = check(grid, repetitions, SEED)
    for promise, verdict in expected.items():
        found = against(points, promise)
        assert found == verdict or (not verdict and found != "fails"), promise
