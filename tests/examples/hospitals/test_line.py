"""Hospitals and coordinator speak TLS, and nothing without it; what is no request is refused."""

import contextlib
import json
import shutil
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from examples.hospitals.coordinator import LARGEST, Server
from examples.hospitals.hospital import AUTHORITY, Hospital
from private_experts.errors import InputError
from tests.examples.hospitals.deployment import FIRST, NAMES, WEEKS, Deployment, stored

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="certificates need the program openssl")


@pytest.fixture
def port(deployment: Deployment) -> Iterator[int]:
    """Serve the coordinator over TLS."""
    deployment.certify()
    with Server(("127.0.0.1", 0), deployment.desk, deployment.coordinator) as server:
        port = server.server_address[1]
        for name in NAMES:
            deployment.change(deployment.house(name), coordinator=f"https://127.0.0.1:{port}")
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield port
        server.shutdown()
        thread.join()


def attend(deployment: Deployment, name: str = FIRST) -> str:
    with closing(Hospital(deployment.house(name))) as hospital:
        return hospital.attend()


def test_reports_go_through_and_one_who_says_nothing_keeps_nobody_waiting(deployment: Deployment, port: int) -> None:
    with contextlib.ExitStack() as silent:
        for _ in range(20):
            silent.enter_context(socket.create_connection(("127.0.0.1", port)))
        for name in NAMES:
            assert attend(deployment, name) == f"{name}, week {WEEKS[0]}: reported"
    assert [[body] for _, _, body, _ in deployment.counted()] == [stored(deployment.house(name)) for name in NAMES]


def test_plain_http_is_refused_by_both(deployment: Deployment, port: int) -> None:
    token, body = deployment.tokens[FIRST], deployment.report()
    request = f"POST /reports HTTP/1.1\r\nAuthorization: Bearer {token}\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    answer = b""
    with socket.create_connection(("127.0.0.1", port), 30.0) as line, contextlib.suppress(ConnectionError):
        line.sendall(request.encode())
        while piece := line.recv(1000):
            answer += piece
    assert b"HTTP" not in answer
    assert deployment.counted() == []
    deployment.change(deployment.house(FIRST), coordinator=f"http://127.0.0.1:{port}")
    with pytest.raises(InputError, match="write its address like https://"):
        attend(deployment)


def test_without_a_certificate_the_coordinator_does_not_serve(deployment: Deployment) -> None:
    with pytest.raises(InputError, match=r"tls\.pem: is no certificate with its key"):
        Server(("127.0.0.1", 0), deployment.desk, deployment.coordinator)


@pytest.mark.parametrize("wrong", ["authority", "host"])
def test_another_certificate_is_refused_and_is_sent_nothing(deployment: Deployment, wrong: str) -> None:
    deployment.certify()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(deployment.desk / "tls.pem", deployment.desk / "tls.key")
    host = "127.0.0.1" if wrong == "authority" else "127.0.0.2"  # for which the certificate is not
    if wrong == "authority":
        deployment.certify()  # the hospital trusts a newer one
    received: list[bytes] = []

    def listen() -> None:
        with contextlib.suppress(OSError), listener.accept()[0] as plain, context.wrap_socket(plain, True) as line:
            received.append(line.recv(1000))

    with socket.create_server((host, 0)) as listener:
        deployment.change(deployment.house(FIRST), coordinator=f"https://{host}:{listener.getsockname()[1]}")
        thread = threading.Thread(target=listen)
        thread.start()
        with pytest.raises(InputError, match="its certificate is not accepted"):
            attend(deployment)
        thread.join()
    assert b"".join(received) == b""
    assert deployment.draws == []


def test_what_is_no_request_gets_an_answer_in_json(deployment: Deployment, port: int) -> None:
    context = ssl.create_default_context(cafile=deployment.house(FIRST) / AUTHORITY)
    token = deployment.tokens[FIRST].encode()
    for sent, status in (
        (b"GET /x HTTP/1.1\r\n\r\n", 404),
        (b"BREW / HTTP/1.1\r\n\r\n", 501),
        (b"POST /reports HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 413),
        (b"POST /reports HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % (LARGEST + 1), 413),
        (b"POST /reports HTTP/1.1\r\n\r\n", 401),
        (b"GET /week HTTP/1.1\r\nAuthorization: Basic %s\r\n\r\n" % token, 401),
        (b"GET /week HTTP/1.1\r\nAuthorization: Bearer \xff\r\n\r\n", 401),
        (b"GET /week HTTP/1.1\r\nAuthorization: bearer  %s \r\n\r\n" % token, 200),
    ):
        with (
            socket.create_connection(("127.0.0.1", port), 30.0) as plain,
            context.wrap_socket(plain, server_hostname="127.0.0.1") as line,
        ):
            line.sendall(sent)
            with line.makefile("rb") as stream:
                head, _, body = stream.read().partition(b"\r\n\r\n")
        assert int(head.split()[1]) == status, sent
        assert ("error" in json.loads(body)) == (status != 200)
