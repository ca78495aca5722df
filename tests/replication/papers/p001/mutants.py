"""Checks that use something else in the place of what they should."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pytest

from private_experts.replication.ledger.evidence import Point, decide


@contextmanager
def put(module: ModuleType | type, **mutants: Any) -> Iterator[None]:
    """Put something else in the place of what a module uses, by name."""
    with pytest.MonkeyPatch.context() as patch:
        for name, mutant in mutants.items():
            patch.setattr(module, name, mutant)
        yield


def verdicts(points: Sequence[Point], last: int = 0) -> str:
    """Return what the points decide but the last ones, and what each of these does."""
    first = len(points) - last
    return " ".join([decide(points[:first]), *(decide([point]) for point in points[first:])])


def asleep(player: type) -> type:
    """Return an algorithm that keeps its first point."""
    return type("Asleep", (player,), {"update": lambda self, loss: None})
