import errno
import hashlib
import os
import stat

import numpy as np
import pandas as pd
import pytest

from private_experts.errors import InputError
from private_experts.replication.files import remove_drafts, sha256, write_csv, write_text, written_aside


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "result.csv"
    path.write_text("old")
    return path


def only(path):
    """Whether the folder holds this file and nothing else, not even a hidden one."""
    return list(path.parent.iterdir()) == [path]


def test_until_the_block_ends_the_old_file_is_seen_and_the_new_one_lies_beside_it(old):
    with written_aside(old) as aside:
        aside.write_text("half of the n")
        assert old.read_text() == "old"
        assert aside != old
        assert aside.parent == old.parent  # a rename within one folder is one step
        assert aside.suffix == ".csv"  # some writers choose the format by it
        assert aside.name.startswith(".")
        aside.write_text("new")
    assert old.read_text() == "new"
    assert only(old)


def test_what_a_killed_writer_left_is_removed_and_nothing_else(old):
    (old.parent / "figures").mkdir()
    with written_aside(old.parent / "figures/a.b.png") as aside:
        aside.write_text("half")
        left = aside.with_name(aside.name.replace(str(os.getpid()), "8509"))
        left.write_bytes(aside.read_bytes())
    others = [old, old.with_name(".lock"), old.with_name(".Rapp.history"), old.with_name(".a.12-3.csv")]
    for path in others:
        path.touch()
    others.append(old.parent / "figures/a.b.png")
    assert left.is_file()
    remove_drafts(old.parent, old.parent / "none")
    assert {path for path in old.parent.rglob("*") if path.is_file()} == {*others}


def test_two_writers_of_the_same_file_do_not_touch_each_others_halves(old):
    with written_aside(old) as first, written_aside(old) as second:
        assert first != second
        first.write_text("first")
        second.write_text("second")
    assert old.read_text() == "first"  # whose block ended last
    assert only(old)


def interrupted(path, error):
    """Write half a file and be stopped by the error."""
    with written_aside(path) as aside:
        aside.write_text("half")
        raise error


@pytest.mark.parametrize("error", [KeyError("x"), KeyboardInterrupt(), SystemExit(3), InputError("z")])
def test_an_exception_in_the_block_leaves_the_old_file_or_none_and_nothing_else(old, error):
    for path in (old, old.with_name("new.txt")):
        with pytest.raises(type(error)) as caught:
            interrupted(path, error)
        assert caught.value is error
        assert old.read_text() == "old"
        assert only(old)


@pytest.mark.parametrize("words", [(errno.ENOSPC, os.strerror(errno.ENOSPC)), ("out of ink",)])
def test_a_full_disk_is_told_in_one_line_and_leaves_no_half(old, words):
    with pytest.raises(InputError) as caught:
        interrupted(old, OSError(*words))
    assert str(caught.value) == f"{old}: cannot be written ({words[-1]})"
    assert old.read_text() == "old"
    assert only(old)


@pytest.mark.parametrize("below", ["result.csv/new.txt", "result.csv/deeper/new.txt"])
def test_a_folder_that_cannot_be_made_is_told_in_one_line(old, below):
    path = old.parent / below
    with pytest.raises(InputError) as caught, written_aside(path):
        pytest.fail("the block must not run")
    assert str(caught.value).startswith(f"{path}: cannot be written (")
    assert "\n" not in str(caught.value)
    assert old.read_text() == "old"
    assert only(old)


def test_a_folder_in_the_files_place_is_told_and_kept(tmp_path):
    path = tmp_path / "result"
    path.mkdir()
    with pytest.raises(InputError, match="cannot be written"), written_aside(path) as aside:
        aside.write_text("new")
    assert path.is_dir()
    assert only(path)


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o027, 0o640), (0o000, 0o666)])
def test_a_result_has_the_permissions_of_an_ordinary_file_and_the_umask_stays(tmp_path, umask, mode):
    before = os.umask(umask)
    try:
        write_text(tmp_path / "new.txt", "text")
    finally:
        after = os.umask(before)
    assert stat.S_IMODE((tmp_path / "new.txt").stat().st_mode) == mode
    assert after == umask


def test_text_is_utf_8_with_unix_line_ends_in_a_folder_that_is_made_and_a_reader_keeps_the_old(tmp_path):
    path = tmp_path / "a" / "b" / "new.txt"
    write_text(path, "μ = 1\nη\n")
    with path.open("rb") as reader:
        write_text(path, "newer")
        assert reader.read() == b"\xce\xbc = 1\n\xce\xb7\n"
    assert path.read_text() == "newer"


@pytest.mark.parametrize(
    "data", [b"", b"abc", b"\r\n\x00\xff", b"x" * 3_000_000], ids=["empty", "abc", "line ends", "long"]
)
def test_sha256_is_that_of_the_bytes(tmp_path, data):
    (tmp_path / "file").write_bytes(data)
    assert sha256(tmp_path / "file") == hashlib.sha256(data).hexdigest()


NUMBERS = [1.5, np.nan, np.inf, -1e-7, 1e22]
WORDS = ["x, y", 'said "so"', "", "two\nlines", " é\t"]
TABLES = {
    "all kinds": {"a, b": NUMBERS, "words": WORDS, "whole": range(5)},
    "an empty word alone in its row": {"words": WORDS},
    "words and none": {"words": [*WORDS[:4], None], "a": NUMBERS},
    "truth values": {"is": [True, False, True, True, False], "a": NUMBERS},
    "whole numbers, one of them not there": {"n": pd.array([1, None], dtype="Int64"), "a": NUMBERS[:2]},
    "no rows": {"a": [], "b": []},
    "nothing": {},
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_written_as_pandas_writes_them(tmp_path, name):
    table = pd.DataFrame(TABLES[name])
    write_csv(tmp_path / "table.csv", table)
    expected = table.to_csv(index=False, lineterminator="\n").encode()
    assert (tmp_path / "table.csv").read_bytes() == expected
