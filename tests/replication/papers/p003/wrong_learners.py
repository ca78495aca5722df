"""Learners that learn nothing, or the wrong way."""

from typing import Any

import numpy as np

from private_experts.distribution_learning.weighted_majority import WeightedMajority


class Backwards(WeightedMajority):
    """Prefers what has large losses."""

    def update(self, losses: Any) -> None:
        super().update(-np.asarray(losses))


class Stubborn(WeightedMajority):
    """Learns nothing."""

    def update(self, losses: Any) -> None:
        pass
