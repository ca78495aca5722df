"""A learner that learns nothing, and where learners are made."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from private_experts.distribution_learning import label_mixture, mixture
from private_experts.distribution_learning.weighted_majority import WeightedMajority
from tests.replication.papers.small_checks import wrong


class Stubborn(WeightedMajority):
    """Learns nothing."""

    def update(self, losses: Any) -> None:
        pass


@contextmanager
def nothing_learnt() -> Iterator[None]:
    """Have learners that learn nothing, from sums of reports and from reports of labels."""
    with ExitStack() as stack:
        for module in (mixture, label_mixture):
            stack.enter_context(wrong(module, "WeightedMajority", Stubborn))
        yield
