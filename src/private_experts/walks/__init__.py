"""Gaussian random walks: how long a leader stays, how large its gap is, and the batch sizes that follow."""

from private_experts.walks import gap, leader_change
from private_experts.walks.batch_size import proxy_pmf, proxy_survival
from private_experts.walks.delay import compute_delay

__all__ = ["compute_delay", "gap", "leader_change", "proxy_pmf", "proxy_survival"]
