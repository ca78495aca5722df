"""What the appendix says of computing is one claim: each fact has the rows of its check on its own cells."""

from typing import Any

from private_experts.replication.ledger.evidence import Point
from private_experts.replication.papers.p000 import computation

CHECKED = computation
CHECKS = {
    "costs": "complexity",
    "interpolation": "interpolation",
    "warm start": "warm_start",
    "LOBPCG": "lobpcg_agrees",
    "rate of LOBPCG": "linear_convergence",
}


def test_each_fact_has_the_rows_of_its_check_on_its_own_cells(put: Any) -> None:
    def answering(name: str) -> Any:
        return lambda *given: [Point({"check": name, "given": given}, 0.5, 1.0)]

    put(**{name: answering(name) for name in CHECKS.values()})
    rows = [
        point.where for point in computation.computation({fact: f"cells of {fact}" for fact in CHECKS}, 3)
    ]
    assert rows == [
        {"fact": fact, "check": name, "given": (f"cells of {fact}", *(() if name == "warm_start" else (3,)))}
        for fact, name in CHECKS.items()
    ]
