"""Checks on small grids: their verdicts, also with mutants, and which of their points fail."""

import functools
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from private_experts.replication.ledger.checking import points_of
from private_experts.replication.ledger.evidence import Point, decide
from private_experts.replication.study.data.panel import Panel

SEED = 1


def found(
    check: Callable[..., Sequence[Point]],
    grid: Mapping[str, Any],
    repetitions: int = 2,
    panels: Mapping[str, Panel] | None = None,
    **mutants: Any,
) -> Sequence[Point]:
    """Return the points of a check, for claims without chance or for so many repetitions.

    Mutants take the place of what its module uses by these names, `other.name` of what that has in another
    module or class.
    """
    with pytest.MonkeyPatch.context() as put:
        for name, mutant in mutants.items():
            *places, last = name.split(".")
            put.setattr(functools.reduce(getattr, places, sys.modules[check.__module__]), last, mutant)
        # a part of a claim has its cells of the grid
        return points_of(check, grid, repetitions, SEED, cells=grid, panels=panels)


def verdict(
    check: Callable[..., Sequence[Point]],
    grid: Mapping[str, Any],
    repetitions: int = 2,
    last: int = 0,
    of: Mapping[str, Any] | None = None,
    **mutants: Any,
) -> str:
    """Return the verdict of a check, `of` the points at a place alone; other arguments as for `found`.

    So many of the last points are decided one by one.
    """
    points = found(check, grid, repetitions, **mutants)
    if of is not None:
        points = [point for point in points if of.items() <= point.where.items()]
        assert points
    first = len(points) - last
    return " ".join([decide(points[:first]), *(decide([point]) for point in points[first:])])


def times(factor: float, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function with so many times the value of another."""
    return lambda *given, **named: factor * function(*given, **named)


def failing(points: Sequence[Point], column: str) -> set[Any]:
    """Return what a column has where points fail by themselves."""
    return {point.where[column] for point in points if decide([point]) == "fails"}


@contextmanager
def wrong(module: Any, name: str, mutant: Any) -> Iterator[None]:
    """Have a mutant in place of something that a module's checks use.

    A number is a factor of what the right function returns, and a function is called with the right one
    before its arguments. Classes and everything else take the place as they are.
    """
    right = getattr(module, name)
    if callable(right) and not callable(mutant):
        value = times(mutant, right)
    elif callable(mutant) and not isinstance(mutant, type):
        value = functools.partial(mutant, right)
    else:
        value = mutant
    with pytest.MonkeyPatch.context() as put:
        put.setattr(module, name, value)
        yield
