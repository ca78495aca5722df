"""How far a run is: what is done, what runs, and about when it will end."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import NamedTuple

LOOPS = ("checks", "claim_figures")  # how the names of rules begin that are made in a loop


class Running(NamedTuple):
    """A job under way: its name for people, its rule, and when it began."""

    name: str
    rule: str
    began: float


def name(rule: str, logs: Iterable[str]) -> str:
    """Return what people call a job: where its log lies in the folder of logs, else the name of its rule.

    Examples
    --------
    >>> name("games", ["results/logs/games/study/rw-meta.log"])
    'games/study/rw-meta'
    >>> name("all", [])
    'all'
    """
    found = re.search(r"(?:^|/)logs/(.+)\.log$", next(iter(logs), ""))
    return found[1] if found else rule


def elapsed(seconds: float) -> str:
    """Return a time in words.

    Examples
    --------
    >>> elapsed(5), elapsed(65), elapsed(3660)
    ('5 s', '1 min 05 s', '1 h 01 min')
    """
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def about(seconds: float) -> str:
    """Return a time that is not known better than by a tenth.

    Examples
    --------
    >>> about(1), about(62), about(100), about(9000)
    ('5 s', '60 s', '2 min', '2.5 h')
    """
    if seconds < 90:
        return f"{max(1, round(seconds / 5)) * 5} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


class Progress:
    """A run, told of each job's beginning and end. All times are in seconds, since any moment.

    Parameters
    ----------
    recorded : mapping
        The seconds that jobs took before, by the names that `name` gives them.
    """

    def __init__(self, recorded: Mapping[str, float] | None = None) -> None:
        self.recorded = dict(recorded or {})
        self.done, self.total, self.cores = 0, 0, 1
        self._began = 0.0
        self._waiting: Counter[str] = Counter()
        self._running: dict[int, Running] = {}
        self._took: list[float] = []  # what the jobs done took
        self._asked: list[float] = []  # and what was expected of them
        self._met: set[str] = set()  # the names of all jobs that ran or run

    def begin(self, jobs: Mapping[str, int], now: float) -> None:
        """Take note of how many jobs of each rule are to run."""
        self._began, self._waiting, self.total = now, Counter(jobs), sum(jobs.values())

    def start(self, job: int, called: str, rule: str, now: float) -> None:
        """Take note of a job that begins."""
        self._running[job] = Running(called, rule, now)
        self._met.add(called)
        self._waiting[rule] -= 1

    def end(self, job: int, now: float, done: bool = True) -> None:
        """Take note of a job that ended; unless `done`, it failed."""
        ended = self._running.pop(job, None)
        self.done += done
        if ended and done:
            self._took.append(now - ended.began)
            self._asked.append(self._expected(ended))

    def _expected(self, job: Running) -> float:
        return self.recorded.get(job.name) or self._usual(job.rule)

    def _usual(self, rule: str) -> float:
        """Return what a job of a rule takes that has not begun."""
        whose = {called: re.sub(r"\W", "_", called) for called in self.recorded.keys() - self._met}
        own = [called for called, words in whose.items() if words == rule]
        own = own or [called for called, words in whose.items() if words.startswith(f"{rule}_")]
        return fmean([self.recorded[called] for called in own] or self._took or [1.0])

    def left(self, now: float) -> float | None:
        """Return the seconds to the end, by what jobs took before and by how fast this run is; None if all is new."""
        if not (self.recorded or self._took):
            return None
        running = [max(0.0, self._expected(job) - (now - job.began)) for job in self._running.values()]
        ahead = sum(count * self._usual(rule) for rule, count in self._waiting.items() if count > 0) + sum(running)
        behind = sum(self._asked)
        # A tenth of the work is as good as the record: from then on the pace of this run counts for more.
        trust = (ahead + behind) / 10
        if trust == 0:
            return 0.0
        pace = (trust / self.cores + (now - self._began)) / (trust + behind + self._half_done(now))
        return max([pace * ahead, *running])

    def _half_done(self, now: float) -> float:
        return sum(min(self._expected(job), now - job.began) for job in self._running.values())

    def line(self, now: float, started: float) -> str:
        """Return one line that says how much is done, when it will end, and what runs."""
        said = f"{self.done} of {self.total} jobs, {elapsed(now - started)}"
        if self.done == self.total:
            return said
        left = self.left(now)
        said += f", about {about(left)} left" if left is not None else ""
        running = ", ".join(job.name for job in self._running.values())
        return f"{said}: {running}" if running else said


def table(jobs: Mapping[str, int]) -> str:
    """Return the numbers of jobs as a table; rules made in a loop (``checks_...``) share a row.

    Examples
    --------
    >>> print(table({"games": 2, "checks_a": 1, "checks_b": 1, "total": 4}))
    Job stats:
    job       count
    ------  -------
    games         2
    checks        2
    total         4
    """
    rows: Counter[str] = Counter()
    for rule, count in jobs.items():
        rows[next((loop for loop in LOOPS if rule.startswith(f"{loop}_")), rule)] += count
    width = max(map(len, rows))
    head = [f"{'job':<{width}}    count", f"{'-' * width}  -------"]
    return "\n".join(["Job stats:", *head, *(f"{rule:<{width}}  {count:>7}" for rule, count in rows.items())])
