"""Learners: they forecast every expert's next gain from noisy reports, and play the highest."""

from typing import TYPE_CHECKING

from private_experts.lazy import attach

if TYPE_CHECKING:
    from private_experts.learners.autoregression import Autoregressions
    from private_experts.learners.filter_rows import forecast_rows
    from private_experts.learners.linear_filter import (
        LinearFilters,
        gaussian_process_weights,
        trend_weights,
    )
    from private_experts.learners.pooled_autoregression import PooledAutoregressions
    from private_experts.learners.posterior_means import Deviations, PosteriorMeans
    from private_experts.learners.recorded import Recorded
    from private_experts.learners.totals_leader import TotalsLeader

attach(__name__)

__all__ = [
    "Autoregressions",
    "Deviations",
    "LinearFilters",
    "PooledAutoregressions",
    "PosteriorMeans",
    "Recorded",
    "TotalsLeader",
    "forecast_rows",
    "gaussian_process_weights",
    "trend_weights",
]
