"""What locality costs and what learners bring: the right differences, of the right contenders."""

import math

import pandas as pd
import pytest

from private_experts.replication.study import locality, players
from private_experts.replication.study.estimates import critical_value

LEVELS = {"rw-ftpl": 10.0, "local-learners": 14.0, "central-learners": 17.0, "rw-meta": 13.0, "min-noise": 8.0}
LEVELS |= {"tree-tight": 9.0, "tree-honaker": 9.5, "square-root": 11.0, "optimised-sums": 10.5}


@pytest.fixture
def totals() -> pd.DataFrame:
    rows = [
        {"state": state, "algorithm": name, "mu": mu, "repetition": r, "total": value + r % 2}
        for state in ("PA", "NM")
        for mu in (math.inf, 0.5)
        for name, value in LEVELS.items()
        for r in range(8)
    ]
    return pd.DataFrame(rows)


def test_prices_are_central_less_local_and_what_learners_bring_is_learners_less_leader(totals: pd.DataFrame) -> None:
    row = locality.numbers(totals, {"PA": 20.0, "NM": 20.0}, 0.95).iloc[0]
    expected = {
        "leader_local": 10.5, "leader_central": 11.5, "learners_local": 14.5, "learners_central": 17.5, "rw_meta": 13.5,
        "price_leader": 1.0, "price_learners": 3.0, "price_rw_meta": 4.0, "brought_local": 4.0, "brought_central": 6.0,
    }  # fmt: skip
    assert set(expected) == set(locality.ESTIMATES)
    assert {name: row[name] for name in expected} == pytest.approx(expected)
    assert row["leader_central_name"] == "square-root"
    # Seven single intervals and three over five leaders, in each of four cells.
    z = critical_value(0.95, 4 * (7 + 3 * 5))
    assert row["leader_local_pm"] == pytest.approx(z * totals["total"].iloc[:8].std() / math.sqrt(8))


def test_every_contender_is_a_player_and_every_central_leader_of_sums_is_compared() -> None:
    known = players.contenders()
    assert {locality.LEADER, locality.LEARNERS, locality.RIVAL, locality.META, *locality.SUMS} <= known.keys()
    assert known[locality.RIVAL].model == "central"
    assert known[locality.LEARNERS].model == known[locality.LEADER].model == "local"
    assert {*players.module("prefix-sums").SHOWN} <= {*locality.SUMS}


def test_people_read_a_row_a_cell_and_see_a_panel_a_state_with_four_lines(totals: pd.DataFrame) -> None:
    table = locality.numbers(totals, {"PA": 20.0, "NM": 20.0}, 0.95)
    shown = locality.shown(table)
    assert len(shown) == 4
    assert shown["leader, central"].iloc[0].endswith("(square-root sums)")
    figure = locality.draw(table)
    assert [axis.get_title() for axis in figure.axes] == ["PA", "NM"]
    assert [len(axis.containers) for axis in figure.axes] == [4, 4]
