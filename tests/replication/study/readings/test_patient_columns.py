"""New York by either column of patients: which figures are played, and how far the scored statistics move."""

import csv
import gzip
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from private_experts.errors import InputError
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


@pytest.mark.parametrize("patients", room.COLUMNS)
def test_densities_are_of_the_column_that_is_named(patients):
    panel = room.clean(REPORTS, patients, **RULES)
    assert len(panel.weeks) == 107
    with gzip.open(REPORTS, "rt", newline="") as stream:
        rows = list(csv.DictReader(stream))
    seen = 0
    for row in rows:
        patient, beds = row[room.COLUMNS[patients]], row[ADULT_BEDS]
        if (
            row["hospital_pk"] in panel.hospitals
            and patient
            and beds
            and min(float(patient), float(beds)) > 0
        ):
            at = (
                panel.weeks.index(row["collection_week"].replace("/", "-")),
                panel.hospitals.index(row["hospital_pk"]),
            )
            assert panel.density[at] == pytest.approx(min(float(patient) / float(beds), 1))
            seen += 1
    assert seen > 5000


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


def test_both_stages_write_table_2_and_moves_and_name_the_file(tmp_path):
    READINGS.to_csv(tmp_path / "readings.csv", index=False)
    files = {name: [] for name in ("panels", "weekly", "totals")}
    for patients in room.COLUMNS:
        folder = tmp_path / patients
        made = {"panels": folder / "panels/NY.csv"}
        made |= {name: folder / f"{name}.csv" for name in ("weekly", "totals")}
        (folder / "panels").mkdir(parents=True)
        readings_stages.columns_played(
            patients,
            REPORTS,
            tmp_path / "readings.csv",
            LEVELS,
            SETTINGS,
            LEARNERS,
            repetitions=4,
            seed=1,
            **RULES,
            panel=made["panels"],
            weekly=made["weekly"],
            totals=made["totals"],
        )
        for name, path in made.items():
            files[name].append(path)
    readings_stages.patient_columns(
        REPORTS,
        tmp_path / "readings.csv",
        files["panels"],
        files["weekly"],
        files["totals"],
        LEVELS,
        SETTINGS,
        LEARNERS,
        0.95,
        output=tmp_path / "columns",
        moves=tmp_path / "moves",
    )
    table = pd.read_csv(tmp_path / "columns.csv")
    assert table["patients"].tolist() == ["confirmed"] * 2 + ["confirmed and suspected"] * 2
    assert (table[["weeks", "hospitals"]] == [107, 150]).all(axis=None)
    best = table.groupby("patients")["best_hospital"].first()
    assert best["confirmed"] < best["confirmed and suspected"]
    text = (tmp_path / "columns.md").read_text()
    assert f"({NEW_YORK.name}, sha256 ec8c73a6)" in text
    assert "RW-Meta / best linear" in text
    moved = pd.read_csv(tmp_path / "moves.csv")
    assert (moved["moved"] > 0.001).all()
