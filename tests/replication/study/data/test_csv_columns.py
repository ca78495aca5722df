"""Columns of a CSV file, as it is: rows that are cut or moved, and files that never end, are refused."""

import bz2
import gzip
import os

import pytest

from private_experts.errors import InputError
from private_experts.replication.study.data import hospital_reports
from private_experts.replication.study.data.hospital_reports import read_columns
from tests.each import each

TEXT = "a,b,c\n1,2,3\n4,5,6\n"


def refusal(path, columns=(("a",), ("b", "c"))) -> str:
    with pytest.raises(InputError) as caught:
        read_columns(path, *columns)
    (line,) = str(caught.value).splitlines()
    assert line.startswith(f"{path}: ")
    return line


@pytest.fixture
def save(tmp_path):
    def write(content):
        path = tmp_path / "table.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_the_columns_come_in_the_order_asked_and_only_the_required_ones_must_be_there(save):
    assert read_columns(save(TEXT), ("c",), ("d", "a", "c")) == (["c", "a"], [("3", "1"), ("6", "4")])
    blank = save("a,b,x,x\n\n1,2,3,3\n\n4,5,6,6")  # no rows; and nobody asks for what is there twice
    assert read_columns(blank, ("a", "b"), ()) == (["a", "b"], [("1", "2"), ("4", "5")])


OPEN = "a quote is open at its end, or closed too soon; write each row on one line"


@each(
    ("content", "why"),
    [
        ("a,b, a ,c\n1,2,3,4\n", "column a appears twice; keep one of them"),
        ("a,b,c,b\n1,2,3,4\n", "column b appears twice"),
        ("a, B ,c\n", "column 'B' differs from b in case or spaces alone; write b"),
        # a number with a comma, which moves all that follows
        (TEXT + "1,234,5,6\n", "line 4 has 4 cells, and the header 3; write numbers without commas"),
        (TEXT + "1,2,3,\n", "line 4 has 4 cells"),
        (gzip.compress(TEXT.encode() + b"1,2"), "line 4 has 2 cells"),  # as where a download breaks off
        (TEXT + " \n", "line 4 has 1 cells"),
        (TEXT + '"', f"line 4: {OPEN}"),
        (TEXT + '"1,2,3\n' + "4,5,6\n" * 50_000, f"line 4: {OPEN}"),
        (TEXT + '5,"6\r\n",7\n', f"line 4: {OPEN}"),
        (TEXT + '5,6,7\n5,"6"a,7\n', f"line 5: {OPEN}"),
        ('a,b,c\n5,"6"a,7\n', f"line 2: {OPEN}"),
        (bz2.compress(TEXT.encode()), "cannot be read ("),
    ],
)
def test_what_is_not_a_row_of_cells_for_each_column_is_refused(save, content, why):
    assert why in refusal(save(content))


# ---------------------------------------------------------------- what may never end, or not fit


@each("what", ["pipe", "device", "directory", "loop"])
def test_what_is_no_file_is_refused_unopened(tmp_path, what):
    path = tmp_path / what
    if what == "pipe":
        os.mkfifo(path)
    elif what == "directory":
        path.mkdir()
    else:
        path.symlink_to("loop" if what == "loop" else "/dev/zero")
    says = {"directory": "is a directory", "loop": "cannot be read"}
    line = refusal(path)
    assert says.get(what, "is a pipe or a device, not a file") in line
    assert line.endswith("; name a CSV export of hospital reports in hospital.data (DATA=...)")


def test_a_link_to_a_file_is_a_file_and_one_that_is_too_large_is_refused_unopened(save, tmp_path):
    (tmp_path / "link").symlink_to(save(TEXT))
    assert len(read_columns(tmp_path / "link", ("a", "b"), ())[1]) == 2
    with (tmp_path / "table.csv").open("wb") as stream:
        stream.truncate(1 << 40)  # without taking room on the disk
    assert "has 1,099,511,627,776 bytes, and 2,147,483,648 are allowed" in refusal(tmp_path / "link")


def test_a_whole_file_has_an_end_of_its_last_line(save):
    for end in ("\n", "\r"):
        assert read_columns(save(TEXT.rstrip("\n") + end), ("a", "b"), (), whole=True)
    cut = save(gzip.compress(TEXT.rstrip("\n").encode()))
    assert read_columns(cut, ("a", "b"), ())
    assert "the last line has no end; wait until it is written" in refusal(cut, (("a", "b"), (), True))


def test_rows_without_end_are_given_up(save, monkeypatch):
    bomb = save(gzip.compress(TEXT.encode() + b"1,2,3\n" * 5000))
    monkeypatch.setattr(hospital_reports, "MOST_ROWS", 5002)
    assert len(read_columns(bomb, ("a", "b"), ())[1]) == 5002
    monkeypatch.setattr(hospital_reports, "MOST_ROWS", 5001)
    assert "has more than 5,001 rows" in refusal(bomb)
