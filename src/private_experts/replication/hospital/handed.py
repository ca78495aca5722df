"""The source of the reports, handed from the process that plans a run to its jobs.

A job may run on another machine, where another environment would name another source: without the variable that names
the file, real data would become synthetic. So jobs decide nothing. What was decided travels in a variable of the
environment that the workflow declares (Snakemake's ``envvars``), which every kind of cluster passes on to its jobs.
"""

import json
import os
from collections.abc import Mapping, MutableMapping
from pathlib import Path
from typing import get_args
from urllib.parse import quote, unquote

from private_experts.errors import InputError
from private_experts.replication.choices import Kind
from private_experts.replication.hospital.source import Source

HANDED_VARIABLE = "PRIVATE_EXPERTS_SOURCE"


def hand_on(resolved: Source, environment: MutableMapping[str, str] = os.environ) -> None:
    """Put a source that was decided on into the environment, for the jobs of this run.

    Parameters
    ----------
    resolved : Source
        What `source.resolve` returned.
    environment : mutable mapping
        Environment variables; gets one.
    """
    path = str(resolved.path) if resolved.path else None
    # Some executors put it into a shell command as Python would write it, which only plain characters survive.
    environment[HANDED_VARIABLE] = quote(json.dumps({"kind": resolved.kind, "path": path}), safe="")


def received(environment: Mapping[str, str] = os.environ) -> Source:
    """Return the source that was handed to this job.

    Parameters
    ----------
    environment : mapping
        Environment variables.

    Raises
    ------
    InputError
        If none was handed on, or it cannot be read.
    """
    text = environment.get(HANDED_VARIABLE)
    if text is None:
        raise InputError(
            f"{HANDED_VARIABLE}: is not set in this job, so nobody knows which reports its run rests on; let the "
            "cluster pass on the environment of the process that submits (for Slurm, sbatch --export=ALL)"
        )
    try:
        told = json.loads(unquote(text))
        kind, path = told["kind"], told["path"]
        if kind not in get_args(Kind) or not isinstance(path, str | None):
            raise ValueError(kind)
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{HANDED_VARIABLE}: {text!r} is no source of reports; the run sets it, so do not set it yourself"
        ) from error
    return Source(kind, Path(path) if path else None)
