"""The pinned file, and what the study finds in it."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from private_experts.replication.ledger.yaml_text import load_yaml
from private_experts.replication.study.data.cleaning import clean_all
from private_experts.replication.study.data.hospital_reports import columns_used, read, within
from private_experts.replication.study.data.panel import text as panel_text
from private_experts.replication.study.data.remarks import remarks
from private_experts.replication.study.data.source import PINNED
from tests.replication.study.data.weekly import rules_of

ROOT = Path(__file__).parents[4]
# of its states, one after another
PANELS = "9279ee15a0c2b3437ec2a7cef5029247f22efb16d7fa66ad5e00b21e44fed642"
REMARKS = "4e12d2af4bb1c09135c3bcb4b1d0cb32ccc4916f2aac408011cc1ec59b356ceb"
CONFIG = load_yaml((ROOT / "config" / "study.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def rules():
    return rules_of(CONFIG["hospital"])


@pytest.fixture(scope="module")
def table(rules):
    return read(ROOT / PINNED, (*rules.patients, *rules.beds, *rules.participation))


@pytest.fixture(scope="module")
def everywhere(table, rules):
    return clean_all(table, sorted(table["state"].unique()), rules)


@pytest.fixture(scope="module")
def cleaned(everywhere):
    panels, qualities = everywhere
    states = CONFIG["hospital"]["states"]
    counts = {quality.state: quality for quality in qualities}
    return {state: panels[state] for state in states}, [counts[state] for state in states]


def test_the_known_file_gives_the_known_panels(cleaned):
    panels, qualities = cleaned
    shapes = {state: panel.density.shape for state, panel in panels.items()}
    assert shapes == {"NM": (94, 28), "PA": (94, 144), "CA": (94, 293)}
    for panel in panels.values():
        assert (panel.weeks[0], panel.weeks[-1]) == ("2020-08-07", "2022-10-21")
    beds = [(quality.smallest_beds_least, quality.smallest_beds_most) for quality in qualities]
    assert beds == [(5.4, 15.3), (4.1, 13.0), (5.3, 24.6)]
    # 116 Fridays, first to last
    assert [quality.weeks_missing_between for quality in qualities] == [116 - 94] * 3
    assert [quality.hospitals_reporting for quality in qualities] == [40, 183, 355]


def test_the_known_file_has_the_known_faults_of_beds(table, rules, cleaned):
    faults = [
        (quality.beds_briefly_high, quality.beds_briefly_low, quality.bed_faults_week)
        for quality in cleaned[1]
    ]
    assert faults == [(66, 98, "2020-11-13"), (268, 284, "2021-01-01"), (482, 473, "2020-10-23")]
    assert [quality.bed_faults_most for quality in cleaned[1]] == [5, 19, 133]
    _, repaired = clean_all(table, CONFIG["hospital"]["states"], replace(rules, mend_beds=True))
    beds = [(quality.smallest_beds_least, quality.smallest_beds_most) for quality in repaired]
    assert beds == [(6.1, 15.3), (4.6, 12.4), (7.6, 24.6)]
    assert [quality.hospitals for quality in repaired] == [28, 144, 293]


def test_every_panel_of_the_known_file_has_its_bytes_and_nothing_is_doubted(everywhere):
    panels, qualities = everywhere
    assert [quality.state for quality in qualities if quality.doubts] == []
    content = "".join(panel_text(panel) for panel in panels.values())
    assert (len(panels), hashlib.sha256(content.encode()).hexdigest()) == (45, PANELS)


def test_what_is_told_of_six_states_of_the_known_file_stays_what_it_is(table, rules):
    """Those of all states are counted by `make evidence`, as docs/data.md#doubts has them."""
    chosen, inside = columns_used(table, rules.columns), within(table, rules.first_week, rules.last_week)
    some = inside[inside["state"].isin(["IL", "MD", "NM", "NV", "PR", "TN"])]
    found, new_ids = remarks(some, chosen["patients"], chosen["beds"], rules.carried_weeks)
    assert new_ids == {"IL": 1, "MD": 1, "NV": 2, "PR": 1, "TN": 1}
    assert [*map(len, found.values())] == [3, 5, 1, 8, 4, 33, 2, 1, 4, 6, 2]
    assert hashlib.sha256(json.dumps([*found.values()]).encode()).hexdigest() == REMARKS
