"""Gaussian random walks: how long a leader stays, how far it leads, and the batch sizes that follow from both."""

from private_experts.walks.batch_size import proxy_pmf, proxy_survival
from private_experts.walks.delay import compute_delay

__all__ = ["compute_delay", "proxy_pmf", "proxy_survival"]
