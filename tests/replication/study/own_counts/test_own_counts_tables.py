"""The tables of own counts: the right differences, of the right contenders."""

import math
import re

import pandas as pd
import pytest

from private_experts.replication.study.estimates import critical_value
from private_experts.replication.study.own_counts import own_counts_elsewhere as elsewhere
from private_experts.replication.study.own_counts import own_counts_tables as room
from private_experts.replication.study.own_counts.own_games import (
    CENTRAL,
    COVERED,
    LOCAL,
    MECHANISMS,
    covered,
    name_of,
)
from tests.replication.study.estimates import totals_of

# rw-ftpl 10, ..., posterior means 13
GAINS = {name: 10.0 + place for place, name in enumerate((*LOCAL, *CENTRAL))}


@pytest.fixture
def totals() -> pd.DataFrame:
    named = {name_of(mechanism, name): (mechanism, name) for mechanism in MECHANISMS for name in GAINS}
    named |= {covered(name): tuple(name.split("/")) for name in COVERED}

    def total(state: str, mu: float, algorithm: str, r: int) -> float:
        mechanism, name = named[algorithm]
        return GAINS[name] + 5.0 * (mechanism == "own" and name in LOCAL) + r % 2

    return totals_of(("PA", "NM"), (math.inf, 0.5), named, 8, total)


def test_estimates_are_of_the_right_contenders(totals: pd.DataFrame) -> None:
    row = room.own_counts_numbers(totals, {"PA": 20.0, "NM": 20.0}, 0.95).iloc[0]
    expected = {
        "same_rw_ftpl": 10.5,
        "own_rw_ftpl": 15.5,
        "same_rw_meta": 11.5,
        "own_posterior_means": 18.5,
        "same_central": 21.5,
        "own_central": 21.5,
        "same_price_leader": 7.0,
        "own_price_leader": 2.0,
        "same_price_learners": 6.0,
        "own_price_learners": 1.0,
        "same_price_posterior": 8.0,
        "own_price_posterior": 3.0,
        "same_lead": -8.0,
        "own_lead": -3.0,
        "gain_rw_meta": 5.0,
        "gain": 7.0,
        "lead_over_same": -3.0,
        "covered_same_rw_meta": 11.5,
        "covered_own_posterior_means": 18.5,
        "covered_gain": 7.0,
    }
    assert {name: row[name] for name in expected} == pytest.approx(expected)
    assert row["own_central_name"] == row["same_central_name"] == "central-means-half"
    single, rivals, sums = 4 + 1 + 3, len(CENTRAL), 4
    z = critical_value(0.95, 4 * (2 * (single + 2 * rivals + sums) + 4 + 1 + rivals + 4 + 1))
    assert row["own_rw_ftpl_pm"] == pytest.approx(z * totals["total"].iloc[:8].std() / math.sqrt(8))


def test_people_see_both_mechanisms_and_how_many_times_as_much_is_gained(totals: pd.DataFrame) -> None:
    table = room.own_counts_numbers(totals, {"PA": 20.0, "NM": 20.0}, 0.95)
    shown, locality = room.own_counts_table(table), room.locality_table(table)
    assert (len(shown), len(locality)) == (4, 8)
    assert shown["best curator, own"].iloc[0].endswith("(posterior means, noise taken back)")
    assert list(locality["noise"].iloc[:2]) == ["paper's noise", "own counts"]
    assert room.suppression_table(table).loc[0, "RW-Meta, same, public file"].startswith("11.50")
    # Of all levels with privacy, not of the strongest alone.
    weaker = table.assign(mu=table["mu"].replace(0.5, 2.0), own_rw_meta=3 * table["same_rw_meta"])
    both = room.own_counts_figure(pd.concat([table, weaker[weaker["mu"] == 2.0]], ignore_index=True))
    assert re.match("With privacy RW-Meta gains 1.4 to 3.0 times", both.get_suptitle())
    none = room.own_counts_figure(table[table["mu"] == math.inf])
    assert none.get_suptitle() == "Without a private level there is nothing to compare"


def test_other_states_are_counted_by_what_the_intervals_say() -> None:
    means = dict.fromkeys(elsewhere.PLAYED, 10.0) | {elsewhere.OWN: 12.0, elsewhere.KNOWING: 9.0}

    def total(state: str, mu: float, name: str, r: int) -> float:
        spread = {"VT": 0.1, "NH": 40.0}[state] * (name not in (elsewhere.SAME, *elsewhere.RIVALS))
        return means[name] + spread * (r % 2 - 0.5)

    played = totals_of(("VT", "NH"), (0.5,), means, 10, total)
    table = elsewhere.lead_numbers(played, {"VT": 20.0, "NH": 20.0}, 0.95)
    [row] = elsewhere.tally(table).to_dict("records")
    assert row["states"] == 2
    assert row["RW-Meta, own > RW-Meta, same"] == "1 (less in 0, open in 1)"
    for other in ("RW-Meta, same", "posterior means, same", "best curator, same"):
        assert row[f"posterior means, own > {other}"] == "0 (less in 1, open in 1)"
    assert row["RW-Meta, same / best hospital"] == "0.50"
    z = critical_value(0.95, 2 * (6 + len(elsewhere.RIVALS)))
    first = table[table["state"] == "VT"].iloc[0]
    spread = 0.1 * math.sqrt(10 / 9) / 2
    assert first["RW-Meta, own > RW-Meta, same pm"] == pytest.approx(z * spread / math.sqrt(10))


def test_the_sentence_on_other_states_has_the_fewest_and_the_most_of_all_levels() -> None:
    # By state: the lead of RW-Meta, and of posterior means, at each level; widths are 1.
    leads = {
        "inf": [(9, 9), (9, 9), (9, 9)],
        "1.0": [(2, 2), (2, -2), (2, -2)],
        "0.5": [(-2, 2), (0.5, -0.5), (2, -2)],
    }
    titles = ("RW-Meta, own > RW-Meta, same", "posterior means, own > posterior means, same")
    rows = [
        {"mu": mu}
        | {
            f"{title}{end}": str(value)
            for title, lead in zip(titles, state, strict=True)
            for end, value in (("", lead), (" pm", 1.0))
        }
        for mu, states in leads.items()
        for state in states
    ]
    assert elsewhere.sentence(rows) == (
        "of 3 other states that were tried, it gains more on own counts in 1 to 3 at each level with "
        "privacy, and less in 0 to 1"
    )
    assert elsewhere.sentence(rows[:3]) == elsewhere.sentence([]) == ""
    made = elsewhere.lead_numbers(pd.DataFrame(columns=["state", "mu"]), {}, 0.95)
    assert elsewhere.sentence(made.to_dict("records")) == ""
    assert list(elsewhere.tally(made).columns) == ["μ", "states"]
    assert {*titles} <= {*elsewhere.LEADS}
