"""One hospital: it knows its own patients, adds noise to its own figure, and sends nothing else."""

import csv
import re
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from examples.hospitals.outbox import Noisy, Outbox
from examples.hospitals.sending import Line
from examples.hospitals.setting import MOVED, Setting, read_setting
from private_experts.errors import InputError
from private_experts.privacy import Noise, privatize

PATIENTS = "patients.csv"
TOKEN = "token"
OUTBOX = "outbox"


class Hospital:
    """One hospital's folder, of its name: its copy of the setting, its token, its patients and what it has sent."""

    def __init__(self, folder: Path, noise: Noise) -> None:
        self.name, self.setting = folder.name, read_setting(folder)
        if self.name not in self.setting.beds:
            raise InputError(f"{folder}: hospital {self.name} is not in the setting; name the folder as it is there")
        self.token = _text(folder / TOKEN).strip()
        if not re.fullmatch("[!-~]+", self.token):
            raise InputError(f"{folder / TOKEN}: write the token alone, on one line and without spaces")
        self._patients = read_patients(folder / PATIENTS)
        self._noise, self._outbox = noise, Outbox(folder / OUTBOX)

    def report(self, week: int) -> Noisy | None:
        """Return the noisy report of a week, or None when there is no figure of that week."""
        kept = self._outbox.kept(week)
        if kept or week not in self._patients:
            return kept
        gain = density(self._patients[week], self.setting, self.name)
        return self._outbox.keep(week, drawn(gain, self.setting, self.name, self._noise))

    def take_part(self, line: Line, say: Callable[[str], None] = print) -> None:
        """Report each week when it is open, until all weeks are over."""
        done = 0
        while (week := line.week()["week"]) <= self.setting.weeks:
            if week > done:
                report = self.report(week)
                if report is not None:
                    status, answer = line.report(week, *report)
                    if status != 200:
                        say(f"{self.name}, week {week}: {status} {answer.get('error')}")
                    if status == 401:
                        raise InputError(f"{self.name}: the coordinator does not know its token; copy it again")
                done = week
            time.sleep(min(self.setting.shortest / 4, 0.25))


def drawn(gain: float, setting: Setting, hospital: str, noise: Noise) -> Noisy:
    """Add noise to a hospital's figure, as it was agreed on. Whoever sends two draws of a figure releases it twice."""
    reach = np.array([setting.reach(hospital)])
    made = privatize(np.array([gain]), setting.guarantee, reach, noise, moved=MOVED)
    return Noisy(float(made.values[0, 0]), made.largest_scale)


def read_patients(path: Path) -> dict[int, float]:
    """Read a hospital's patients by week, from a CSV file with the columns week and patients. Weeks may be missing."""
    patients: dict[int, float] = {}
    try:
        rows = list(csv.DictReader(_text(path).splitlines()))
    except csv.Error as error:
        raise InputError(f"{path}: is no CSV file ({error}); write rows such as 1,20 below week,patients") from error
    for number, row in enumerate(rows, start=2):
        try:
            week, count = int(row["week"]), float(row["patients"])
        except (KeyError, TypeError, ValueError):
            week, count = 0, -1.0
        if week < 1 or not 0 <= count < float("inf") or week in patients:
            raise InputError(f"{path}: row {number}: write a new week from 1 on and its patients, at least 0")
        patients[week] = count
    return patients


def density(patients: float, setting: Setting, hospital: str) -> float:
    """Return the gain of a hospital: the share of its beds that is taken. One with more patients than beds is full."""
    return min(patients / setting.beds[hospital], 1.0)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read; python -m examples.hospitals start makes it") from error
