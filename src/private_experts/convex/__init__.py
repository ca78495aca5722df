"""Private and lazy online convex optimisation: Gibbs measures that are sampled anew as rarely as possible. [001]"""

from typing import TYPE_CHECKING

from private_experts.lazy import attach

if TYPE_CHECKING:
    from private_experts.convex import (
        closeness,
        gaussian_accounting,
        gaussian_levels,
        losses,
        parameters,
        private_accounting,
        regret,
    )
    from private_experts.convex.domains import Ball, Box
    from private_experts.convex.every_round import GibbsEveryRound
    from private_experts.convex.gaussian import LinearGibbs
    from private_experts.convex.gibbs import GridGibbs
    from private_experts.convex.online_gradient import online_gradient_descent
    from private_experts.convex.pcomw import PCOMW

attach(__name__)

__all__ = [
    "PCOMW",
    "Ball",
    "Box",
    "GibbsEveryRound",
    "GridGibbs",
    "LinearGibbs",
    "closeness",
    "gaussian_accounting",
    "gaussian_levels",
    "losses",
    "online_gradient_descent",
    "parameters",
    "private_accounting",
    "regret",
]
