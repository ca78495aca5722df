from collections.abc import Callable
from pathlib import Path

import pytest

from tests.replication.workflow.fingerprint.toy import put


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def write(files: dict[str, str]) -> Path:
        put(tmp_path / "toy", files)
        return tmp_path

    return write
