"""What the paper quotes, restates or chooses, as cells of one claim. [000, Appendices A.2, A.5 and A.11]"""

from private_experts.replication.ledger.evidence import Grid, Point, labelled
from private_experts.replication.papers.p000.fixed_stream_regret import best_eta
from private_experts.replication.papers.p000.gap_law import conversion, gap_density, lemma_5
from private_experts.replication.papers.p000.two_bounds import equation_6
from private_experts.replication.papers.p000.walks import lemma_4


def as_quoted(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Each fact holds on its cells; a row names the fact that it is about. [mathematics/000.md#as-quoted]"""
    facts = {
        "Lemma 4": lemma_4(grid["Lemma 4"], repetitions, seed),
        "Lemma 5": lemma_5(grid["Lemma 5"]),
        "equation (1), density": gap_density(grid["equation (1), density"]),
        "equation (6)": equation_6(grid["equation (6)"]),
        "equations (16) to (18)": conversion(grid["equations (16) to (18)"]),
        "A.2, noise scale": best_eta(grid["A.2, noise scale"]),
    }
    return labelled("fact", facts)
