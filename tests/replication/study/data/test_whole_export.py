"""The publisher's whole export, with all of its columns, as a file and from the service."""

from pathlib import Path

import pytest

from private_experts.replication.ledger.yaml_text import load_yaml
from private_experts.replication.study.data.cleaning import clean_all
from private_experts.replication.study.data.fetch import describe, from_service
from private_experts.replication.study.data.hospital_reports import SUPPRESSED, read
from private_experts.replication.study.data.query import Query
from private_experts.replication.study.published import covered
from tests.replication.study.data import socrata_server
from tests.replication.study.data.weekly import rules_of
from tests.replication.study.data.whole_export import (
    BOTH,
    COLUMNS,
    CONFIRMED,
    INVENTED,
    REAL,
    ROOT,
    SUSPECTED,
    WEEKS,
    as_served,
    whole_export,
    write_export,
)

HOSPITAL = load_yaml((ROOT / "config/study.yaml").read_text(encoding="utf-8"))["hospital"]
ASKED = list(dict.fromkeys(name for names in HOSPITAL["columns"].values() for name in names))
STATES = ["NM", "PA", "CA"]


@pytest.fixture(scope="module")
def rows():
    return whole_export(STATES, 6)


@pytest.fixture(scope="module")
def file(rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("export") / "export.csv"
    write_export(path, rows)
    return path


def test_it_has_the_publishers_columns_and_says_which_weeks_are_invented(rows):
    assert len(COLUMNS) == len({*COLUMNS}) == 127
    named, week = COLUMNS.index("hospital_name"), COLUMNS.index("collection_week")
    by_week = {row[week]: row[named] for row in rows}
    assert list(by_week) == [*WEEKS]
    assert ([*by_week.values()].count(REAL), [*by_week.values()].count(INVENTED)) == (94, 54)


def test_suppressed_figures_stay_marks(file):
    confirmed, both = (read(file, ASKED)[name] for name in (CONFIRMED, BOTH))
    assert (confirmed == SUPPRESSED).sum() > 100
    assert ((confirmed == SUPPRESSED) == (both < 0)).all()
    assert (both[both < 0] == SUPPRESSED).all()


def test_the_service_and_the_file_give_the_same_reports(rows, file, tmp_path: Path):
    weeks = {name: HOSPITAL[name] for name in ("first_week", "last_week")}
    with socrata_server.running() as server:
        server.columns, server.rows = COLUMNS, as_served(rows)
        query = Query(server.url, "anag-cw7u", [], **weeks, columns=ASKED)
        table, origin = from_service(query, tmp_path)
        assert [request.get("$limit") for request in server.requests] == ["1", None, str(len(rows))]
    assert describe(table, origin)["weeks"] == dict.fromkeys(STATES, 148)
    order = ["hospital_pk", "collection_week"]
    whole = read(file, ASKED).sort_values(order, ignore_index=True)
    assert table.sort_values(order, ignore_index=True).equals(whole)


def test_the_papers_own_columns_are_taken_and_hospitals_with_few_suspected_cases_left_out(file):
    panels, records = clean_all(read(file, ASKED), STATES, rules_of(HOSPITAL))
    for record in records:
        assert (record.columns["patients"], record.columns["participation"]) == (BOTH, SUSPECTED)
        assert (record.hospitals_reporting, record.hospitals, record.left_out_participation) == (6, 5, 1)
    assert all(covered(panel.weeks) and len(panel.weeks) == 148 for panel in panels.values())
    assert CONFIRMED in COLUMNS
