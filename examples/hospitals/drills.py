"""Drills: what happens after a wrong level in one hospital, and after a backup is put back, with real processes."""

import contextlib
import random
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from examples.hospitals.check import run, small_world, statements
from examples.hospitals.hospital import LIMIT, LOG, OUTBOX, PATIENTS, TOKEN, drawn
from examples.hospitals.processes import Deployment, free_port
from examples.hospitals.sending import LOOPBACK, Line
from examples.hospitals.setting import FILE, Setting
from examples.hospitals.store import DATABASE, Store, backup
from examples.hospitals.traces import traces
from examples.hospitals.wire import Wire
from examples.hospitals.world import COORDINATOR, HOSPITALS
from private_experts.errors import InputError
from private_experts.privacy import SecureNoise

Statements = Iterator[tuple[str, list[str]]]

TOO_MUCH = 50.0
"""By what the level of the drill is too large."""

_LONGEST = 50.0  # seconds after which a drill gives up


def drill(names: Sequence[str]) -> int:
    """Run drills in temporary folders, say what holds, and return 0 if everything does, else 1."""
    known: dict[str, Callable[[Path], Statements]] = {"level": wrong_level, "restore": restored}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InputError(f"drill {unknown[0]}: write {' or '.join(known)}")
    wrong = False
    for name in names or known:
        with tempfile.TemporaryDirectory(prefix="hospitals-") as folder:
            for statement, problems in known[name](Path(folder) / "world"):
                print(f"{'FAILS' if problems else 'holds'}  {statement}", flush=True)
                for problem in problems[:5]:
                    print(f"       {problem}")
                wrong |= bool(problems)
    return int(wrong)


def wrong_level(folder: Path) -> Statements:
    """Run four hospitals of which one has a wrong level in its setting, and one has raised its largest level too."""
    setting, truths = small_world(folder, hospitals=4, weeks=3, longest=1.0)
    wrong = replace(setting, mu=TOO_MUCH * setting.mu)
    refusing = {"H03": "its own largest level", "H04": "the week's announcement"}
    for name in refusing:
        (folder / HOSPITALS / name / FILE).write_text(wrong.text(), encoding="utf-8")
    (folder / HOSPITALS / "H04" / LIMIT).write_text(f"{wrong.mu!r}\n", encoding="utf-8")
    truth = next(truth for truth in truths if truth.hospital == "H03")
    value = drawn(truth.gain, wrong, "H03", SecureNoise()).value
    print(
        f"H03 and H04 have a level {TOO_MUCH:g} times too large: {truth.gain:.5f} would be sent as {value:.5f} ...\n"
        "(Figures of millions of patients can be searched for; for so many beds the levels are tiny.)",
        flush=True,
    )

    port, week, until = free_port(), 0, time.monotonic() + _LONGEST
    with Wire(port) as wire, Deployment(folder, port, wire.port) as deployment, _watching(port) as line:
        while week <= setting.weeks and time.monotonic() < until:
            with contextlib.suppress(InputError):
                week = line.week()["week"]
            deployment.look_after()
            time.sleep(0.02)
        gave_up = set(deployment.gave_up)
    heard = b"".join(map(bytes, wire.received))
    asks = {"H03": False, "H04": True}  # its own level is above its largest, so H03 need not hear what is announced
    with contextlib.closing(Store(folder / COORDINATOR / DATABASE, setting.text())) as store:
        reports = store.reports(setting.weeks)
    for name, how in refusing.items():
        house = folder / HOSPITALS / name
        bearer = f"Bearer {(house / TOKEN).read_text(encoding='utf-8')}".encode()
        posted, asked = bearer in _posts(heard), bearer in heard
        another = [f"it refused {'after' if asked else 'before'} it asked"] if asked != asks[name] else []
        yield f"{name} refuses for good, by {how}", another if name in gave_up else ["it goes on"]
        drew = [path.name for path in (house / OUTBOX, house / LOG) if path.exists() and not _empty(path)]
        yield f"{name} drew nothing and sent no report", [f"{what} is not empty" for what in drew] + ["sent"] * posted
    missing = [f"week {week}: {sorted(got)}" for week, got in enumerate(reports, 1) if got.keys() != {"H01", "H02"}]
    yield f"the {setting.weeks} weeks go on with the others", missing
    yield f"no true value in {len(heard)} bytes to the coordinator", traces(heard, truths)


def restored(folder: Path) -> Statements:
    """Make a backup at a random moment under load, put it back after the folder is lost, and play to the end."""
    setting, truths = small_world(folder, hospitals=3, weeks=6)
    loss = _Loss(folder, setting)
    print("3 hospitals report 6 weeks; a backup is made, and put back some weeks later ...", flush=True)
    seen = run(folder, setting, 0, loss.meanwhile, _LONGEST)
    seen.kills = 1
    for database, problems in loss.begun.items():
        yield f"a coordinator does not begin on {database}", problems
    week, reports = loss.kept
    yield (
        f"the backup of week {week} with {reports} reports was put back in week {loss.put_back}",
        [] if loss.put_back >= week > 0 else ["it was not"],
    )
    lacks = [f"it has {reports}, and {loss.counted} were"] if reports < loss.counted else []
    yield "the backup has all that was counted when it was begun, also of the open week", lacks
    yield from statements(folder, setting, truths, seen)


class _Loss:
    """A backup at a random moment, and the loss of the coordinator's folder at a later one.

    Until then one hospital lacks its last figure, so that the weeks do not end before.
    """

    def __init__(self, folder: Path, setting: Setting) -> None:
        draw = random.SystemRandom()
        self._folder, self._setting = folder, setting
        self._backup_in, self._wait = draw.randint(2, 3), draw.uniform(0.0, 0.1)
        self._lost_in = draw.randint(self._backup_in + 2, 6)
        self.kept, self.put_back, self.begun = (0, 0), 0, dict[str, list[str]]()
        self.counted = 0  # reports when the backup was begun
        self._figures = folder / HOSPITALS / "H01" / PATIENTS
        *lines, self._last = self._figures.read_text(encoding="utf-8").splitlines(keepends=True)
        self._figures.write_text("".join(lines), encoding="utf-8")

    def meanwhile(self, week: int, deployment: Deployment) -> None:
        """Do what is due in a week."""
        coordinator, copy = self._folder / COORDINATOR, self._folder / "backup"
        if week >= self._backup_in and not copy.exists():
            time.sleep(self._wait)
            self.counted, newest = _counted(coordinator / DATABASE)
            if newest:  # the open week has a report, in the journal alone
                self.kept = backup(coordinator, copy)
        # A whole week was reported since, so that there is something to send again.
        elif week >= max(self._lost_in, min(self.kept[0] + 2, 6)) and not self.put_back:
            deployment.kill(COORDINATOR)
            coordinator.rename(self._folder / "lost")
            shutil.copytree(copy, coordinator)
            database = coordinator / DATABASE
            database.unlink()
            self._try("a database that is missing", database)
            database.touch()
            self._try("one that is empty", database)
            shutil.copy(copy / DATABASE, database)
            self.put_back = week
            with self._figures.open("a", encoding="utf-8") as file:
                file.write(self._last)

    def _try(self, what: str, database: Path) -> None:
        self.begun[what] = []
        with contextlib.suppress(InputError):
            Store(database, self._setting.text()).close()
            self.begun[what].append("it begins at week 1")


def _counted(database: Path) -> tuple[int, int]:
    """Return how many reports a database has that is written to meanwhile, and how many of them of the open week."""
    newest = "SELECT count(*), coalesce(sum(week = (SELECT max(week) FROM weeks)), 0) FROM reports"
    with contextlib.closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as reading:
        every, of_week = reading.execute(newest).fetchone()
    return int(every), int(of_week)


def _watching(port: int) -> Line:
    return Line(f"http://{LOOPBACK}:{port}", "", patience=0.0)


def _posts(heard: bytes) -> bytes:
    return b"".join(part.partition(b"\r\n\r\n")[0] for part in heard.split(b"POST /reports")[1:])


def _empty(path: Path) -> bool:
    return path.stat().st_size == 0 if path.is_file() else not any(path.glob("*.json"))
