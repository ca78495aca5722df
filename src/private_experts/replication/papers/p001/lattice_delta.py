"""Delta of fresh draws between two bounds, from the exact law of their privacy loss. [001, Appendix D]"""

import numpy as np

from private_experts.replication.balls.balls import Ball, ball, lower, upper
from private_experts.replication.balls.elementary import EXP_STEPS, exps
from private_experts.replication.balls.sums import gamma
from private_experts.replication.papers.p001.loss_steps import LossSteps

_LEAST = 1e-25  # probabilities below it are left out, and counted


class Lattice:
    """Delta of fresh draws at any epsilon, between two balls. Where streams do not yet differ, all losses are 0."""

    shift = lost = slack = 0.0

    def __init__(self, steps: LossSteps) -> None:
        chances, losses = (each[np.abs(steps.fresh.losses).max(axis=1) > 0] for each in steps.fresh)
        rounds, m = chances.shape
        law = np.ones(1)
        for each in chances:
            law = np.convolve(law, each)
            law[law < _LEAST] = 0.0
        places = np.arange(m)
        apart = float(np.mean((losses[:, -1] - losses[:, 0]) / (m - 1)))
        starts = losses[:, :1]
        uneven = np.abs(losses - (starts + apart * places)).max(axis=1)
        start, size = float(starts.sum()), float(np.abs(losses).max())
        moved = float(uneven.sum()) * (1 + gamma(rounds)) + ball(8 * size * rounds) * gamma(rounds + 4)
        self._moved, self._size = steps.moved + moved, 2 * size * rounds
        self._law, self._losses = law, start + apart * np.arange(law.size)
        self._off = (1 + steps.off) * (1 + gamma((m + 1) * rounds)) - 1
        self._left_out = 2 * ball(_LEAST) * law.size * rounds

    def near(self, epsilon: float) -> float:
        """Return delta in floats, as a guide."""
        return self._sum(epsilon)[0]

    def above(self, epsilon: float) -> Ball:
        """Return what delta is at most."""
        total, error = self._sum(lower(ball(epsilon) - self._off_at(epsilon)))
        return (total + error + self._left_out) / (1 - self._off)

    def below(self, epsilon: float) -> Ball:
        """Return what delta is at least."""
        total, error = self._sum(upper(ball(epsilon) + self._off_at(epsilon)))
        return (total - error) / (1 + self._off)

    def _off_at(self, epsilon: float) -> Ball:
        """Return how far the difference of epsilon and a loss is off, at most; its own rounding is the last term."""
        return self._moved + gamma(2) * (self._size + abs(epsilon))

    def _sum(self, epsilon: float) -> tuple[float, Ball]:
        """Return the mean of ``1 - exp(epsilon - L)`` above 0 in floats, and its error for numbers as they stand."""
        short = epsilon - self._losses
        held = short < 0
        chances = self._law[held]
        total = float((chances * (1 - exps(short[held].clip(-700.0)))).sum())
        return total, 2 * gamma(chances.size + EXP_STEPS + 4) * float(chances.sum())
