"""The coordinator as a process: its folder in, a port on the loopback out."""

import socket
import ssl
from contextlib import closing
from pathlib import Path
from typing import Any

from examples.hospitals.certificates import CERTIFICATE, KEY
from examples.hospitals.coordinator import Coordinator
from examples.hospitals.private_files import warn_of_others
from examples.hospitals.sending import LOOPBACK, on_this_machine
from examples.hospitals.setting import read_setting
from examples.hospitals.store import DATABASE, Store, has_weeks
from examples.hospitals.tokens import HASHES, Tokens
from private_experts.errors import InputError

MOST_CONNECTIONS = 500
"""How many may be open at once. Requests on further ones get 503."""


def check_port(port: int) -> None:
    """Refuse what is no port."""
    if not 1 <= port <= 65535:
        raise InputError(f"--port {port}: write 1 to 65535")


def serve(folder: Path, port: int, host: str = LOOPBACK, new: bool = False) -> None:
    """Run the coordinator of a folder until it gets SIGTERM or SIGINT.

    Tokens must not travel as they are. So without a certificate in its folder it listens on this machine alone.
    """
    try:
        import uvicorn

        from examples.hospitals.hurrying import Hurrying, HurryingServer
        from examples.hospitals.server import application
    except ImportError as error:
        raise InputError(
            f"the coordinator needs {error.name}: install it with pip install 'private-experts[examples]'"
        ) from error
    check_port(port)
    setting = read_setting(folder)
    tokens = Tokens(folder / HASHES, setting.hospitals)
    encrypted = encryption(folder)
    for name in (KEY, HASHES, DATABASE):
        warn_of_others(folder / name)
    if not encrypted and not on_this_machine(host):
        raise InputError(f"--host {host}: is not of this machine alone; make a certificate first, see README")
    if new and has_weeks(folder / DATABASE):
        raise InputError(f"--new: {folder / DATABASE} has weeks already; leave it out, so that a loss is noticed")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with closing(Store(folder / DATABASE, setting.text(), new=new)) as store, socket.socket(family) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # at once again, after a kill
        try:
            listener.bind((host, port))
        except OSError as error:
            raise InputError(f"port {port} cannot be had ({error.strerror}): name another with --port") from error
        config = uvicorn.Config(
            application(Coordinator(setting, store), tokens.owner),
            log_level="error", access_log=False, server_header=False, ws="none", loop="asyncio", http=Hurrying,
            limit_concurrency=MOST_CONNECTIONS, h11_max_incomplete_event_size=8000, timeout_graceful_shutdown=1,
            **encrypted,
        )  # fmt: skip
        HurryingServer(config).run(sockets=[listener])


def encryption(folder: Path) -> dict[str, Any]:
    """Return what uvicorn needs to encrypt with the certificate in a folder: nothing if there is none."""
    certificate, key = folder / CERTIFICATE, folder / KEY
    if not certificate.exists() and not key.exists():
        return {}
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
    except OSError as error:
        raise InputError(f"{certificate}: is no certificate with its key in {KEY} ({error}); make it anew") from error
    return {"ssl_certfile": certificate, "ssl_keyfile": key}
