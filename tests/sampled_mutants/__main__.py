"""Tell which share of small changes the tests notice: ``python -m tests.sampled_mutants PLACE ...``.

A place is a folder or a file below ``src/private_experts``, such as ``privacy`` or ``privacy/noise.py``. Of
its changes a seed draws some. Each is put into the running functions of a process of its own. Of the tests
that call the function those run that mirror its file, then the others of that folder, until one fails. A
process that such a test starts has no change. Changes that no test can notice are named, with the reason, in
`without_effect.txt`.
"""

import argparse
import builtins
import gc
import importlib
import json
import os
import re
import resource
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from functools import _lru_cache_wrapper, cache
from pathlib import Path
from types import CodeType, FunctionType

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy is loaded

import pytest
from hypothesis import HealthCheck, settings
from scipy.stats import binomtest

from tests.sampled_mutants.changes import NOTE, Change, changes, noting

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src/private_experts"
ROOMS = (
    *("privacy", "algorithms", "replication/study/data", "walks", "games", "learners", "saving"),
    *("distribution_learning", "private_oco", "replication/ledger", "replication/report"),
    *("replication/workflow", "replication/papers"),
)
SEED = 49
LONGER = ("test_browser.py", "test_firefox.py")
SURVIVED, NOTICED = 0, 1


@dataclass
class Tests:
    """A file's tests that pass on the code as it is, which of them call which function, and their seconds."""

    items: list[pytest.Item]
    calls: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    seconds: float = 0


class Judge:
    """A pytest plugin that collects the tests once, and runs them on each change instead of once."""

    def __init__(self, places: Sequence[str], count: int, seed: int) -> None:
        self.places, self.count, self.seed = places, count, seed
        self.files: dict[Path, Tests] = {}
        self.known: set[Path] = set()
        self.running: dict[tuple[str, str], list[FunctionType]] = {}
        self.noting: dict[tuple[str, str], CodeType] = {}
        self.failed: set[str] = set()
        self.stop = False
        self.test = ""
        self.kept: list[_lru_cache_wrapper[object]] = []

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.test = nodeid
        for each in self.kept:  # what another test left there, this one would call for
            each.cache_clear()

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[object]) -> Generator[None, object, object]:
        """Let what a fixture calls be a call of all tests that have it."""
        before, self.test = self.test, self.test if fixturedef.scope == "function" else fixturedef.argname
        try:
            return (yield)
        finally:
            self.test = before

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)
            if self.stop:
                os._exit(NOTICED)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        gc.unfreeze()
        for item in session.items:
            self.files.setdefault(item.path, Tests([])).items.append(item)
        for place in self.places:
            verdicts: Counter[str] = Counter()
            self.known.clear()
            self.running = running(place)
            self.noting = {
                key: code for path in files_of(place) for key, code in noting(path) if self.running[key]
            }
            for change in drawn(place, self.seed):
                functions, code = self.running[str(change.path), change.function], change.code()
                if not functions or code is None:
                    continue
                if verdicts.total() == self.count:
                    break
                verdict, by = self.verdict(change, functions, code)
                file = change.path.relative_to(SOURCE)
                reason = without_effect().get((str(file), change.function, change.shown))
                if verdict == "survives" and reason:
                    verdict, by = "named", reason
                verdicts[verdict] += 1
                where = f"{file}:{change.line}"
                print(verdict, where, change.function, change.shown, by, sep="\t", flush=True)
            print(row(place, verdicts), flush=True)
        return True

    def verdict(self, change: Change, functions: Sequence[FunctionType], code: CodeType) -> tuple[str, str]:
        """Return whether tests of its own file, or others of the room, notice a change, and which file's."""
        own, others = tests_of(change.path, self.files)
        for verdict, paths in (("own", own), ("room", others)):
            for path in paths:
                tests = self.measured(path)
                calls = tests.calls.get((str(change.path), change.function), set())
                items = [
                    item for item in tests.items if not calls.isdisjoint({item.nodeid, *item.fixturenames})
                ]

                def on_the_change(items: Sequence[pytest.Item] = items) -> None:
                    for function in functions:
                        function.__code__ = code
                    self.stop = True
                    run(items)

                if items and ended(on_the_change, 3 * tests.seconds + 5) != SURVIVED:
                    return verdict, path.name
        return "survives", ""

    def measured(self, path: Path) -> Tests:
        """Return the tests of a file, run once on the code as it is."""
        tests = self.files[path]
        if path not in self.known:
            self.known.add(path)
            tests.calls.clear()
            reading, writing = os.pipe()

            def as_it_is() -> None:
                calls, start = set[tuple[str, str, str]](), time.process_time()

                def note(path: str, function: str) -> None:
                    calls.add((path, function, self.test))

                vars(builtins)[NOTE] = note
                for (file, function), code in self.noting.items():
                    for each in self.running[file, function]:
                        each.__code__ = code
                self.kept = [each for each in gc.get_objects() if isinstance(each, _lru_cache_wrapper)]
                run(tests.items)
                with os.fdopen(writing, "w") as told:
                    json.dump((time.process_time() - start, sorted(self.failed), sorted(calls)), told)

            child = started(as_it_is)
            os.close(writing)
            with os.fdopen(reading) as told:
                tests.seconds, failed, calls = json.load(told)
            os.waitpid(child, 0)
            for file, name, test in calls:
                tests.calls.setdefault((file, name), set()).add(test)
            tests.items = [item for item in tests.items if item.nodeid not in failed]
            if failed:
                print("# fail on the code as it is, and are left out:", *failed, flush=True)
        return tests


def mirror(path: Path) -> Path:
    """Return the folder of tests that mirrors a file's folder."""
    return ROOT / "tests" / path.relative_to(SOURCE).parent


def tests_of(path: Path, files: Iterable[Path]) -> tuple[list[Path], list[Path]]:
    """Return the tests that mirror a file, or those of its folder that name it, and the others there."""
    room = sorted(
        (each for each in files if each.is_relative_to(mirror(path))), key=lambda each: each.stat().st_size
    )
    named = [each for each in room if re.search(rf"\b{path.stem}\b", each.read_text())]
    mirrored = [each for each in room if each.stem == f"test_{path.stem}"]
    own = mirrored or named
    return own, [each for each in dict.fromkeys([*named, *room]) if each not in own]


def files_of(place: str) -> list[Path]:
    """Return the files of a place."""
    chosen = SOURCE / place
    return sorted(chosen.rglob("*.py")) if chosen.is_dir() else [chosen]


def running(place: str) -> dict[tuple[str, str], list[FunctionType]]:
    """Return the functions of a place by file and name, wherever they were imported."""
    for path in files_of(place):
        name = ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
        importlib.import_module(name.removesuffix(".__init__"))
    found = defaultdict(list)
    for each in gc.get_objects():
        if isinstance(each, FunctionType):
            found[each.__code__.co_filename, each.__code__.co_qualname].append(each)
    return found


def drawn(place: str, seed: int) -> list[Change]:
    """Return the changes of a place in a random order."""
    every = (change for path in files_of(place) for change in changes(path))
    return sorted(every, key=lambda change: change.order(seed))


@cache
def without_effect() -> dict[tuple[str, str, str], str]:
    """Return why no test can notice a change, by its file, function and text."""
    found, reason = {}, ""
    for line in (ROOT / "tests/sampled_mutants/without_effect.txt").read_text().splitlines():
        place, _, text = line.strip().partition(": ")
        if line.startswith(" "):
            file, function = place.split()
            found[file, function, text] = reason
        else:
            reason = line
    return found


def run(items: Sequence[pytest.Item]) -> None:
    """Run tests one after the other."""
    for item, following in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)


def started(work: Callable[[], None]) -> int:
    """Let a process of its own work, silently, and return its id."""
    if child := os.fork():
        return child
    os.setsid()
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(silence, stream)
    try:
        work()
        os._exit(SURVIVED)
    finally:
        os._exit(NOTICED)


def ended(work: Callable[[], None], seconds: float) -> int:
    """Return how a process of its own ends; one that takes longer is stopped."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
        work()

    child = started(limited)
    for _ in range(int(100 * seconds)):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        time.sleep(0.1)
    os.killpg(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]


def row(place: str, verdicts: Counter[str]) -> str:
    """Return a row of the table: how many changes, noticed by whom, and the share with its 95 % interval."""
    count, noticed = verdicts.total(), verdicts["own"] + verdicts["room"]
    if not count:
        return f"| {place} | 0 |"
    interval = binomtest(noticed, count).proportion_ci(method="wilson")
    share = f"{noticed / count:.2f}, {interval.low:.2f} to {interval.high:.2f}"
    columns = (count, *(verdicts[each] for each in ("own", "room", "named", "survives")), share)
    return f"| `{place}` | {' | '.join(map(str, columns))} |"


def main() -> int:
    """Judge the tests of the places asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.sampled_mutants", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("places", metavar="PLACE", nargs="*", default=ROOMS)
    parser.add_argument("--count", type=int, default=150, help="changes of each place")
    parser.add_argument("--seed", type=int, default=SEED)
    given = parser.parse_args()
    for place in given.places:
        if not (SOURCE / place).exists():
            parser.error(f"there is no src/private_experts/{place}")
    os.nice(10)
    # A busy machine is no verdict, and an input that one change failed on is not kept for the next.
    settings.register_profile("judge", suppress_health_check=list(HealthCheck), deadline=None, database=None)
    settings.load_profile("judge")
    paths = (path for place in given.places for path in files_of(place))
    rooms = [str(room) for room in dict.fromkeys(map(mirror, paths)) if room.exists()]
    ignored = (f"--ignore-glob=*/{name}" for name in LONGER)
    words = ["-q", "-s", "--no-header", "--assert=plain", "-n0", "-p", "no:cacheprovider"]
    with tempfile.TemporaryDirectory() as folder:
        words += [f"--basetemp={folder}/tests", *ignored, *rooms]
        return int(pytest.main(words, plugins=[Judge(given.places, given.count, given.seed)]))


if __name__ == "__main__":
    sys.exit(main())
