import gc
import os
import random
import sys
from collections.abc import Callable
from typing import Any

import pytest
from xdist.scheduler import LoadFileScheduling

from private_experts.replication.workflow.cli import main

# Until all tests are collected nothing is garbage: they, and what they import, stay to the end.
gc.disable()
# What one process compiles, the next finds, whatever the environment says; most processes here are short.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Its tests share a finished run and a server of forks. Of two processes one takes them all, so that neither
# waits for the other, and nothing is made twice; of more than two that one would end last.
ONE_ROOM = "tests/workflow/"
LONGEST_FIRST = (
    "test_interruption",
    "test_reruns_of_code",
    "test_reruns_of_choices",
    "test_reruns",
    "test_audit",
    "test_adding",
    "test_every_check",
    "test_browser",
    "test_figure_1",
    "test_batch_size",
    "test_plan",
    "test_columns",
    "test_wheel",
    "test_notebook",
    "test_typeset",
    "test_gaussian_mixtures",
    "test_battery",
    "test_processes",
)


class ByFile(LoadFileScheduling):
    """Give each file to the process that is free next, and one room as a whole to one of them."""

    def _split_scope(self, nodeid: str) -> str:
        return ONE_ROOM if nodeid.startswith(ONE_ROOM) else super()._split_scope(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile | None:
    """Distribute files, where that is asked for, and a room as a whole, where there are two processes."""
    two = config.getoption("dist") == "loadfile" and len(config.getoption("tx")) == 2
    return ByFile(config, log) if two else None


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a seed order the files, and the tests in each of them."""
    parser.addoption("--order", type=int, metavar="SEED", help="run tests in a random order")


def pytest_report_header(config: pytest.Config) -> str | None:
    """Tell the seed."""
    seed = config.getoption("order")
    return None if seed is None else f"order: --order={seed}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the files that take longest: several processes, with files of their own, end together."""
    places = {name: place for place, name in enumerate(LONGEST_FIRST)}
    if (seed := config.getoption("order")) is not None:
        random.Random(seed).shuffle(items)
        places = {name: place for place, name in enumerate(dict.fromkeys(item.path.stem for item in items))}
    items.sort(key=lambda item: places.get(item.path.stem, len(places)))


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over the tests themselves and all they import, which stay to the end."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)  # most tests leave little
    gc.enable()


@pytest.fixture
def command(capsys) -> Callable[..., tuple[int, str]]:
    """Run a command as a user would: the words in, the exit code and what standard error says out."""

    def run(*words: object) -> tuple[int, str]:
        capsys.readouterr()
        try:
            code = main([str(word) for word in words])
        except SystemExit as end:
            code = int(end.code or 0)
        return code, capsys.readouterr().err

    return run
