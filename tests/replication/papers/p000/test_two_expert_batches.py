"""Each check of exact laws gives the expected verdict on a small grid, and another one for a mutant."""

from typing import Any

import numpy as np
import pytest

from private_experts.replication.balls.balls import ball, normal_cdf, precision, sqrt
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import two_expert_batches
from private_experts.walks.exact_batches import size_laws
from private_experts.walks.exact_delay import exact_rule, levy_rule
from tests.replication.papers.remembered import remembered

SEED = 1
LAW = {"stream": ["drift 0.3"], "eta": [1.0], "T": 30, "t": [20], "b": [1, 2], "alpha": 0.3, "tolerance": 0.03}
ADDED = {"rule": ["Theorem 1", "exact"], "stream": ["turncoat"], "T": [60], "eta": [1.4142], "alpha": [0.01]}
RULES = {"n": [2, 5], "eta": [4.5], "t": [50], "after": 20, "alpha": 0.01}
COMPUTED = {
    name: remembered(getattr(two_expert_batches, name))
    for name in ("size_laws", "expected_lead", "most_added", "regret_of_leads")
}


@pytest.fixture(autouse=True)
def computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute each law and each regret once for all tests."""
    for name, function in COMPUTED.items():
        monkeypatch.setattr(two_expert_batches, name, function)


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that replaces a name in the module of the checks."""
    return lambda name, value: monkeypatch.setattr(two_expert_batches, name, value)


def test_the_computed_law_is_the_played_one() -> None:
    assert decide(two_expert_batches.exact_law(LAW, 5_000, SEED)) == "holds"


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(lambda leads, eta, *rest: size_laws(0 * leads, eta, *rest), id="the drift is forgotten"),
        pytest.param(lambda leads, eta, *rest: size_laws(leads, 1.5 * eta, *rest), id="1.5 times the noise"),
        pytest.param(lambda leads, eta, t, rule: size_laws(leads, eta, [15], rule), id="another round"),
    ],
)
def test_another_law_is_caught(mutant: Any, put: Any) -> None:
    put("size_laws", mutant)
    assert decide(two_expert_batches.exact_law(LAW, 1_500, SEED)) == "fails"


def test_batching_adds_little() -> None:
    assert decide(two_expert_batches.added_regret(ADDED, 2, SEED)) == "holds"


def test_a_bound_on_the_added_regret_a_hundred_times_smaller_fails_for_the_exact_rule_alone() -> None:
    points = two_expert_batches.added_regret(ADDED, 2, SEED, factor=0.01)
    assert {point.where["rule"]: decide([point]) for point in points} == {"Theorem 1": "holds", "exact": "fails"}


def test_batches_that_do_not_allow_for_drift_are_caught(put: Any) -> None:
    put("RULES", {"exact": lambda *arguments: exact_rule(*arguments, rho=0.0)})
    assert decide(two_expert_batches.added_regret(ADDED | {"rule": ["exact"]}, 2, SEED)) == "fails"


def test_what_batching_may_change_has_a_closed_form_in_three_rounds() -> None:
    """Only in rounds 2 and 3 can they differ; with a gap of 2 or 3 for their batches, and with the leads before."""
    rule = [np.array([0.0, 2.0, 3.0]), np.array([0.0, 2.5]), np.array([0.0])]
    found = two_expert_batches.most_added(np.array([1.0, -1.0, 1.0]), 0.5, rule)
    with precision():
        second = normal_cdf((1 - ball(2)) / sqrt(ball(2) / 4))
        third = [normal_cdf((0 - ball(3)) / 1), normal_cdf((1 - ball("2.5")) / sqrt(ball(2) / 4))]
        assert second + third[1] <= found <= (second + third[1]) * (1 + 1e-12)
        assert third[0] < third[1]


def test_other_leads_than_those_that_are_counted_exactly_are_refused() -> None:
    with pytest.raises(ValueError, match="may be rounded"):
        two_expert_batches.most_added(np.array([1.0, 0.1]), 0.5, [np.array([0.0, 2.0]), np.array([0.0])])


@pytest.mark.parametrize("wrong", [lambda lead: 1.01 * lead, lambda lead: 0.99 * lead, lambda lead: lead - 0.1])
def test_a_regret_of_the_library_that_is_off_by_more_than_batching_can_do_is_caught(wrong: Any, put: Any) -> None:
    right = two_expert_batches.expected_lead
    put("expected_lead", lambda *arguments: wrong(right(*arguments)))
    assert decide(two_expert_batches.added_regret(ADDED, 2, SEED)) == "fails"


def test_what_is_proved_of_the_added_regret_can_leave_the_claim_undecided(put: Any) -> None:
    most = two_expert_batches.most_added
    put("most_added", lambda *arguments: 1.2 * most(*arguments))
    points = two_expert_batches.added_regret(ADDED, 2, SEED)
    assert {point.where["rule"]: decide([point]) for point in points if point.where["what"] == "proved"} == {
        "Theorem 1": "holds",
        "exact": "undecided",
    }


def test_each_rule_hides_a_datum_better_than_the_one_before() -> None:
    assert decide(two_expert_batches.amplification_by_rule(RULES | {"n": [2]}, 2, SEED)) == "holds"


def test_rules_in_the_wrong_order_are_caught(put: Any) -> None:
    put("RULES", {"exact": exact_rule, "Levy": levy_rule})
    assert decide(two_expert_batches.amplification_by_rule(RULES | {"n": [2]}, 2, SEED)) == "fails"
    assert decide(two_expert_batches.amplification_by_rule(RULES | {"n": [5]}, 1000, SEED)) == "fails"


def test_a_stream_that_crosses_does_so_in_its_round() -> None:
    leads = two_expert_batches.leads_of("cross 4 20", 30)
    total = np.cumsum(leads)
    assert total.max() == total[15] == 4
    assert total[19] == 0
    assert total[20] == -1
