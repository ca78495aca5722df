"""The bound on what late data are guaranteed holds, and what does not fall is caught."""

from typing import Any

from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import amplified_delta as checks
from private_experts.walks.batch_size import proxy_survival
from tests.each import each
from tests.replication.ledger.ledgers import KNOWN
from tests.replication.papers.small_checks import failing, found, times

GRID = {**KNOWN.claims["000/amplified-delta"].grid, "rule": ["paper"], "t": [10_000, 1_000_000]}
LEVELS = checks.levels


@each(
    ("mutants", "column", "caught"),
    [
        ({}, "t", set()),
        # batches that do not grow, and levels that do not fall
        ({"proxy_survival": lambda t, *given: proxy_survival(10_000, *given)}, "t", {1_000_000}),
        ({"levels": lambda mu, sizes: LEVELS(mu, sizes**0)}, "t", {10_000, 1_000_000}),
        ({"bound": times(0.5, checks.bound)}, "n", {2}),  # which is too little for two experts
    ],
)
def test_the_guarantee_is_at_most_the_bound_and_what_is_wrong_is_caught(
    mutants: Any, column: str, caught: set[int]
) -> None:
    points = found(checks.late_data, GRID, **mutants)
    assert decide(points) == ("fails" if caught else "holds")
    assert failing(points, column) >= caught if column == "n" else failing(points, column) == caught
