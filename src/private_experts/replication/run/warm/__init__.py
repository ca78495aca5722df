"""Jobs of a run begin as forks of one process that has imported NumPy, SciPy, pandas and Matplotlib.

To import them is most of what a small job takes. The jobs call ``private-experts`` as ever. During a run Bash knows
that name as a function: it asks the server (`server`), and what the server does not take starts as a process of its
own (`ask`). The server ends with the run. Its forks read the package's own code when they begin.
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from private_experts.errors import PROGRAM
from private_experts.replication.run.warm import ask

FUNCTION = f"BASH_FUNC_{PROGRAM}%%"  # how Bash finds a function in the environment


def function(address: str) -> str:
    """Return the Bash function that asks the server at an address, where it can be asked, and else runs the command."""
    python, door = shlex.quote(sys.executable), shlex.quote(address)
    asking = shlex.join([sys.executable, "-I", "-S", ask.__file__, address, PROGRAM])
    # A container may see neither the door nor this Python.
    return f'() {{ if [ -S {door} ] && [ -x {python} ]; then {asking} "$@"; else command {PROGRAM} "$@"; fi\n}}'


@contextmanager
def warm() -> Iterator[None]:
    """Let jobs begin warm that this process and its forks start, until all of these have ended.

    Only on Linux: elsewhere a process that has imported NumPy cannot safely be forked. A run that is started by another
    one uses its server.
    """
    if sys.platform != "linux" or FUNCTION in os.environ:
        yield
        return
    folder = Path(tempfile.mkdtemp(prefix=f"{PROGRAM}-"))
    address = f"{folder}/door"
    # Its standard input ends when this process and all its forks have ended, however they did.
    server = subprocess.Popen(
        [sys.executable, "-P", Path(__file__).with_name("server.py"), address],
        env=dict(os.environ),  # and not what C knows, to which libraries add
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is for who asks, and is passed on
    )
    assert server.stdin
    os.environ[FUNCTION], ours = function(address), os.getpid()
    try:
        yield
    finally:
        del os.environ[FUNCTION]
        server.stdin.close()
        if os.getpid() == ours:  # and no fork
            server.wait()
            shutil.rmtree(folder, ignore_errors=True)
