"""Encrypted from end to end on the loopback: only the right coordinator hears a token, and tokens change meanwhile."""

import contextlib
import re
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn

from examples.hospitals import hurrying, sending, serving
from examples.hospitals.__main__ import main
from examples.hospitals.certificates import (
    AUTHORITY,
    AUTHORITY_KEY,
    CERTIFICATE,
    KEY,
    make_authority,
    make_certificate,
)
from examples.hospitals.hospital import OUTBOX
from examples.hospitals.hurrying import Hurrying, HurryingServer
from examples.hospitals.processes import Deployment, free_port
from examples.hospitals.sending import Line
from examples.hospitals.serving import serve
from examples.hospitals.setting import Setting
from examples.hospitals.wire import Wire
from examples.hospitals.world import COORDINATOR, HOSPITALS, encrypt, make_world
from private_experts.errors import InputError
from tests.each import each
from tests.examples.hospitals.street import Street

needs_openssl = pytest.mark.skipif(not shutil.which("openssl"), reason="certificates need the program openssl")
WEEKS = 2


@pytest.fixture(scope="module")
def world(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("encrypted") / "world"
    setting = Setting({"H01": 80, "H02": 120}, 1.0, WEEKS, 0, shortest=0.1, longest=60.0)
    make_world(folder, setting, {name: {1: 20, 2: 30} for name in setting.beds})
    encrypt(folder)
    return folder


@pytest.fixture(scope="module")
def encrypted(world: Path) -> Iterator[tuple[Path, int, Wire]]:
    """Run all processes to the end of their weeks, with a wire between; the coordinator goes on."""
    pytest.importorskip("opendp", reason="hospitals need the optional extra 'examples'")
    port = free_port()
    with Wire(port) as wire, Deployment(world, port, wire.port) as deployment:
        until = time.monotonic() + 60.0
        while len(deployment.ended) < 2 and not deployment.gave_up and time.monotonic() < until:
            deployment.look_after()
            time.sleep(0.02)
        assert deployment.ended == {"H01", "H02"}
        yield world, port, wire


def house(world: Path, name: str = "H01") -> Path:
    return world / HOSPITALS / name


def token(world: Path, name: str = "H01") -> str:
    return (house(world, name) / "token").read_text()


@needs_openssl
def test_reports_arrive_and_nobody_on_the_way_can_read_them(encrypted) -> None:
    world, port, wire = encrypted
    with Line(f"https://127.0.0.1:{port}", token(world), 10.0, house(world) / AUTHORITY) as line:
        assert line.week()["week"] == WEEKS + 1
        assert list(line.held(WEEKS)) == [1, 2]
    heard = b"".join(map(bytes, wire.received))
    assert len(heard) > 1000
    values = [path.read_text().split(",")[0].strip("[") for path in (house(world) / OUTBOX).glob("[!.]*")]
    for secret in (token(world), token(world, "H02"), "Bearer", "/reports", *values):
        assert secret.encode() not in heard


@needs_openssl
def test_whoever_is_not_the_coordinator_hears_nothing(encrypted, tmp_path: Path, capsys) -> None:
    world, port, _ = encrypted
    make_authority(tmp_path / "other")
    for host, authority, reason in (
        ("127.0.0.1", tmp_path / "other" / AUTHORITY, "certificate"),  # another authority has signed
        ("127.0.0.2", house(world) / AUTHORITY, "IP address mismatch"),  # of another host
    ):
        with (
            socket.create_server(("127.0.0.2", 0)) as other,
            forwarding(other, port) if host == "127.0.0.2" else contextlib.nullcontext(),
        ):
            at = other.getsockname()[1] if host == "127.0.0.2" else port
            with (
                Line(f"https://{host}:{at}", token(world), 0.0, authority) as line,
                pytest.raises(InputError, match=f"has not answered with a certificate that is accepted .*{reason}"),
            ):
                line.week()
        assert "its certificate is not accepted" in capsys.readouterr().err


@contextlib.contextmanager
def forwarding(listener: socket.socket, port: int) -> Iterator[None]:
    """Pass connections to another address on to the coordinator, as somebody in between would."""
    wire = Wire(port)
    wire._listener.close()
    wire._listener = listener
    with wire:
        yield


@contextlib.contextmanager
def serving_from(folder: Path) -> Iterator[int]:
    """Run an encrypted server in this process, with 0.3 seconds for a greeting, and yield its port."""

    async def application(scope, receive, send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b'{"week": 1}'})

    config = uvicorn.Config(
        application, http=Hurrying, log_level="critical", lifespan="off", loop="asyncio", **serving.encryption(folder)
    )
    server = HurryingServer(config)
    with pytest.MonkeyPatch.context() as patch, socket.create_server(("127.0.0.1", 0)) as listener:
        patch.setattr(hurrying, "SLOWEST", 0.3)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield int(listener.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join(5.0)


@needs_openssl
@each(("days", "accepted"), [(1, True), (0, False)])
def test_a_certificate_that_has_run_out_is_not_accepted(
    world: Path, tmp_path_factory, days: int, accepted: bool
) -> None:
    folder = tmp_path_factory.mktemp("renewed")
    make_certificate(world / "authority", folder, ["127.0.0.1"], days)
    time.sleep(0.0 if accepted else 1.1)  # a certificate's times are whole seconds
    with serving_from(folder) as port, Line(f"https://127.0.0.1:{port}", "", 1.0, house(world) / AUTHORITY) as line:
        if accepted:
            assert line.week() == {"week": 1}
        else:
            with pytest.raises(InputError, match=r"a certificate that is accepted \(certificate has expired"):
                line.week()


@needs_openssl
def test_while_an_authority_is_changed_both_are_accepted(world: Path, tmp_path: Path) -> None:
    make_authority(tmp_path / "second")
    both = tmp_path / "both.pem"
    (tmp_path / "folder").mkdir()
    both.write_text((house(world) / AUTHORITY).read_text() + (tmp_path / "second" / AUTHORITY).read_text())
    for authority in (world / "authority", tmp_path / "second"):
        make_certificate(authority, tmp_path / "folder", ["127.0.0.1"])
        with serving_from(tmp_path / "folder") as port, Line(f"https://127.0.0.1:{port}", "", 5.0, both) as line:
            assert line.week() == {"week": 1}


@needs_openssl
def test_a_connection_that_does_not_greet_is_closed(world: Path) -> None:
    with (
        serving_from(world / COORDINATOR) as port,
        socket.create_connection(("127.0.0.1", port), 10.0) as connection,
    ):
        began = time.monotonic()
        with contextlib.suppress(ConnectionResetError):
            connection.recv(1)
        assert time.monotonic() - began < 5.0  # and not the minute that asyncio waits


@needs_openssl
def test_plain_http_is_not_answered_by_an_encrypted_coordinator(encrypted) -> None:
    _, port, _ = encrypted
    with socket.create_connection(("127.0.0.1", port), 5.0) as connection:
        connection.sendall(b"GET /week HTTP/1.1\r\nHost: x\r\n\r\n")
        with contextlib.suppress(ConnectionResetError):
            assert not connection.recv(4096).startswith(b"HTTP")


@needs_openssl
def test_the_command_makes_an_authority_once_and_renews_the_certificate(tmp_path: Path, capsys) -> None:
    folder = tmp_path / "coordinator"  # on the machine of the authority there is no such folder
    made = []
    for _ in range(2):
        assert (
            main(["certificate", str(tmp_path / "authority"), str(folder), "--host", "::1", "--host", "a.example"]) == 0
        )
        made.append([(tmp_path / "authority" / AUTHORITY).read_text(), (folder / CERTIFICATE).read_text()])
        assert serving.encryption(folder) != {}
    assert made[0][0] == made[1][0]
    assert made[0][1] != made[1][1]
    assert "for ::1, a.example; hospitals need" in capsys.readouterr().out
    assert {path.name for path in folder.iterdir()} == {KEY, CERTIFICATE}
    assert folder.stat().st_mode & 0o777 == 0o700
    with pytest.raises(InputError, match=r"cannot be made .*name the folder of a coordinator"):
        make_certificate(tmp_path / "authority", folder / KEY, ["a.example"])


@needs_openssl
def test_an_authority_that_was_not_finished_is_made_and_a_whole_one_stays(tmp_path: Path) -> None:
    (tmp_path / "authority").mkdir()  # as a full disk left it
    make_authority(tmp_path / "authority")
    with pytest.raises(InputError, match=r"authority\.pem: is there already"):
        make_authority(tmp_path / "authority")


@needs_openssl
def test_keys_are_for_their_owner_alone_and_the_authoritys_stays_where_it_is(world: Path) -> None:
    for path in (world / "authority" / AUTHORITY_KEY, world / COORDINATOR / KEY):
        assert path.stat().st_mode & 0o777 == 0o600
    everywhere = [path.name for path in world.rglob("*") if path.is_file()]
    assert everywhere.count(AUTHORITY_KEY) == everywhere.count(KEY) == 1


@each("host", ["0.0.0.0", "192.0.2.7", "::", "example.org"])
def test_without_a_certificate_only_this_machine_is_served(tmp_path_factory, host: str) -> None:
    folder = tmp_path_factory.mktemp("plain") / "world"
    make_world(folder, Setting({"H01": 80, "H02": 120}, 1.0, 1, 0, 1.0, 2.0), {"H01": {}, "H02": {}})
    with pytest.raises(InputError, match=r"is not of this machine alone; make a certificate first"):
        serve(folder / COORDINATOR, 1, host)


def test_a_certificate_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / CERTIFICATE).write_text("nothing")
    with pytest.raises(InputError, match="is no certificate with its key"):
        serving.encryption(tmp_path)
    (tmp_path / AUTHORITY).write_text("nothing")
    with pytest.raises(InputError, match="is no certificate of an authority"):
        Line("https://127.0.0.1:1", "", 0.0, tmp_path / AUTHORITY)
    with pytest.raises(InputError, match="write a name or an address"):
        make_certificate(tmp_path, tmp_path, ["x\nsubjectAltName=DNS:y"])
    assert not sending.on_this_machine("localhost.example.org")


@pytest.fixture
def street(tmp_path: Path) -> Iterator[Street]:
    street = Street(tmp_path / "world", {name: {1: 20, 2: 20, 3: 20} for name in ("H01", "H02", "H03")})
    street.begin()
    yield street
    street.close()


def test_a_token_is_changed_while_both_sides_run(street: Street, tmp_path: Path, capsys) -> None:
    coordinator, new = street.folder / COORDINATOR, tmp_path / "new"
    street.tokens_from_file()
    street.lines["H01"].renew = street.hospitals["H01"].read_token
    old = street.lines["H01"].token
    street.attend()
    assert main(["token", str(coordinator), "H01", "--to", str(new)]) == 0
    assert new.stat().st_mode & 0o777 == 0o600
    assert new.read_text() not in capsys.readouterr().out
    street.weeks(1)  # the old one is valid
    shutil.move(new, street.house("H01") / "token")
    assert main(["token", str(coordinator), "H01", "--retire"]) == 0
    assert "1 older tokens" in capsys.readouterr().out
    street.weeks(1)
    assert street.lines["H01"].token != old
    assert [len(week) for week in street.desk.store.reports(2)] == [3, 3]
    street.lines["H02"].token = old  # somebody has found it
    for _ in range(2):
        street.attend("H02")
    assert street.said == ["H02: the coordinator does not know its token; put the right one into its folder"]
    street.lines["H02"].renew = street.hospitals["H02"].read_token
    street.attend("H02")
    assert "H02" in street.desk.store.reports(3)[2]


def test_a_token_that_is_not_there_while_it_is_changed_is_waited_for(street: Street) -> None:
    line, path = street.lines["H01"], street.house("H01") / "token"
    right, line.token, line.renew = path.read_text(), "old", street.hospitals["H01"].read_token
    for half in (None, ""):  # as somebody copies it
        path.unlink(missing_ok=True)
        if half is not None:
            path.write_text(half)
        street.attend("H01")
    assert [sentence.partition("token: ")[2] for sentence in street.said] == [
        "no such file; python -m examples.hospitals start makes it",
        "write the token alone, on one line and without spaces",
    ]
    path.write_text(right)
    street.attend("H01")
    assert "H01" in street.desk.store.reports(1)[0]


def test_hashes_that_are_damaged_while_it_runs_change_nothing(street: Street, capsys) -> None:
    street.tokens_from_file()
    (street.folder / COORDINATOR / "tokens.json").write_text("{")
    street.attend()
    assert "the tokens stay as they were" in capsys.readouterr().err
    assert len(street.desk.store.reports(1)[0]) == 3


@each(("words", "said"), [
    (["H09", "--to", "new"], "H09: is not in the setting"),
    (["H01", "--to", "setting.json"], "setting.json: is there already; name a new file"),
])  # fmt: skip
def test_a_token_that_cannot_be_made_is_told(street: Street, monkeypatch, capsys, words: list[str], said: str) -> None:
    monkeypatch.chdir(street.folder / COORDINATOR)
    before = Path("tokens.json").read_text()
    with pytest.raises(SystemExit):
        main(["token", ".", *words])
    assert re.search(said, capsys.readouterr().err)
    assert Path("tokens.json").read_text() == before
