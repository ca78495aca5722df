"""Every class with a guarantee has a check of what it draws, in some paper's claim on drawn noise."""

import ast
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from types import FrameType

import pytest

import private_experts
from private_experts.algorithms import Uniform
from private_experts.replication.papers import p000
from tests.replication.ledger.ledgers import KNOWN

SOURCE = Path(private_experts.__file__).parent
PAPERS = sorted(path.name for path in Path(p000.__file__).parents[1].glob("p[0-9]*"))
BASES = ("BaseAlgorithm", "CentralAlgorithm", "SleepingExperts")
OF_REPORTS = ("TotalsLeader", "LinearFilters", "Autoregressions", "PooledAutoregressions", "PosteriorMeans")
WITHOUT = {
    **dict.fromkeys(BASES, "it draws nothing: algorithms share it, and each states its own guarantee"),
    **dict.fromkeys(OF_REPORTS, "it draws nothing: it states the guarantee of the reports that it sums up"),
    "NamedExperts": "it draws nothing: it renames the experts of an algorithm, and states its guarantee",
    "FollowTheLeader": "it draws nothing, and states that it protects nobody",
    "TrendMeta": "it is RWMeta with learners: tests/games/test_trend_meta.py compares their plays",
    "KnownAdvice": "it draws nothing: it holds what learners made of reports, and states their guarantee",
    "PrivacyReport": "it is text about a guarantee",
    "Spending": "it is bookkeeping of levels",
}


@cache
def classes() -> dict[str, tuple[str, ast.ClassDef]]:
    """The library's public classes, with their modules."""
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        if "replication" in parts:
            continue
        for node in ast.parse(path.read_bytes()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name] = (".".join(parts), node)
    return found


@cache
def with_a_guarantee() -> set[str]:
    """The library's classes that state a guarantee; protocols and private ones do not."""

    def states(name: str) -> bool:
        _, node = classes()[name]
        bases = {ast.unparse(base).partition("[")[0] for base in node.bases}
        if "Protocol" in bases:
            return False
        return _defines_guarantee(node) or any(base in classes() and states(base) for base in bases)

    return {*filter(states, classes())}


def _defines_guarantee(node: ast.ClassDef) -> bool:
    """Whether a class has a field or a property of this name, or sets the attribute."""
    fields = (
        getattr(part.target, "id", "") if isinstance(part, ast.AnnAssign) else getattr(part, "name", "")
        for part in node.body
    )
    return "guarantee" in fields or any(
        isinstance(part, ast.Attribute)
        and isinstance(part.ctx, ast.Store)
        and (part.attr, getattr(part.value, "id", "")) == ("guarantee", "self")
        for part in ast.walk(node)
    )


def _rooms() -> dict[str, dict[str, Callable]]:
    """The mechanisms of each paper's claim on drawn noise, by paper; a paper may have no such claim."""
    rooms = {}
    for package in PAPERS:
        module = f"{p000.__name__.rpartition('.')[0]}.{package}.noise_{package[1:]}"
        if importlib.util.find_spec(module):
            rooms[package[1:]] = importlib.import_module(module).MECHANISMS
    return rooms


ROOMS = _rooms()
ENTRIES = [(paper, name) for paper, mechanisms in ROOMS.items() for name in mechanisms]


def lacking(entries: Iterable[str]) -> list[str]:
    """The classes that state a guarantee and have no check of what they draw."""
    return sorted(with_a_guarantee() - {*entries} - WITHOUT.keys())


def test_every_class_with_a_guarantee_has_a_check_of_what_it_draws():
    assert lacking(name for _, name in ENTRIES) == []
    every = lacking([])  # what would be noticed
    assert {"RWFTPL", "TightTreeSums", "Delayed", "SmoothedLeader"} <= {*every}
    assert len(every) > 40 - len(WITHOUT)


def test_what_needs_no_check_is_there_and_has_none():
    assert WITHOUT.keys() <= classes().keys()
    assert not WITHOUT.keys() & {name for _, name in ENTRIES}


class ReachedError(Exception):
    """The code of a class or a function begins to run."""


def reaches(check: Callable[[], object], name: str) -> bool:
    """Whether a definition of the library runs in a check, which ends there: no matter what it measures."""

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        runs = code.co_flags & inspect.CO_OPTIMIZED  # the body of a class, which runs at its import, does not
        if runs and code.co_qualname.partition(".")[0] == name and code.co_filename.startswith(str(SOURCE)):
            raise ReachedError

    before = sys.gettrace()
    sys.settrace(note)
    try:
        check()
    except ReachedError:
        return True
    finally:
        sys.settrace(before)
    return False


@pytest.mark.parametrize(("paper", "name"), ENTRIES)
def test_a_check_constructs_its_class(paper: str, name: str):
    grid = KNOWN.claims[f"{paper}/drawn-noise"].experiment(quick=True).grid
    assert reaches(lambda: [*ROOMS[paper][name](grid, 40, 0)], name)


def aspects(points: Iterable) -> Iterator[str]:
    """What the points of a check look at: the law of its draws, an attack, the exact law of outcomes."""
    for point in points:
        yield from aspects(point()) if callable(point) else [point.where.get("aspect", "")]


@pytest.mark.parametrize(("paper", "name"), ENTRIES)
def test_a_check_has_the_exact_law_of_what_is_published_or_an_attack_on_it(paper: str, name: str):
    if name == "SecureNoise":
        return  # it is noise and publishes nothing: reports and plays with it are other entries'
    grid = KNOWN.claims[f"{paper}/drawn-noise"].experiment(quick=True).grid
    assert any(aspect in ("outcome", "attack") for aspect in aspects(ROOMS[paper][name](grid, 40, 0)))


def test_a_check_of_another_class_is_noticed():
    def check() -> object:
        return Uniform(2, rng=0).predict()

    assert reaches(check, "Uniform")
    assert not reaches(check, "Hedge")
