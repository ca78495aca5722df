"""A server of processes that begin with all that is not ours imported; warm.py starts it as a script.

It imports that once, and answers each request with a fresh fork of itself that runs Snakemake or a command of ours.
Nothing of the package is imported before the fork, so each fork reads its project's own copy as it then is. A fork ends
with who asked for it: Ctrl-C is passed on, and when who asked was killed, so is the fork.
"""

import gc
import importlib
import json
import os
import signal
import socket
import sys
import threading
import traceback
from contextlib import suppress
from typing import NoReturn

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
MODULES = {"snakemake": "snakemake.cli", "private-experts": "private_experts.replication.cli"}


def serve(address: str) -> NoReturn:
    """Import what is not ours, say so, and answer for ever."""
    for name in FOREIGN:
        importlib.import_module(name)
    importlib.import_module(MODULES["snakemake"]).get_argument_parser()  # looks for Snakemake's plugins
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
        code = importlib.import_module(MODULES[program]).main(words)
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


if __name__ == "__main__":
    serve(sys.argv[1])
