"""What all tests of the replication have in common."""

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def figures_are_closed() -> Iterator[None]:
    """Close the figures that a test draws; most tests draw none and do not wait for matplotlib."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
