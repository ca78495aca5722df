"""The bound of exponential weights over learners, counted from actions and reports, not the algorithm.

It is by the formulas of the theorem, for two experts, and uses nothing of `HedgeMeta`.
[mathematics/000.md#theorem-3-independence]
"""

import math

import numpy as np

from private_experts.arrays import Array, Indices


def largest_rate(eta: float) -> float:
    """Return the adaptive rate of the first round in the games of the claim."""
    return 1 / (1 + eta)


def _first_rate(rate: str, m: int, eta: float, horizon: int) -> float:
    """Return the rate of the first round, which is that of all rounds if it is the textbook's."""
    return (
        largest_rate(eta) if rate == "adaptive" else math.sqrt(8 * math.log(m) / (horizon * (1 + 4 * eta**2)))
    )


def formula_at(rate: str, m: int, eta: float, horizon: int, disagreement: float) -> float:
    """Return the bound as a formula of the expected disagreement D. [mathematics/000.md#adaptive-rate]"""
    r = _first_rate(rate, m, eta, horizon)
    factor = (math.exp(r + (r * eta) ** 2) - 1 - r) / (2 * r)
    if rate == "adaptive":
        root = math.sqrt(2 * factor / r * disagreement * math.log(m))
        return math.log(m) / r + r * (0.25 + eta**2) + 2 * root
    return math.log(m) / r + factor * disagreement


class Counted:
    """Bound and disagreement of plays with two experts, by the formulas from actions and reports."""

    def __init__(
        self, rate: str, m: int, scales: tuple[float, float], horizon: int, repetitions: int
    ) -> None:
        self._adaptive = rate == "adaptive"
        self._entropy, self._squares = math.log(m), [scale**2 for scale in scales]
        self._rate = _first_rate(rate, m, max(scales), horizon)
        self._credits = np.zeros((m, repetitions))
        self._costs, self.disagreement = np.zeros(repetitions), np.zeros(repetitions)

    @property
    def bound(self) -> Array:
        """The bound of each play; at the adaptive rate costs count twice."""
        return self._entropy / self._rate + (2 if self._adaptive else 1) * self._costs

    def round(self, actions: Indices, reports: Array) -> None:
        """Take in what learners (m, repetitions) name, and then the reports (repetitions, 2)."""
        start = self._entropy / self._rate
        r = self._entropy / (start + self._costs) if self._adaptive else np.full_like(self._costs, self._rate)
        weights = np.exp(r * self._credits)
        # The law of the played expert, not of the learner: learners that agree are one.
        second = (weights * actions).sum(axis=0) / weights.sum(axis=0)
        uncertain = second * (1 - second)
        self.disagreement = self.disagreement + 2 * uncertain
        self._costs = self._costs + self._cost(r, second, uncertain)
        self._credits = self._credits + np.where(actions == 1, reports[:, 1], reports[:, 0])

    def _cost(self, r: Array, second: Array, uncertain: Array) -> Array:
        """Return the cost of the round by the lemma. [mathematics/000.md#independence-round]"""
        # An expert that is surely not played has no part in the noise of the round.
        noises = [np.where(second < 1, self._squares[0], 0.0), np.where(second > 0, self._squares[1], 0.0)]
        most = np.maximum(*noises)
        x = [np.maximum(r**2 * (square + most) / 2, 1e-300) for square in self._squares]
        terms = [
            uncertain * square * np.expm1(exponent) / exponent
            for square, exponent in zip(self._squares, x, strict=True)
        ]
        gain = np.minimum(r**2 / 8, (np.expm1(r) - r) * uncertain)
        return (gain + r**2 / 2 * np.minimum(most, np.exp(r) * (terms[0] + terms[1]))) / r
