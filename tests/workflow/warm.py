"""Processes that begin with all that is not ours imported, which is most of what a small job takes.

A server imports it once, and answers each request with a fresh fork of itself that runs Snakemake or a command of ours.
Nothing of the package is imported before the fork, so each fork reads its project's own copy as it then is. A command
that a rule calls is found by Bash as a function, and not on the path. A fork ends with who asked for it: Ctrl-C is
passed on, and when who asked was killed, so is the fork.

The server and those who ask are this file, called as a script; who asks needs the standard library alone.
"""

import gc
import importlib
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, NoReturn

FOREIGN = (
    "jsonschema",
    "latex2mathml.converter",
    "matplotlib.backends.backend_svg",
    "matplotlib.pyplot",
    "pandas",
    "requests",
    "scipy.linalg",
    "scipy.optimize",
    "scipy.signal",
    "scipy.special",
    "snakemake.cli",
    "snakemake.storage",
    "tqdm",
)
SNAKEMAKE, COMMAND = "snakemake", "private-experts"


def ask(address: str, folder: str, environment: Mapping[str, str], words: Sequence[str], files: Sequence[int]) -> int:
    """Let the server run words in a folder, with these files as standard input, output and error; return the code."""
    asked = {"folder": folder, "environment": dict(environment), "words": list(words)}
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(address)
        socket.send_fds(line, [b"?"], list(files))
        line.sendall(json.dumps(asked).encode() + b"\n")
        try:
            return int(line.recv(8) or 70)
        except KeyboardInterrupt:
            line.sendall(b"!")
            return int(line.recv(8) or 70)


def serve(address: str) -> NoReturn:
    """Import what is not ours, say so, and answer for ever."""
    for name in FOREIGN:
        importlib.import_module(name)
    importlib.import_module("snakemake.cli").get_argument_parser()  # looks for Snakemake's plugins
    signal.signal(signal.SIGCHLD, _reap)
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(address)
        door.listen()
        gc.freeze()
        print("ready", flush=True)
        while True:
            line, _ = door.accept()
            if os.fork() == 0:
                _answer(line)
            line.close()


def _reap(*_: object) -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _attend(line: socket.socket) -> NoReturn:
    """Pass on what happens to who asked: Ctrl-C, or its end."""
    while line.recv(1):
        os.kill(os.getpid(), signal.SIGINT)
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("a killed process goes on")


def _answer(line: socket.socket) -> NoReturn:
    code: object = 70
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        _, files, *_ = socket.recv_fds(line, 1, 3)
        for number, file in enumerate(files):
            os.dup2(file, number)
        said = b""
        while b"\n" not in said:
            more = line.recv(65536)
            if not more:  # who asked was stopped before it had said all
                os._exit(0)
            said += more
        request, _, stopped = said.partition(b"\n")
        if stopped:  # Ctrl-C came so soon that both were read at once
            raise KeyboardInterrupt
        asked = json.loads(request)
        threading.Thread(target=_attend, args=(line,), daemon=True).start()
        os.chdir(asked["folder"])
        os.environ.clear()
        os.environ.update(asked["environment"])
        sys.path[0] = os.environ["PYTHONPATH"]
        program, *words = sys.argv = asked["words"]
        module = "snakemake.cli" if program == SNAKEMAKE else "private_experts.replication.cli"
        code = importlib.import_module(module).main(words)
    except SystemExit as end:
        code = end.code or 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        with suppress(BrokenPipeError):
            line.sendall(str(int(code) if isinstance(code, int) else 70).encode())
        os._exit(0)


class Warm(NamedTuple):
    """A server by its address."""

    address: str

    @property
    def variables(self) -> dict[str, str]:
        """Return the variable that lets Bash, as Snakemake calls it, run our commands in the server."""
        words = shlex.join([sys.executable, "-I", "-S", __file__, self.address, COMMAND])
        return {f"BASH_FUNC_{COMMAND}%%": f'() {{ {words} "$@"\n}}'}

    def run(
        self, folder: Path, environment: Mapping[str, str], *words: str, program: str = SNAKEMAKE
    ) -> subprocess.CompletedProcess[str]:
        """Run Snakemake, or a command of ours, in a folder to its end."""
        with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as complained, Path(os.devnull).open() as none:
            files = [each.fileno() for each in (none, said, complained)]
            code = ask(self.address, str(folder), environment, [program, *words], files)
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
            [sys.executable, __file__, address],
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


if __name__ == "__main__":
    if sys.argv[2:]:
        sys.exit(ask(sys.argv[1], str(Path.cwd()), os.environ, sys.argv[2:], (0, 1, 2)))
    serve(sys.argv[1])
