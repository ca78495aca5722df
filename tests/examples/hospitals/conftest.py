from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the coordinator needs the optional extra 'examples'")
pytest.importorskip("uvicorn", reason="the coordinator needs the optional extra 'examples'")

from tests.examples.hospitals.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path / "reports.sqlite3")
    yield desk
    desk.close()
