"""Learners: they forecast every expert's next gain from noisy reports, and play the expert with the highest."""

from private_experts.learners.linear_filter import LinearFilters, forecast_rows, gaussian_process_weights, trend_weights
from private_experts.learners.pooled_autoregression import PooledAutoregressions
from private_experts.learners.recorded import Recorded

__all__ = [
    "LinearFilters",
    "PooledAutoregressions",
    "Recorded",
    "forecast_rows",
    "gaussian_process_weights",
    "trend_weights",
]
