"""The line between hospital and coordinator: who answers, who does not, and who only keeps it busy."""

import contextlib
import http.server
import math
import socket
import ssl
import threading
import time
from collections.abc import Iterator

import pytest
import uvicorn

from examples.hospitals import hurrying, sending
from examples.hospitals.hurrying import Hurrying
from examples.hospitals.sending import Line, printable
from private_experts.errors import InputError
from tests.each import each


@contextlib.contextmanager
def answering(*answers: bytes) -> Iterator[str]:
    """Run a server that gives these answers, one a request and the last one again and again. Yield its address."""
    left = list(answers)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = left.pop(0) if len(left) > 1 else left[0]
            self.send_response(503 if body == b"busy" else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words: object) -> None:
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@each("told", [b'{"week": null}', b'{"week": "3"}', b'{"week": 1.5}', b'{"week": true}', b"{}", b"[]", b"null", b"7"])
def test_what_is_no_coordinator_is_told_in_one_line(told: bytes) -> None:
    with answering(told) as address, Line(address, "") as line, pytest.raises(InputError, match="is no coordinator"):
        line.week()


@each("told", [b'{"week": 1' + b" " * 100_000 + b"}", b'{"week": 1' + b"0" * 4000 + b"}"])
def test_an_answer_that_is_too_long_or_absurd_is_told(told: bytes) -> None:
    with answering(told) as address, Line(address, "") as line, pytest.raises(InputError, match="is no coordinator"):
        line.week()


@each("told", [b"[" * 90_000, b'{"week": 1' + b"0" * 5000 + b"}"])
def test_an_answer_that_cannot_be_read_is_none(told: bytes) -> None:
    with (
        answering(told) as address,
        Line(address, "", 0.0) as line,
        pytest.raises(InputError, match="has not answered"),
    ):
        line.week()


HELD_UP = {
    "what goes on": (b"HTTP/1.1 100 Continue\r\n\r\n", b""),
    "a header without end": (b"HTTP/1.1 200 OK\r\nX: ", b"x"),
    "an answer that drips": (b"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n", b" "),
    "trailers without end": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", b"a: b\r\n"),
    "a greeting that drips": (b"\x16\x03\x03\x40\x00", b"\x02"),
}


@contextlib.contextmanager
def dripping(first: bytes, then: bytes) -> Iterator[int]:
    """Run a server that sends something, and then something more again and again. Yield its port."""

    def drip() -> None:
        with contextlib.suppress(OSError), listener.accept()[0] as connection:
            connection.recv(4096)
            connection.sendall(first)
            for _ in range(400):
                connection.sendall(then or first)
                time.sleep(0.01)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=drip)
        thread.start()
        yield listener.getsockname()[1]
        thread.join()


@each("how", list(HELD_UP))
def test_an_answer_without_end_is_ended(monkeypatch, how: str) -> None:
    monkeypatch.setattr(sending, "LONGEST_EXCHANGE", 0.2)
    monkeypatch.setattr(sending, "_trusting", lambda authority: ssl.create_default_context())
    with dripping(*HELD_UP[how]) as port:
        scheme, began = "https" if "greeting" in how else "http", time.monotonic()
        with Line(f"{scheme}://127.0.0.1:{port}", "", 0.0) as line, pytest.raises(InputError):
            line.week()
        assert 0.15 < time.monotonic() - began < 3.0


@each("held", ["7", "[7]", '[["1", 0.5]]', "[[1, NaN]]", "[[1, 1e999]]", "[[0, 0.5]]", "[[1, 0.5, 2]]", "[[1, null]]"])
def test_held_reports_that_are_none_are_told(held: str) -> None:
    with answering(f'{{"held": {held}}}'.encode()) as address, Line(address, "", 1.0) as line:
        if held == "7":
            assert line.held(9) == {}
        else:
            with pytest.raises(InputError, match="is no coordinator"):
                line.held(9)


def test_reports_of_weeks_that_are_not_open_yet_are_not_believed() -> None:
    with answering(b'{"held": [[1, 0.5], [2, 0.25], [3, 0.75]]}') as address, Line(address, "", 1.0) as line:
        assert line.held(2) == {1: 0.5, 2: 0.25}


def test_what_others_say_is_written_without_codes() -> None:
    assert printable("\x1b[2J\nroot: all is well\u202e") == "?[2J?root: all is well?"
    assert printable("\u4e2d") == "?"  # not every log can take it
    assert len(printable("x" * 9999)) == 200


@each(("address", "said"), [
    *[(address, "write it like") for address in ("x", "http://127.0.0.1", "http://127.0.0.1:70000", "http://[", "ftp://a:1")],
    *[(address, "write https, or http") for address in ("http://192.0.2.7:80", "http://localhost:80", "http://127.0.0.1.example:80")],
    ("https://127.0.0.1:80", "https needs the authority's certificate$"),
])  # fmt: skip
def test_an_address_that_is_none_is_told_in_one_line(address: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        Line(address, "")


def test_a_hospital_waits_without_end_and_says_that_nobody_answers(monkeypatch, capsys) -> None:
    monkeypatch.setattr(sending, "REMINDER", 0.1)
    with answering(*[b"busy"] * 3, b'{"week": 2}') as address, Line(address, "", patience=math.inf) as line:
        assert line.week() == {"week": 2}
    assert "has not answered for 0 s; trying on" in capsys.readouterr().err


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Run uvicorn with 0.2 seconds for a header. Of four connections at once the last is told that it is busy."""

    async def application(scope, receive, send) -> None:
        body = LARGE if scope["path"] == "/large" else b"ok"
        length = str(len(body)).encode()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", length)]})
        await send({"type": "http.response.body", "body": body})

    config = uvicorn.Config(application, http=Hurrying, limit_concurrency=4, log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    with pytest.MonkeyPatch.context() as patch, socket.create_server(("127.0.0.1", 0)) as listener:
        patch.setattr(hurrying, "SLOWEST", 0.4)
        patch.setattr(hurrying, "LONGEST", 0.8)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        yield int(listener.getsockname()[1])
        server.should_exit = True
        thread.join(5.0)


LARGE = bytes(30_000_000)  # more than a socket takes at once
WHOLE = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


def answered(connection: socket.socket) -> bool:
    """Tell whether a whole answer with status 200 comes."""
    got = b""
    while not got.endswith(b"ok") and (piece := connection.recv(4096)):
        got += piece
    return got.startswith(b"HTTP/1.1 200") and got.endswith(b"ok")


@each("sent", [b"", b"GET / HT", WHOLE + b"GET / HT", WHOLE.replace(b"\r\n\r\n", b"\r\nContent-Length: 9\r\n\r\n1")])
def test_a_connection_without_a_whole_header_is_closed(port: int, sent: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port), 3.0) as connection:
        if sent.startswith(WHOLE):  # the second header begins after the first answer
            connection.sendall(WHOLE)
            assert answered(connection)
            sent = sent[len(WHOLE) :]
        began = time.monotonic()
        connection.sendall(sent)
        with contextlib.suppress(ConnectionResetError):
            while connection.recv(4096):
                if sent.endswith(b"1"):
                    connection.sendall(b"2")  # drips into a request that is answered
        assert time.monotonic() - began < 2.0


def test_a_header_in_time_is_answered_on_one_connection_again_and_again(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), 3.0) as connection:
        for _ in range(4):
            connection.sendall(WHOLE[:9])
            time.sleep(0.12)  # together longer than a header may take
            connection.sendall(WHOLE[9:])
            assert answered(connection)


def test_an_answer_that_is_not_read_keeps_no_connection(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), 3.0) as connection:
        connection.sendall(WHOLE.replace(b"/", b"/large", 1))
        time.sleep(1.2)
        got = 0
        with contextlib.suppress(ConnectionResetError):
            while piece := connection.recv(2**20):
                got += len(piece)
        assert got < len(LARGE)


def test_idle_connections_keep_nobody_out_for_long(port: int) -> None:
    with contextlib.ExitStack() as stack:
        for _ in range(4):
            stack.enter_context(socket.create_connection(("127.0.0.1", port), 3.0))
        time.sleep(0.9)
        last = stack.enter_context(socket.create_connection(("127.0.0.1", port), 3.0))
        last.sendall(WHOLE)
        assert answered(last)
