"""What the appendix says of computing is one claim: each fact has the rows of its check on its own cells."""

from private_experts.replication.papers.p000.computation import computation
from tests.replication.papers.p000.hand_made import rows_of_facts
from tests.replication.papers.small_checks import SEED

CHECKS = {
    "costs": "complexity",
    "interpolation": "interpolation",
    "warm start": "warm_start",
    "LOBPCG": "lobpcg_agrees",
    "rate of LOBPCG": "linear_convergence",
}


def test_each_fact_has_the_rows_of_its_check_on_its_own_cells() -> None:
    assert rows_of_facts(computation, CHECKS) == {
        fact: (check, f"cells of {fact}", *(() if check == "warm_start" else (SEED,)))
        for fact, check in CHECKS.items()
    }
