"""Gaussian random walks: how long a leader stays, how large its gap is, and the batch sizes that follow."""

from typing import TYPE_CHECKING

from private_experts.lazy import attach

if TYPE_CHECKING:
    from private_experts.walks import gap, leader_change, levy_bound
    from private_experts.walks.batch_size import proxy_pmf, proxy_survival
    from private_experts.walks.delay import compute_delay
    from private_experts.walks.lead_tolerance import LeadTolerance

attach(__name__)

__all__ = [
    "LeadTolerance",
    "compute_delay",
    "gap",
    "leader_change",
    "levy_bound",
    "proxy_pmf",
    "proxy_survival",
]
