"""Commands that begin with all that is not ours imported, which is most of what a small job takes.

They are run by a server (server.py), and asked for by a short script (ask.py), or without a process of its own. A
command that a rule calls is found by Bash as a function, and not on the path.
"""

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.workflow import ask

SNAKEMAKE, COMMAND = "snakemake", "private-experts"


class Warm(NamedTuple):
    """A server by its address."""

    address: str

    @property
    def variables(self) -> dict[str, str]:
        """Return the variable that lets Bash, as Snakemake calls it, run our commands in the server."""
        words = shlex.join([sys.executable, "-I", "-S", ask.__file__, self.address, COMMAND])
        return {f"BASH_FUNC_{COMMAND}%%": f'() {{ {words} "$@"\n}}'}

    def run(
        self, folder: Path, environment: Mapping[str, str], *words: str, program: str = SNAKEMAKE
    ) -> subprocess.CompletedProcess[str]:
        """Run Snakemake, or a command of ours, in a folder to its end."""
        with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as complained, Path(os.devnull).open() as none:
            files = [each.fileno() for each in (none, said, complained)]
            code = ask.ask(self.address, str(folder), environment, [program, *words], files)
            said.seek(0)
            complained.seek(0)
            return subprocess.CompletedProcess(words, code, said.read().decode(), complained.read().decode())


@contextmanager
def warmed(plugins: Path) -> Iterator[Warm]:
    """Start a server that finds Snakemake's plugins in a folder, and end it in the end."""
    with tempfile.TemporaryDirectory() as folder:  # a short path: an address has a hundred letters at most
        address = f"{folder}/door"
        environment = dict(os.environ)
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # what a fork compiles is kept for the next
        server = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("server.py"), address],
            stdout=subprocess.PIPE,
            cwd=folder,
            env=environment | {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(plugins)},
        )
        assert server.stdout
        try:
            assert server.stdout.readline() == b"ready\n"
            yield Warm(address)
        finally:
            server.terminate()
            server.wait()
            server.stdout.close()
