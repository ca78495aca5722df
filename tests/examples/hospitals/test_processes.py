"""The two programs as the README starts them, killed where it hurts most. Events are waited for, never seconds."""

import contextlib
import json
import shutil
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from examples.hospitals import coordinator as coordinator_module
from tests.examples.hospitals.deployment import FIRST, NAMES, ROOT, SECOND, WEEKS, Deployment, stored

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="certificates need the program openssl")
Process = subprocess.Popen  # of text


@pytest.fixture
def certified(deployment: Deployment) -> Deployment:
    """All files; and noise without OpenDP, which is an optional extra."""
    deployment.change(deployment.desk, noise="simulated")
    for name in NAMES:
        deployment.change(deployment.house(name), noise="simulated", seed=7)
    deployment.coordinator.close()  # processes of their own take over
    (deployment.desk / "reports.sqlite3").unlink()
    deployment.certify()
    return deployment


@contextlib.contextmanager
def process(name: str, folder: Path, *words: str) -> Iterator["Process[str]"]:
    command = [sys.executable, "-m", f"examples.hospitals.{name}", str(folder), *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, cwd=ROOT, text=True, **pipes) as running:
        try:
            yield running
        finally:
            running.kill()


def attend(deployment: Deployment, name: str) -> str:
    with process("hospital", deployment.house(name)) as running:
        return running.communicate()[0]


def test_a_coordinator_that_is_killed_goes_on_where_it_was(certified: Deployment) -> None:
    for name, state in ((FIRST, f"week {WEEKS[0]} is open, 0"), (SECOND, f"week {WEEKS[0]} is open, 1")):
        with process("coordinator", certified.desk, "--port", "0") as running:
            assert running.stdout is not None
            line = running.stdout.readline()  # it listens
            assert f"{state} reports are counted" in line
            certified.change(certified.house(name), coordinator=line.split()[1].rstrip("/"))
            assert attend(certified, name) == f"{name}, week {WEEKS[0]}: reported\n"
    certified.restart()
    assert certified.open_week() == WEEKS[1]


@pytest.mark.parametrize("killed", ["before its report is sent", "before it is answered"])
def test_a_hospital_that_is_killed_sends_the_same_bytes(certified: Deployment, killed: str) -> None:
    """A listener kills the hospital when it connects to send its report, or has sent it."""
    house, context = certified.house(FIRST), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certified.desk / "tls.pem", certified.desk / "tls.key")
    terms = coordinator_module.read_coordinator_setting(certified.desk).terms[FIRST].facts()
    announced = {"hospital": FIRST, "week": WEEKS[0], "terms": terms, "yours": None}
    paths: list[str] = []
    sent: list[str] = []

    def answer(running: "Process[str]", deadly: bool) -> None:
        with listener.accept()[0] as plain:
            if deadly and stored(house) and killed == "before its report is sent":
                running.kill()
                running.wait()
            else:
                with context.wrap_socket(plain, True) as line, line.makefile("rwb") as stream:
                    method, path, _ = stream.readline().decode().split()
                    headers = dict(item.decode().strip().split(": ") for item in iter(stream.readline, b"\r\n"))
                    body = stream.read(int(headers.get("Content-Length", 0))).decode()
                    paths.append(path)
                    sent.extend([body] * (path == "/reports"))
                    if deadly and path == "/reports":
                        running.kill()
                        running.wait()
                    else:
                        text = json.dumps(announced if method == "GET" else {"answer": "yes"})
                        stream.write(f"HTTP/1.0 200 OK\r\n\r\n{text}".encode())

    with socket.create_server(("127.0.0.1", 0)) as listener:
        certified.change(house, coordinator=f"https://127.0.0.1:{listener.getsockname()[1]}")
        with process("hospital", house) as running:
            for _ in ("/week", "/draws", "/reports"):
                answer(running, deadly=True)
        before = stored(house)
        assert (len(before), len(sent)) == (1, killed == "before it is answered")
        certified.change(house, seed=8)  # with which another draw would be another value
        with process("hospital", house) as running:
            for _ in ("/week", "/reports"):
                answer(running, deadly=False)
            assert running.communicate()[0] == f"{FIRST}, week {WEEKS[0]}: reported\n"
    assert paths[-2:] == ["/week", "/reports"]  # no draw was begun
    assert set(sent) == set(before) == set(stored(house))


def test_the_commands_say_what_is_wrong_in_one_line(deployment: Deployment, capsys) -> None:
    deployment.coordinator.close()
    for words, said in (([], "tls.pem: is no certificate"), (["--token", "320009"], "is not in the setting")):
        with pytest.raises(SystemExit) as ended:
            coordinator_module.main([str(deployment.desk), *words])
        assert ended.value.code == 2
        error = capsys.readouterr().err
        assert (said in error, error.count("\n")) == (True, 1)
