"""The command line: one command a stage of the workflow, called by the rules and by people alike.

A stage is a public function in a module of its subject, and its signature declares its parameters
(`stage_cli`). This module is left out of the code fingerprints, because the workflow itself tracks the words
of a command.
"""

import argparse
import atexit
import gc
import os
import sys
from collections.abc import Sequence

import private_experts
from private_experts.errors import PROGRAM, errors_in_one_line
from private_experts.replication.files import WRITTEN
from private_experts.replication.ledger.timing import Meter
from private_experts.replication.report import claims_stages as claims
from private_experts.replication.report import job_record
from private_experts.replication.report.explorer import explorer_stages as explorer
from private_experts.replication.stage_cli import Stage, add_command, is_rule, name_of, parameters
from private_experts.replication.study import hospital_stages as hospital
from private_experts.replication.study.batching import batching_stages as batching
from private_experts.replication.study.data import data_stages
from private_experts.replication.study.own_counts import own_counts_stages
from private_experts.replication.study.readings import readings_stages as readings
from private_experts.replication.verify import code_origin, reader_cli
from private_experts.replication.workflow import run_stages as run
from private_experts.replication.workflow.job_parent import end_with_run
from private_experts.replication.workflow.user_environment import extra_named, print_any_character

# One thread a job: jobs run side by side, and results must not depend on the number of cores.
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
BROKEN_PIPE = 141  # as a shell tells of a program that the signal for it has ended


def stages() -> dict[str, Stage]:
    """Return all stages by name: the public functions that the subjects' modules of stages define."""
    return {
        name: member
        for module in (
            reader_cli,  # what readers call comes first
            run,
            data_stages,
            hospital,
            own_counts_stages,
            readings,
            batching,
            explorer,
            claims,
        )
        for name, member in vars(module).items()
        if getattr(member, "__module__", "") == module.__name__ and not name.startswith("_")
    }


def parser(only: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of all commands; with `only`, of that command alone, which is much faster."""
    whole = argparse.ArgumentParser(
        prog=PROGRAM, description="Private online learning: the stages of the replication, and its claims."
    )
    whole.add_argument("--version", action="version", version=f"{PROGRAM} {private_experts.__version__}")
    whole.add_argument(
        "--account",
        action="store_true",
        help="say at the end what was written and what it took, on standard error",
    )
    commands = whole.add_subparsers(dest="command", required=True, metavar="COMMAND", title="commands")
    known = {name_of(stage): stage for stage in stages().values()}
    # One command is built for a job: to read the signatures of all stages takes much longer.
    if only in known:
        add_command(commands, known[only])
        return whole
    for stage in known.values():
        add_command(commands, stage)
    rules = ", ".join(name for name, stage in known.items() if is_rule(stage))
    whole.epilog = (
        f"Stages of the workflow, which its rules call; {PROGRAM} STAGE --help explains one: {rules}."
    )
    return whole


def _load_numpy_alone() -> None:
    """Keep SciPy from loading all of NumPy as it starts, by hiding submodules that nobody has asked for.

    SciPy copies every name of NumPy into a namespace of its own. NumPy loads `numpy.f2py` and others only
    when they are asked for, and this asks for all of them: a quarter of the time that SciPy takes to load.
    """
    import numpy

    loaded = [name for name in numpy.__all__ if name in vars(numpy)]
    # Whoever names a hidden submodule gets it all the same.
    vars(numpy).update(__all__=loaded, __dir__=lambda: [*vars(numpy)])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, and return its exit code; a user's mistake is one line on standard error, code 2."""
    end_with_run()
    print_any_character()
    meter, words = Meter(), sys.argv[1:] if arguments is None else list(arguments)
    named = next((word for word in words if word != "--account"), None)
    options = vars(parser(only=named).parse_args(words))
    stage, account, command = (options.pop(name) for name in ("stage", "account", "command"))
    # Looking for garbage takes a tenth of the time of most jobs: while they work, and in all modules at their
    # end.
    gc.set_threshold(50_000, 20, 20)
    atexit.register(gc.freeze)
    for variable in THREADS:  # before NumPy loads, which the stages do
        os.environ[variable] = "1"
    arguments_by_place = [
        options.pop(parameter.name) for parameter in parameters(stage) if parameter.positional
    ]
    try:
        with errors_in_one_line(), extra_named(command):
            if is_rule(stage):  # people may ask for what needs no NumPy
                _load_numpy_alone()
            code = stage(*arguments_by_place, **options)
            sys.stdout.flush()
            if account:
                code_origin.refuse_change()
    except BrokenPipeError:  # who reads has seen enough, as in `private-experts claims | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # so that no later flush complains
        return BROKEN_PIPE
    if account:
        lines = [*map(job_record.line, WRITTEN), meter.account().line()]
        print("\n".join(lines), file=sys.stderr)
    return code or 0
