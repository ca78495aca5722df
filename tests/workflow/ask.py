"""Ask a server of warm processes (warm.py) to run a command: what stands on a job's path instead of the command.

A job asks often and briefly, so this imports little.
"""

import json
import os
import socket
import sys
from collections.abc import Mapping, Sequence


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


if __name__ == "__main__":
    sys.exit(ask(sys.argv[1], os.getcwd(), os.environ, sys.argv[2:], (0, 1, 2)))  # noqa: PTH109 (pathlib is slow to import)
