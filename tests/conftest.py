from collections.abc import Callable

import pytest

from private_experts.cli import main


@pytest.fixture
def command(capsys) -> Callable[..., tuple[int, str]]:
    """Run a command as a user would: the words in, the exit code and what standard error says out."""

    def run(*words: object) -> tuple[int, str]:
        capsys.readouterr()
        try:
            code = main([str(word) for word in words])
        except SystemExit as end:
            code = int(end.code or 0)
        return code, capsys.readouterr().err

    return run
