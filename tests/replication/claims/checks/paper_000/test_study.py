"""Each check of Table 2 gives all three verdicts on small tables made by hand."""

import math
from typing import Any

import pandas as pd
import pytest

from private_experts.replication.claims.checks.paper_000 import study
from private_experts.replication.claims.evidence import NotRunError, decide
from private_experts.replication.hospital.published import TABLE_2
from tests.each import each

ESTIMATES = {
    "lead": 3.0,
    "ratio_to_min_noise": 2.0,
    "ratio_to_best_linear": 0.9,
    "static_regret": -2.0,
    "rw_meta": 9.0,
    "min_noise": 5.0,
    "min_regret": 3.0,
    "rw_ftpl": 2.0,
    "best_linear": 10.0,
}


def table(*changes: dict[str, Any]) -> pd.DataFrame:
    """Return Table 2 with a row for each mapping of changes."""
    row = ESTIMATES | {f"{name}_pm": 0.01 for name in ESTIMATES}
    row |= {"state": "NM", "weeks": 72, "mu": 0.5, "best_linear_name": "w8-weak"}
    return pd.DataFrame([row | {"mu": mu} | more for mu, more in zip((math.inf, 0.5), changes, strict=True)])


def ask(check: Any, *changes: dict[str, Any], grid: Any = None) -> str:
    return decide(check(grid or {}, 2, 1, table=table(*changes)))


# Changes to one cell that make a statement right, wrong and undecided; the other cell is right.
CELLS: dict[str, tuple[Any, list[dict[str, Any]], list[dict[str, Any]]]] = {
    "best": (study.table_2_best, [{"lead": -0.02}], [{"lead": 0.005}, {"lead": -0.005}, {"lead": math.nan}]),
    "ratio": (
        study.table_2_ratio,
        [{"ratio_to_min_noise": 1.43}, {"ratio_to_min_noise": 3.07}],
        [{"ratio_to_min_noise": 1.445}, {"ratio_to_min_noise": 3.045}],
    ),
    "runner-up": (
        study.table_2_runner_up,
        [{"rw_ftpl": 5.03}, {"min_regret": 5.03}],
        [{"rw_ftpl": 4.985}, {"min_regret": 5.015}],
    ),
}


@each("name", CELLS)
def test_it_holds_where_every_cell_is_clearly_right(name: str) -> None:
    assert ask(CELLS[name][0], {}, {}) == "holds"


@each(("name", "change"), [(name, change) for name in CELLS for change in CELLS[name][1]])
def test_it_fails_where_one_cell_is_clearly_wrong(name: str, change: dict[str, Any]) -> None:
    assert ask(CELLS[name][0], {}, change) == "fails"
    assert ask(CELLS[name][0], change, {}) == "fails"


@each(("name", "change"), [(name, change) for name in CELLS for change in CELLS[name][2]])
def test_it_is_undecided_where_one_interval_straddles(name: str, change: dict[str, Any]) -> None:
    assert ask(CELLS[name][0], {}, change) == "undecided"


def test_the_lead_is_asked_for_and_no_other_estimate() -> None:
    assert ask(study.table_2_best, {"rw_meta": -9.0}, {"static_regret": 9.0}) == "holds"


@each(
    ("ratios", "half_width", "verdict"),
    [
        ((0.80, 1.00), 0.01, "holds"),  # the mean counts, not each cell
        ((0.80, 0.86), 0.01, "fails"),
        ((0.97, 1.01), 0.01, "fails"),
        ((0.84, 0.87), 0.01, "undecided"),
        ((0.80, 1.00), 0.08, "undecided"),  # 0.08 / sqrt(2) is more than 0.05
        ((0.80, 1.00), 0.06, "holds"),  # 0.06 / sqrt(2) is less
    ],
)
def test_the_mean_ratio_to_the_best_linear_model(ratios: tuple[float, float], half_width: float, verdict: str) -> None:
    rows = [{"ratio_to_best_linear": ratio, "ratio_to_best_linear_pm": half_width} for ratio in ratios]
    assert ask(study.table_2_best_linear, *rows) == verdict


@each(("regret", "verdict"), [(-1.0, "holds"), (1.0, "fails"), (0.005, "undecided"), (-0.005, "undecided")])
def test_the_static_regret_at_levels_that_the_statement_names(regret: float, verdict: str) -> None:
    assert ask(study.table_2_negative_regret, {}, {"static_regret": regret}) == verdict
    assert ask(study.table_2_negative_regret, {}, {"static_regret": regret, "mu": 0.25}) == "holds"
    assert ask(study.table_2_negative_regret, {"static_regret": regret}, {}) == verdict


def test_learners_vary_from_two_on() -> None:
    assert ask(study.table_2_learner_varies, {}, {}) == "fails"
    assert ask(study.table_2_learner_varies, {}, {"best_linear_name": "w64-weak"}) == "holds"


# Against the published figures

PUBLISHED = {f"published_{name}": ESTIMATES[name] for name in ("rw_meta", "min_noise", "min_regret", "best_linear")}


def test_published_values_are_asked_for_only_when_the_table_has_them() -> None:
    with pytest.raises(NotRunError, match="the data has 72 of the paper's 148 weeks"):
        study.table_2_values({}, 2, 1, table=table({}, {}))


def test_published_values_that_are_met_hold() -> None:
    assert ask(study.table_2_values, PUBLISHED, PUBLISHED) == "holds"
    near = PUBLISHED | {"published_min_noise": 5.0149}  # 0.01 here and 0.005 there
    assert ask(study.table_2_values, PUBLISHED, near) == "holds"


@each("name", PUBLISHED)
@each("change", [-0.05, 0.05])
def test_a_changed_published_value_fails(name: str, change: float) -> None:
    assert ask(study.table_2_values, PUBLISHED, PUBLISHED | {name: PUBLISHED[name] + change}) == "fails"


def test_published_values_of_another_state_decide_nothing() -> None:
    assert ask(study.table_2_values, PUBLISHED, dict.fromkeys(PUBLISHED, math.nan)) == "undecided"


# The paper's own table


def test_the_printed_ratio_fails_in_one_cell_and_no_rounding_can_save_it() -> None:
    points = study.table_2_printed_ratio({}, 2, 1)
    failing = [dict(point.where) for point in points if decide([point]) == "fails"]
    assert failing == [{"state": "NM", "mu": 0.25}]
    assert decide([point for point in points if dict(point.where) not in failing]) == "holds"


def changed(monkeypatch: pytest.MonkeyPatch, meta: float, noise: float) -> list[Any]:
    monkeypatch.setattr(study, "TABLE_2", TABLE_2 | {("NM", 0.25): (meta, noise, 0.0, 0.0)})
    return study.table_2_printed_ratio({}, 2, 1)


def test_the_printed_ratio_would_hold_had_one_value_been_printed_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    assert decide(changed(monkeypatch, 23.37, 15.58)) == "holds"


def test_the_printed_ratio_fails_above_3_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    assert decide(changed(monkeypatch, 48.0, 15.58)) == "fails"


def test_the_printed_ratio_is_undecided_where_rounding_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    assert decide(changed(monkeypatch, 1.45, 1.0)) == "undecided"
