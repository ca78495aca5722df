"""One hospital: it knows its own patients, adds noise to its own figure, and sends nothing else."""

import csv
import math
import re
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from examples.hospitals.outbox import Noisy, Outbox
from examples.hospitals.private_files import warn_of_others
from examples.hospitals.sending import Line, UnknownTokenError, printable
from examples.hospitals.setting import MOVED, Setting, read_setting
from private_experts.errors import InputError
from private_experts.privacy import Noise, privatize

PATIENTS = "patients.csv"
TOKEN = "token"
OUTBOX = "outbox"
LOG = "drawn.log"
LIMIT = "largest-level"

_ROUNDING = 1 + 1e-9  # a level that is computed is right to this factor


class Hospital:
    """One hospital's folder, of its name: its copy of the setting, its largest level, its token, patients and reports.

    A draw needs the week's announcement: it must promise just what the hospital's own setting does. And the level must
    not be above the hospital's largest, a file that no message changes.
    """

    def __init__(self, folder: Path, noise: Noise, log: Path | None = None) -> None:
        self.name, self.setting, self._folder = folder.name, read_setting(folder), folder
        if self.name not in self.setting.beds:
            raise InputError(f"{folder}: hospital {self.name} is not in the setting; name the folder as it is there")
        self._check_level()
        self.token = self.read_token()
        self.patients()
        for name in (TOKEN, PATIENTS, LIMIT):
            warn_of_others(folder / name)
        self._noise, self._outbox = noise, Outbox(folder / OUTBOX, log or folder / LOG)
        self._told: set[object] = set()
        self._trouble = ""
        self._reconciled, self._half = False, ""

    def patients(self) -> dict[int, float]:
        """Return the figures that there are now, by week: more come while the hospital runs."""
        return read_patients(self._folder / PATIENTS)[0]

    def report(self, week: int, promise: object) -> Noisy | None:
        """Return the noisy report of a week that is announced with a promise; None without a figure, or if it is lost.

        Raises InputError when something else is promised than was agreed on: then nothing is drawn, nor sent.
        """
        self.agree(promise)
        kept = self._outbox.kept(week)
        if kept:
            return self._outbox.kept_and_logged(week)
        patients = self.patients()
        if week not in patients or week in self._outbox.lost():
            return None
        gain = density(patients[week], self.setting, self.name)
        return self._outbox.keep(week, drawn(gain, self.setting, self.name, self._noise))

    def agree(self, promise: object) -> None:
        """Refuse an announcement that promises something else than this hospital's own setting, and say what."""
        self._check_level()
        own = self.setting.promise()
        if promise == own:
            return
        told = promise if isinstance(promise, dict) else {}
        other = [name for name in own if told.get(name) != own[name]] or ["more than is known here"]
        differs = ", ".join(f"{name}: here {own.get(name)}, there {printable(told.get(name))}" for name in other)
        raise InputError(
            f"{self.name}: nothing is drawn or sent, as the coordinator announces another promise ({differs}); "
            "agree on one setting.json"
        )

    def take_part(self, line: Line, say: Callable[[str], None] = print) -> None:
        """Report each week when it is open, until all weeks are over."""
        while self.attend(line, say):
            time.sleep(min(self.setting.shortest / 4, 10.0))

    def attend(self, line: Line, say: Callable[[str], None] = print) -> bool:
        """Do what is due now, by asking which week is open; return whether weeks are left.

        Nothing is taken for done because it was done before: a coordinator that was put back asks again.
        """
        try:
            told = line.week()
        except (UnknownTokenError, UnreadableError) as error:  # its token may be about to change
            self._tell_trouble(f"{self.name}: {error}", say)
            return True
        week, promise = told["week"], told.get("promise")
        self.agree(promise)
        if told.get("of", self.setting.weeks) != self.setting.weeks:  # or it would end early, and nobody would know
            raise InputError(
                f"{self.name}: nothing is drawn or sent, as its setting.json has {self.setting.weeks} weeks and the "
                f"coordinator announces {printable(told['of'])}; agree on one setting.json"
            )
        if week > self.setting.weeks + 1:
            raise InputError(f"{self.name}: the coordinator announces week {week}, and there are {self.setting.weeks}")
        try:
            due = told.get("reported") is not True and week in self._outbox.weeks() | self.patients().keys()
            if due or not self._reconciled:
                self._reconcile(week, line, say)
            if due and week <= self.setting.weeks:
                self._send(week, promise, line, say)
            if week < max(self._outbox.weeks(), default=0):
                line.ahead(week)  # a coordinator that was put back need not wait for what will not come
            self._tell_late(week, say)
            self._trouble = ""
        except UnreadableError as error:  # somebody may be about to correct it
            self._tell_trouble(f"{self.name}: {error}", say)
        except OSError as error:  # or to make room on the disk
            self._tell_trouble(f"{self.name}: {error.filename or self._folder}: {error.strerror}", say)
        return bool(week <= self.setting.weeks)

    def _send(self, week: int, promise: object, line: Line, say: Callable[[str], None]) -> None:
        """Send the report of the open week, as it was sent before if it was."""
        if week not in self._outbox.weeks():
            status, answer = line.begin_draw(week, self._outbox.mark(week))
            if status != 200:
                self._tell_once(f"{self.name}, week {week}: not drawn: {printable(answer.get('error'))}", say)
                return
        report = self.report(week, promise)
        if report is not None:
            status, answer = line.report(week, *report)
            said = printable(answer.get("error"))
            if status == 422:
                raise InputError(f"{self.name}, week {week}: nothing more is sent, as it was refused: {said}")
            if status != 200:
                self._tell_once(f"{self.name}, week {week}: {status} {said}", say)

    def _reconcile(self, open_week: int, line: Line, say: Callable[[str], None]) -> None:
        """Compare the outbox with what the coordinator has of this hospital, and take back what is here no more."""
        for week, value in sorted(line.held(open_week).items()):
            kept = self._outbox.kept(week)
            if kept is None:
                self._outbox.take_back(week, Noisy(value, self.setting.scale(self.name)))
                say(
                    f"{self.name}, week {week}: its report was here no more; taken back from the coordinator, not drawn"
                )
            elif kept.value != value:
                level = self.setting.level(twice=self.name)
                raise InputError(
                    f"{self.name}, week {week}: two reports are out, {value!r} at the coordinator and {kept.value!r} "
                    f"here; so the week has level {level:.4g}. The outbox was put back once: somebody has to look"
                )
        lost = self._outbox.lost()
        if lost:
            self._tell_once(f"{self.name}, {_weeks(lost)}: drawn before and lost here; not drawn again", say)
        self._reconciled = True

    def _tell_late(self, open_week: int, say: Callable[[str], None]) -> None:
        """Say which figures came after their week was closed, and were not released; and which line is not read yet."""
        patients, half = read_patients(self._folder / PATIENTS)
        if half and half == self._half:  # still
            self._tell_once(f"{self.name}: the last line of {PATIENTS} is not read until it has an end of line", say)
        self._half = half
        late = patients.keys() - self._outbox.weeks() - self._outbox.lost() - self._told
        late = {week for week in late if week < open_week}
        if late:
            self._told |= late
            say(f"{self.name}, {_weeks(late)}: closed without its report, and now it is too late; it is not reported")

    def _tell_once(self, sentence: str, say: Callable[[str], None]) -> None:
        if sentence not in self._told:
            self._told.add(sentence)
            say(sentence)

    def _tell_trouble(self, sentence: str, say: Callable[[str], None]) -> None:
        """Say what may be over soon, and again when it was over and comes back."""
        if sentence != self._trouble:
            say(sentence)
        self._trouble = sentence

    def _check_level(self) -> None:
        limit = read_limit(self._folder / LIMIT)
        level = max(self.setting.mu, self.setting.level())
        if level > limit * _ROUNDING:
            raise InputError(
                f"{self.name}: nothing is drawn, as its setting.json has level {level:.6g} and its largest is "
                f"{limit:g} ({self._folder / LIMIT})"
            )

    def read_token(self) -> str:
        """Return the token as it is now: it may be changed while the hospital runs."""
        path = self._folder / TOKEN
        token = _text(path).strip()
        if not re.fullmatch("[!-~]+", token):
            raise UnreadableError(f"{path}: write the token alone, on one line and without spaces")
        return token


def once_readable(folder: Path, noise: Noise, log: Path | None = None, say: Callable[[str], None] = print) -> Hospital:
    """Return the hospital of a folder as soon as its files can be read: somebody may be about to correct one."""
    told = ""
    while True:
        try:
            return Hospital(folder, noise, log)
        except UnreadableError as error:
            if str(error) != told:
                say(f"{folder.name}: {error}")
            told = str(error)
        time.sleep(1.0)


def drawn(gain: float, setting: Setting, hospital: str, noise: Noise) -> Noisy:
    """Add noise to a hospital's figure, as it was agreed on. Whoever sends two draws of a figure releases it twice."""
    reach = np.array([setting.reach(hospital)])
    made = privatize(np.array([gain]), setting.guarantee, reach, noise, moved=MOVED)
    return Noisy(float(made.values[0, 0]) + 0.0, made.largest_scale)  # a database keeps no negative zero


class UnreadableError(InputError):
    """A file that people change cannot be used as it is now."""


def read_patients(path: Path) -> tuple[dict[int, float], str]:
    """Read a hospital's patients by week, from a CSV file with the columns week and patients. Weeks may be missing.

    The file may be written to meanwhile, so a last line without an end is not read: it may be half of a number. It is
    returned as it is.
    """
    patients: dict[int, float] = {}
    whole, _, half = _text(path).rpartition("\n")
    try:
        table = csv.DictReader(whole.splitlines())
        if whole and not {"week", "patients"} <= set(table.fieldnames or ()):
            raise UnreadableError(f"{path}: its first line is not week,patients: write that above rows such as 1,20")
        rows = list(table)
    except csv.Error as error:
        raise UnreadableError(
            f"{path}: is no CSV file ({error}); write rows such as 1,20 below week,patients"
        ) from error
    for number, row in enumerate(rows, start=2):
        try:
            week, count = int(row["week"]), float(row["patients"])
        except (KeyError, TypeError, ValueError):
            week, count = 0, -1.0
        if week < 1 or not 0 <= count < float("inf") or week in patients:
            raise UnreadableError(f"{path}: row {number}: write a new week from 1 on and its patients, at least 0")
        patients[week] = count
    return patients, half


def read_limit(path: Path) -> float:
    """Read the largest level that a hospital will ever report with, whatever it is told."""
    try:
        limit = float(_text(path))
    except ValueError:
        limit = 0.0
    if not 0 < limit < math.inf:
        raise InputError(f"{path}: write the largest level this hospital agrees to, a positive number such as 1.0")
    return limit


def density(patients: float, setting: Setting, hospital: str) -> float:
    """Return the gain of a hospital: the share of its beds that is taken. One with more patients than beds is full."""
    return min(patients / setting.beds[hospital], 1.0)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")  # a byte-order mark is no part of what somebody wrote
    except FileNotFoundError as error:
        raise UnreadableError(f"{path}: no such file; python -m examples.hospitals start makes it") from error
    except OSError as error:
        raise UnreadableError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise UnreadableError(f"{path}: is no UTF-8 text; save it as UTF-8") from error


def _weeks(weeks: Iterable[int]) -> str:
    some = [str(week) for week in sorted(weeks)]
    return f"week {some[0]}" if len(some) == 1 else f"weeks {', '.join(some[:-1])} and {some[-1]}"
