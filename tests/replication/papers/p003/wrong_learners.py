"""A learner that learns nothing."""

from typing import Any

from private_experts.distribution_learning.weighted_majority import WeightedMajority


class Stubborn(WeightedMajority):
    """Learns nothing."""

    def update(self, losses: Any) -> None:
        pass
