import bz2
import gzip
import lzma
import os
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from private_experts.errors import InputError
from private_experts.replication.study.data import csv_columns
from private_experts.replication.study.data.csv_columns import read_columns
from tests.each import each

TEXT = "a,b,c\n1,2,3\n4,5,6\n"


def refusal(path) -> str:
    with pytest.raises(InputError) as caught:
        read_columns(path, ("a",), ("b", "c"))
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


def test_blank_lines_are_no_rows_and_the_last_line_needs_no_end(save):
    assert read_columns(save("a,b,c\n\n1,2,3\n\n\n4,5,6"), ("a", "b"), ()) == (["a", "b"], [("1", "2"), ("4", "5")])


@each("columns", ["a,b,c,a", "a,b,c,b", "a,b, a ,c", '"a",b,c,a'])
def test_a_column_that_appears_twice_is_refused(save, columns):
    twice = "b" if columns.count("b") == 2 else "a"
    assert f"column {twice} appears twice; keep one of them" in refusal(save(f"{columns}\n1,2,3,4\n"))


@each("columns", ["a,b,c,B", "a,B,c,b", "a,B,c,d", '"A",b,c,a', "a,b,c, C "])
def test_a_column_that_is_a_wanted_one_but_for_case_is_refused(save, columns):
    other = next(name for name in "ABC" if name in columns)
    says = f"column {other} is {other.lower()} but for case; keep one, with the name {other.lower()}"
    assert says in refusal(save(f"{columns}\n1,2,3,4\n"))


def test_columns_that_are_all_wanted_may_differ_in_case(save):
    assert read_columns(save("a,A,x,X\n1,2,3,4\n"), ("a",), ("A",)) == (["a", "A"], [("1", "2")])


def test_a_column_that_nobody_asks_for_may_appear_twice(save):
    assert read_columns(save("a,x,x,b\n1,2,3,4\n"), ("a", "b"), ()) == (["a", "b"], [("1", "4")])


@each(
    ("row", "cells"),
    [
        ("1,234,5,6", 4),  # a number with a comma, which moves all that follows
        ("1,2,3,", 4),
        ("1,2", 2),  # as where a download breaks off
        ("1", 1),
        (" ", 1),
    ],
)
@each("pack", [bytes, gzip.compress])
def test_a_row_that_is_longer_or_shorter_than_the_header_is_refused(save, pack, row, cells):
    assert f"line 3 has {cells} cells, and the header 3; write numbers without commas" in refusal(
        save(pack(f"a,b,c\n1,2,3\n{row}\n".encode()))
    )


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
    says = {"directory": "is a directory", "loop": "cannot be read"}.get(what, "is a pipe or a device, not a file")
    assert says in refusal(path)
    assert refusal(path).endswith("; name the hospital CSV in hospital.file or HHS_FACILITY_CSV")


def test_a_link_to_a_file_is_a_file(save, tmp_path):
    (tmp_path / "link").symlink_to(save(TEXT))
    assert len(read_columns(tmp_path / "link", ("a", "b"), ())[1]) == 2


def test_a_file_that_is_too_large_is_refused_unopened(tmp_path):
    path = tmp_path / "table.csv"
    with path.open("wb") as stream:
        stream.truncate(1 << 40)  # without taking room on the disk
    assert "has 1,099,511,627,776 bytes, and 2,147,483,648 are allowed" in refusal(path)


@each("start", ["", "a,b,c\n", "a,b,c\n1,2,3\n"])
@each("filling", [b"a", b"a,", b"\0"])
def test_a_line_without_end_is_given_up_before_it_fills_the_memory(save, start, filling):
    bomb = save(gzip.compress(start.encode() + filling * (1 << 24), 1))
    tracemalloc.start()
    says = "has a NUL byte" if filling == b"\0" else "has a line of more than 65,536 bytes"
    assert says in refusal(bomb)
    assert tracemalloc.get_traced_memory()[1] < 1 << 22  # of the 16 or 32 MB that it unpacks to
    tracemalloc.stop()


@each("row", ['"', '"\n",' * 5000])
def test_a_row_without_end_is_given_up_at_its_line(save, row):
    end = "7,8,9\n" * 200
    assert "the row after line 3 does not end; is a quotation mark left open there?" in refusal(save(TEXT + row + end))


def test_a_quoted_cell_may_hold_line_ends(save):
    assert read_columns(save(f'a,b\n"1{98 * chr(10)}",2\n3,4\n'), ("b", "a"), ())[1] == [
        ("2", "1" + "\n" * 98),
        ("4", "3"),
    ]


@each(
    ("bound", "most", "says"),
    [("MOST_ROWS", 999, "has more than 999 rows"), ("LARGEST", 3000, "has more than 3,000 bytes")],
)
def test_rows_without_end_are_given_up(save, monkeypatch, bound, most, says):
    bomb = save(gzip.compress(TEXT.encode() + b"1,2,3\n" * 5000))
    assert len(read_columns(bomb, ("a", "b"), ())[1]) == 5002
    with monkeypatch.context() as patch:
        patch.setattr(csv_columns, bound, most)
        assert says in refusal(bomb)


@each("column", ["a", "c"])
def test_a_long_cell_is_named_by_line_and_column(save, column):
    row = "x,5,6\n" if column == "a" else "4,5,x\n"
    assert len(read_columns(save("a,b,c\n1,2,3\n" + row.replace("x", "x" * 100)), ("a",), ("b", "c"))[1]) == 2
    says = f"line 3, column {column}: has 101 characters, and 100 are allowed"
    assert says in refusal(save("a,b,c\n1,2,3\n" + row.replace("x", "x" * 101)))


def test_long_cells_that_are_not_kept_may_be_there(save):
    assert read_columns(save("a,b,note\n1,2," + "x" * 5000 + "\n"), ("a", "b"), ())[1] == [("1", "2")]


def test_long_cells_are_given_up_before_they_fill_the_memory(save):
    row = b"%04d" + b"x" * 60_000 + b",2,3\n"
    bomb = save(gzip.compress(b"a,b,c\n" + b"".join(row % number for number in range(300)), 1))
    tracemalloc.start()
    assert "line 2, column a: has 60,004 characters" in refusal(bomb)
    assert tracemalloc.get_traced_memory()[1] < 1 << 22  # of the 18 MB that it unpacks to
    tracemalloc.stop()


def test_blank_lines_without_end_are_given_up(save, monkeypatch):
    bomb = save(gzip.compress(TEXT.encode() + b"\n" * 5000))
    monkeypatch.setattr(csv_columns, "MOST_ROWS", 999)
    assert "has more than 1,998 lines" in refusal(bomb)


def zipped(content: bytes) -> bytes:
    path = Path("table.zip")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("table.csv", content)
    return path.read_bytes()


@each(
    ("pack", "says"),
    [
        (bz2.compress, "packed by bzip2"), (lzma.compress, "packed by xz"), (zipped, "a zip archive or a workbook"),
        (lambda text: b"\x28\xb5\x2f\xfd" + text, "packed by zstd"),
    ],
)  # fmt: skip
def test_what_is_packed_otherwise_is_refused_by_name(save, tmp_path, monkeypatch, pack, says):
    monkeypatch.chdir(tmp_path)
    assert f"is {says}; unpack it, or pack it with gzip" in refusal(save(pack(TEXT.encode())))
