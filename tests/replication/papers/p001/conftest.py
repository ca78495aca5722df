from collections.abc import Iterator

import pytest

from private_experts.replication.balls.balls import precision


@pytest.fixture
def in_balls() -> Iterator[None]:
    """Let a test compare balls with the precision that checks have."""
    with precision():
        yield
