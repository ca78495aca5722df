"""The first example runs by itself, and draws its game where it can."""

import runpy
import sys
from pathlib import Path

import pytest

FIRST = Path(__file__).parents[1] / "examples/first.py"


def test_the_first_example_tells_a_game_and_draws_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(FIRST))
    assert "The planner finds 14.5, the best single hospital has 15.6" in capsys.readouterr().out
    assert (tmp_path / "first.png").read_bytes().startswith(b"\x89PNG")


def test_without_matplotlib_it_tells_the_same_and_draws_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    runpy.run_path(str(FIRST))
    assert "pip install matplotlib" in capsys.readouterr().out
    assert [*tmp_path.iterdir()] == []
