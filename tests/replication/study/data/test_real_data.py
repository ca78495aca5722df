import hashlib
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from private_experts.replication.files import sha256
from private_experts.replication.study.data.cleaning import Cleaning, clean_all
from private_experts.replication.study.data.fetch import from_file
from private_experts.replication.study.data.hospital_reports import read
from private_experts.replication.study.data.panel import text as panel_text
from private_experts.replication.study.data.source import FILE_VARIABLE
from private_experts.replication.study.hospital_game import game
from private_experts.replication.study.players import rw_meta, yardsticks
from private_experts.replication.yaml_text import load_yaml

pytestmark = pytest.mark.real_data

KNOWN = "16f3d525a5225ecfc72e72f9915f91f0059c1dfa612838d18798fd48976b9c05"
PANELS = "9279ee15a0c2b3437ec2a7cef5029247f22efb16d7fa66ad5e00b21e44fed642"  # of its states, one after another
RAW = [f"raw_127_columns_2022-{day}.csv.gz" for day in ("09-23", "09-30", "10-07", "10-14", "10-21")]
CONFIG = load_yaml((Path(__file__).parents[4] / "config" / "study.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def path():
    name = os.environ.get(FILE_VARIABLE)
    if not name:
        pytest.skip(f"{FILE_VARIABLE} names no file of hospital reports")
    if not Path(name).exists():
        pytest.skip(f"{FILE_VARIABLE} names a file that is not there")
    return Path(name)


@pytest.fixture(scope="module")
def known(path):
    if sha256(path) != KNOWN:
        pytest.skip("another file than the one whose counts are known")
    return path


@pytest.fixture(scope="module")
def rules():
    hospital = CONFIG["hospital"]
    names = ("suppressed_value", "participation_minimum", "smallest_beds", "first_week", "last_week", "mend_beds")
    columns = {purpose: tuple(names) for purpose, names in hospital["columns"].items()}
    return Cleaning(**columns, **{name: hospital[name] for name in names})


@pytest.fixture(scope="module")
def table(path, rules):
    return read(path, (*rules.patients, *rules.beds, *rules.participation))


@pytest.fixture(scope="module")
def cleaned(table, rules):
    return clean_all(table, CONFIG["hospital"]["states"], rules)


def test_the_states_of_the_study_have_playable_panels(cleaned):
    panels, qualities = cleaned
    assert list(panels) == ["NM", "PA", "CA"]
    for panel, quality in zip(panels.values(), qualities, strict=True):
        assert panel.density.shape == (quality.weeks, quality.hospitals)
        assert quality.hospitals >= 2
        assert ((panel.density >= 0) & (panel.density <= 1)).all()
        assert (panel.smallest_beds > 0).all()
        assert list(panel.weeks) == sorted(set(panel.weeks))  # no week twice


def test_every_state_of_the_file_can_be_cleaned(table, rules):
    states = sorted(table["state"].unique())
    panels, qualities = clean_all(table, states, rules)
    assert list(panels) == states
    inside = table["collection_week"].between(rules.first_week, rules.last_week)
    assert sum(quality.rows for quality in qualities) == inside.sum()


def test_the_known_file_gives_the_known_panels(known, cleaned):
    panels, qualities = cleaned
    shapes = {state: panel.density.shape for state, panel in panels.items()}
    assert shapes == {"NM": (94, 28), "PA": (94, 144), "CA": (94, 293)}
    for panel in panels.values():
        assert (panel.weeks[0], panel.weeks[-1]) == ("2020-08-07", "2022-10-21")
    beds = [(quality.smallest_beds_least, quality.smallest_beds_most) for quality in qualities]
    assert beds == [(5.4, 15.3), (4.1, 13.0), (5.3, 24.6)]
    assert [quality.weeks_missing_between for quality in qualities] == [116 - 94] * 3  # 116 Fridays, first to last
    assert [quality.hospitals_reporting for quality in qualities] == [40, 183, 355]


def test_the_known_file_has_fewer_weeks_of_other_states(known, table, rules):
    panels, qualities = clean_all(table, ["VT", "AS", "MP", "TX"], rules, required=())
    assert [len(panel.weeks) for panel in panels.values()] == [72, 51, 67, 0]
    assert [quality.weeks_missing_between for quality in qualities] == [95 - 72, 61 - 51, 83 - 67, 0]


def test_the_known_file_has_the_known_faults_of_beds(known, table, rules, cleaned):
    faults = [(each.beds_briefly_high, each.beds_briefly_low, each.bed_faults_week) for each in cleaned[1]]
    assert faults == [(66, 98, "2020-11-13"), (268, 284, "2021-01-01"), (482, 473, "2020-10-23")]
    assert [quality.bed_faults_most for quality in cleaned[1]] == [5, 19, 133]
    _, mended = clean_all(table, CONFIG["hospital"]["states"], replace(rules, mend_beds=True))
    beds = [(quality.smallest_beds_least, quality.smallest_beds_most) for quality in mended]
    assert beds == [(6.1, 15.3), (4.6, 12.4), (7.6, 24.6)]
    assert [quality.hospitals for quality in mended] == [28, 144, 293]


def test_reports_of_the_file_are_labelled_with_its_checksum(path):
    _, provenance = from_file(path, ())
    assert provenance == {"kind": "file", "name": path.name, "sha256": sha256(path)}


def test_every_panel_of_the_known_file_has_its_bytes(known, table, rules):
    panels, _ = clean_all(table, sorted(table["state"].unique()), rules)
    content = "".join(panel_text(panel) for panel in panels.values())
    assert (len(panels), hashlib.sha256(content.encode()).hexdigest()) == (45, PANELS)


def test_rw_meta_beats_uniform_choice_in_new_mexico(cleaned):
    panels, _ = cleaned
    match = game(panels["NM"], "NM", (1.0,), 5, CONFIG["seed"], CONFIG["hospital"]["adjacency"])
    played = [*rw_meta.play(match, CONFIG["learners"]), *yardsticks.play(match)]
    totals = {play.algorithm: play.earned.sum(axis=0) for play in played}
    assert totals["rw-meta"].shape == (5,)
    assert totals["rw-meta"].min() > totals["uniform"].max()


@pytest.mark.parametrize("name", RAW)
def test_an_official_weekly_export_is_read_and_cleaned(path, rules, name):
    raw = path.with_name(name)
    if not raw.exists():
        pytest.skip(f"{name} does not lie next to the file of {FILE_VARIABLE}")
    table = read(raw, (*rules.patients, *rules.beds, *rules.participation))
    week = name.removeprefix("raw_127_columns_").removesuffix(".csv.gz")
    assert set(table["collection_week"]) == {week}
    assert table["hospital_pk"].str.len().min() >= 6  # leading zeros are kept
    # One week cannot sum to the study's participation, so that rule is laid aside.
    lax = replace(rules, participation_minimum=0)
    panels, [quality] = clean_all(table, ["NM"], lax)
    assert quality.rows == quality.hospitals_reporting == 40
    assert quality.columns["participation"] == rules.participation[0]  # the official export has the paper's column
    assert panels["NM"].weeks == (week,)
    assert len(panels["NM"].hospitals) >= 30
    assert np.all(panels["NM"].smallest_beds > 0)
