"""Rules that spend the tolerance keep to proxy law and regret bound; slightly wrong ones do not."""

from typing import Any

import numpy as np

from private_experts.algorithms.rw_adabatch import RWAdaBatch
from private_experts.games.streams import STREAMS
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import audit, fixed_stream_regret
from private_experts.replication.papers.p000 import lead_rules as checks
from private_experts.walks.lead_tolerance import LeadTolerance
from tests.each import each
from tests.replication.papers.p000.test_audit import PLAYS, SUMS, against
from tests.replication.papers.remembered import remembered
from tests.replication.papers.small_checks import SEED, verdict

CHECKED = checks
COMPUTED = {"size_laws": remembered(checks.size_laws)}
SIZES: dict[str, Any] = {
    "rule": ["sharper", "exact"],
    "n": [2],
    "eta, t": [[4.5, 60]],
    "after": 20,
    "alpha": 0.01,
    "b": [1, 2, 4],
    "stream": ["drift 0", "turncoat"],
}
REGRET: dict[str, Any] = {
    "rule": ["exact"],
    "stream": ["turncoat"],
    "n": [2],
    "eta": [1.4142],
    "alpha": [1.0],
    "T": 60,
}


def test_batches_keep_to_the_proxy_law_and_levels_fall() -> None:
    points = checks.proxy_by_rule(SIZES, 1, SEED)
    assert decide(points) == "holds"
    assert {point.where["what"] for point in points} == {"size", "root of the mean of 1/B"}
    many = checks.proxy_by_rule(
        SIZES | {"n": [5], "eta, t": [[4.5, 30]], "alpha": 0.3, "b": [1, 2]}, 8000, SEED
    )
    assert decide([point for point in many if point.where["what"] == "size"]) == "holds"
    assert {"zero", "turncoat"} <= {point.where["stream"] for point in many if point.where["what"] == "size"}


def test_gaps_on_a_stream_have_its_drift_and_the_noise() -> None:
    gaps = checks._gaps_on("easy", 3, 1e-9, 12, 4, SEED)
    totals = np.sort(STREAMS["easy"](12, 3).cumsum(axis=0), axis=1)
    assert np.allclose(gaps[1:], (totals[:-1, -1] - totals[:-1, -2])[:, None], atol=1e-6)
    noisy = checks._gaps_on("zero", 2, 2.0, 9, 20_000, SEED)
    # The gap of two walks after s + 1 steps is the size of a normal number of variance 2 eta^2 (s + 1).
    expected = 2.0 * np.sqrt(2 * np.arange(1, 10)) * np.sqrt(2 / np.pi)
    assert np.allclose(noisy.mean(axis=1), expected, rtol=0.03)


class Late(LeadTolerance):
    """Promises sizes as if the gap were that of a walk twice as long."""

    def _stays(self, lead: float, start: int, steps: int, least: float) -> float:
        return super()._stays(lead, 2 * start + 1, steps, least)


@each(
    ("rule", "what", "mutants"),
    [
        ("exact", "size", {"LeadTolerance": Late}),
        # the other rule in the place of the paper's
        (
            "sharper",
            "root of the mean of 1/B",
            {"paper_rule": lambda horizon, *of: LeadTolerance("exact", *of).table(horizon)},
        ),
    ],
)
def test_rules_that_promise_too_much_or_hide_less_are_caught(rule: str, what: str, mutants: Any) -> None:
    assert verdict(checks.proxy_by_rule, SIZES | {"rule": [rule]}, of={"what": what}, **mutants) == "fails"


def test_batching_adds_no_more_than_is_tolerated() -> None:
    points = checks.added_by_rule(REGRET | {"rule": ["sharper", "exact"]}, 400, SEED)
    assert decide(points) == "holds"
    assert all(point.notes["share_differing"] > 0.01 for point in points)


def test_batches_that_never_end_are_caught(put: Any) -> None:
    put(fixed_stream_regret, RWAdaBatch=lambda *given, **named: RWAdaBatch(*given, **named | {"alpha": 1e9}))
    grid = REGRET | {"T": 100, "alpha": [0.05], "stream": ["easy"]}
    assert verdict(checks.added_by_rule, grid, 400) == "fails"


def test_the_audits_play_the_exact_rule() -> None:
    sums, plays = audit.audit_sums(SUMS | {"rule": "exact"}, 20_000, SEED), PLAYS | {"rule": "exact"}
    assert against(sums, "true law") == "holds"
    assert against(sums, "proxy law") != "fails"
    assert decide(audit.audit_plays(plays, 20_000, SEED)) == "holds"


def test_the_audits_notice_which_rule_is_played(put: Any) -> None:
    play_with_batch = audit.play_with_batch
    put(audit, play_with_batch=lambda *given: play_with_batch(*given[:6]))
    points = audit.audit_sums(SUMS | {"rule": "exact", "T": 30, "t": 25}, 20_000, SEED)
    assert not np.isnan([point.value for point in points]).any()
    assert against(points, "proxy law") == "fails"
