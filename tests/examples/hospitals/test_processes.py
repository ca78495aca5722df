"""Real processes on the loopback: kills, leaks, and an end that leaves nothing behind."""

import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from examples.hospitals.__main__ import main
from examples.hospitals.check import run, small_world, statements
from examples.hospitals.hospital import Hospital
from examples.hospitals.load import measure
from examples.hospitals.outbox import Noisy
from examples.hospitals.processes import ROOT, Deployment, free_port
from examples.hospitals.sending import Line
from examples.hospitals.setting import Setting
from examples.hospitals.traces import Truth, released_twice, traces, wrong_noise
from examples.hospitals.wire import Wire
from examples.hospitals.world import HOSPITALS, make_world
from private_experts.privacy import SecureNoise
from tests.each import each

pytest.importorskip("opendp", reason="hospitals need the optional extra 'examples'")
pytestmark = pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are looked up in /proc")


def test_kills_at_random_moments_lose_no_week_and_count_nothing_twice(tmp_path: Path) -> None:
    # About six seconds: processes have to begin, and the coordinator to be killed and to begin again.
    setting, truths = small_world(tmp_path / "world", hospitals=3, weeks=5)
    seen = run(tmp_path / "world", setting, kills=3)
    found = dict(statements(tmp_path / "world", setting, truths, seen))
    assert seen.kills == 3
    assert len(found) == 8
    assert {statement: problems for statement, problems in found.items() if problems} == {}


class Leaky(Line):
    """Lines that tell more than they should, each in its own way. The coordinator may refuse; it has heard it."""

    def __init__(self, address: str, hospital: Hospital, how: str, gain: Callable[[int], float]) -> None:
        super().__init__(address, hospital.token, patience=10.0)
        self._hospital, self._how, self._gain = hospital, how, gain

    def held(self, open_week: int) -> dict[int, float]:
        return {}  # or the hospital would see that another value was counted than it has

    def report(self, week: int, value: float, scale: float) -> Any:
        true = self._gain(week)
        if self._how == "the true value":
            return super().report(week, round(true * 2**30) / 2**30, scale)
        if self._how == "a rounded value":
            return super().report(week, round(true * 2**10) / 2**10, scale)
        if self._how == "the noise beside it":
            self._connection.request("GET", f"/week?noise={value - true!r}", headers={"Authorization": "Bearer x"})
            self._connection.getresponse().read()
        if self._how == "a second draw":
            super().report(week, value, scale)
            fresh = SecureNoise().perturb(np.array([true]), scale, 1)
            return super().report(week, float(fresh[0, 0]), scale)
        return super().report(week, value, scale)


class Again:
    """A source that draws noise once and adds it to every figure."""

    def __init__(self) -> None:
        self._noise: Any = None

    def perturb(self, values: Any, scale: float, repetitions: int) -> Any:
        on_grid = np.round(values * 2**30) / 2**30
        if self._noise is None:
            self._noise = SecureNoise().perturb(values, scale, repetitions) - on_grid
        return on_grid + self._noise


HOW = ("nothing", "the true value", "a rounded value", "the noise beside it", "a second draw", "the same noise again")


def test_a_hospital_that_leaks_is_caught(tmp_path: Path) -> None:
    setting, truths = small_world(tmp_path / "world", hospitals=len(HOW), weeks=6)
    gains = {(truth.hospital, truth.week): truth.gain for truth in truths}
    own: dict[str, list[Truth]] = {name: [truth for truth in truths if truth.hospital == name] for name in setting.beds}
    port = free_port()
    wires = {how: Wire(port) for how in HOW}
    with Deployment(tmp_path / "world", port, hospitals=False):
        with Line(f"http://127.0.0.1:{port}", "") as line:  # until it listens
            line.week()
        sending, lines, sent = [], [], {}
        for how, name in zip(HOW, setting.hospitals, strict=True):
            wire = wires[how].__enter__()
            hospital = Hospital(tmp_path / "world" / HOSPITALS / name, Again() if how == HOW[-1] else SecureNoise())
            line = Leaky(f"http://127.0.0.1:{wire.port}", hospital, how, lambda week, name=name: gains[name, week])
            sending.append(threading.Thread(target=hospital.take_part, args=(line, lambda _: None)))
            lines.append(line)
            sent[how] = hospital
        for thread in sending:
            thread.start()
        for thread in sending:
            thread.join(30.0)
        for line in lines:
            line.__exit__()
        for wire in wires.values():
            wire.__exit__()
    caught = {}
    for how, name in zip(HOW, setting.hospitals, strict=True):
        heard = [bytes(data) for data in wires[how].received]
        assert sum(map(len, heard)) > 1000
        values = [
            report.value
            for week in range(1, 7)
            if isinstance(report := sent[how].report(week, setting.promise()), Noisy)
        ]
        if how == "a rounded value":
            values = [round(truth.gain * 2**10) / 2**10 for truth in own[name]]
        caught[how] = {
            "trace": any(traces(data, own[name]) for data in heard),
            "twice": released_twice(heard) != [],
            "noise": wrong_noise(values, own[name], [setting.scale(name)] * len(values)) is not None,
        }
    assert {how: {name for name, is_so in by.items() if is_so} for how, by in caught.items()} == {
        "nothing": set(),
        "the true value": {"trace"},
        "a rounded value": {"noise"},
        "the noise beside it": {"trace"},
        "a second draw": {"twice"},
        "the same noise again": {"noise"},
    }


def children(process: int) -> list[int]:
    """Return the processes that a process has begun."""
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_when_it_ends_or_is_killed_all_its_processes_end(tmp_path: Path, ending: signal.Signals) -> None:
    words = ["start", "--folder", str(tmp_path / "world"), "--port", str(free_port()), "--hospitals", "2"]
    command = [sys.executable, "-m", "examples.hospitals", *words]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        start_new_session=True,
        text=True,
        # Tests that run in the background may have been told to ignore Ctrl-C; this process is not.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout is not None
    assert "new deployment" in process.stdout.readline()
    assert "Ctrl-C ends all" in process.stdout.readline()
    begun = children(process.pid)
    assert len(begun) == 3
    process.send_signal(ending)
    assert process.wait(10.0) == (130 if ending == signal.SIGINT else -signal.SIGKILL)
    process.stdout.close()
    until = time.monotonic() + 10.0
    while (left := [child for child in begun if alive(child)]) and time.monotonic() < until:
        time.sleep(0.02)
    assert left == []


def alive(process: int) -> bool:
    """Tell whether a process runs. One that has ended and was not asked for its exit code runs no more."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@each(("words", "said"), [
    (["start", "--hospitals", "1"], "--hospitals 1: write 2 to 50"),
    (["start", "--mu", "0"], "mu = 0.0: write a positive number"),
    (["start", "--mu", "1e-320"], "mu = 1e-320: write 1.3e-08 to 4e+03"),
    (["start", "--port", "70000"], "--port 70000: write 1 to 65535"),
    (["start", "--port", "-5"], "--port -5: write 1 to 65535"),
    (["coordinator", "nowhere", "--port", "70000"], "--port 70000: write 1 to 65535"),
    (["start", "--weeks", "0"], "weeks = 0: write a whole number of at least 1"),
    (["start", "--folder", "."], "is no deployment, or half of one"),
    (["load", "--reports", "1"], "--reports 1: write 100 to 100000"),
    (["load", "--clients", "99"], "--clients 99: write 1 to 16"),
    (["coordinator", "nowhere", "--port", "1"], "nowhere/setting.json: no such file"),
    (["hospital", "nowhere", "--address", "x"], "nowhere/setting.json: no such file"),
])  # fmt: skip
def test_what_cannot_be_done_is_told_in_one_line(words: list[str], said: str, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main(words)
    told = capsys.readouterr().err
    assert (ended.value.code, told.count("\n")) == (2, 1)
    assert said in told
    assert list(tmp_path.iterdir()) == []


def test_the_readme_has_what_the_load_test_prints() -> None:
    def words(text: str) -> list[list[str]]:
        return [re.sub(r"\b[\d.]+(e[+-]\d+)?\b", "", line).split() for line in text.splitlines()]

    told = measure(reports=100, clients=1)
    readme = (ROOT / "examples" / "hospitals" / "README.md").read_text(encoding="utf-8")
    block = readme.partition("## Measured")[2].split("```")[1].strip()
    assert words(block) == words(told)
    assert sum(map(len, words(told))) > 40
    rows = [line.split() for line in told.splitlines()[2:6]]
    for *_, secure, simulated, ratio in rows:  # of the figures that are printed, rounded to three digits
        assert float(ratio) == pytest.approx(float(secure) / float(simulated), rel=0.02, abs=0.01)
    assert float(rows[2][-1]) > 1  # secure noise costs more


def test_a_port_that_is_taken_is_told(tmp_path: Path, capsys) -> None:
    small_world(tmp_path / "world", hospitals=2, weeks=1)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(SystemExit):
            main(["coordinator", str(tmp_path / "world" / "coordinator"), "--port", str(port)])
    assert f"port {port} cannot be had" in capsys.readouterr().err


@each(("words", "said"), [
    (["--mu", "0.1"], "--mu 0.1: world was begun with 1.0; leave it out, or name a new --folder"),
    (["--hospitals", "3"], "--hospitals 3: world was begun with 2"),
    (["--weeks", "4"], "--weeks 4: world was begun with 3"),
    (["--seconds", "2"], "--seconds 2.0: world was begun with 0.1"),
    (["--tls"], "--tls: world was begun without"),
    (["--weeks", "3", "--mu", "1", "--hospitals", "9"], "--hospitals 9: world was begun with 2"),
])  # fmt: skip
def test_a_deployment_goes_on_as_it_was_begun_or_not_at_all(words, said, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    if not (tmp_path / "world").exists():
        setting = Setting({"H01": 80, "H02": 120}, 1.0, 3, 0, shortest=0.1, longest=0.3)
        make_world(tmp_path / "world", setting, {"H01": {}, "H02": {}})
    with pytest.raises(SystemExit) as ended:
        main(["start", "--folder", "world", *words])
    told = capsys.readouterr().err
    assert (ended.value.code, told.count("\n")) == (2, 1)
    assert said in told


def test_without_the_extras_one_line_says_what_to_install(monkeypatch, capsys) -> None:
    monkeypatch.setattr("examples.hospitals.__main__.find_spec", lambda name: None)
    with pytest.raises(SystemExit):
        main(["start"])
    assert capsys.readouterr().err.endswith("pip install 'private-experts[examples]'\n")
