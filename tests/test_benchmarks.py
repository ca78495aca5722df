"""What is timed is there: no other test imports the benchmarks, or calls what they time of the study."""

import importlib
import math
from pathlib import Path

import pytest

from benchmarks import streams, study

NAMES = sorted({path.stem for path in Path(study.__file__).parent.glob("[!_]*.py")} - {"other_libraries"})


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_imports_what_there_is(name: str) -> None:
    importlib.import_module(f"benchmarks.{name}")


def test_the_players_that_are_timed_play() -> None:
    game = streams.game(weeks=6, n=5, repetitions=4, levels=(0.5, math.inf))
    known = study.only_the_advice(game)
    assert [advice.actions.shape for advice in known] == [(6, 13, 4), (6, 13, 1)]
    assert {play.mu for play in study.only_the_paper_variant(game)} == {0.5, math.inf}
