"""A mistake or a disk's refusal is told in one line, and says if something could not be read or written."""

import errno
import os

import pytest

from private_experts.errors import errors_in_one_line
from tests.each import each


@each(
    ("number", "message"),
    [
        (errno.ENOSPC, "x.csv: cannot be written (No space left on device)"),
        (errno.EROFS, "x.csv: cannot be written (Read-only file system)"),
        (errno.ENOENT, "x.csv: cannot be read (No such file or directory)"),
    ],
)
def test_what_a_disk_refuses_is_told_in_one_line(capsys, number: int, message: str) -> None:
    with pytest.raises(SystemExit) as ended, errors_in_one_line():
        raise OSError(number, os.strerror(number), "x.csv")
    assert (ended.value.code, capsys.readouterr().err) == (2, f"private-experts: {message}\n")
