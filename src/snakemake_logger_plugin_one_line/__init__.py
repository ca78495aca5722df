"""A logger for Snakemake: one line says how much is done, what runs, and about when it will end.

On a terminal the line is alive. In a file it is written at each tenth of the jobs, or every half a minute.
Failures are told in full. Snakemake finds a logger by the name of its package, so this one is no part of
``private_experts``. Before it plans, a workflow tells it what jobs took: ``logger.info("", extra={"recorded":
{"games/rw-meta": 12.5}})``. How much faster or slower this run is follows from its jobs that have ended.
"""

import os
import re
import shutil
import sys
import threading
import time
from collections import Counter
from logging import WARNING, LogRecord
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

OFTEN, SELDOM = 1.0, 30.0  # seconds between two lines, on a terminal and in a file
TRUST = 5.0  # seconds of jobs that ended as expected, for which the record counts when a run begins
COMMAND = 300  # characters of a failed job's command; one that checks a paper's claims has thousands
CLEAR = "\r\x1b[K"  # to the beginning of the line, and erase it
# What Snakemake says of its own doings.
CHATTER = re.compile(
    "Assuming unrestricted|Building DAG|Cleaning up|Complete log|Conda environments: ignored|Config file |"
    r"Elapsed time|Finished upload|Job \d+ has been submitted|Removing|Retrieving|SLURM run ID|Select jobs|"
    "Storing|Using "
)
# What says no more than was told of the job that failed.
AGAIN = re.compile("CalledProcessError in file|At least one job did not complete")
STOPPING = "Terminating processes on user request"


class Running(NamedTuple):
    """A job under way."""

    name: str
    expected: float  # seconds
    began: float


class LogHandler(LogHandlerBase):
    """Turns what Snakemake tells of a run into one line."""

    writes_to_stream = True
    writes_to_file = has_filter = has_formatter = needs_rulegraph = False

    def __post_init__(self) -> None:
        """Begin to watch, with the clock."""
        self._stream = sys.stdout if self.common_settings.stdout else sys.stderr
        self._alive = self._stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._recorded: dict[str, float] = {}  # seconds by log, and by a word that begins with the rule
        self._words: dict[str, float] = {}
        self._waiting: Counter[str] = Counter()  # jobs that have not begun, by rule
        self._running: dict[int, Running] = {}
        self._done, self._total, self._cores = 0, 0, 1
        self._expected_of_done, self._took = TRUST, TRUST  # seconds
        self._began = self._shown_at = time.monotonic()
        self._shown_done, self._over = 0, threading.Event()
        self._stopping = False  # a person stops the run, and jobs end for no fault of theirs
        self._errors: list[tuple[float, dict[str, Any]]] = []  # not told yet, and since when

    def emit(self, record: LogRecord) -> None:
        """Take note of an event, or tell it. Snakemake calls this from one thread of its own."""
        try:
            self._take(vars(record), record)
        except Exception:
            self.handleError(record)

    def _take(self, facts: dict[str, Any], record: LogRecord) -> None:
        event, dry_run = facts.get("event"), self.common_settings.dryrun
        self._stopping |= record.getMessage().startswith(STOPPING)
        if event == LogEvent.JOB_ERROR:
            self._running.pop(facts["jobid"], None)
            self._errors.append((time.monotonic(), facts))
        # Ctrl-C ends jobs too, whose threads may tell of it before the main one says why they ended.
        if record.thread == threading.main_thread().ident:
            self._tell_errors()
        if facts.get("recorded"):
            self._recorded = dict(facts["recorded"])
            self._words = {re.sub(r"\W", "_", f"{log}/"): seconds for log, seconds in self._recorded.items()}
        elif event == LogEvent.RUN_INFO:
            self._tell(table(facts["stats"]))
            if not dry_run:
                self._waiting = Counter(facts["stats"])
                self._total = self._waiting.pop("total")
                threading.Thread(target=self._watch, daemon=True).start()
        elif dry_run and event is not None and record.levelno < WARNING:
            self._tell(self.format(record) if self.common_settings.printshellcmds else "")
        elif event in (None, LogEvent.ERROR, LogEvent.GROUP_ERROR):
            self._message(self.format(record), record.levelno)
        elif event == LogEvent.RESOURCES_INFO:
            self._cores = facts.get("cores") or self._cores
        elif event == LogEvent.JOB_INFO:
            called, rule = name(facts["rule_name"], facts["log"]), facts["rule_name"]
            expected = self._recorded.get(called) or self._expected(rule)
            self._waiting[rule] -= 1
            self._running[facts["jobid"]] = Running(called, expected, time.monotonic())
            self._show()
        elif event == LogEvent.JOB_FINISHED and (ended := self._running.pop(facts["job_id"], None)):
            self._done += 1
            self._expected_of_done += ended.expected
            self._took += time.monotonic() - ended.began
            self._show()

    def _message(self, text: str, level: int) -> None:
        if level >= WARNING or not CHATTER.match(text):
            self._tell("" if AGAIN.search(text) else text)

    def _tell_errors(self, until: float = float("inf")) -> None:
        while self._errors and self._errors[0][0] <= until:
            self._error(self._errors.pop(0)[1])

    def _error(self, facts: dict[str, Any]) -> None:
        paths = [*map(Path, facts["log"])]
        logs = {path: path.read_text("utf-8", "replace").rstrip() for path in paths if path.exists()}
        # A job may end by Ctrl-C before Snakemake says so. One that it ends has perhaps half a traceback in
        # its log.
        if self._stopping or any("KeyboardInterrupt" in text for text in logs.values()):
            return
        command = facts["shellcmd"]
        shown = command if len(command) <= COMMAND else f"{command[:COMMAND]} ..."
        self._tell(f"Error in {name(facts['rule_name'], facts['log'])}, command: {shown}")
        # a cluster's scheduler knows that a job had too little memory or time
        self._tell(facts.get("rule_msg") or "")
        for path, text in logs.items() if self.common_settings.show_failed_logs else ():
            self._tell(f"{path}:\n{text}\n")

    def _expected(self, rule: str) -> float:
        """Return the seconds that a job of a rule takes, by its jobs of before or else by all."""
        alone = [self._words[f"{rule}_"]] if f"{rule}_" in self._words else []
        of_rule = alone or [seconds for word, seconds in self._words.items() if word.startswith(f"{rule}_")]
        return fmean(of_rule or [*self._words.values()] or [1.0])

    def left(self, now: float) -> float:
        """Return the seconds to the end, by what jobs took before and by how fast those of this run were."""
        ran = [(job.expected, now - job.began) for job in self._running.values()]
        slower = self._took / self._expected_of_done
        # What runs for longer than that says as much as if it had ended.
        late = [(expected, seconds) for expected, seconds in ran if seconds > slower * expected]
        expected, seconds = (sum(column) for column in zip(*late, strict=True)) if late else (0.0, 0.0)
        slower = (self._took + seconds) / (self._expected_of_done + expected)
        running = [max(0.0, slower * expected - seconds) for expected, seconds in ran]
        waiting = slower * sum(
            count * self._expected(rule) for rule, count in self._waiting.items() if count > 0
        )
        return max([(waiting + sum(running)) / self._cores, *running])

    def _show(self) -> None:
        """Show the line: on a terminal in place of the last one, elsewhere when it is time and at the end."""
        now, ended = time.monotonic(), self._done == self._total
        if self._over.is_set() or not self._total:
            return
        line = f"{self._done} of {self._total} jobs, {duration(now - self._began)}"
        if ended:
            self._over.set()
        elif self._recorded or self._done:
            line += f", about {duration(self.left(now))} left"
        if self._running:
            line += f": {', '.join(job.name for job in self._running.values())}"
        if self._alive and not ended:
            width = shutil.get_terminal_size().columns - 1
            self._write(CLEAR + (line if len(line) <= width else f"{line[: width - 3]}..."))
        elif ended or now - self._shown_at >= SELDOM or 10 * (self._done - self._shown_done) >= self._total:
            self._shown_at, self._shown_done = now, self._done
            self._tell(line)

    def _watch(self) -> None:
        while not self._over.wait(OFTEN):
            with self.lock:  # type: ignore[union-attr]
                self._tell_errors(time.monotonic() - OFTEN)
                self._show()

    def _tell(self, text: str) -> None:
        """Write lines that stay, above the one that lives."""
        if text:
            self._write(f"{CLEAR if self._alive else ''}{text}\n")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()

    def close(self) -> None:
        """Take the line away."""
        with self.lock:  # type: ignore[union-attr]
            self._tell_errors()
            if self._alive and self._total and not self._over.is_set():
                self._write(CLEAR)
            self._over.set()
        super().close()


def name(rule: str, logs: list[str]) -> str:
    """Return what people call a job: where its log lies in the folder of logs, else the name of its rule."""
    found = re.search(r"(?:^|/)logs/(.+)\.log$", (logs or [""])[0])
    return found[1] if found else rule


def table(jobs: dict[str, int]) -> str:
    """Return the numbers of jobs as a table; rules made in a loop (``checks_...``) share a row."""
    rows: Counter[str] = Counter()
    for rule, count in jobs.items():
        rows[re.sub("^(checks|claim_figures)_.*", r"\1", rule)] += count
    return "\n".join(f"{rule:<22}{count:>5}" for rule, count in [("job", "count"), *rows.items()]) + "\n"


def duration(seconds: float) -> str:
    """Return a time in words."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
