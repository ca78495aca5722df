"""New York by either column of patients: which figures are played, and how far the scored statistics move."""

import csv
import gzip
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from private_experts.errors import InputError
from private_experts.replication.study.data.panel import read
from private_experts.replication.study.data.source import NEW_YORK
from private_experts.replication.study.data.synthetic import ADULT_BEDS
from private_experts.replication.study.readings import patient_columns as room
from private_experts.replication.study.readings import readings_stages
from private_experts.replication.study.readings.reading_games import TREES, learner, meta
from private_experts.replication.study.readings.scores import BEST_LINEAR, MIN_REGRET, RW_META

REPORTS = Path(__file__).parents[4] / NEW_YORK
RULES = {"suppressed_value": 2.0, "participation_minimum": 100.0, "smallest_beds": 0.0, "mend_beds": False}
LEVELS = [math.inf, 0.5]
STRENGTHS = {"narrow": [0.1, 1.0, 10.0]}
WINDOWS = [2, 4]
SETTINGS = {"strengths": STRENGTHS, "floors": [2], "repetitions": 4, "block": 3, "resamples": 20}
LEARNERS = {"family": "trend", "windows": WINDOWS, "strengths": {"weak": 0.1, "medium": 1, "strong": 10}}
READINGS = pd.DataFrame(
    [
        {"what": "trend", "floor": "2t", "family": "trend", "strengths": "narrow"},
        {"what": "tree: padded, largest", "floor": "", "family": None, "strengths": None},
    ]
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with what both stages write."""
    folder = tmp_path_factory.mktemp("columns")
    READINGS.to_csv(folder / "readings.csv", index=False)
    made = {}
    for patients in room.COLUMNS:
        (folder / patients / "panels").mkdir(parents=True)
        names = {"panel": "panels/NY.csv", "weekly": "weekly.csv", "totals": "totals.csv"}
        made[patients] = {name: folder / patients / place for name, place in names.items()}
        given = patients, REPORTS, folder / "readings.csv", LEVELS, SETTINGS, LEARNERS
        readings_stages.columns_played(*given, repetitions=4, seed=1, **RULES, **made[patients])
    files = ([paths[name] for paths in made.values()] for name in ("panel", "weekly", "totals"))
    given = REPORTS, folder / "readings.csv", *files, LEVELS, SETTINGS, LEARNERS, 0.95
    readings_stages.patient_columns(*given, output=folder / "columns", moves=folder / "moves")
    return folder


def test_densities_are_of_the_column_that_is_named(folder):
    with gzip.open(REPORTS, "rt", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for name, column in room.COLUMNS.items():
        panel = read(folder / name / "panels/NY.csv")
        assert len(panel.weeks) == 107
        weeks, hospitals = ({key: n for n, key in enumerate(keys)} for keys in (panel.weeks, panel.hospitals))
        found, expected = [], []
        for row in rows:
            patients, beds = float(row[column] or 0), float(row[ADULT_BEDS] or 0)
            if row["hospital_pk"] in hospitals and min(patients, beds) > 0:
                week = row["collection_week"].replace("/", "-")
                found.append(panel.density[weeks[week], hospitals[row["hospital_pk"]]])
                expected.append(min(patients / beds, 1))
        np.testing.assert_allclose(found, expected, rtol=1e-9)
        assert len(found) > 5000


def test_rules_that_leave_no_hospital_are_refused():
    with pytest.raises(InputError, match=r"^facility_weekly_NY.*0 hospital\(s\) left .* relax the rules"):
        room.clean(REPORTS, "confirmed", **RULES | {"smallest_beds": 9000.0})


def gains(**changes):
    """Return a column's records: every player earns 1 a week, or what is told of it at the level 0.5."""
    names = [learner(window, strength) for window in WINDOWS for strength in STRENGTHS["narrow"]]
    families = {"trend": [*names, meta("narrow", "2t")]}
    families[room.TREE_ROWS] = [f"{name}/{tree}" for name in ("min-noise", "min-regret") for tree in TREES]
    rows = [
        {"family": family, "mu": mu, "algorithm": name, "week": week, "even": gain, "odd": gain}
        for family, members in families.items()
        for name in members
        for mu in LEVELS
        for week in range(5)
        for gain in [changes.get(name, 1.0) if mu == 0.5 else 1.0]
    ]
    return pd.DataFrame(rows)


def moves(paper):
    table = room.moves(
        {"confirmed": gains(), "confirmed-and-suspected": paper}, READINGS, WINDOWS, STRENGTHS, LEVELS
    )
    assert table["what"].tolist() == ["trend", *(f"tree: {tree}" for tree in TREES)]
    return table.set_index("what")


def test_a_move_is_the_root_mean_square_of_the_logarithm():
    table = moves(gains(**{meta("narrow", "2t"): 2.0, "min-regret/padded, largest": 0.5}))
    # RW-Meta's ratio has two levels, of which one moved; the best linear model's has one.
    assert table.loc["trend", RW_META] == pytest.approx(math.log(2) / math.sqrt(2))
    assert table.loc["trend", BEST_LINEAR] == 0
    assert table.loc["trend", "moved"] == pytest.approx(math.log(2) / math.sqrt(3))
    assert table.loc["tree: padded, largest", MIN_REGRET] == pytest.approx(math.log(2) / math.sqrt(2))
    assert table.loc["tree: padded, weekly", "moved"] == 0
    assert np.isnan(table.loc["trend", MIN_REGRET])
    shown = room.moves_table(table.reset_index())
    assert shown.loc[0, ["reading", "moved", MIN_REGRET]].tolist() == ["trend", "0.400", ""]


def test_both_stages_write_table_2_and_moves_and_name_the_file(folder):
    table = pd.read_csv(folder / "columns.csv")
    assert table["patients"].tolist() == ["confirmed"] * 2 + ["confirmed and suspected"] * 2
    assert (table[["weeks", "hospitals"]] == [107, 150]).all(axis=None)
    best = table.groupby("patients")["best_hospital"].first()
    assert best["confirmed"] < best["confirmed and suspected"]
    text = (folder / "columns.md").read_text()
    assert f"({NEW_YORK.name}, sha256 ec8c73a6)" in text
    assert "RW-Meta / best linear" in text
    moved = pd.read_csv(folder / "moves.csv")
    assert (moved["moved"] > 0.001).all()
