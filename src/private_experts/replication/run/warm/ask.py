"""Ask a server of warm processes (server.py) to run a command; during a run this stands in the command's place.

It is run as a script, once a job, so it imports little.
"""

import json
import os
import socket
import sys
from collections.abc import Mapping, Sequence

REFUSED = -1  # an exit code is not negative


def ask(address: str, folder: str, environment: Mapping[str, str], words: Sequence[str], files: Sequence[int]) -> int:
    """Let the server run words in a folder, with these files as standard input, output and error.

    Returns
    -------
    int
        The exit code, or `REFUSED` if the server does not do this.
    """
    asked = {"folder": folder, "environment": dict(environment), "words": list(words)}
    with socket.socket(socket.AF_UNIX) as line:
        try:
            line.connect(address)
        except OSError:  # its run has ended
            return REFUSED
        socket.send_fds(line, [b"?"], list(files))
        line.sendall(json.dumps(asked).encode() + b"\n")
        try:
            return _heard(line)
        except KeyboardInterrupt:
            line.sendall(b"!")
            return _heard(line)


def _heard(line: socket.socket) -> int:
    said = line.recv(8)
    if not said:
        print("private-experts: something killed this job; perhaps it needs more memory", file=sys.stderr)
        return 137  # as a shell says of what was killed
    return int(said)


if __name__ == "__main__":
    address, *words = sys.argv[1:]
    code = ask(address, os.getcwd(), os.environ, words, (0, 1, 2))  # noqa: PTH109 (pathlib is slow to import)
    if code == REFUSED:
        os.execvp(words[0], words)
    sys.exit(code)
