"""Outputs that cannot be written: what an earlier run wrote stays whole, or the new file is whole."""

import errno
import json
import os
from pathlib import Path

import pytest

from private_experts.replication.study.data import remarks
from tests.bad_input.desk import OLD, assert_one_line, run_in_a_process


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


def test_a_file_that_may_not_grow(desk):
    """In a process of its own: else what is compiled meanwhile ends after 50 bytes, too, and stays so."""
    pytest.importorskip("resource", reason="limits of file sizes are a matter of Unix")
    before = desk.files()
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (50, 50))"
    *first, last = [[*map(str, words)] for words in desk.three_stages()]
    begun = f"""{limit}
from private_experts.replication.workflow.cli import main
for words in {first}:
    try:
        main(words)
    except SystemExit as end:
        assert end.code == 2
    else:
        raise AssertionError(words)"""
    done = run_in_a_process(desk, last, begun)
    lines = done.stderr.splitlines(keepends=True)
    assert len(lines) == 3
    assert done.stdout == ""
    for line in lines:
        assert_one_line(done.returncode, line)
        assert "cannot be written" in line
    assert desk.files() == before


def test_a_process_of_its_own_is_silent_when_all_goes_well(desk):
    *first, last = [[*map(str, words)] for words in desk.three_stages()]
    program = f"from private_experts.replication.workflow.cli import main; assert not any(map(main, {first}))"
    done = run_in_a_process(desk, last, program)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert OLD not in desk.files().values()
    assert json.loads(desk.files()["provenance.json"])["kind"] == "file"
