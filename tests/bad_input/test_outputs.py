"""Outputs that cannot be written: what an earlier run wrote stays whole, or the new file is whole."""

import errno
import os
from pathlib import Path

import pytest

from private_experts.replication.study.data import remarks
from tests.bad_input.desk import OLD, assert_one_line


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("stage", range(3), ids=["reports", "panels", "game"])
def test_a_disk_that_is_full_after_some_writes(command, desk, monkeypatch, stage, number):
    monkeypatch.setattr(remarks, "remarks", lambda *_: ({}, []))  # which take nearly all of a stage's time
    words = desk.three_stages()[stage]
    assert command(*words) == (0, "")
    whole = desk.files()
    for name in whole:
        (desk.out / name).write_bytes(OLD)
    written, write = [], Path.write_text

    def full(self, text, *arguments, **more):
        written.append(self)
        if len(written) < number:
            return write(self, text, *arguments, **more)
        write(self, text[: len(text) // 2], *arguments, **more)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_text", full)
    code, error = command(*words)
    assert_one_line(code, error)
    assert "No space left on device" in error
    found = desk.files()
    assert found.keys() == whole.keys()  # nothing written aside is left
    changed = [name for name, content in found.items() if content != OLD]
    assert len(changed) == number - 1
    assert all(found[name] == whole[name] for name in changed)  # each file is whole, the old or the new
