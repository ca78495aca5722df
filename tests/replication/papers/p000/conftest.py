"""What tests of this paper's checks need."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture
def put(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that replaces names in the module of the checks, CHECKED in tests, or in another."""

    def replace(module: ModuleType | None = None, /, **names: Any) -> None:
        for name, value in names.items():
            monkeypatch.setattr(module or request.module.CHECKED, name, value)

    return replace


@pytest.fixture(autouse=True)
def computed_once(request: pytest.FixtureRequest, put: Callable[..., None]) -> None:
    """Let the checks of a test module use its COMPUTED: functions that compute nothing twice."""
    put(**getattr(request.module, "COMPUTED", {}))
