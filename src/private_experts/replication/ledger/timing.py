"""What a job took, as the job itself says in its log, exactly and at no cost to the main process."""

import re
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_LINE = re.compile(
    r"^(?:(?P<of>\S+) )?took (?P<seconds>\d+\.\d+) s, (?P<cpu>\d+\.\d+) s of CPU, (?P<megabytes>\d+) MB"
    r"(?:, (?P<start>\d+\.\d+) s of CPU to start)?$",
    re.MULTILINE,
)


class Account(NamedTuple):
    """What it took: seconds, seconds of CPU, and the most megabytes that its process needed so far."""

    of: str
    seconds: float
    cpu: float
    megabytes: float
    start: float

    def beside(self, other: "Account") -> "Account":
        """Return what both took together: seconds are those of one core, megabytes of the larger."""
        most = max(self.megabytes, other.megabytes)
        return Account(
            self.of, self.seconds + other.seconds, self.cpu + other.cpu, most, self.start + other.start
        )

    def line(self) -> str:
        """Return the line of a log that says so."""
        name, start = (
            f"{self.of} " * bool(self.of),
            f", {self.start:.2f} s of CPU to start" * bool(self.start),
        )
        return f"{name}took {self.seconds:.2f} s, {self.cpu:.2f} s of CPU, {self.megabytes:.0f} MB{start}"


class Meter:
    """Measures from its making on; without a name a whole job, whose CPU seconds begin with its process."""

    def __init__(self, of: str = "") -> None:
        self._of, self._began, before = of, time.perf_counter(), time.process_time()
        # Without a name all CPU time since the process began counts, imports too.
        self._start, self._before = (0.0, before) if of else (before, 0.0)

    def account(self) -> Account:
        """Return what was taken so far."""
        # macOS counts bytes, Linux kilobytes.
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
            1024**2 if sys.platform == "darwin" else 1024
        )
        seconds, cpu = time.perf_counter() - self._began, time.process_time() - self._before
        return Account(self._of, seconds + self._start, cpu, most, self._start)


def read(logs: Path) -> Iterator[tuple[str, Account]]:
    """Yield the name of each log below a folder, and each account in it."""
    for path in sorted(logs.rglob("*.log")):
        name = path.relative_to(logs).with_suffix("").as_posix()
        for found in _LINE.finditer(path.read_text(encoding="utf-8", errors="replace")):
            figures = (float(found[quantity] or 0) for quantity in ("seconds", "cpu", "megabytes", "start"))
            yield name, Account(found["of"] or "", *figures)
