"""What the paper quotes is one claim: the rows of each fact are those of its check on its own cells."""

from typing import Any

from private_experts.replication.ledger.evidence import Point
from private_experts.replication.papers.p000 import quoted

CHECKED = quoted
CHECKS = {
    "Lemma 4": "lemma_4",
    "Lemma 5": "lemma_5",
    "equation (1), density": "gap_density",
    "equation (6)": "equation_6",
    "equations (16) to (18)": "conversion",
    "A.2, noise scale": "best_eta",
}


def test_each_fact_has_the_rows_of_its_check_on_its_own_cells(put: Any) -> None:
    def answering(name: str) -> Any:
        return lambda *given: [Point({"check": name, "given": given}, 0.5, 1.0)]

    put(**{name: answering(name) for name in CHECKS.values()})
    rows = [point.where for point in quoted.as_quoted({fact: f"cells of {fact}" for fact in CHECKS}, 7, 3)]
    assert rows == [
        {"fact": fact, "check": name, "given": (f"cells of {fact}", *((7, 3) if name == "lemma_4" else ()))}
        for fact, name in CHECKS.items()
    ]
