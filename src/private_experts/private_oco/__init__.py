"""Private and lazy online convex optimisation: Gibbs measures, drawn anew as rarely as possible. [001]"""

from typing import TYPE_CHECKING

from private_experts.lazy import attach

if TYPE_CHECKING:
    from private_experts.private_oco import (
        closeness,
        convex_regret,
        gaussian_accounting,
        gaussian_levels,
        losses,
        parameters,
        private_accounting,
    )
    from private_experts.private_oco.domains import Ball, Box
    from private_experts.private_oco.dp_ftrl import DPFTRL
    from private_experts.private_oco.every_round import GibbsEveryRound
    from private_experts.private_oco.gaussian import LinearGibbs
    from private_experts.private_oco.gibbs import GridGibbs
    from private_experts.private_oco.online_gradient import online_gradient_descent
    from private_experts.private_oco.pcomw import PCOMW

attach(__name__)

__all__ = [
    "DPFTRL",
    "PCOMW",
    "Ball",
    "Box",
    "GibbsEveryRound",
    "GridGibbs",
    "LinearGibbs",
    "closeness",
    "convex_regret",
    "gaussian_accounting",
    "gaussian_levels",
    "losses",
    "online_gradient_descent",
    "parameters",
    "private_accounting",
]
