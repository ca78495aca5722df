"""Reports of the study have the noise that the panel's beds imply; with less of it the claim fails."""

from collections.abc import Callable

import numpy as np
import pytest

from private_experts.privacy.noise import SimulatedNoise
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import NotRunError, decide
from private_experts.replication.papers.p000.recorded_noise import recorded_noise
from private_experts.replication.study.data.panel import Panel

GRID = {"mu": 0.5, "slack": 0.1, "cell": 0.4}


def panel(beds: bool = True) -> Panel:
    rng = rng_for(0, "test recorded noise")
    counts = rng.integers(20, 300, size=(12, 5)).astype(float)
    names = tuple(f"2021-01-{day:02}" for day in range(1, 13)), tuple("abcde")
    other = (counts, 3 / counts) if beds else (None, None)
    return Panel(*names, rng.random((12, 5)), counts.min(axis=1), *other)


def test_noise_of_the_study_is_what_beds_imply() -> None:
    points = recorded_noise(GRID, 600, 0, {"NM": panel()})
    assert decide(points) == "holds"
    assert len({point.where["mechanism"] for point in points}) == 4


def _mutant(change: Callable[[np.ndarray, dict], np.ndarray]) -> Callable:
    perturb, kept = SimulatedNoise.perturb, {}

    def mutated(self, values, scale, repetitions):
        return values + change(perturb(self, 0 * values, scale, repetitions), kept.setdefault(id(self), {}))

    return mutated


@pytest.mark.parametrize(
    "change",
    [
        lambda noise, kept: 0 * noise,
        lambda noise, kept: noise / 2,
        lambda noise, kept: noise if not kept and not kept.update(a=1) else 0 * noise,
        lambda noise, kept: kept.setdefault("a", noise),
    ],
    ids=["none", "half", "first week", "reused"],
)
def test_less_noise_is_noticed(monkeypatch: pytest.MonkeyPatch, change: Callable) -> None:
    monkeypatch.setattr(SimulatedNoise, "perturb", _mutant(change))
    assert decide(recorded_noise(GRID, 600, 0, {"NM": panel()})) == "fails"


def test_panels_without_beds_are_not_run() -> None:
    with pytest.raises(NotRunError, match="beds"):
        recorded_noise(GRID, 20, 0, {"NM": panel(beds=False)})
