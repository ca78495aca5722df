"""Commands that begin with all that is not ours imported, which is most of what a small job takes.

They are run by a server (server.py) and asked for as those of a run are, or asked for without a process of their own.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from private_experts.replication.run.warm import FUNCTION, function
from private_experts.replication.run.warm.ask import ask

SNAKEMAKE = "snakemake"


class Warm(NamedTuple):
    """A server by its address."""

    address: str

    @property
    def variables(self) -> dict[str, str]:
        """Return the variable that lets Bash, as Snakemake calls it, run our commands in the server."""
        return {FUNCTION: function(self.address)}

    def run(
        self, folder: Path, environment: Mapping[str, str], *words: str, program: str = SNAKEMAKE
    ) -> subprocess.CompletedProcess[str]:
        """Run Snakemake, pytest or a command of ours in a folder to its end."""
        with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as complained, Path(os.devnull).open() as none:
            files = [each.fileno() for each in (none, said, complained)]
            code = ask(self.address, str(folder), environment, [program, *words], files)
            said.seek(0)
            complained.seek(0)
            return subprocess.CompletedProcess(words, code, said.read().decode(), complained.read().decode())


@contextmanager
def warmed(plugins: Path) -> Iterator[Warm]:
    """Start a server that finds Snakemake's plugins in a folder, and end it in the end."""
    with tempfile.TemporaryDirectory() as outer:  # a short path: an address has a hundred letters at most
        folder = Path(outer, "it")
        folder.mkdir()
        address = f"{folder}/door"
        environment = dict(os.environ)
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # what a fork compiles is kept for the next
        server = subprocess.Popen(
            [sys.executable, "-P", Path(__file__).with_name("server.py"), address],
            stdin=subprocess.PIPE,  # it ends when this does
            cwd=folder,
            env=environment | {"PYTHONPATH": str(plugins)},
        )
        assert server.stdin
        try:
            while not Path(address).exists():
                assert server.poll() is None, "the server of warm processes has ended"
                time.sleep(0.05)
            yield Warm(address)
        finally:
            server.stdin.close()
            server.wait()
