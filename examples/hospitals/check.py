"""Shows that the deployment works: real processes, a coordinator that is killed, and a search for true values."""

import contextlib
import http.client
import itertools
import random
import socket
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from examples.hospitals.choosing import choose
from examples.hospitals.hospital import LOG, OUTBOX, TOKEN, drawn
from examples.hospitals.outbox import Outbox
from examples.hospitals.processes import Deployment, free_port
from examples.hospitals.sending import LOOPBACK, Line
from examples.hospitals.setting import Setting
from examples.hospitals.store import DATABASE, Store
from examples.hospitals.traces import Truth, released_twice, traces, wrong_noise
from examples.hospitals.wire import Wire
from examples.hospitals.world import COORDINATOR, HOSPITALS, make_world
from private_experts.errors import InputError
from private_experts.privacy import Noise, SecureNoise

DRAWS = 4000
"""Reports that are drawn without being sent, to measure their noise: noise 6% too large or too small can pass."""

PATIENCE = 120.0
"""Seconds after which the check gives up."""


@dataclass
class Seen:
    """What happened in a run."""

    choices: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))  # all ever shown, by week
    kills: int = 0  # of the coordinator
    answers: dict[str, int] = field(default_factory=dict)  # their status, by what was sent to be refused
    page: str = ""  # at the end
    alive: list[int] = field(default_factory=list)  # processes that outlived the run
    connections: list[bytes] = field(default_factory=list)  # what the coordinator received


def check(kills: int) -> int:
    """Run a deployment in a temporary folder, say what holds, and return 0 if everything does, else 1."""
    with tempfile.TemporaryDirectory(prefix="hospitals-") as name:
        folder = Path(name)
        setting, truths = small_world(folder / "world", hospitals=4, weeks=8)
        print(f"4 hospitals report 8 weeks, and the coordinator is killed {kills} times ...", flush=True)
        began = time.monotonic()
        seen = run(folder / "world", setting, kills)
        print(f"It took {time.monotonic() - began:.0f} s.")
        wrong = False
        found = statements(folder / "world", setting, truths, seen)
        for statement, problems in itertools.chain(found, [size(setting, truths, SecureNoise(), DRAWS)]):
            print(f"{'FAILS' if problems else 'holds'}  {statement}")
            for problem in problems[:5]:
                print(f"       {problem}")
            wrong |= bool(problems)
    return int(wrong)


def small_world(folder: Path, hospitals: int, weeks: int, longest: float = PATIENCE) -> tuple[Setting, list[Truth]]:
    """Make a world whose figures have many digits, so that they can be searched for, and return the truth too."""
    draw = random.SystemRandom()
    beds = {f"H{number:02d}": draw.randrange(50_000_000, 90_000_000) for number in range(1, hospitals + 1)}
    # Such houses would need hardly any noise. With this level it is as large as for 40 beds at mu = 1.
    setting = Setting(beds, mu=40 / min(beds.values()), weeks=weeks, seed=0, shortest=0.1, longest=longest)
    patients = {
        name: {week: draw.randrange(2_000_000, beds[name] // 2) for week in range(1, weeks + 1)} for name in beds
    }
    make_world(folder, setting, patients)
    return setting, [
        Truth(name, week, count, beds[name]) for name in setting.hospitals for week, count in patients[name].items()
    ]


def run(
    folder: Path,
    setting: Setting,
    kills: int,
    meanwhile: Callable[[int, Deployment], None] = lambda week, deployment: None,
    patience: float = PATIENCE,
) -> Seen:
    """Run the deployment to its end. Each kill comes at a random moment; the first one takes a hospital too.

    `meanwhile` is called again and again, with the open week.
    """
    draw, seen, port = random.SystemRandom(), Seen(), free_port()
    kill_in = sorted(draw.choices(range(1, setting.weeks + 1), k=kills))
    until = time.monotonic() + patience
    watching = Line(f"http://{LOOPBACK}:{port}", "", patience=0.0)
    with Wire(port) as wire, Deployment(folder, port, wire.port) as deployment, watching as line:
        week = 0
        while week <= setting.weeks or len(deployment.ended) < len(setting.beds):
            with contextlib.suppress(InputError):  # it has just been killed
                shown = line.week()
                week = shown["week"]
                seen.choices[week].add(shown["choice"])
            meanwhile(week, deployment)
            deployment.look_after()
            if deployment.gave_up:
                raise InputError(f"{', '.join(sorted(deployment.gave_up))} gave up; the reason stands above")
            if seen.kills < kills and week >= kill_in[seen.kills]:
                time.sleep(draw.uniform(0.0, 0.3))
                deployment.kill(COORDINATOR)
                if seen.kills == 0:
                    deployment.kill(draw.choice(setting.hospitals))
                seen.kills += 1
            time.sleep(0.01)
            if time.monotonic() > until:
                lacking = sorted(setting.beds.keys() - deployment.ended)
                raise InputError(
                    f"week {week} is open after {patience:g} s, and {', '.join(lacking)} have not ended: reports are "
                    "missing, or the machine is very busy"
                )
        seen.answers = refused(folder, setting, port)
        seen.page = _fetched(port)
    seen.connections = [bytes(data) for data in wire.received]
    seen.alive = [process for process in deployment.begun if Path(f"/proc/{process}").exists()]
    return seen


def refused(folder: Path, setting: Setting, port: int) -> dict[str, int]:
    """Send what must be refused, with made-up values, and return the status of each answer by what it should be."""
    address, name = f"http://{LOOPBACK}:{port}", setting.hospitals[0]
    token = (folder / HOSPITALS / name / TOKEN).read_text(encoding="utf-8")
    token_line = f"Host: {LOOPBACK}\r\nAuthorization: Bearer {token}\r\n".encode()
    large = b"POST /reports HTTP/1.1\r\n" + token_line + b"Content-Length: 99999\r\n\r\n" + bytes(5000)
    kept = _outbox(folder, name).kept(1)
    if kept is None:
        raise InputError(f"{name} has no report of week 1")
    scale = setting.scale(name)
    with Line(address, token) as sender, Line(address, "guessed") as stranger:
        return {
            "200 the same report again": sender.report(1, *kept)[0],
            "409 another report of a week": sender.report(1, 0.5, scale)[0],
            "422 a scale of 0": sender.report(1, 0.5, 0.0)[0],
            "422 an absurd value": sender.report(1, 1e300, scale)[0],
            "400 no number": sender.report(1, float("nan"), scale)[0],
            "422 a week that there is not": sender.report(0, 0.5, scale)[0],
            "401 a guessed token": stranger.report(1, 0.5, scale)[0],
            "413 a body without end": _raw(port, large),
            "400 what is no HTTP": _raw(port, bytes(range(256)) + b"\r\n\r\n"),
        }


def statements(folder: Path, setting: Setting, truths: list[Truth], seen: Seen) -> Iterator[tuple[str, list[str]]]:
    """Yield what should hold of a run, and what speaks against it."""
    store = Store(folder / COORDINATOR / DATABASE, setting.text())
    reports = store.reports(setting.weeks)
    kept = [hospital for _, hospital, _ in store.choices(setting.weeks + 1)]
    store.close()

    boxes = {name: _outbox(folder, name) for name in setting.hospitals}
    sent = [{name: box.kept(week) for name, box in boxes.items()} for week in range(1, setting.weeks + 1)]
    counted = [
        f"week {week}: {there} was counted, {here} was sent"
        for week, (there, noisy) in enumerate(zip(reports, sent, strict=True), start=1)
        if there != (here := {name: report.value for name, report in noisy.items() if report})
    ]
    yield f"{sum(map(len, reports))} reports: no week is lost and none is counted twice", counted

    replayed = [choose(setting, reports[:week]) for week in range(setting.weeks + 1)]
    choices = [
        f"week {week}: shown {sorted(seen.choices[week])}, kept {kept[week - 1]}, replayed {replayed[week - 1]}"
        for week in range(1, setting.weeks + 2)
        if not seen.choices[week] <= {kept[week - 1]} or kept[week - 1] != replayed[week - 1]
    ]
    yield (
        f"choices are the same before and after {seen.kills} kill{'s' * (seen.kills != 1)}, and when replayed",
        choices,
    )

    wrong = [f"{what}: answered {status}" for what, status in seen.answers.items() if int(what[:3]) != status]
    yield f"{len(seen.answers)} right and wrong reports are answered as they should be", wrong

    size, connections = sum(map(len, seen.connections)), len(seen.connections)
    found = [line for data in seen.connections for line in traces(data, truths)] + released_twice(seen.connections)
    unheard = [] if size > 100 * sum(map(len, reports)) else ["the wire has not carried the reports"]
    yield f"no true value in {size} bytes of {connections} connections to the coordinator", unheard + found
    files = list((folder / COORDINATOR).iterdir())
    yield (
        f"no true value in the {len(files)} files of the coordinator",
        [line for path in files for line in traces(path.read_bytes(), truths)],
    )
    values = [reports[truth.week - 1].get(truth.hospital, 0.5) for truth in truths]
    noise = wrong_noise(values, truths, [setting.scale(truth.hospital) for truth in truths])
    yield f"the noise of {len(truths)} reports is there, and none of it was used twice", [noise] if noise else []

    final = f"<strong>{kept[-1]}</strong>"
    lacks = [what for what in (final, str(setting.guarantee)) if what not in seen.page]
    yield "the page shows the choice and the privacy level", [f"it lacks {what}" for what in lacks]
    yield "no process is left", [f"process {process} still runs" for process in seen.alive]


def size(setting: Setting, truths: list[Truth], noise: Noise, draws: int) -> tuple[str, list[str]]:
    """Return what should hold of reports that are drawn as hospitals draw them, and what speaks against it."""
    figures = list(itertools.islice(itertools.cycle(truths), draws))
    values = [drawn(truth.gain, setting, truth.hospital, noise).value for truth in figures]
    wrong = wrong_noise(values, figures, [setting.scale(truth.hospital) for truth in figures])
    return f"the noise of {draws} more reports, not sent, is as large as was agreed on", [wrong] if wrong else []


def _outbox(folder: Path, name: str) -> Outbox:
    house = folder / HOSPITALS / name
    return Outbox(house / OUTBOX, house / LOG)


def _raw(port: int, sent: bytes) -> int:
    """Send bytes as they are, and return the status of the answer, 0 when there is none."""
    with socket.create_connection((LOOPBACK, port), 10.0) as connection:
        connection.sendall(sent)
        words = connection.makefile("rb").readline().split()
    return int(words[1]) if len(words) > 1 else 0


def _fetched(port: int) -> str:
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=10)
    connection.request("GET", "/")
    text = connection.getresponse().read().decode()
    connection.close()
    return text
