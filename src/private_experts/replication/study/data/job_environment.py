"""Passes the resolved source of the reports from the process that plans a run to its jobs.

A job may run on a machine where the environment names another source, so jobs resolve nothing. The source is in an
environment variable that the workflow declares (Snakemake's ``envvars``), which executors pass on.
"""

import os
from collections.abc import Mapping, MutableMapping
from pathlib import Path
from typing import cast, get_args
from urllib.parse import quote, unquote

from private_experts.errors import InputError
from private_experts.replication.choices import Kind
from private_experts.replication.study.data.source import Source

SOURCE_VARIABLE = "PRIVATE_EXPERTS_SOURCE"


def export_source(resolved: Source, environment: MutableMapping[str, str] = os.environ) -> None:
    """Set the variable from which the jobs of this run read their source."""
    # Some executors write variables into a shell command as Python literals, which only plain characters survive.
    environment[SOURCE_VARIABLE] = quote(f"{resolved.kind}:{resolved.path or ''}", safe="")


def read_source(environment: Mapping[str, str] = os.environ) -> Source:
    """Return the source of this job's run; raise `InputError` if the variable is missing or malformed."""
    text = environment.get(SOURCE_VARIABLE)
    if text is None:
        raise InputError(
            f"{SOURCE_VARIABLE}: is not set in this job; let the cluster pass on the environment of the process that "
            "submits (for Slurm, sbatch --export=ALL)"
        )
    kind, separator, path = unquote(text).partition(":")
    if kind not in get_args(Kind) or not separator or (kind == "file") != bool(path):
        raise InputError(f"{SOURCE_VARIABLE}: {text!r} is not a source; the run sets this variable, so unset yours")
    return Source(cast(Kind, kind), Path(path) if path else None)
