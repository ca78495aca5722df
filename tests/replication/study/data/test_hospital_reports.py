"""Reports as they are read: what may be written otherwise, and what is refused where and why."""

import gzip
import math
from pathlib import Path

import pytest

from private_experts.errors import InputError
from private_experts.replication.study.data.hospital_reports import IDENTITY, SUPPRESSED, read
from tests.each import each

PATIENTS = "total_adult_patients_hospitalized_confirmed_covid_7_day_avg"
BEDS = "all_adult_hospital_inpatient_beds_7_day_avg"
HEADER = f"hospital_pk,collection_week,state,{PATIENTS},{BEDS}\n"
ROW = "010001,2021-01-08,NM,4.5,9\n"
READ = ["010001", "2021-01-08", "NM", 4.5, 9.0]


@pytest.fixture
def save(tmp_path):
    def write(content, name="reports.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def refusal(path, columns=(PATIENTS, BEDS)) -> str:
    """Read in vain, and return the one line that says why."""
    with pytest.raises(InputError) as caught:
        read(path, columns)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message


# ---------------------------------------------------------------- what can be read

QUOTED = ",".join(f'"{name}"' for name in HEADER.strip().split(",")) + "\n"


@each(
    "content",
    [
        HEADER + ROW,
        "\ufeff" + (HEADER + ROW).replace("\n", "\r\n"),
        QUOTED + ROW.replace("NM", '"NM"'),
        HEADER.replace(",", " , ") + ROW,
        f"{BEDS},state,note,collection_week,{PATIENTS},hospital_pk\n9,NM,x,2021-01-08,4.5,010001\n",
        f'"name, city",{HEADER}"x, y",{ROW}',
        HEADER + ROW.replace("2021-01-08", "2021/01/08"),
        HEADER + ROW.replace("2021-01-08", "2021-01-08T00:00:00.000"),
        HEADER + ROW.replace("2021-01-08", "2021/01/08 00:00:00"),
    ],
)
@each("pack", [str.encode, lambda text: gzip.compress(text.encode())])
def test_the_same_report_however_it_is_written(save, content, pack):
    table = read(save(pack(content)), (PATIENTS, "not_there", BEDS, PATIENTS))
    assert list(table.columns) == [*IDENTITY, PATIENTS, BEDS]
    assert table.to_numpy().tolist() == [READ]


def test_missing_and_suppressed_figures_names_of_hospitals_and_the_order_of_rows(save):
    rows = ['null00,2021-01-08,NM,NA,"",x\n', f"None00,2021-01-08,NM,{SUPPRESSED},12.6,NA\n"]
    table = read(save(HEADER.replace("\n", ",hospital_name\n") + "".join(rows)), (PATIENTS, BEDS))
    assert table["hospital_pk"].tolist() == ["null00", "None00"]
    assert table[BEDS].dtype == table[PATIENTS].dtype == float
    assert table[[PATIENTS, BEDS]].isna().to_numpy().tolist() == [[True, True], [False, False]]
    assert table[[PATIENTS, BEDS]].iloc[1].tolist() == [SUPPRESSED, 12.6]
    assert table["hospital_name"][0] == "x"
    assert math.isnan(table["hospital_name"][1])


# ---------------------------------------------------------------- what is refused

MANY = gzip.compress((HEADER + "".join(f"{n:06d}" + ROW[6:] for n in range(2000))).encode(), mtime=0)
DAMAGED = MANY[:-8] + bytes([MANY[-8] ^ 0xFF]) + MANY[-7:]  # in its checksum


@each(
    ("content", "why"),
    [
        ("<!DOCTYPE html>\n<html>", "is a web page, not CSV; download"),
        ("\ufeff  <html><body>", "is a web page"),
        (gzip.compress(b'<?xml version="1.0"?>'), "is a web page"),
        ("", "column hospital_pk is missing; the file must have"),
        *(((HEADER + ROW).replace(name, "other"), f"column {name} is missing") for name in IDENTITY),
        ((HEADER + ROW).replace(PATIENTS, BEDS), f"column {BEDS} appears twice; keep one"),
        (HEADER, "has no rows; name a file"),
        *((MANY[:keep], "is it CSV, plain or gzipped, and complete?") for keep in (5, 60, -1)),
        (DAMAGED, "cannot be read ("),
        (b"\x1f\x8b" + b"\xff" * 50, "cannot be read ("),
        (bytes(range(256)) * 40, "cannot be read ("),
        (b"\x00" * 1000, "column hospital_pk is missing"),
        ((HEADER + ROW + "Ñ").encode("latin-1"), "cannot be read ("),
        ((HEADER + ROW).encode("utf-16"), "cannot be read ("),
    ],
)
def test_a_file_that_is_no_table_of_reports_is_refused_with_the_reason(save, content, why):
    assert why in refusal(save(content))


def test_a_file_that_is_not_there_or_may_not_be_opened_is_refused(save, tmp_path, monkeypatch):
    assert "no such file" in refusal(tmp_path / "absent.csv")
    assert "is a directory" in refusal(tmp_path)
    path, opened = save(HEADER + ROW), Path.open

    def forbidden(self, *arguments, **more):
        if self == path:
            raise PermissionError(13, "Permission denied", str(self))
        return opened(self, *arguments, **more)

    monkeypatch.setattr(Path, "open", forbidden)
    assert "Permission denied" in refusal(path)


WEEKS = ("2021-01-08", "2021-01-15", "2021-02-05")
WHOLE = "".join(
    f"{pk},{week},{state},4.5,9\n" for pk, state in (("010001", "NM"), ("05T006", "CA")) for week in WEEKS
)
NUMBERS = ("many", "1.2.3", " ", "nan", "N/A", "0x10", "inf", "1e999", "1_000", "１２")
DATES = ("", "NA", "08/01/2021", "2021-02-30", "20210115", "2021-01", "2021-1-8", "2021-01-15x", "2021/01-15")
# Digits that are not ASCII would be digits to Python, and another week or hospital.
DATES += ("２０２１-01-15", "2021-01-1٥")
# An id becomes a column of the panel; what is short has lost its zeros, perhaps by an exponent.
IDS = ("", "NA", "010 001", "\x01" * 6, "０１０００１", "010001é", "10001", "1.0001E+04")
ONE_ID = ("0010001", "01-0001", "01_0001", "01OO01")


@each(
    ("row", "column", "template", "right", "wrong", "why"),
    [
        (7, PATIENTS, "02-05,CA,{}", "4.5", NUMBERS, "is not a number; write a number, -999999 for"),
        (7, BEDS, "02-05,CA,4.5,{}", "9", ("x",), "is not a number"),
        (7, PATIENTS, "02-05,CA,{}", "4.5", ("999999",), "is -999999 without its sign; write that"),
        (6, "collection_week", "{},CA", WEEKS[1], DATES, "is not a date like 2021/01/08"),
        (7, "state", "02-05,{}", "CA", ("", "nm", "NMX", "../", "XX"), "is not a state; write one of AK,"),
        (7, "hospital_pk", "{},2021-02-05", "05T006", IDS, "is not an id like 010001, with six characters"),
        # What would make two hospitals or weeks of one.
        (4, "hospital_pk", "{},2021-02-05", "010001", ONE_ID, "is '010001' in other rows; write one of the"),
        (7, "hospital_pk", "{},2021-02-05", "05T006", ("05t006",), "is '05T006' in other rows"),
        (7, "state", "02-05,{}", "CA", ("NM",), "is 'CA' in other rows of 05T006; write one"),
        (4, "collection_week", "{},NM", WEEKS[2], ("2021-02-07",), "is a Sunday, and most weeks of NM a Fr"),
        (5, "collection_week", "{},CA", WEEKS[0], ("2021-01-07T23:00:00",), "is a Thursday, and most weeks"),
    ],
)
def test_a_wrong_cell_is_refused_with_its_row_its_column_and_the_reason(
    save, row, column, template, right, wrong, why
):
    for cell in wrong:
        message = refusal(save(HEADER + WHOLE.replace(template.format(right), template.format(cell))))
        shown = "nan" if cell in ("", "NA") else repr(cell)
        assert f": row {row}, column {column}: {shown} {why}" in message


def test_right_reports_of_several_states_are_read_also_where_their_weeks_begin_on_other_days(save):
    other = WHOLE.replace("08,CA", "10,CA").replace("15,CA", "17,CA").replace("05,CA", "07,CA")
    for content in (WHOLE, other):
        assert len(read(save(HEADER + content), ())) == 6


@each("name", [*IDENTITY, "hospital_name", "city"])
def test_a_column_of_words_is_no_column_of_figures(save, name):
    path = save("hospital_pk,collection_week,state,hospital_name,city\n010001,2021-01-08,NM,St Mary,Taos\n")
    assert f"column {name} has no figures; name a column of numbers" in refusal(path, (name, BEDS))
