"""The bound on what late data are guaranteed holds, and what does not fall is caught."""

from typing import Any

from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import amplified_delta as checks
from private_experts.walks.batch_size import proxy_survival
from tests.replication.ledger.ledgers import KNOWN
from tests.replication.papers.small_checks import failing

CHECKED = checks
GRID = {**KNOWN.claims["000/amplified-delta"].grid, "rule": ["paper"], "t": [10_000, 1_000_000]}
BOUND, LEVELS = checks.bound, checks.levels


def test_the_guarantee_is_at_most_the_bound() -> None:
    assert decide(checks.late_data(GRID)) == "holds"


def test_batches_that_do_not_grow_and_levels_that_do_not_fall_are_caught(put: Any) -> None:
    put(proxy_survival=lambda t, *given: proxy_survival(10_000, *given))
    assert failing(checks.late_data(GRID), "t") == {1_000_000}
    put(proxy_survival=proxy_survival, levels=lambda mu, sizes: LEVELS(mu, sizes**0))
    assert failing(checks.late_data(GRID), "t") == {10_000, 1_000_000}


def test_half_of_the_bound_is_too_little_for_two_experts(put: Any) -> None:
    put(bound=lambda *given: BOUND(*given) / 2)
    assert failing(checks.late_data(GRID), "n") >= {2}
