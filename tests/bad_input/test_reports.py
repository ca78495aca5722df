"""Reports that cannot be used: one line on standard error, exit code 2, no traceback, no file half written.

What each reader refuses is seen in tests/replication/study/data.
"""

import hashlib
import json

import pytest

from tests.bad_input.desk import GOOD, HEADER, OLD, PLAYERS, WEEKS
from tests.each import each


def test_good_input_is_not_refused(command, desk):
    # Else everything below would pass for the wrong reason.
    path, panel = desk.save(GOOD), desk.panel()
    for words in (desk.reports(path), desk.panels(path), *(desk.game(name, panel) for name in PLAYERS)):
        assert command(*words) == (0, "")
    assert all(content != OLD for content in desk.files().values())


@pytest.fixture(params=["reports", "panels"])
def reading(request, desk):
    """Give the two commands that read reports."""
    return getattr(desk, request.param)


def test_files_that_cannot_be_read(refused, reading, desk):
    page = desk.save("<!DOCTYPE html>\n<html><body>Please log in</body></html>\n", "page.csv")
    assert "absent.csv: no such file" in refused(*reading(desk.folder / "absent.csv"))
    assert "web page" in refused(*reading(page))
    assert "row 2, column patients" in refused(*reading(desk.save(GOOD.replace("60.5", "sixty", 1))))


def test_a_file_that_is_not_the_one_that_the_run_began_with(refused, command, desk):
    path = desk.save(GOOD)
    assert "has changed since the run began" in refused(*desk.reports(path), "--sha256", "0" * 64)
    assert command(*desk.reports(path), "--sha256", hashlib.sha256(path.read_bytes()).hexdigest()) == (0, "")


def test_what_is_read_with_a_remark(command, desk):
    rest = [
        f"{pk},{week},NM,60.5,160\n" for pk in ("020001", "020002") for week in ("2021-01-08", "2010-01-08")
    ]
    header = HEADER.replace("\n", ",hospital_name,city\n")
    named = [f"{line},ST MARY,Taos\n" for line in GOOD.splitlines()[1:4]]
    named.append("010009,2021-01-22,NM,60.5,80,St Mary,TAOS\n")
    others = [line.replace("\n", ",,\n") for line in rest]
    assert command(*desk.reports(desk.save(header + "".join(named + others)))) == (0, "")
    origin = json.loads(desk.files()["provenance.json"])
    assert origin["new_ids"] == {"NM": 1}
    assert origin["remarks"] == {
        "one name under two ids": [
            "NM 010001 from 2021-01-01 to 2021-01-15, NM 010009 from 2021-01-22 to 2021-01-22"
        ],
        "an id begins as another ends, or later": [
            "NM 010001 to 2021-01-15, NM 010009 from 2021-01-22 (80 and 80 beds)"
        ],
        "of weeks outside 2020-08-07 to 2023-06-04 (hospital.first_week, hospital.last_week)": [
            "2 of 8 rows"
        ],
    }
    assert b"ST MARY" not in desk.files()["reports.csv"]


# ---------------------------------------------------------------- what the reports say


def test_a_state_that_is_not_there_or_has_too_few_hospitals_and_figures_that_are_not(refused, desk):
    good, two = desk.save(GOOD), {"states": ("NM", "ZZ"), "required": ("NM", "ZZ")}
    assert "ZZ is not in the data; others are, as NM" in refused(*desk.panels(good, **two))
    error = refused(*desk.panels(good, "--hospital.participation_minimum", "1000"))
    assert "NM has 0 hospital" in error
    assert "2 hardly take part" in error
    error = refused(*desk.panels(good, "--hospital.columns.beds", "not_there", "nor_this"))
    assert "hospital.columns.beds: the data has none of not_there, nor_this" in error
    one = HEADER + "".join(line + "\n" for line in GOOD.splitlines() if line.startswith("010001"))
    assert "NM has 1 hospital" in refused(*desk.panels(desk.save(one)))


@each(("state", "key"), [("NM", "hospital.states"), ("AZ", "generality.states")])
def test_a_doubtful_state_and_the_key_whose_list_may_leave_it_out(refused, desk, state, key):
    doubtful = "".join(f"04000{n},{WEEKS[0]},{state},150.5,0.5\n" for n in range(2))
    error = refused(*desk.panels(desk.save(GOOD + doubtful), states=("NM", "AZ"), required=("NM",)))
    assert error.startswith(f"private-experts: {state}: 2 of ")
    assert error.endswith(f"or leave them empty, or list {key} without {state}\n")


@each("figures", [",", "5,0"])
def test_an_unusable_state_that_nobody_requires_does_not_stop_the_others(command, desk, figures):
    # The study of all states must not end because a territory's only hospital tells nothing.
    reports = desk.save(GOOD + f"640001,{WEEKS[0]},AS,{figures}\n")
    assert command(*desk.panels(reports, states=("NM", "AS", "ZZ"), required=("NM",))) == (0, "")
    files = desk.files()
    assert (
        files["panels/AS.csv"].splitlines()[0]
        == files["panels/ZZ.csv"].splitlines()[0]
        == b"week,smallest_beds"
    )
    assert len(files["quality.csv"].splitlines()) == 4
    for player in PLAYERS:  # and a game without players is over at once
        assert command(*desk.game(player, desk.out / "panels" / "AS.csv")) == (0, "")
        assert len(desk.files()["totals.csv"].splitlines()) == 1


# ---------------------------------------------------------------- where the reports come from


def test_a_source_that_lacks_what_it_needs(refused, desk):
    assert "--file" in refused(*desk.reports(None))
    assert "--file" in refused(*desk.reports(None, source="pinned"))
    assert "--download" in refused(*desk.reports(None, source="healthdata"))
    error = refused(*desk.reports(None, "--download", "{", source="healthdata"))
    assert "reports: --download" in error
    assert "is not the JSON of a download" in error


@each(
    ("more", "word"),
    [
        ([], "0 states"),
        (["--states", "ZZ"], "'ZZ'"),
        (["--states", "NM", "--weeks", "0"], "0 weeks"),
        (["--states", "NM", "--seed", "-1"], "seed -1"),
    ],
)
def test_synthetic_reports_that_cannot_be_made_up(refused, desk, more, word):
    assert word in refused(*desk.reports(None, *more, source="synthetic"))
