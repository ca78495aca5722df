# What all rules share: the study, and short ways to name files.

import gc
import os
import sys
import time
from pathlib import Path
from typing import get_args

from snakemake.logging import logger

from private_experts.errors import errors_in_one_line
from private_experts.replication.files import remove_drafts
from private_experts.replication.plotting.suffixes import FIGURE, TABLE
from private_experts.replication.study import players
from private_experts.replication.study.choices import Patients
from private_experts.replication.study.data import source
from private_experts.replication.study.data.panel import BESIDE
from private_experts.replication.study.published import OTHER_KIND
from private_experts.replication.verify import code_origin
from private_experts.replication.workflow import config as configuration
from private_experts.replication.workflow import job_parent, run_lock
from private_experts.replication.report import job_record
from private_experts.replication.report.summary import complaints
from private_experts.replication.stage_cli import flat
from private_experts.replication.workflow.workflow_inputs import (
    COMPARED,
    EVERYWHERE,
    FIGURE_2,
    NOTEBOOK,
    SHARED,
    SHARED_EVERYWHERE,
    WorkflowInputs,
)

# Searching all that was imported for garbage, again and again, is a third of the time that it takes to plan
# the jobs.
gc.freeze()
gc.set_threshold(50_000, 20, 20)

STARTED = int(time.time())

# So that rules find the environment's commands even when it is not activated.
os.environ.update(PATH=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))
# So that nothing of this folder, as somebody's random.py, takes the place of a module where a cluster's job starts Python.
os.environ["PYTHONSAFEPATH"] = "1"
# So that jobs keep the memory that arrays leave, until they end: to get pages from the system again and again costs up
# to a quarter of their time. Only the C library of Linux reads this.
os.environ.setdefault("MALLOC_MMAP_MAX_", "0")
os.environ.setdefault("MALLOC_TRIM_THRESHOLD_", str(2**40))


envvars:
    "PYTHONSAFEPATH",  # for executors that pass on what is named alone


study = WorkflowInputs(
    config,
    Path(workflow.current_basedir).parents[1],  # above workflow/rules, whichever Snakefile was the entry
    in_job=not workflow.is_main_process,
)
if workflow.is_main_process:
    with errors_in_one_line():
        for path in workflow.configfiles:  # for Snakemake the last of two equal keys counts
            configuration.read(path)
        run_lock.hold(study.results, study.paper, study.logs, Path(".snakemake"))
        run_lock.cancel_jobs(Path())
        remove_drafts(study.results, study.paper)
        job_record.check(study.logs, study.results, study.paper)

# A job takes the place of its shell, so that it is Snakemake's own child, and ends with it.
shell.prefix("set -euo pipefail; exec ")
job_parent.mark()
if workflow.is_main_process:
    code_origin.mark()
# No words: the line of progress reckons with it.
logger.info("", extra={"recorded": study.recorded()})
if workflow.is_main_process and source.unread_variable():
    print(f"private-experts: {source.unread_variable()}", file=sys.stderr)


EXPERTS = config["batching"]["experts"]
PATIENTS = get_args(Patients)


wildcard_constraints:
    scenario="[a-z][a-z0-9-]*",
    state="[A-Z]{2}",
    portion="[0-9]+",
    part="|".join(study.parts),
    algorithm="|".join(players.names()),
    experts="[0-9]+",
    patients="|".join(PATIENTS),


def stem(name):
    """Return a params function: the path without suffix of the files that a rule calls by this name."""
    return lambda wildcards, output: str(Path(getattr(output, name)[0]).with_suffix(""))


def around(name, called):
    """Return a params function: the folder of this name around the input that a rule calls `name`."""
    return lambda wildcards, input: next(
        str(each) for each in Path(list(input[name])[0]).parents if each.name == called
    )


def folder(name):
    """Return a params function: the folder of the files that a rule calls by this name."""
    return lambda wildcards, output: str(Path(getattr(output, name)[0]).parent)
