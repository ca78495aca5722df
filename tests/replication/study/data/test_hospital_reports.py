import gzip
import math
import re

import pytest

from private_experts.errors import InputError
from private_experts.replication.study.data.hospital_reports import (
    IDENTITY,
    SUPPRESSED,
    read,
)
from tests.each import each

PATIENTS = "total_adult_patients_hospitalized_confirmed_covid_7_day_avg"
BEDS = "all_adult_hospital_inpatient_beds_7_day_avg"
HEADER = f"hospital_pk,collection_week,state,{PATIENTS},{BEDS}\n"
ROW = "010001,2021-01-08,NM,4.5,9\n"


@pytest.fixture
def save(tmp_path):
    def write(content, name="reports.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def refusal(path) -> str:
    """Read in vain, and return the one line that says why."""
    with pytest.raises(InputError) as caught:
        read(path, (PATIENTS, BEDS))
    message = str(caught.value)
    assert "\n" not in message
    assert str(path) in message
    return message


def official_export() -> str:
    """Imitate the official export: 127 columns, quoted commas, points and identifiers in brackets, NA."""
    first = ("hospital_pk", "collection_week", "state", "ccn", "hospital_name", "address", "city", "zip")
    wanted = (BEDS, PATIENTS)
    others = tuple(f"figure_{number}_7_day_sum" for number in range(127 - len(first) - len(wanted) - 2))
    names = (*first, BEDS, *others[:60], PATIENTS, *others[60:], "geocoded_hospital_address", "hhs_ids")
    assert len(names) == 127
    lines = [",".join(names)]
    for pk, name, beds, patients in (
        ("010108", "PLAIN HOSPITAL", "89", "-999999"),
        ("05T006", '"FIRST, AND SECOND"', "NA", "0"),
        ("719c8a84-a386-4aca-8db1-a36ddc9e050b", '"THE ""OLD"" CLINIC"', "12.6", "NA"),
    ):
        known = {
            "hospital_pk": pk,
            "collection_week": "2022-09-23",
            "state": "AL",
            "ccn": pk,
            "hospital_name": name,
        }
        known |= {"address": '"1 MAIN ST, P O BOX 2"', "city": "SOMEWHERE", "zip": "36067", BEDS: beds}
        known |= {
            PATIENTS: patients,
            "geocoded_hospital_address": "POINT (-86.4 32.4)",
            "hhs_ids": f"[C{pk}-A]",
        }
        lines.append(",".join(known.get(column, "NA") for column in names))
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------- what can be read


def test_the_official_export_is_read_by_its_column_names(save):
    table = read(save(official_export()), (PATIENTS, BEDS))
    assert list(table.columns) == [*IDENTITY, PATIENTS, BEDS, "hospital_name", "city"]
    assert table["hospital_pk"].tolist() == ["010108", "05T006", "719c8a84-a386-4aca-8db1-a36ddc9e050b"]
    assert table["collection_week"].tolist() == ["2022-09-23"] * 3
    assert table["state"].tolist() == ["AL"] * 3
    assert table[BEDS].dtype == table[PATIENTS].dtype == float
    assert table[BEDS].tolist()[::2] == [89.0, 12.6]
    assert table[PATIENTS].tolist()[:2] == [SUPPRESSED, 0.0]
    assert math.isnan(table[BEDS][1])
    assert math.isnan(table[PATIENTS][2])


@each("name", ["reports.csv.gz", "reports.csv", "REPORTS.CSV.GZ"])
def test_a_gzipped_file_gives_the_same_table_as_the_plain_one_whatever_their_names(save, name):
    plain = read(save(official_export(), f"plain-{name}"), (PATIENTS, BEDS))
    assert read(save(gzip.compress(official_export().encode()), name), (PATIENTS, BEDS)).equals(plain)


@each(
    ("wanted_columns", "expected"),
    [
        ((), []),
        ((BEDS,), [BEDS]),
        ((BEDS, PATIENTS), [BEDS, PATIENTS]),
        ((PATIENTS, BEDS, PATIENTS), [PATIENTS, BEDS]),
        (("not_there", BEDS), [BEDS]),
    ],
)
def test_the_wanted_columns_come_once_in_the_order_asked_and_absent_ones_are_left_out(
    save, wanted_columns, expected
):
    table = read(save(HEADER + ROW), wanted_columns)
    assert list(table.columns) == [*IDENTITY, *expected]
    assert table[expected].to_numpy().tolist() == [[{PATIENTS: 4.5, BEDS: 9.0}[name] for name in expected]]


@each(
    "written",
    ["2021/01/08", "2021-01-08", "2021-01-08T00:00:00.000", "2021-01-08T00:00:00", "2021/01/08 00:00:00"],
)
def test_a_week_becomes_an_iso_date_however_it_was_written(save, written):
    table = read(save(HEADER + ROW.replace("2021-01-08", written)), ())
    assert table["collection_week"].tolist() == ["2021-01-08"]


@each("nothing", ["", "NA", '""'])
def test_empty_cells_and_na_are_missing_figures(save, nothing):
    table = read(save(HEADER + ROW.replace("4.5", nothing)), (PATIENTS, BEDS))
    assert math.isnan(table[PATIENTS][0])
    assert table[BEDS][0] == 9


@each("end", ["\n", "\r\n"])
@each("mark", ["", "\ufeff"])
@each("pack", [bytes, gzip.compress])
def test_a_byte_order_mark_and_windows_line_ends_do_not_matter(save, end, mark, pack):
    table = read(save(pack((mark + HEADER + ROW).replace("\n", end).encode())), (PATIENTS, BEDS))
    assert table.to_numpy().tolist() == [["010001", "2021-01-08", "NM", 4.5, 9.0]]


QUOTED = ", ".join(f'"{name}"' for name in HEADER.strip().split(",")) + "\n"


@each(
    "content",
    [
        f"{BEDS},state,note,collection_week,hospital_pk\n9,NM,x,2021-01-08,010001\n",
        QUOTED + ROW,
        HEADER.replace(",", " , ") + ROW,
        f'"name, city",{HEADER}x,{ROW}',
    ],
)
def test_order_quotes_spaces_and_other_columns_do_not_matter(save, content):
    assert read(save(content), (BEDS,)).to_numpy().tolist() == [["010001", "2021-01-08", "NM", 9.0]]


def test_only_na_and_nothing_count_as_missing(save):
    table = read(save(HEADER + ROW.replace("010001", "null00") + ROW.replace("010001", "None00")), ())
    assert table["hospital_pk"].tolist() == ["null00", "None00"]


def test_rows_keep_the_order_of_the_file(save):
    rows = [ROW.replace("010001", pk) for pk in ("050002", "010001", "330005", "010001")]
    assert read(save(HEADER + "".join(rows)), ())["hospital_pk"].tolist() == [
        "050002",
        "010001",
        "330005",
        "010001",
    ]


# ---------------------------------------------------------------- what is refused


@each(
    ("path", "excerpt"),
    [
        ("absent.csv", "no such file"),
        ("", "is a directory"),
        ("reports.csv/x", "no such file"),
        ("x" * 300, ""),
    ],
)
def test_what_is_no_file_is_named(save, tmp_path, path, excerpt):
    save(HEADER + ROW)
    assert excerpt in refusal(tmp_path / path)


def test_a_file_that_may_not_be_opened_is_refused(save, monkeypatch):
    path = save(HEADER + ROW)
    opened = type(path).open

    def forbidden(self, *arguments, **more):
        if self == path:
            raise PermissionError(13, "Permission denied", str(self))
        return opened(self, *arguments, **more)

    monkeypatch.setattr(type(path), "open", forbidden)
    assert "Permission denied" in refusal(path)


@each("keep", [1, 5, 12, 60, -1])
def test_a_truncated_gzip_file_is_refused(save, keep):
    rows = "".join(ROW.replace("010001", f"{number:06d}") for number in range(2000))
    refusal(save(gzip.compress((HEADER + rows).encode())[:keep], "reports.csv.gz"))


def test_a_gzip_file_with_a_damaged_middle_is_refused(save):
    rows = "".join(ROW.replace("010001", f"{number:06d}") for number in range(20_000))
    packed = bytearray(gzip.compress((HEADER + rows).encode()))
    packed[len(packed) // 2] ^= 0xFF
    refusal(save(bytes(packed), "reports.csv.gz"))


@each("page", ["<!DOCTYPE html>\n<html>", "  <html><body>", "\ufeff<html>", '<?xml version="1.0"?>'])
@each("pack", [bytes, gzip.compress])
def test_a_web_page_is_recognised(save, page, pack):
    assert "web page" in refusal(save(pack(page.encode())))


@each(
    ("content", "excerpt"),
    [((HEADER + ROW).replace(name, "other"), f"column {name} is missing") for name in IDENTITY]
    + [(nothing, "hospital_pk") for nothing in ("", "\n", "   \n")]
    + [((HEADER + ROW).replace(PATIENTS, BEDS), f"column {BEDS} appears twice")]
    + [(HEADER, "no rows"), (HEADER + ROW + '"010002,2021-01-08,NM,1,2\n', "")],
)
def test_a_file_without_columns_or_rows_or_with_an_open_quote_is_refused(save, content, excerpt):
    assert excerpt in refusal(save(content))


@each(
    "cell",
    [
        "many",
        "1.2.3",
        '"1,234"',
        "12a",
        " ",
        "nan",
        "NaN",
        "N/A",
        "-",
        "0x10",
        "inf",
        "1e999",
        "１２",
        "1_000",
        "999999",
    ],
)
@each("column", [PATIENTS, BEDS])
def test_a_cell_that_is_no_finite_number_is_named_by_row_and_column(save, cell, column):
    wrong = ROW.replace("4.5" if column == PATIENTS else ",9", cell if column == PATIENTS else f",{cell}")
    message = refusal(save(HEADER + ROW + ROW + wrong))
    assert f"row 4, column {column}" in message
    assert repr(cell.strip('"')) in message


DATES = (
    "",
    "NA",
    "08/01/2021",
    "2021-13-01",
    "2021-02-30",
    "20210108",
    "January",
    "2021-01",
    "2021-01-08x",
    "2021/01-08",
    "２０２１-01-08",
    "2021-01-0٨",
)
# A hospital's name becomes a column of the panel, so commas and line ends must not be in it. Digits that are
# not ASCII would be digits to Python, and another week or hospital. What is short has lost its zeros, perhaps
# by an exponent.
NAMES = (
    "",
    "NA",
    '"010,001"',
    "010 001",
    "\x01" * 6,
    "０１０００１",
    "010001é",
    "10001",
    "50",
    "1E04",
    "1.0001E+04",
)


@each(
    ("column", "right", "wrong", "what"),
    [("collection_week", "2021-01-08", date, "date") for date in (*DATES, "2021/01-08", "2021-1-8")]
    + [("state", "NM", state, "state") for state in ("", "nm", "N", "NMX", "35", "../", "XX", "NÉ")]
    + [("hospital_pk", "010001", name, "id") for name in NAMES],
)
def test_a_bad_date_state_or_hospital_is_named_by_row(save, column, right, wrong, what):
    other = ROW.replace("010001", "010002")  # what is wrong in all rows of a hospital differs from no other
    message = refusal(save(HEADER + other + ROW.replace(right, wrong)))
    assert f"row 3, column {column}" in message
    assert re.search(f"is not an? {what}\\b", message)


HOSPITALS = (("010001", "NM"), ("05T006", "CA"))
WHOLE = "".join(
    f"{pk},{week},{state},4.5,9\n"
    for pk, state in HOSPITALS
    for week in ("2021-01-08", "2021-01-15", "2021-02-05")
)


@each(
    ("right", "wrong", "excerpt"),
    [
        (
            "02-05,NM",
            "02-07,NM",
            "row 4, column collection_week: '2021-02-07' is a Sunday, and most weeks of NM a Friday",
        ),
        (
            "01-08,CA",
            "01-07T23:00:00,CA",
            "row 5, column collection_week: '2021-01-07T23:00:00' is a Thursday, and most",
        ),
        ("05T006,2021-02", "05t006,2021-02", "row 7, column hospital_pk: '05t006' is '05T006' in other rows"),
        (
            "010001,2021-02",
            "0010001,2021-02",
            "row 4, column hospital_pk: '0010001' is '010001' in other rows",
        ),
        (
            "010001,2021-02",
            "01-0001,2021-02",
            "row 4, column hospital_pk: '01-0001' is '010001' in other rows",
        ),
        (
            "010001,2021-02",
            "01OO01,2021-02",
            "row 4, column hospital_pk: '01OO01' is '010001' in other rows",
        ),
        ("02-05,CA", "02-05,NM", "row 7, column state: 'NM' is 'CA' in other rows of 05T006; write one"),
    ],
)
def test_weeks_hospitals_and_states_that_change_in_a_file_are_refused(save, right, wrong, excerpt):
    assert len(read(save(HEADER + WHOLE), ())) == 6
    assert excerpt in refusal(save(HEADER + WHOLE.replace(right, wrong)))


def test_states_may_have_weeks_that_begin_on_other_days(save):
    other = WHOLE.replace("08,CA", "10,CA").replace("15,CA", "17,CA").replace("05,CA", "07,CA")
    assert len(read(save(HEADER + other), ())) == 6


@each("quoted", ['"x', '"x\n', '"x\r\ny"'])
def test_a_record_on_more_than_one_line_is_refused_where_it_begins(save, quoted):
    rows = [f"{pk},2021-01-08,NM,4.5,9,{name}\n" for pk, name in (("010001", "x"), ("010002", quoted))]
    rows += [f"{pk:06},2021-01-08,NM,4.5,9,x\n" for pk in range(7, 50)] + ['020001,2021-01-08,NM,4.5,9,x"\n']
    message = refusal(save(HEADER.replace("\n", ",city\n") + "".join(rows)))
    assert "line 3" in message


def test_two_ways_to_write_dates_in_one_file_are_the_same_weeks(save):
    other = WHOLE.replace("2021-01-15", "2021/01/15").replace("2021-02-05,CA", "2021-02-05T00:00:00.000,CA")
    assert read(save(HEADER + other), ()).equals(read(save(HEADER + WHOLE), ()))


@each(
    "garbage",
    [bytes(range(256)) * 40, b"\x00" * 1000, b"PK\x03\x04" + bytes(range(200)), b"\x1f\x8b" + b"\xff" * 50],
)
def test_binary_garbage_is_refused(save, garbage):
    refusal(save(garbage))


@each("coding", ["latin-1", "utf-16"])
def test_text_that_is_not_utf_8_is_refused(save, coding):
    content = HEADER.replace("state", "state,hospital_name") + ROW.replace("NM", "NM,NIÑOS")
    refusal(save(content.encode(coding)))


@each("name", [*IDENTITY, "hospital_name", "city"])
def test_a_column_of_words_is_no_column_of_figures(save, name):
    words = save("hospital_pk,collection_week,state,hospital_name,city\n010001,2021-01-08,NM,St Mary,Taos\n")
    assert len(read(words, ())) == 1
    with pytest.raises(
        InputError, match=rf"reports\.csv: column {name} has no figures; name a column of num"
    ):
        read(words, (name, BEDS))
