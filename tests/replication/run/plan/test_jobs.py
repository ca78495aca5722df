import fcntl
from pathlib import Path

import pytest

from private_experts.replication.run.plan.jobs import GUARD, under_way


def test_no_plan_is_made_while_a_run_is_under_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Snakefile").touch()
    assert not under_way()
    GUARD.parent.mkdir()
    with GUARD.open("w") as guard:
        assert not under_way()
        fcntl.flock(guard, fcntl.LOCK_EX | fcntl.LOCK_NB)
        assert under_way()
        code, said = command("plan")
        assert (code, said.count("\n")) == (2, 1)
        assert "a run is under way in this folder" in said
    assert not under_way()
