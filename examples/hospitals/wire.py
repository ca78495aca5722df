"""A wire between hospitals and coordinator that keeps a copy of every byte the coordinator receives."""

import contextlib
import socket
import threading

from examples.hospitals.sending import LOOPBACK

_PIECE = 65536


class Wire:
    """Listens on a port of its own and passes everything on to the coordinator's and back.

    `received` is what went to the coordinator, one entry for each connection.
    """

    def __init__(self, target: int) -> None:
        self._target = target
        self._listener = socket.create_server((LOOPBACK, 0))
        self.port = int(self._listener.getsockname()[1])
        self.received: list[bytearray] = []
        self._ends: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._listen, daemon=True)]

    def __enter__(self) -> "Wire":
        self._threads[0].start()
        return self

    def __exit__(self, *error: object) -> None:
        for end in (self._listener, *self._ends):  # wakes every thread
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(5.0)
        for end in (self._listener, *self._ends):
            end.close()

    def _listen(self) -> None:
        with contextlib.suppress(OSError):  # the listener was shut down
            while True:
                near = self._listener.accept()[0]
                self._ends.append(near)
                try:
                    far = socket.create_connection((LOOPBACK, self._target), 5.0)
                except OSError:  # the coordinator is down: the hospital learns it and tries again
                    near.close()
                    continue
                far.settimeout(None)
                self._ends.append(far)
                copy = bytearray()
                self.received.append(copy)
                for source, sink, kept in ((near, far, copy), (far, near, None)):
                    thread = threading.Thread(target=_pass_on, args=(source, sink, kept), daemon=True)
                    self._threads.append(thread)
                    thread.start()


def _pass_on(source: socket.socket, sink: socket.socket, kept: bytearray | None) -> None:
    with contextlib.suppress(OSError):
        while piece := source.recv(_PIECE):
            if kept is not None:
                kept += piece  # kept before it is passed on
            sink.sendall(piece)
    for end in (source, sink):  # wakes the other direction too
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
