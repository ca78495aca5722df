import pytest

from tests.bad_input.desk import Desk, assert_one_line


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


@pytest.fixture
def refused(command, desk):
    """Run a command in vain; the earlier run's files are untouched and no others left. Give the line."""

    def run(*words: object) -> str:
        before = desk.files()
        code, error = command(*words)
        assert_one_line(code, error)
        assert desk.files() == before
        return error

    return run
