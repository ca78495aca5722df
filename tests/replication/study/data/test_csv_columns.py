import bz2
import gzip
import lzma
import os

import pytest

from private_experts.errors import InputError
from private_experts.replication.study.data import hospital_reports
from private_experts.replication.study.data.hospital_reports import read_columns
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
    assert read_columns(save("a,b,c\n\n1,2,3\n\n\n4,5,6"), ("a", "b"), ()) == (
        ["a", "b"],
        [("1", "2"), ("4", "5")],
    )


@each("columns", ["a,b,c,a", "a,b,c,b", "a,b, a ,c", '"a",b,c,a'])
def test_a_column_that_appears_twice_is_refused(save, columns):
    twice = "b" if columns.count("b") == 2 else "a"
    assert f"column {twice} appears twice; keep one of them" in refusal(save(f"{columns}\n1,2,3,4\n"))


def test_a_column_that_nobody_asks_for_may_appear_twice(save):
    assert read_columns(save("a,x,x,b\n1,2,3,4\n"), ("a", "b"), ()) == (["a", "b"], [("1", "4")])


@each("name", ["B", "b b", " B  B"])
def test_a_column_that_differs_in_case_or_spaces_alone_is_refused_and_not_passed_over(save, name):
    path = save(f"a,{name},c\n1,2,3\n")
    wanted = "".join(name.split()).lower()
    with pytest.raises(InputError) as caught:
        read_columns(path, ("a",), (wanted, "c"))
    message = f"{path}: column {name.strip()!r} differs from {wanted} in case or spaces alone; write {wanted}"
    assert str(caught.value) == message


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
    excerpt = {"directory": "is a directory", "loop": "cannot be read"}.get(
        what, "is a pipe or a device, not a file"
    )
    assert excerpt in refusal(path)
    assert refusal(path).endswith("; name a CSV export of hospital reports in hospital.data (DATA=...)")


def test_a_link_to_a_file_is_a_file(save, tmp_path):
    (tmp_path / "link").symlink_to(save(TEXT))
    assert len(read_columns(tmp_path / "link", ("a", "b"), ())[1]) == 2


def test_a_file_that_is_too_large_is_refused_unopened(tmp_path):
    path = tmp_path / "table.csv"
    with path.open("wb") as stream:
        stream.truncate(1 << 40)  # without taking room on the disk
    assert "has 1,099,511,627,776 bytes, and 2,147,483,648 are allowed" in refusal(path)


@each("row", ['"', '"1,2,3\n' + "4,5,6\n" * 50_000])
def test_a_quotation_mark_that_is_left_open_is_refused(save, row):
    assert "table.csv: line 4: a quote is open at its end, or closed too soon" in refusal(save(TEXT + row))


def test_a_quoted_cell_may_not_hold_line_ends(save):
    assert "line 4: a quote is open at its end" in refusal(save(TEXT + '5,"6\n",7\n'))


def test_a_quoted_cell_may_not_go_on_after_its_quote(save):
    assert "line 5: a quote is open at its end, or closed too soon" in refusal(
        save(TEXT + '5,6,7\n5,"6"a,7\n')
    )


@each(("end", "is_whole"), [("\n", True), ("\r", True), ("", False)])
@each("packed", [False, True])
def test_a_whole_file_has_an_end_of_its_last_line(tmp_path, end, is_whole, packed):
    content = (TEXT.rstrip("\n") + end).encode()
    path = tmp_path / "table.csv"
    path.write_bytes(gzip.compress(content) if packed else content)
    assert read_columns(path, ("a", "b"), ())
    if is_whole:
        assert read_columns(path, ("a", "b"), (), whole=True)
    else:
        with pytest.raises(InputError, match="the last line has no end; wait until it is written"):
            read_columns(path, ("a", "b"), (), whole=True)


def test_rows_without_end_are_given_up(save, monkeypatch):
    bomb = save(gzip.compress(TEXT.encode() + b"1,2,3\n" * 5000))
    assert len(read_columns(bomb, ("a", "b"), ())[1]) == 5002
    monkeypatch.setattr(hospital_reports, "MOST_ROWS", 999)
    assert "has more than 999 rows" in refusal(bomb)


@each("pack", [bz2.compress, lzma.compress, lambda text: b"PK\x03\x04\xff" + text])
def test_what_is_packed_otherwise_is_refused(save, pack):
    assert "cannot be read" in refusal(save(pack(TEXT.encode())))
