from typing import Any

import pytest


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that replaces something that a module's checks use."""
    return lambda module, name, value: monkeypatch.setattr(module, name, value)
