"""What the paper quotes, and what its appendix says of computing, has the rows of each fact's own check."""

from typing import Any

from private_experts.replication.papers.p000.computation import computation
from private_experts.replication.papers.p000.quoted import as_quoted
from tests.each import each
from tests.replication.papers.p000.hand_made import rows_of_facts
from tests.replication.papers.small_checks import SEED

QUOTED = {
    "Lemma 4": ("lemma_4", 7, SEED),
    "Lemma 5": ("lemma_5",),
    "equation (1), density": ("gap_density",),
    "equation (6)": ("equation_6",),
    "equations (16) to (18)": ("conversion",),
    "A.2, noise scale": ("best_eta",),
}
COMPUTATION = {
    "costs": ("complexity", SEED),
    "interpolation": ("interpolation", SEED),
    "warm start": ("warm_start",),
    "LOBPCG": ("lobpcg_agrees", SEED),
    "rate of LOBPCG": ("linear_convergence", SEED),
}


@each(("check", "asked", "repetitions"), [(as_quoted, QUOTED, 7), (computation, COMPUTATION, 2)])
def test_each_fact_has_the_rows_of_its_check_on_its_own_cells(
    check: Any, asked: dict[str, tuple[Any, ...]], repetitions: int
) -> None:
    checks = {fact: name for fact, (name, *_) in asked.items()}
    assert rows_of_facts(check, checks, repetitions) == {
        fact: (name, f"cells of {fact}", *rest) for fact, (name, *rest) in asked.items()
    }
