"""One line on a terminal, plain lines in a file, and failures in full."""

import io
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from snakemake_interface_logger_plugins.common import LogEvent

import snakemake_logger_plugin_one_line as plugin

STATS = {"games": 20, "checks_a": 1, "total": 21}


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


class Watched:
    """A handler with a clock and a stream of its own."""

    def __init__(self, stream: io.StringIO, clock: SimpleNamespace, **settings: Any) -> None:
        asked = {
            "stdout": False,
            "dryrun": False,
            "printshellcmds": False,
            "show_failed_logs": True,
            **settings,
        }
        self.stream, self.clock = stream, clock
        self.handler = plugin.LogHandler(SimpleNamespace(**asked), None)  # type: ignore[arg-type]

    def say(
        self, message: str = "", event: LogEvent | None = None, level: int = logging.INFO, **extra: Any
    ) -> str:
        """Send a record, and return what was written."""
        before = len(self.stream.getvalue())
        record = logging.LogRecord("snakemake", level, "", 1, message, None, None)
        vars(record).update(extra, **({"event": event} if event else {}))
        self.handler.handle(record)
        return self.stream.getvalue()[before:]

    def run(self, job: int, logs: list[str] | None = None, seconds: float = 1.0) -> str:
        """Begin and end a job, and return what was written."""
        info = {"jobid": job, "rule_name": "games", "log": logs or [f"logs/games/{job}.log"]}
        said = self.say(event=LogEvent.JOB_INFO, **info)
        self.clock.now += seconds
        return said + self.say(event=LogEvent.JOB_FINISHED, job_id=job)


Watch = Callable[..., Watched]


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Watch]:
    clock, made = SimpleNamespace(now=0.0), []
    monkeypatch.setattr(plugin, "time", SimpleNamespace(monotonic=lambda: clock.now))
    monkeypatch.setattr(plugin, "OFTEN", 1000.0)  # no line but those of events
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")

    def start(stream: io.StringIO | None = None, **settings: Any) -> Watched:
        stream = stream or io.StringIO()
        monkeypatch.setattr(plugin.sys, "stderr", stream)
        made.append(Watched(stream, clock, **settings))
        return made[-1]

    yield start
    for each in made:
        each.handler.close()


def test_in_a_file_each_tenth_of_the_jobs_gets_a_plain_line(watch: Watch) -> None:
    watched = watch()
    watched.say(event=LogEvent.RUN_INFO, stats=STATS)
    said = [watched.run(job) for job in range(20)]
    lines = "".join(said).splitlines()
    assert 5 <= len(lines) <= 10
    assert lines[0].startswith("3 of 21 jobs, 3 s, about 18 s left")
    assert "\r" not in "".join(said)
    assert "\x1b" not in "".join(said)


def test_in_a_file_half_a_minute_gets_a_line_whatever_was_done(watch: Watch) -> None:
    watched = watch()
    watched.say(event=LogEvent.RUN_INFO, stats={"games": 1000, "total": 1000})
    assert watched.run(0, seconds=29) == ""
    assert watched.run(1, seconds=2).startswith("2 of 1000 jobs, 31 s")


def test_on_a_terminal_one_line_lives_and_is_never_wider_than_it(watch: Watch) -> None:
    watched = watch(Terminal())
    watched.say(event=LogEvent.RUN_INFO, stats=STATS)
    said = watched.run(1, logs=[f"logs/games/{'long' * 30}.log"])
    assert "\n" not in said
    lines = said.split(plugin.CLEAR)[1:]
    assert len(lines) == 2
    assert all(len(line) < 60 for line in lines)
    assert lines[0].endswith("...")
    assert lines[1].startswith("1 of 21 jobs, 1 s, about 20 s left")


def test_a_terminal_without_control_characters_gets_plain_lines(
    watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    watched = watch(Terminal())
    watched.say(event=LogEvent.RUN_INFO, stats=STATS)
    assert "\x1b" not in "".join(watched.run(job) for job in range(20))


def test_the_last_line_says_that_all_is_done(watch: Watch) -> None:
    watched = watch(Terminal())
    watched.say(event=LogEvent.RUN_INFO, stats={"games": 2, "total": 2})
    watched.run(1)
    assert watched.run(2).endswith(f"{plugin.CLEAR}2 of 2 jobs, 2 s\n")
    written = len(watched.stream.getvalue())
    watched.handler.close()
    assert len(watched.stream.getvalue()) == written


def test_a_run_that_is_stopped_leaves_no_half_line(watch: Watch) -> None:
    watched = watch(Terminal())
    watched.say(event=LogEvent.RUN_INFO, stats=STATS)
    watched.run(1)
    watched.handler.close()
    assert watched.stream.getvalue().endswith(plugin.CLEAR)


def test_a_failure_shows_the_log_of_its_job_once_and_no_command_of_the_shell_again(
    watch: Watch, tmp_path: Path
) -> None:
    log = tmp_path / "logs/games/bad.log"
    log.parent.mkdir(parents=True)
    log.write_text("private-experts: panel.csv: is no panel\n")
    watched = watch()
    watched.say(event=LogEvent.RUN_INFO, stats=STATS)
    said = watched.say(
        event=LogEvent.JOB_ERROR,
        level=logging.ERROR,
        jobid=3,
        rule_name="games",
        log=[str(log)],
        shellcmd="play this",
    )
    said += watched.say("RuleException:\nCalledProcessError in file x", LogEvent.ERROR, logging.ERROR)
    assert (
        said == f"Error in games/bad, command: play this\n{log}:\nprivate-experts: panel.csv: is no panel\n\n"
    )


def test_a_long_command_of_a_failed_job_is_cut(watch: Watch) -> None:
    error = {"jobid": 3, "rule_name": "checks", "log": []}
    long = watch().say(event=LogEvent.JOB_ERROR, shellcmd="x" * (plugin.COMMAND + 1), **error)
    assert long == f"Error in checks, command: {'x' * plugin.COMMAND} ...\n"
    assert watch().say(event=LogEvent.JOB_ERROR, shellcmd="x" * plugin.COMMAND, **error).endswith("xx\n")


def test_logs_of_failures_are_shown_when_asked_for(watch: Watch, tmp_path: Path) -> None:
    error = {"jobid": 3, "rule_name": "games", "log": [str(tmp_path / "none.log")], "shellcmd": ""}
    (tmp_path / "none.log").write_text("why")
    assert f"{tmp_path / 'none.log'}:\nwhy" in watch().say(event=LogEvent.JOB_ERROR, **error)
    assert "none.log" not in watch(show_failed_logs=False).say(event=LogEvent.JOB_ERROR, **error)


def test_a_job_that_ctrl_c_stopped_has_not_failed(watch: Watch, tmp_path: Path) -> None:
    log = tmp_path / "games.log"
    log.write_text(
        "Traceback (most recent call last):\nKeyboardInterrupt\n\nImportError: NumPy was stopped\n"
    )
    said = watch().say(
        event=LogEvent.JOB_ERROR, jobid=3, rule_name="games", log=[str(log)], shellcmd="play this"
    )
    assert said == ""


def test_a_job_that_is_ended_with_its_run_has_not_failed(watch: Watch, tmp_path: Path) -> None:
    (log := tmp_path / "games.log").write_text("Traceback (most recent call last):\n  File")
    error = {"jobid": 3, "rule_name": "games", "log": [str(log)], "shellcmd": "play this"}
    stopping = "Terminating processes on user request, this might take some time."
    assert "Traceback" in watch().say(event=LogEvent.JOB_ERROR, **error)
    assert (watched := watch()).say(stopping) == f"{stopping}\n"
    assert watched.say(event=LogEvent.JOB_ERROR, **error) == ""


def test_a_job_whose_thread_tells_first_that_it_ended_has_failed_unless_the_run_is_stopped(
    watch: Watch,
) -> None:
    """A job that Ctrl-C ends before Python is ready for it leaves an empty log."""
    error = {"jobid": 3, "rule_name": "games", "log": [], "shellcmd": "play this"}
    told = "Error in games, command: play this\n"

    def ended() -> Watched:
        (watched := watch()).say(event=LogEvent.RUN_INFO, stats=STATS)
        assert watched.say(event=LogEvent.JOB_ERROR, thread=0, **error) == ""
        assert watched.say("RuleException:\nCalledProcessError in file x", thread=0) == ""
        return watched

    stopping = "Terminating processes on user request, this might take some time."
    assert ended().say(stopping) == f"{stopping}\n"
    assert ended().say("Shutting down, this might take some time.").startswith(told)
    for ends in (lambda watched: watched.handler.close(), lambda watched: watched.handler._watch()):
        watched = ended()
        watched.clock.now += plugin.OFTEN
        waits = iter([False, True])
        watched.handler._over = SimpleNamespace(
            wait=lambda _, waits=waits: next(waits), is_set=lambda: True, set=bool
        )
        written = len(watched.stream.getvalue())
        ends(watched)
        assert watched.stream.getvalue()[written:] == told


def test_chatter_is_left_out_and_all_else_is_told(watch: Watch) -> None:
    watched = watch()
    assert watched.say("Select jobs to execute...") == ""
    assert watched.say("Nothing to be done (all requested files are present and up to date).") != ""
    assert watched.say("Building DAG of jobs, and it has a cycle", level=logging.WARNING) != ""
    assert (
        watched.say("WorkflowError:\nno such rule", LogEvent.ERROR, logging.ERROR)
        == "WorkflowError:\nno such rule\n"
    )


def test_what_jobs_took_before_is_reckoned_with(watch: Watch) -> None:
    watched = watch(Terminal())
    watched.say(recorded={f"games/{job}": 10.0 for job in range(20)} | {"checks/a": 100.0})
    watched.say(event=LogEvent.RESOURCES_INFO, cores=2)
    watched.say(event=LogEvent.RUN_INFO, stats=STATS)
    assert "about 2.5 min left" in watched.say(
        event=LogEvent.JOB_INFO, jobid=1, rule_name="games", log=["logs/games/0.log"]
    )


@pytest.mark.parametrize("asked", [False, True])
def test_a_dry_run_lists_each_job_only_when_commands_are_asked_for(watch: Watch, asked: bool) -> None:
    watched = watch(dryrun=True, printshellcmds=asked)
    assert "checks" in watched.say(event=LogEvent.RUN_INFO, stats=STATS)
    assert watched.say("rule games:", LogEvent.JOB_INFO) == ("rule games:\n" if asked else "")


@pytest.mark.parametrize("asked", [False, True])
def test_what_goes_wrong_in_a_dry_run_is_told(watch: Watch, asked: bool) -> None:
    watched = watch(dryrun=True, printshellcmds=asked)
    said = watched.say(
        "MissingInputException", LogEvent.ERROR, logging.ERROR, exception="MissingInputException"
    )
    assert said == "MissingInputException\n"


def began(watched: Watched, recorded: dict[str, float], cores: int = 1, **jobs: int) -> None:
    watched.say(recorded=recorded)
    watched.say(event=LogEvent.RESOURCES_INFO, cores=cores)
    watched.say(event=LogEvent.RUN_INFO, stats={**jobs, "total": sum(jobs.values())})


@pytest.mark.parametrize("cores", [1, 2])
def test_before_the_first_job_ends_the_record_counts(watch: Watch, cores: int) -> None:
    watched = watch()
    took = {"games/a": 30.0, "games/b": 10.0, "table-2": 20.0, "checks/p000/study/panels": 90.0}
    began(watched, took, cores, games=2, table_2=1, checks_p000_study_panels=1)
    assert watched.handler.left(0.0) == pytest.approx(150 / cores)


# Seconds of the jobs of a run in the order in which they ended: long and short ones, as in the study.
TOOK = [
    14.0,
    6.1,
    9.8,
    2.2,
    0.9,
    7.4,
    11.5,
    1.1,
    3.0,
    25.0,
    0.4,
    5.2,
    0.3,
    6.6,
    8.1,
    1.9,
    0.6,
    2.4,
    4.7,
    0.2,
] * 3


def ends(watched: Watched, slower: float) -> list[float]:
    """Play these jobs on two cores, and return the end that was foreseen whenever a job had ended."""
    began(watched, {f"games/{job}": seconds for job, seconds in enumerate(TOOK)}, cores=2, games=len(TOOK))
    waiting, running, foreseen = dict(enumerate(TOOK)), {}, []
    while waiting or running:
        while waiting and len(running) < 2:
            job = next(iter(waiting))
            running[job] = watched.clock.now + slower * waiting.pop(job)
            watched.say(event=LogEvent.JOB_INFO, jobid=job, rule_name="games", log=[f"logs/games/{job}.log"])
        job = min(running, key=running.__getitem__)
        watched.clock.now = running.pop(job)
        watched.say(event=LogEvent.JOB_FINISHED, job_id=job)
        foreseen.append(watched.clock.now + watched.handler.left(watched.clock.now))
    return foreseen


@pytest.mark.parametrize("slower", [0.5, 1.0, 2.0, 6.0])
def test_the_end_is_foreseen_by_the_speed_of_this_run_and_stays_so(watch: Watch, slower: float) -> None:
    foreseen = ends(watch(), slower)
    for end in foreseen[3:]:
        assert end == pytest.approx(foreseen[-1], rel=0.15)


def test_a_job_that_runs_longer_than_expected_makes_the_others_longer_too(watch: Watch) -> None:
    watched = watch()
    began(watched, {f"games/{job}": 10.0 for job in range(10)}, games=10)
    watched.say(event=LogEvent.JOB_INFO, jobid=1, rule_name="games", log=["logs/games/1.log"])
    assert watched.handler.left(5.0) == pytest.approx(95)
    assert watched.handler.left(40.0) > 250


def test_the_end_is_not_before_that_of_a_long_job(watch: Watch) -> None:
    watched = watch(Terminal())
    began(watched, {"long": 100.0, "short": 1.0}, cores=2, long=1, short=1)
    watched.say(event=LogEvent.JOB_INFO, jobid=1, rule_name="long", log=["logs/long.log"])
    watched.run(2, logs=["logs/short.log"])
    assert watched.handler.left(1.0) == pytest.approx(99)


def test_times_and_jobs_in_words() -> None:
    assert [*map(plugin.duration, (0, 59.9, 90, 5400))] == ["0 s", "60 s", "1.5 min", "1.5 h"]
    assert plugin.name("games", ["elsewhere/logs/games/study/main/rw-meta.log"]) == "games/study/main/rw-meta"
    assert plugin.name("other", ["catalogs/other.log"]) == "other"
    said = plugin.table({"checks_000_lemma_3": 1, "games": 12, "checks_p001": 1, "total": 14}).splitlines()
    assert [line.split() for line in said[1:]] == [["checks", "2"], ["games", "12"], ["total", "14"]]
