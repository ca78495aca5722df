"""Each fact that the proofs quote is checked, and another one in its place is caught."""

from typing import Any

import numpy as np

from private_experts.private_oco.losses import random_slopes
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p001 import partition, quoted_lemmas
from private_experts.replication.papers.p001.partition import _quotients
from tests.each import each
from tests.replication.papers.replaced import put
from tests.replication.papers.small_checks import failing, times

GRID: dict[str, Any] = {
    "Lemma C.2": {"n": [2, 8], "instances": 20},
    "Lemma D.3": {"beta": [3.0], "lam": [0.5], "s": [0.5], "step": 1e-10, "allowed": 1e-12},
    "shrunk set": {"d": [1, 4], "T": [2, 50], "instances": 5},
}


def test_all_facts_hold() -> None:
    points = quoted_lemmas.quoted(GRID, 1)
    assert decide(points) == "holds"
    assert {point.where["fact"] for point in points} == {*GRID}
    assert all(point.certified for point in points)


def moved_twice(*given: Any) -> Any:
    slope, curvature = _quotients(*given)
    return 2 * slope, curvature


@each(
    ("module", "mutant", "fact"),
    [
        (np, {"sign": times(0.999, np.sign)}, "Lemma C.2"),
        (partition, {"_quotients": moved_twice}, "Lemma D.3"),
        (
            quoted_lemmas,
            {"_shrunk": lambda corners, t: (1 - 2 / t) * corners[0] + 2 * corners / t},
            "shrunk set",
        ),
        (
            quoted_lemmas,
            {"random_slopes": lambda pieces, d, g, rng: random_slopes(pieces, d, 1.3 * g, rng)},
            "shrunk set",
        ),
    ],
)
def test_something_else_in_the_place_of_a_fact_is_caught(module: Any, mutant: Any, fact: str) -> None:
    with put(module, **mutant):
        assert failing(quoted_lemmas.quoted(GRID, 1), "fact") == {fact}
