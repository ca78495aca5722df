"""Ask a server of warm processes (server.py) to run a command; during a run this stands in the command's place.

It is run as a script, once a job, so it imports little.
"""

import json
import os
import socket
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress

REFUSED = -1  # an exit code is not negative
INTERRUPTED, KILLED = 130, 137  # as a shell says of a command


def ask(address: str, folder: str, environment: Mapping[str, str], words: Sequence[str], files: Sequence[int]) -> int:
    """Let the server run words in a folder, with these files as standard input, output and error.

    Returns
    -------
    int
        The exit code, or `REFUSED` if the server has not begun.
    """
    asked = {"folder": folder, "environment": dict(environment), "words": list(words)}
    said = bytearray()
    with socket.socket(socket.AF_UNIX) as line:
        try:
            line.connect(address)
            socket.send_fds(line, [b"?"], list(files))
            line.sendall(json.dumps(asked).encode() + b"\n")
        except OSError:  # its run has ended
            return REFUSED
        try:
            _hear(line, said)
        except KeyboardInterrupt:
            with suppress(OSError):
                line.sendall(b"!")
            _hear(line, said)
            return int(said[1:] or INTERRUPTED)
    if not said:
        return REFUSED
    if said == b"+":
        print("private-experts: something killed this job; perhaps it needs more memory", file=sys.stderr)
    return int(said[1:] or KILLED)


def _hear(line: socket.socket, said: bytearray) -> None:
    """Hear a plus when the command begins, and its exit code when it has ended."""
    with suppress(ConnectionError):
        while more := line.recv(8):
            said += more


def _open_what_is_closed() -> None:
    """Open nothing in the place of standard input, output and error where there is none: a socket would be there."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free


if __name__ == "__main__":
    _open_what_is_closed()
    address, *words = sys.argv[1:]
    code = ask(address, os.getcwd(), os.environ, words, (0, 1, 2))  # noqa: PTH109 (pathlib is slow to import)
    if code == REFUSED:
        os.execvp(words[0], words)
    sys.exit(code)
