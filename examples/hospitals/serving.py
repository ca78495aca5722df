"""The coordinator as a process: its folder in, a port on the loopback out."""

import socket
from contextlib import closing
from pathlib import Path

from examples.hospitals.coordinator import Coordinator
from examples.hospitals.setting import read_setting
from examples.hospitals.store import DATABASE, Store
from examples.hospitals.tokens import read_hashes
from examples.hospitals.world import HASHES
from private_experts.errors import InputError

LOOPBACK = "127.0.0.1"

MOST_CONNECTIONS = 500
"""How many may be open at once. Requests on further ones get 503."""


def check_port(port: int) -> None:
    """Refuse what is no port."""
    if not 1 <= port <= 65535:
        raise InputError(f"--port {port}: write 1 to 65535")


def serve(folder: Path, port: int, new: bool = False) -> None:
    """Run the coordinator of a folder until it gets SIGTERM or SIGINT.

    Tokens travel as they are, so it listens on the loopback alone. A deployment over a network puts a server in front
    that speaks TLS.
    """
    try:
        import uvicorn

        from examples.hospitals.hurrying import Hurrying
        from examples.hospitals.server import application
    except ImportError as error:
        raise InputError(
            f"the coordinator needs {error.name}: install it with pip install 'private-experts[examples]'"
        ) from error
    check_port(port)
    setting = read_setting(folder)
    hashes = read_hashes(folder / HASHES, setting.hospitals)
    with closing(Store(folder / DATABASE, setting.text(), new=new)) as store, socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # at once again, after a kill
        try:
            listener.bind((LOOPBACK, port))
        except OSError as error:
            raise InputError(f"port {port} cannot be had ({error.strerror}): name another with --port") from error
        config = uvicorn.Config(
            application(Coordinator(setting, store), hashes),
            log_level="error", access_log=False, server_header=False, ws="none", http=Hurrying,
            limit_concurrency=MOST_CONNECTIONS, h11_max_incomplete_event_size=8000, timeout_graceful_shutdown=1,
        )  # fmt: skip
        uvicorn.Server(config).run(sockets=[listener])
