"""Pure, approximate and Gaussian privacy: what implies what, in ball arithmetic.

[mathematics/000.md#trade-off-curves]
"""

from itertools import product

from private_experts.privacy import gaussian_mechanism
from private_experts.privacy.conversions import to_gaussian
from private_experts.privacy.guarantees import PureDP
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    exp,
    normal_cdf,
    normal_density,
    normal_quantile,
    precision,
)
from private_experts.replication.balls.boxes import Edge, agreement, over_box
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p000.certified_laws import gaussian_delta


def _above(z: Ball) -> tuple[Ball, Ball]:
    """Return Phi(-z), which delta is below, and ``e^(-z^2 / 2) / 2``."""
    return normal_cdf(-z), exp(-z * z / 2) / 2


def _below(x: Ball) -> tuple[Ball, Ball]:
    """Return both sides of ``x Phi(-x) <= phi(x)``."""
    return x * normal_cdf(-x), normal_density(x)


def _pure(mu: Ball, s: Ball) -> tuple[Ball, Ball]:
    """Return both sides of ``1 - G_mu >= e^epsilon alpha``, times Phi(-mu/2), at alpha Phi(-mu/2 - s)."""
    half = mu / 2
    # Multiplied by Phi(-mu/2), which vanishes for large mu: as it stands, e^epsilon would divide by it.
    return normal_cdf(-half - s) * normal_cdf(half), normal_cdf(-half) * normal_cdf(half - s)


def conversions(grid: Grid) -> list[Point]:
    """Bounds on delta(epsilon) of mu-GDP, the mu that epsilon-DP implies, and the library's numbers for both.

    Upper: Phi(-z), equal at z = 0 where the difference begins with ``z phi(0)``. Lower: ``x Phi(-x) <=
    phi(x)`` at ``x = z + mu``. Epsilon-DP's curve is not below the Gaussian if ``1 - G_mu(alpha) >= e^epsilon
    alpha`` up to its corner ``alpha = Phi(-mu/2)``, s = 0, where the difference begins with ``s phi(mu/2)
    (Phi(mu/2) - Phi(-mu/2))``.
    """
    corner = {"mu": grid["mu"], "s": grid["s"]}
    points = [
        # At z = 0 both sides are 1/2, where boxes of any size overlap: so that edge is settled by the
        # derivative.
        over_box({"what": "upper bound on delta"}, _above, {"z": grid["z"]}, edges=[Edge("z", 0.0, 1)]),
        over_box({"what": "lower bound on delta"}, _below, {"x": grid["z"]}),
        over_box({"what": "pure to Gaussian"}, _pure, corner, edges=[Edge("s", 0.0, 1)]),
    ]
    for epsilon, mu in product(grid["epsilon"], grid["levels"]):
        computed = float(gaussian_mechanism.delta(epsilon=epsilon, mu=mu))
        with precision():
            where = {"what": "delta", "epsilon": epsilon, "mu": mu}
            points.append(agreement(where, computed, gaussian_delta(epsilon, mu), 1e-11))
    for epsilon in grid["epsilon"]:
        if epsilon > 0:
            with precision():
                mu = -2 * normal_quantile(1 / (1 + exp(ball(epsilon))))
                computed = to_gaussian(PureDP(epsilon, "local")).mu
                points.append(
                    agreement({"what": "mu of epsilon-DP", "epsilon": epsilon}, computed, mu, 1e-12)
                )
    return points
