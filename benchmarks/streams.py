"""Synthetic panels of any size, with the noise scales of the hospital study."""

import numpy as np

from private_experts.randomness import rng_for
from private_experts.replication.study.hospital_game import Game

# Number of weeks, and numbers of hospitals in New Mexico, Pennsylvania and California in the paper.
PAPER = (148, {"NM": 24, "PA": 146, "CA": 293})
SETTINGS = [(window, strength) for window in (8, 16, 32, 64) for strength in (0.1, 1.0, 10.0)]
LEARNERS = {
    "family": "trend",
    "windows": (8, 16, 32, 64),
    "strengths": {"weak": 0.1, "medium": 1.0, "strong": 10.0},
}


def game(weeks, n, repetitions, levels=(float("inf"), 1.0, 0.5, 0.25), state="NM"):
    """Return a game whose gains, bed densities, drift slowly."""
    rng = rng_for(1, "benchmark", weeks, n)
    steps = rng.normal(0, 0.2, (weeks, n)).cumsum(axis=0)
    gains = 0.15 / (1 + np.exp(2 - rng.normal(size=n) - steps))
    return Game(state, gains, np.full(weeks, 0.15), levels, repetitions, seed=1)
