"""Reports that cannot be used: one line on standard error, exit code 2, no traceback, and no file half written."""

import errno
import gzip
import os
from pathlib import Path

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


def test_a_missing_file(refused, reading, tmp_path):
    assert "absent.csv: no such file" in refused(*reading(tmp_path / "absent.csv"))


def test_a_directory(refused, reading, tmp_path):
    assert "directory" in refused(*reading(tmp_path))


def test_a_name_that_no_file_can_have(refused, reading, tmp_path):
    refused(*reading(tmp_path / ("x" * 300)))


def test_a_file_that_may_not_be_read(refused, reading, desk, monkeypatch):
    # Simulated, because the superuser may read everything.
    path, opened = desk.save(GOOD), Path.open

    def forbidden(self, *arguments, **more):
        if self == path:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(self))
        return opened(self, *arguments, **more)

    monkeypatch.setattr(Path, "open", forbidden)
    error = refused(*reading(path))
    assert "Permission denied" in error
    assert str(path) in error


@each("end", [1, 6, 40, -4])
def test_a_truncated_gzip_file(refused, reading, desk, end):
    content = gzip.compress((GOOD + "".join(f"{i:06d},2021-01-01,CA,1,2\n" for i in range(500))).encode())
    assert "input.csv.gz" in refused(*reading(desk.save(content[:end], "input.csv.gz")))


@each("pack", [bytes, gzip.compress])
def test_a_web_page_instead_of_csv(refused, reading, desk, pack):
    page = b"<!DOCTYPE html>\n<html><body>Please log in</body></html>\n"
    assert "web page" in refused(*reading(desk.save(pack(page))))


@each("garbage", [b"", b"\x00" * 500, bytes(range(256)) * 20, b"PK\x03\x04" + bytes(500)])
def test_something_else_altogether(refused, reading, desk, garbage):
    refused(*reading(desk.save(garbage)))


@each("pack", [bytes, gzip.compress])
@each("cell", ["60\0.5", "\x0060.5", "60.5,80\n\0"])
def test_a_nul_byte(refused, reading, desk, cell, pack):
    assert "input.csv: has a NUL byte" in refused(*reading(desk.save(pack(GOOD.replace("60.5", cell, 1).encode()))))


@each("column", ["hospital_pk", "collection_week", "state"])
def test_a_file_without_an_identity_column(refused, reading, desk, column):
    assert f"column {column} is missing" in refused(*reading(desk.save(GOOD.replace(column, "other"))))


@each("purpose", ["patients", "beds", "participation"])
def test_a_file_without_the_figures(refused, desk, purpose):
    error = refused(*desk.panels(desk.save(GOOD), f"--hospital.columns.{purpose}", "not_there", "nor_this"))
    assert f"hospital.columns.{purpose}: the data has none of not_there, nor_this" in error


@each("cell", ["sixty", "6O.5", "inf", "NaN", '"1,000"'])
def test_a_cell_that_is_not_a_number(refused, reading, desk, cell):
    error = refused(*reading(desk.save(GOOD.replace("60.5", cell, 1))))
    assert "row 2, column patients" in error


@each("date", ["2021-02-30", "08.01.2021", "", "2021-01-01 or so"])
def test_a_cell_that_is_not_a_date(refused, reading, desk, date):
    assert "row 2, column collection_week" in refused(*reading(desk.save(GOOD.replace(WEEKS[0], date, 1))))


def test_a_file_without_rows(refused, reading, desk):
    assert "no rows" in refused(*reading(desk.save(HEADER)))


# ---------------------------------------------------------------- what the reports say


def test_an_unknown_state(refused, desk):
    error = refused(*desk.panels(desk.save(GOOD), states=("NM", "ZZ"), required=("NM", "ZZ")))
    assert "ZZ is not in the data; it has NM" in error


def test_a_state_with_one_hospital(refused, desk):
    one = HEADER + "".join(line + "\n" for line in GOOD.splitlines() if line.startswith("010001"))
    assert "NM has 1 hospital" in refused(*desk.panels(desk.save(one)))


def test_a_state_whose_hospitals_are_all_left_out(refused, desk):
    error = refused(*desk.panels(desk.save(GOOD), "--hospital.participation_minimum", "1000"))
    assert "NM has 0 hospital" in error
    assert "2 hardly take part" in error


def test_a_week_twice_with_different_figures(refused, desk):
    error = refused(*desk.panels(desk.save(GOOD + f"010002,{WEEKS[1]},NM,7,90\n")))
    assert all(word in error for word in ("NM", "010002", WEEKS[1]))


@each("beds", ["-999999", "0", "-80", ""])
def test_a_state_without_a_positive_bed_count(refused, desk, beds):
    error = refused(*desk.panels(desk.save(GOOD.replace(",80\n", f",{beds}\n").replace(",90\n", f",{beds}\n"))))
    assert "NM" in error
    assert "beds" in error


def all_patients(figure):
    return GOOD.replace("60.5", figure).replace("40.5", figure)


@each("figure", ["", "-5"])
def test_a_state_without_any_patient_figure(refused, desk, figure):
    error = refused(*desk.panels(desk.save(all_patients(figure)), "--hospital.participation_minimum", "0"))
    assert "NM: column patients has no usable figure" in error


def test_all_figures_suppressed(refused, desk):
    everything = all_patients("-999999").replace(",80\n", ",-999999\n").replace(",90\n", ",-999999\n")
    assert "NM" in refused(*desk.panels(desk.save(everything), "--hospital.participation_minimum", "0"))


@each("more", [[], ["--hospital.participation_minimum", "0"]])
def test_all_patient_figures_suppressed_tell_nothing(refused, desk, more):
    error = refused(*desk.panels(desk.save(all_patients("-999999")), *more))
    assert "NM: column patients has only suppressed figures" in error


def test_all_patient_figures_but_one_suppressed_are_enough(command, desk):
    reports = desk.save(all_patients("-999999").replace("-999999", "7.5", 1))
    assert command(*desk.panels(reports, "--hospital.participation_minimum", "0")) == (0, "")
    assert desk.files()["panels/NM.csv"].splitlines()[2] == f"{WEEKS[1]},80.0,0.025,{2 / 90!r}".encode()


def test_no_week_in_the_window(refused, desk):
    assert "2021-01-01 to 2021-01-15" in refused(*desk.panels(desk.save(GOOD), "--hospital.first_week", "2022-01-01"))


@each("figures", [",", "-999999,-999999", "5,0", "-1,4"])
def test_an_unusable_state_that_nobody_requires_does_not_stop_the_others(command, desk, figures):
    # The study of all states must not end because a territory's only hospital tells nothing.
    reports = desk.save(GOOD + f"640001,{WEEKS[0]},AS,{figures}\n")
    assert command(*desk.panels(reports, states=("NM", "AS", "ZZ"), required=("NM",))) == (0, "")
    files = desk.files()
    assert files["panels/AS.csv"].splitlines()[0] == files["panels/ZZ.csv"].splitlines()[0] == b"week,smallest_beds"
    assert len(files["quality.csv"].splitlines()) == 4
    for player in PLAYERS:  # and a game without players is over at once
        assert command(*desk.game(player, desk.out / "panels" / "AS.csv")) == (0, "")
        assert len(desk.files()["totals.csv"].splitlines()) == 1


# ---------------------------------------------------------------- where the reports come from


def test_a_source_that_lacks_what_it_needs(refused, desk):
    assert "--file" in refused(*desk.reports(None))
    for source in ("auto", "healthdata", "delphi"):
        assert "--downloads" in refused(*desk.reports(None, source=source))
    assert "no state" in refused(*desk.reports(None, source="synthetic"))


@each(
    ("more", "word"),
    [
        (["--states", "ZZ"], "'ZZ'"),
        (["--states", "NM", "--weeks", "0"], "weeks is 0"),
        (["--states", "NM", "--seed", "-1"], "seed is -1"),
    ],
)
def test_synthetic_reports_that_cannot_be_made_up(refused, desk, more, word):
    assert word in refused(*desk.reports(None, *more, source="synthetic"))


@each(
    ("download", "says"),
    [
        ("{", "is not the JSON of a download"),
        ("[1]", "is not the JSON of a download"),
        ("{}", "'service'"),
        ('{"service": "healthdata"}', "base_url"),
        ('{"service": "healthdata", "dataset": "anag-cw7u", "colour": "blue"}', "colour"),
        (
            '{"service": "x", "base_url": "b", "dataset": "c", "states": [], "first_week": "d", "last_week": "e", '
            '"columns": [], "page_size": 1}',
            "'x' is not a service; write healthdata or delphi",
        ),
    ],
)
def test_a_download_that_is_none(refused, desk, download, says):
    error = refused(*desk.reports(None, "--downloads", download, source="healthdata"))
    assert "reports: --downloads" in error
    assert says in error
