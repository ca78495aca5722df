"""What a hospital has sent, or is about to send: one noisy report for each week, drawn once and kept.

A second draw for the same figure would be a second release, and cost privacy again. So a report is on the disk before
it is sent, and the first one stays, even when two processes of one hospital run by mistake. A log that only grows says
of which weeks there was a draw. So a folder that was emptied, or put back from a copy, is not taken for one that has
never drawn.
"""

import hashlib
import json
import math
import os
import re
import secrets
import string
from pathlib import Path
from typing import NamedTuple

from examples.hospitals.private_files import alone, synchronise, write_private
from private_experts.errors import InputError

_LINE = re.compile(rb"(\d{1,9}) ([0-9a-f]{64})")
_HALF = re.compile(rb"\d*( [0-9a-f]*)?")  # what a kill may leave of a line; its report is in the folder


class Noisy(NamedTuple):
    """A noisy value and the scale of its noise."""

    value: float
    scale: float


class Outbox:
    """The reports of one hospital, in a folder that is made when it is not there, and the log of its draws.

    The log may lie on another disk, so that both are not lost or put back together.
    """

    def __init__(self, folder: Path, log: Path) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        self._folder, self._log = folder, log
        for week in sorted(self.weeks() - self.logged().keys()):  # it was killed between the report and the log
            self.kept_and_logged(week)

    def kept(self, week: int) -> Noisy | None:
        """Return the report of a week, None when none was drawn; refuse a damaged one, which may have been sent."""
        path = self._path(week)
        try:
            value, scale = json.loads(path.read_text(encoding="utf-8"))
            if type(value) is type(scale) is float and math.isfinite(value) and math.isfinite(scale):
                return Noisy(value, scale)
        except FileNotFoundError:
            return None
        except (TypeError, ValueError, RecursionError):
            pass
        raise InputError(f"{path}: is no report such as [0.25, 0.02]; restore it, or remove it if it was never sent")

    def weeks(self) -> set[int]:
        """Return the weeks whose report is here."""
        return {int(path.stem) for path in self._folder.glob("*.json") if re.fullmatch(r"\d{1,9}", path.stem)}

    def logged(self) -> dict[int, str]:
        """Return the digest of each report that was ever kept, by week."""
        found: dict[int, str] = {}
        for number, line in enumerate(self._log_bytes().split(b"\n")[:-1], start=1):
            match = _LINE.fullmatch(line)
            if match:
                found.setdefault(int(match[1]), match[2].decode())
            elif not _HALF.fullmatch(line):
                raise InputError(f"{self._log}: line {number}: is not of the form week, digest; restore the log")
        return found

    def lost(self) -> set[int]:
        """Return the weeks that were drawn, perhaps sent, and are here no more. They must not be drawn again."""
        return self.logged().keys() - self.weeks()

    def keep(self, week: int, report: Noisy) -> Noisy:
        """Keep a report, and return the one that is kept: the first."""
        self._write_once(self._path(week), json.dumps(report))
        return self.kept_and_logged(week)

    def kept_and_logged(self, week: int) -> Noisy:
        """Return the report of a week that was kept, once the log has it, so that it may be sent."""
        report = self.kept(week)
        if report is None:
            raise InputError(f"{self._path(week)}: was removed while it was written")
        if week not in self.logged():
            torn = not (self._log_bytes() or b"\n").endswith(b"\n")
            descriptor = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            with os.fdopen(descriptor, "ab") as log:
                log.write(b"\n" * torn + f"{week} {digest(report)}\n".encode())
                log.flush()
                os.fsync(descriptor)
            synchronise(self._log.parent)
        return report

    def mark(self, week: int) -> str:
        """Return what marks the draw of a week, chosen at random and kept: another copy of the outbox has another."""
        path = self._folder / f"{week:04d}.mark"
        self._write_once(path, "".join(secrets.choice(string.ascii_lowercase) for _ in range(24)))
        return path.read_text(encoding="ascii", errors="replace")  # a damaged one is refused

    def take_back(self, week: int, report: Noisy) -> None:
        """Keep what was sent before and is here no more; refuse another value than the log knows."""
        if self.logged().get(week, digest(report)) != digest(report):
            raise InputError(
                f"{self._log}: the coordinator has another report of week {week} than was drawn; somebody has to look"
            )
        self.keep(week, report)

    def _write_once(self, path: Path, text: str) -> None:
        with alone(self._folder):
            if not path.exists():
                write_private(path, text)

    def _log_bytes(self) -> bytes:
        try:
            return self._log.read_bytes()
        except FileNotFoundError:
            return b""

    def _path(self, week: int) -> Path:
        return self._folder / f"{week:04d}.json"


def digest(report: Noisy) -> str:
    """Return what the log keeps of a report."""
    return hashlib.sha256(json.dumps(report).encode()).hexdigest()
