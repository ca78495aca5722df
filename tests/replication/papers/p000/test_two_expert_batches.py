"""Each check of exact laws gives the expected verdict on a small grid, and another one for a mutant."""

from functools import partial
from typing import Any

import numpy as np
import pytest

from private_experts.replication.balls.balls import ball, normal_cdf, precision, sqrt
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import two_expert_batches
from private_experts.replication.papers.p000.exact_batches import size_laws
from private_experts.replication.papers.p000.exact_rules import exact_rule
from private_experts.replication.papers.p000.two_expert_batches import added_regret, exact_law
from tests.each import each
from tests.replication.papers.remembered import remembered
from tests.replication.papers.small_checks import found, times, verdict

CHECKED = two_expert_batches
LAW = {
    "stream": ["drift 0.3"],
    "eta": [1.0],
    "T": 30,
    "t": [20],
    "b": [1, 2],
    "alpha": 0.3,
    "tolerance": 0.03,
}
ADDED = {"rule": ["Theorem 1", "exact"], "stream": ["turncoat"], "T": [60], "eta": [1.4142], "alpha": [0.01]}
NAMES = ("size_laws", "expected_lead", "most_added", "regret_of_leads")
COMPUTED = {name: remembered(getattr(two_expert_batches, name)) for name in NAMES}
lead, PAPERS = COMPUTED["expected_lead"], {"Theorem 1": two_expert_batches.RULES["Theorem 1"]}


@each(
    ("check", "grid", "repetitions", "mutants", "expected"),
    [
        (exact_law, LAW, 5_000, {}, "holds"),
        # The drift is forgotten.
        (exact_law, LAW, 1_500, {"size_laws": lambda leads, *rest: size_laws(0 * leads, *rest)}, "fails"),
        (added_regret, ADDED, 2, {}, "holds"),
        (added_regret, ADDED, 2, {"RULES": {"exact": partial(exact_rule, rho=0.0)} | PAPERS}, "fails"),
        (added_regret, ADDED, 2, {"expected_lead": times(1.01, lead)}, "fails"),
        (added_regret, ADDED, 2, {"expected_lead": times(0.99, lead)}, "fails"),
    ],
)
def test_it_holds_and_what_is_wrong_is_caught(
    check: Any, grid: dict[str, Any], repetitions: int, mutants: dict[str, Any], expected: str
) -> None:
    assert verdict(check, grid, repetitions, **mutants) == expected


def test_a_bound_on_the_added_regret_a_hundred_times_smaller_fails_for_the_exact_rule_alone() -> None:
    points = added_regret(ADDED, factor=0.01)
    verdicts = {point.where["rule"]: decide([point]) for point in points}
    assert verdicts == {"Theorem 1": "holds", "exact": "fails"}


def test_what_is_proved_of_the_added_regret_can_leave_the_claim_undecided() -> None:
    points = found(added_regret, ADDED, most_added=times(1.2, COMPUTED["most_added"]))
    proved = {point.where["rule"]: decide([point]) for point in points if point.where["what"] == "proved"}
    assert proved == {"Theorem 1": "holds", "exact": "undecided"}


def test_what_batching_may_change_has_a_closed_form_in_three_rounds() -> None:
    """Only in rounds 2 and 3 can they differ; with a gap of 2 or 3 for batches, and with the leads before."""
    rule = [np.array([0.0, 2.0, 3.0]), np.array([0.0, 2.5]), np.array([0.0])]
    most = two_expert_batches.most_added(np.array([1.0, -1.0, 1.0]), 0.5, rule)
    with precision():
        second = normal_cdf((1 - ball(2)) / sqrt(ball(2) / 4))
        third = [normal_cdf((0 - ball(3)) / 1), normal_cdf((1 - ball("2.5")) / sqrt(ball(2) / 4))]
        assert second + third[1] <= most <= (second + third[1]) * (1 + 1e-12)
        assert third[0] < third[1]


def test_other_leads_than_those_that_are_counted_exactly_are_refused() -> None:
    with pytest.raises(ValueError, match="may be rounded"):
        two_expert_batches.most_added(np.array([1.0, 0.1]), 0.5, [np.array([0.0, 2.0]), np.array([0.0])])


def test_the_mean_of_one_over_the_size_is_that_of_the_sizes() -> None:
    """Half of the batches have one round, a quarter two and a quarter three."""
    assert two_expert_batches.mean_inverse(np.array([1, 0.5, 0.25, 0])) == pytest.approx(
        1 / 2 + 1 / 8 + 1 / 12
    )


def test_a_stream_that_crosses_does_so_in_its_round() -> None:
    total = np.cumsum(two_expert_batches.leads_of("cross 4 20", 30))
    assert total.max() == total[15] == 4
    assert total[19:21].tolist() == [0, -1]
