"""The families of rolling regressions that the study's learners may be. [mathematics/000.md#learners]

The paper names windows and strengths, and leaves the family open. docs/readings.md says how the study's was
chosen.
"""

from collections.abc import Callable, Sequence
from functools import partial

from private_experts.algorithms.credited_leader import Learner
from private_experts.arrays import Array
from private_experts.learners.autoregression import Autoregressions
from private_experts.learners.linear_filter import LinearFilters, gaussian_process_weights, trend_weights
from private_experts.learners.pooled_autoregression import PooledAutoregressions
from private_experts.privacy.reports import Reports

# Fixed linear filters of the reports.
FILTERS: dict[str, Callable[[int, int, float], Array]] = {
    "trend": trend_weights,
    "trend-shrunk": partial(trend_weights, free_intercept=False),
    "gaussian-process": gaussian_process_weights,
    "gaussian-process-half": partial(gaussian_process_weights, length=0.5),
    "gaussian-process-eighth": partial(gaussian_process_weights, length=0.125),
    "gaussian-process-zero": partial(gaussian_process_weights, centred=False),
}
# Filters that are fitted to the reports.
FITTED: dict[str, Callable[[Sequence[tuple[int, float]], Reports], Learner]] = {
    "pooled-autoregression": PooledAutoregressions,
    **{f"autoregression-{order}": partial(Autoregressions, order=order) for order in (1, 2, 3)},
    **{
        f"autoregression-{order}-origin": partial(Autoregressions, order=order, intercept=False)
        for order in (1, 2, 3)
    },
}
FAMILIES = (*FILTERS, *FITTED)
# Families that differ in settings which the paper leaves open, simplest first.
KINDS = {
    "trend": ("trend", "trend-shrunk"),
    "autoregression": tuple(f"autoregression-{order}{end}" for order in (1, 2, 3) for end in ("", "-origin")),
    "pooled autoregression": ("pooled-autoregression",),
    "Gaussian process": (
        "gaussian-process-eighth",
        "gaussian-process",
        "gaussian-process-half",
        "gaussian-process-zero",
    ),
}


def learners(family: str, settings: Sequence[tuple[int, float]], first: Reports) -> Learner:
    """Return the learners of a family with these windows and strengths."""
    if family in FILTERS:
        return LinearFilters(FILTERS[family], settings, first)
    return FITTED[family](settings, first)
