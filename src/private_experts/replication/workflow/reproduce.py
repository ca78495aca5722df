"""One command for a whole run: resumes after any interruption, and ends with a summary."""

import argparse
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from private_experts.errors import PROGRAM, errors_in_one_line
from private_experts.replication.report.machine import usable_cores
from private_experts.replication.report.summary import complaints
from private_experts.replication.study.data.source import unread_variable
from private_experts.replication.verify.code_origin import refuse_damaged
from private_experts.replication.workflow import settled
from private_experts.replication.workflow.run_lock import hold
from private_experts.replication.workflow.run_stages import summary
from private_experts.replication.workflow.user_environment import (
    extra_named,
    print_any_character,
    provide_user,
)

STOPPED = 130  # the exit code of Ctrl-C


def snakemake(words: Sequence[str], data: str | None = None) -> bool:
    """Do as `snakemake` does with these words, on the `data` that are named; tell whether all went well."""
    from snakemake import cli

    from private_experts.replication.workflow import config as configuration

    parser, options = cli.parse_args(words)
    with errors_in_one_line():  # what Snakemake would answer with a traceback
        for path in (Path("config/study.yaml"), *(options.configfile or [])):
            configuration.read(path)
    if data:
        options.config = [*(options.config or []), configuration.taking(data)]
    # With a limit to how many jobs begin in a second, Snakemake looks at all waiting jobs again and again.
    options.max_jobs_per_timespan = None
    return bool(cli.args_to_api(options, parser))


def _all_made(passed_on: Sequence[str], data: str | None) -> bool:
    """Make all results, and tell whether they are there; without Snakemake where it had nothing to do."""
    first, configfiles = passed_on[:1], [Path(path) for path in passed_on[1:]]
    # Other options may ask for something else than all results.
    plain = first in ([], ["--configfile"]) and not any(word.startswith("-") for word in passed_on[1:])
    before = settled.state(configfiles, data) if plain else ""
    if settled.is_settled(before):
        if warning := unread_variable():
            print(f"{PROGRAM}: {warning}", file=sys.stderr)
        return True
    refuse_damaged(Path("requirements.lock"))  # before Snakemake loads them, or ends without advice
    ended = snakemake(["--no-hooks", "--cores", str(usable_cores()), *passed_on], data)
    if ended and plain:
        settled.settle(before, configfiles, data)  # each job would have changed a file
    return ended


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the workflow in this folder with Snakemake's options, and say what came out.

    The exit code is 0 when all results are there, 2 when another run is under way or what was asked for
    cannot be, 130 after Ctrl-C, and 1 when something else went wrong.
    """
    parser = argparse.ArgumentParser(
        prog="python -m private_experts.replication.workflow.reproduce", description=main.__doc__
    )
    parser.add_argument(
        "--results", type=Path, default=Path("results"), help="where the config writes its results"
    )
    parser.add_argument(
        "--data", help="pinned, healthdata, synthetic, or the path of a CSV export (hospital.data)"
    )
    options, passed_on = parser.parse_known_args(arguments)
    started, pressed = time.time(), []
    print_any_character()

    def interrupt(*_: object) -> None:  # Snakemake stops its jobs then, and does not tell that this was why
        pressed.append(True)
        raise KeyboardInterrupt

    with errors_in_one_line():
        # Before Snakemake starts: two runs in one folder would repair each other's incomplete files.
        hold(Path(".snakemake"))  # the folders of results when the rules have looked at them
        provide_user()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else Ctrl-C is to be ignored
        signal.signal(signal.SIGINT, interrupt)
    try:
        with errors_in_one_line(), extra_named("a run"):
            ended = _all_made(passed_on, options.data)
    except KeyboardInterrupt:
        ended = False
    except Exception as error:
        ended = False
        # After Ctrl-C Snakemake may close the event loop of a job that is still ending, which is an error.
        if not pressed:
            from snakemake import cli

            cli.print_exception(error)
    manifest = options.results / "manifest.json"
    if ended and not pressed:
        if manifest.exists():  # it does not when one result alone was asked for
            with errors_in_one_line():
                summary(manifest, started)
        return 0
    stopped = [f"{PROGRAM}: stopped; the same command goes on from here"]
    print("\n".join(stopped if pressed else complaints(options.results / "logs", started)), file=sys.stderr)
    return STOPPED if pressed else 1


if __name__ == "__main__":
    sys.exit(main())
