"""What the paper quotes is one claim: the rows of each fact are those of its check on its own cells."""

from private_experts.replication.papers.p000.quoted import as_quoted
from tests.replication.papers.p000.hand_made import rows_of_facts
from tests.replication.papers.small_checks import SEED

CHECKS = {
    "Lemma 4": "lemma_4",
    "Lemma 5": "lemma_5",
    "equation (1), density": "gap_density",
    "equation (6)": "equation_6",
    "equations (16) to (18)": "conversion",
    "A.2, noise scale": "best_eta",
}


def test_each_fact_has_the_rows_of_its_check_on_its_own_cells() -> None:
    assert rows_of_facts(as_quoted, CHECKS, 7) == {
        fact: (check, f"cells of {fact}", *((7, SEED) if check == "lemma_4" else ()))
        for fact, check in CHECKS.items()
    }
