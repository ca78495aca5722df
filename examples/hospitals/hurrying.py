"""HTTP connections that are closed when no whole header comes, or an answer is not read, or nobody greets, in time.

Uvicorn closes a connection that has been idle after an answer. It waits without end for the first header, for one that
has begun, and for an answer to be read.
"""

import asyncio
import functools
import socket

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

SLOWEST = 5.0
"""Seconds within which a header must have come."""


LONGEST = 30.0
"""Seconds within which an answer must be given and read."""


class Hurrying(H11Protocol):
    """A connection of uvicorn's, with a time limit for each header and each answer."""

    _limit: asyncio.TimerHandle | None = None
    _answered: object = None  # the request whose answer is limited; None while a header is

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin the time for the first header."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take what came, and begin or end the time for a header."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        super().connection_lost(exc)
        self._forget()

    def _watch(self) -> None:
        answered = self.cycle if self._answering() else None
        if self._limit is not None and answered is self._answered:
            return  # bytes that drip in do not begin it anew
        self._forget()
        self._answered = answered
        if answered is None:
            self._limit = self.loop.call_later(SLOWEST, self._close)
        else:
            self._limit = self.loop.call_later(LONGEST, self.transport.abort)

    def _answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _forget(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None

    def _close(self) -> None:
        self._limit = None
        if not self._answering():
            self.transport.close()


class HurryingServer(uvicorn.Server):
    """Uvicorn's server, with a time limit for the greetings of encrypted connections; asyncio waits a minute."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen."""
        loop = asyncio.get_running_loop()
        if self.config.is_ssl:
            limits = {"ssl_handshake_timeout": SLOWEST, "ssl_shutdown_timeout": 1.0}
            vars(loop)["create_server"] = functools.partial(loop.create_server, **limits)
        await super().startup(sockets)
