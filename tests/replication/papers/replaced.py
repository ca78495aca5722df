"""Checks that use something else in the place of what they should."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pytest


@contextmanager
def put(module: ModuleType | type, **mutants: Any) -> Iterator[None]:
    """Put something else in the place of what a module uses, by name."""
    with pytest.MonkeyPatch.context() as patch:
        for name, mutant in mutants.items():
            patch.setattr(module, name, mutant)
        yield


def asleep(player: type) -> type:
    """Return an algorithm that keeps its first point."""
    return type("Asleep", (player,), {"update": lambda self, loss: None})
