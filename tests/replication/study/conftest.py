import numpy as np
import pytest

from private_experts.privacy.noise import SimulatedNoise
from private_experts.replication.study import hospital_game
from private_experts.replication.study.players import tree_ftpl


@pytest.fixture
def noises(monkeypatch):
    """Record every call to a noise that the players make: (values, scale, repetitions, what came back)."""
    recorded = []

    class Spy(SimulatedNoise):
        def __init__(self, rng):
            super().__init__(rng)
            self.calls = []
            recorded.append(self.calls)

        def perturb(self, values, scale, repetitions):
            report = super().perturb(values, scale, repetitions)
            self.calls.append((np.array(values), scale, repetitions, report.copy()))
            return report

    for module in (hospital_game, tree_ftpl):
        monkeypatch.setattr(module, "SimulatedNoise", Spy)
    return recorded
