from collections.abc import Iterator
from pathlib import Path

import pytest

from examples.hospitals import hospital
from tests.examples.hospitals.deployment import CountedNoise, Deployment


@pytest.fixture
def deployment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployment]:
    draws: list[tuple[float, float]] = []
    monkeypatch.setattr(hospital, "SecureNoise", type("Counted", (CountedNoise,), {"draws": draws}))
    deployment = Deployment(tmp_path, draws)
    yield deployment
    deployment.coordinator.close()
