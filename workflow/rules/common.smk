# What all rules share: the study, and short ways to name files.

import gc
import os
import sys
import time
from pathlib import Path

from snakemake.logging import logger
from snakemake.scheduling.job_scheduler import JobScheduler

from private_experts.replication.drawing.suffixes import FIGURE, TABLE
from private_experts.replication.hospital import players
from private_experts.replication.hospital.source import OFFLINE_VARIABLE
from private_experts.replication.run.asked import only_looks
from private_experts.replication.run.scheduling import calm
from private_experts.replication.run.summary import complaints
from private_experts.replication.wiring import COMPARED, EVERYWHERE, FIGURE_2, LOCALITY, Wiring

# Searching all that was imported for garbage, again and again, is a third of the time that it takes to plan the jobs.
gc.freeze()
gc.set_threshold(50_000, 20, 20)

calm(JobScheduler)

STARTED = int(time.time())

# So that rules find the environment's commands even when it is not activated.
os.environ.update(PATH=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))

study = Wiring(config, Path(workflow.basedir))
if not only_looks(sys.argv):
    study.keep_results()
# No words: the line of progress reckons with it.
logger.info("", extra={"recorded": study.recorded()})
if config["hospital"]["offline"]:  # the jobs are told by the environment
    os.environ[OFFLINE_VARIABLE] = "1"

EXPERTS = config["batching"]["experts"]


wildcard_constraints:
    scenario="[a-z][a-z0-9-]*",
    state="[A-Z]{2}",
    part="|".join(study.parts),
    algorithm="|".join(players.names()),
    figure="[0-9]{3}-[a-z0-9-]+",
    experts="[0-9]+",


def stem(name):
    """Return a params function: the path without suffix of the files that a rule calls by this name."""
    return lambda wildcards, output: str(Path(getattr(output, name)[0]).with_suffix(""))


def folder(name):
    """Return a params function: the folder of the files that a rule calls by this name."""
    return lambda wildcards, output: str(Path(getattr(output, name)[0]).parent)
