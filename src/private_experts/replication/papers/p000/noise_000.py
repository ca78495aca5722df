"""What paper 000's algorithms and mechanisms really draw, from their plays. [verdicts.md#drawn-noise]"""

from collections.abc import Callable, Iterator

from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.drawn_samples import digit_points
from private_experts.replication.papers.p000 import drawn_plays, drawn_sums
from private_experts.replication.papers.p000.digits_000 import DIGITS

MECHANISMS: dict[str, Callable[[Grid, int, int], Iterator[Point]]] = {
    "Reports": drawn_sums.simulated_reports,
    "SecureNoise": drawn_sums.secure_noise,
    "CorrelatedReports": drawn_sums.correlated_reports,
    "SideBySideReports": drawn_sums.side_by_side_reports,
    "TreeSums": drawn_sums.tree_sums,
    "TightTreeSums": drawn_sums.tight_tree_sums,
    "MatrixSums": drawn_sums.matrix_mechanism_sums,
    "BandedSums": drawn_sums.banded_sums,
    "SideBySideSums": drawn_sums.side_by_side_sums,
    "RWFTPL": drawn_plays.rw_ftpl,
    "RWAdaBatch": drawn_plays.rw_adabatch,
    "RWMeta": drawn_plays.rw_meta,
    "FreshMeta": drawn_plays.fresh_meta,
    "HedgeMeta": drawn_plays.hedge_meta,
    "CreditedLeader": drawn_plays.credited_leader,
    "SmoothedLeader": drawn_plays.smoothed_leader,
    "TreeFTPL": drawn_plays.tree_ftpl,
    "PrefixFTPL": drawn_plays.prefix_ftpl,
    "Delayed": drawn_plays.delayed,
    "Hedge": drawn_plays.hedge,
    "Uniform": drawn_plays.uniform,
    "SleepingHedge": drawn_plays.sleeping_hedge,
    "SleepingSoftmax": drawn_plays.sleeping_softmax,
}


def drawn_noise(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """What each mechanism of the grid draws has its law, and no attack beats what it states."""
    plays = [point for name in grid["mechanism"] for point in MECHANISMS[name](grid, repetitions, seed)]
    return [*plays, *digit_points(DIGITS, grid, seed)]
