"""A logger for Snakemake: one line says how much is done, what runs, and about when it will end.

On a terminal the line is alive. In a file it is written down at each tenth of the jobs, or every half a minute. What
goes wrong is told in full, with the log of the job. All else is in Snakemake's own log, in ``.snakemake/log``.

Snakemake finds a logger by the name of its package, so this one is no part of ``private_experts``. It knows nothing of
it: a workflow that says ``logger.info("", extra={"recorded": ...})`` tells it what its jobs took before.
"""

import os
import re
import shutil
import sys
import threading
import time
from logging import WARNING, LogRecord
from pathlib import Path

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from snakemake_logger_plugin_one_line.progress import Progress, name, table

OFTEN, SELDOM = 1.0, 30.0  # seconds between two lines, on a terminal and in a file
CLEAR = "\r\x1b[K"  # to the beginning of the line, and erase it

# What Snakemake says of its own doings.
PLANNING = "Building DAG of jobs"
CHATTER = (
    "Assuming unrestricted shared filesystem",
    PLANNING,
    "Cleaning up SLURM log files",
    "Complete log(s)",
    "Conda environments: ignored",
    "Config file ",
    "Elapsed time",
    "Finished upload",
    "Removing local copy of storage file",
    "Removing temporary output",
    "Retrieving from storage",
    "SLURM run ID",
    "Select jobs to execute",
    "Storing in storage",
    "Using shell",
    "Using workflow specific profile",
)
SUBMITTED = re.compile(r"Job \d+ has been submitted with ")


class LogHandler(LogHandlerBase):
    """Turns what Snakemake tells of a run into one line; Snakemake makes one of these, from its settings."""

    writes_to_stream = True
    writes_to_file = False
    has_filter = False  # Snakemake's own obeys --quiet
    has_formatter = False
    needs_rulegraph = False

    def __post_init__(self) -> None:
        """Begin to watch, with the clock."""
        self._stream = sys.stdout if self.common_settings.stdout else sys.stderr
        self._alive = self._stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._progress, self._started = Progress(), time.monotonic()
        self._said = (self._started, 0)  # when the last line was written, and of how many jobs done
        self._failed: set[int] = set()
        self._over = threading.Event()

    def emit(self, record: LogRecord) -> None:
        """Take note of an event, or tell it. Snakemake calls this from one thread of its own."""
        try:
            event = getattr(record, "event", None)
            if recorded := getattr(record, "recorded", None):
                self._progress.recorded = dict(recorded)
            elif event == LogEvent.RUN_INFO:
                self._tell(f"{table(vars(record)['stats'])}\n")
                self._begin(vars(record)["stats"])
            elif event in (LogEvent.SHELLCMD, LogEvent.DEBUG_DAG):  # only come when they were asked for
                self._tell(self.format(record))
            elif self.common_settings.dryrun and event is not None and record.levelno < WARNING:
                self._tell(self.format(record) if self.common_settings.printshellcmds else "")
            elif event == LogEvent.JOB_ERROR:
                self._error(vars(record))
            elif event is None or event in (LogEvent.ERROR, LogEvent.GROUP_ERROR):
                self._message(record)
            else:
                self._note(event, vars(record))
        except Exception:
            self.handleError(record)

    def _begin(self, stats: dict[str, int]) -> None:
        if self.common_settings.dryrun:
            return
        self._progress.begin({rule: count for rule, count in stats.items() if rule != "total"}, time.monotonic())
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        """Renew the line while the run lasts, whether or not something happens."""
        while not self._over.wait(OFTEN):
            self.acquire()
            try:
                self._show()
            finally:
                self.release()

    def _note(self, event: LogEvent, said: dict[str, object]) -> None:
        now, progress = time.monotonic(), self._progress
        match event, said:
            case LogEvent.RESOURCES_INFO, {"cores": int(cores)}:
                progress.cores = cores
            case LogEvent.JOB_INFO, {"jobid": int(job), "rule_name": str(rule), "log": list(logs)}:
                progress.start(job, name(rule, logs), rule, now)
            case LogEvent.JOB_FINISHED, {"job_id": int(job)}:
                progress.end(job, now)
        if progress.total and progress.done == progress.total and not self._over.is_set():
            self._over.set()
            self._tell(progress.line(now, self._started))
        elif progress.total:
            self._show()

    def _show(self) -> None:
        """Show the line: on a terminal in the place of the last one, elsewhere when it is time."""
        if self._over.is_set():
            return
        now, progress = time.monotonic(), self._progress
        line = progress.line(now, self._started)
        if self._alive:
            width = shutil.get_terminal_size().columns - 1
            self._write(CLEAR + (line if len(line) <= width else f"{line[: width - 3]}..."))
            return
        when, done = self._said
        if now - when >= SELDOM or 10 * (progress.done - done) >= progress.total:
            self._said = (now, progress.done)
            self._write(f"{line}\n")

    def _tell(self, text: str) -> None:
        """Write lines that stay, above the one that lives."""
        if text:
            self._write(f"{CLEAR if self._alive else ''}{text}\n")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()

    def _message(self, record: LogRecord) -> None:
        text = self.format(record)
        # That a command of the shell failed says no more than what was told of its job.
        again = self._failed and "CalledProcessError" in text
        if SUBMITTED.match(text):  # where its log lies is told when it fails
            return
        if record.levelno >= WARNING or not text.startswith(CHATTER):
            self._tell("" if again else text)
        elif self._alive and text.startswith(PLANNING):
            self._write(f"{CLEAR}Planning ...")

    def _error(self, said: dict[str, object]) -> None:
        job, logs = said["jobid"], said["log"]
        assert isinstance(job, int)
        assert isinstance(logs, list)
        self._failed.add(job)
        self._progress.end(job, time.monotonic(), done=False)
        written = {path: _text(path) for path in map(Path, logs)}
        if any("KeyboardInterrupt" in text for text in written.values()):
            return  # a person stopped the run, which is no failure of the job
        self._tell(f"Error in {name(str(said['rule_name']), logs)}, command: {said['shellcmd']}")
        if why := said.get("rule_msg"):  # a cluster's scheduler knows that a job had too little memory or time
            self._tell(str(why))
        if self.common_settings.show_failed_logs:
            for path, text in written.items():
                self._tell(f"{path}:\n{text}\n")

    def close(self) -> None:
        """Take the line away."""
        self.acquire()
        try:
            if self._alive and not self._over.is_set():
                self._write(CLEAR)
            self._over.set()
        finally:
            self.release()
        super().close()


def _text(log: Path) -> str:
    """Return what stands in a log."""
    if not log.exists():
        return "(no such file)"
    return log.read_text(encoding="utf-8", errors="replace").rstrip() or "(empty)"
