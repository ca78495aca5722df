"""The drills that a reader can run: real processes, a wrong level, and a backup that is put back."""

from pathlib import Path

import pytest

from examples.hospitals.__main__ import main
from examples.hospitals.drills import restored, wrong_level

pytest.importorskip("opendp", reason="hospitals need the optional extra 'examples'")
pytestmark = pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are looked up in /proc")


def test_a_wrong_level_in_two_hospitals_sends_nothing(tmp_path: Path) -> None:
    found = dict(wrong_level(tmp_path / "world"))
    assert len(found) == 6
    assert {statement: problems for statement, problems in found.items() if problems} == {}


def test_a_backup_that_is_made_under_load_and_put_back_loses_nothing(tmp_path: Path) -> None:
    found = dict(restored(tmp_path / "world"))
    assert len(found) == 11
    assert {statement: problems for statement, problems in found.items() if problems} == {}


def test_a_drill_that_there_is_not_is_told(capsys) -> None:
    with pytest.raises(SystemExit):
        main(["drill", "fire"])
    assert "drill fire: write level or restore" in capsys.readouterr().err
