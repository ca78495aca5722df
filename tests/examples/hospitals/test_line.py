"""Hospitals and coordinator speak TLS and nothing else; a kill loses nothing; tests wait for events alone."""

import contextlib
import http.client
import json
import queue
import shutil
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from examples.hospitals.coordinator import LARGEST, Server
from examples.hospitals.hospital import AUTHORITY, Hospital
from private_experts.errors import InputError
from tests.examples.hospitals.conftest import FIRST, NAMES, ROOT, SECOND, WEEKS, Deployment, stored

pytestmark = pytest.mark.skipif(
    shutil.which("openssl") is None, reason="certificates need the program openssl"
)


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


def test_reports_go_through_and_one_who_says_nothing_keeps_nobody_waiting(
    deployment: Deployment, port: int
) -> None:
    with contextlib.ExitStack() as silent:
        for _ in range(20):
            silent.enter_context(socket.create_connection(("127.0.0.1", port)))
        for name in NAMES:
            assert attend(deployment, name) == f"{name}, week {WEEKS[0]}: reported"
    assert [[body] for _, _, body, _ in deployment.counted()] == [
        stored(deployment.house(name)) for name in NAMES
    ]


def test_plain_http_is_refused_by_both(deployment: Deployment, port: int) -> None:
    with pytest.raises(InputError, match=r"tls\.pem: is no certificate with its key"):
        Server(("127.0.0.1", 0), deployment.house(FIRST), deployment.coordinator)
    request, answer = f"GET /week HTTP/1.1\r\nAuthorization: Bearer {deployment.tokens[FIRST]}\r\n\r\n", b""
    with socket.create_connection(("127.0.0.1", port), 30.0) as line, contextlib.suppress(ConnectionError):
        line.sendall(request.encode())
        while piece := line.recv(1000):
            answer += piece
    assert b"HTTP" not in answer
    deployment.change(deployment.house(FIRST), coordinator=f"http://127.0.0.1:{port}")
    with pytest.raises(InputError, match="write its address like https://"):
        attend(deployment)


def test_another_certificate_is_refused_and_is_sent_nothing(deployment: Deployment) -> None:
    context, received = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), list[bytes]()
    deployment.certify()
    context.load_cert_chain(deployment.desk / "tls.pem", deployment.desk / "tls.key")

    def listen() -> None:
        with (
            contextlib.suppress(OSError),
            listener.accept()[0] as plain,
            context.wrap_socket(plain, True) as line,
        ):
            received.append(line.recv(1000))

    for host in ("127.0.0.2", "127.0.0.1"):  # another host than the certificate's; another certificate
        with socket.create_server((host, 0)) as listener:
            deployment.change(
                deployment.house(FIRST), coordinator=f"https://{host}:{listener.getsockname()[1]}"
            )
            thread = threading.Thread(target=listen)
            thread.start()
            with pytest.raises(InputError, match="its certificate is not accepted"):
                attend(deployment)
            thread.join()
        deployment.certify()
    assert b"".join(received) == b""
    assert deployment.draws == []


def test_what_is_no_request_gets_an_answer_in_json(deployment: Deployment, port: int) -> None:
    context = ssl.create_default_context(cafile=deployment.house(FIRST) / AUTHORITY)
    basic, bearer = (
        {"Authorization": f"{scheme} {deployment.tokens[FIRST]}"} for scheme in ("Basic", "bearer ")
    )
    for method, path, headers, status in (
        ("BREW", "/", {}, 501),
        ("POST", "/reports", {"Content-Length": f"{LARGEST + 1}"}, 413),
        ("GET", "/week", basic, 401),
        ("GET", "/week", bearer, 200),
    ):
        with closing(http.client.HTTPSConnection("127.0.0.1", port, context=context)) as line:
            line.request(method, path, headers=headers)
            with line.getresponse() as response:
                assert (response.status, "error" in json.loads(response.read())) == (status, status != 200)


@contextlib.contextmanager
def process(name: str, folder: Path, *words: str) -> Iterator["subprocess.Popen[str]"]:
    """Run one of the two programs; it is killed in the end."""
    command = [sys.executable, "-m", f"examples.hospitals.{name}", str(folder), *words]
    with subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE) as running:
        try:
            yield running
        finally:
            running.kill()


def test_a_coordinator_that_is_killed_goes_on_where_it_was(deployment: Deployment) -> None:
    deployment.certify()
    deployment.coordinator.close()
    for name, count in ((FIRST, 0), (SECOND, 1)):
        with process("coordinator", deployment.desk, "--port", "0") as running:
            assert running.stdout is not None
            line = running.stdout.readline()  # it listens
            assert line.endswith(f" week {WEEKS[0]} is open, {count} reports are counted\n")
            deployment.change(deployment.house(name), coordinator=line.split()[1].rstrip("/"))
            assert attend(deployment, name) == f"{name}, week {WEEKS[0]}: reported"
    deployment.restart()
    assert deployment.open_week() == WEEKS[1]


def test_a_hospital_that_is_killed_sends_the_same_bytes(
    deployment: Deployment, port: int, monkeypatch
) -> None:
    pytest.importorskip("opendp", reason="secure noise needs the optional extra 'secure'")
    answer, received, started = deployment.coordinator.answer, [], queue.Queue()

    def answering(method: str, path: str, token: str, body: bytes) -> Any:
        result = answer(method, path, token, body)
        hospital = started.get()
        if path == "/reports":
            received.append(body.decode())
            if len(received) == 1:
                hospital.kill()
                hospital.wait()
        started.put(hospital)
        return result

    monkeypatch.setattr(deployment.coordinator, "answer", answering)
    for printed in ("", f"{FIRST}, week {WEEKS[0]}: reported\n"):
        with process("hospital", deployment.house(FIRST)) as running:
            started.put(running)
            assert running.communicate()[0] == printed
    assert len(received) == 2
    assert set(received) == set(stored(deployment.house(FIRST)))
