"""The appendix on computing: costs, interpolation and LOBPCG, as cells of one claim. [000, A.1 and A.3]"""

from private_experts.replication.ledger.evidence import Grid, Point, labelled
from private_experts.replication.papers.p000.complexity import complexity
from private_experts.replication.papers.p000.interpolation import interpolation
from private_experts.replication.papers.p000.lobpcg import linear_convergence, lobpcg_agrees
from private_experts.replication.papers.p000.warm_start import warm_start


def computation(grid: Grid, seed: int) -> list[Point]:
    """Each fact holds on its cells; a row names its fact. [mathematics/000.md#computation]"""
    return labelled(
        "fact",
        {
            "costs": complexity(grid["costs"], seed),
            "interpolation": interpolation(grid["interpolation"], seed),
            "warm start": warm_start(grid["warm start"]),
            "LOBPCG": lobpcg_agrees(grid["LOBPCG"], seed),
            "rate of LOBPCG": linear_convergence(grid["rate of LOBPCG"], seed),
        },
    )
