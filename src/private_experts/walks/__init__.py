"""Gaussian random walks: how long a leader stays, how large its gap is, and the batch sizes that follow."""

from typing import TYPE_CHECKING

from private_experts.lazily import put_off

if TYPE_CHECKING:
    from private_experts.walks import gap, leader_change, levy_bound
    from private_experts.walks.batch_size import proxy_pmf, proxy_survival
    from private_experts.walks.delay import compute_delay

put_off(__name__)

__all__ = ["compute_delay", "gap", "leader_change", "levy_bound", "proxy_pmf", "proxy_survival"]
