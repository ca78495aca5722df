"""Where a run may write: not among the project's own files, nor over the study with another config."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from private_experts.errors import InputError
from private_experts.replication.stage_cli import flat
from private_experts.replication.study.data.overwrite_guard import REPLACE_VARIABLE, may_replace
from private_experts.replication.workflow import config as configuration

# Folders of the project that are no place for results, beside all whose name begins with a dot.
SOURCES = (
    "benchmarks",
    "claims",
    "config",
    "containers",
    "docs",
    "examples",
    "profiles",
    "resources",
    "src",
    "tests",
    "workflow",
)
STUDY = Path("config/study.yaml")
# Where the data comes from: another source may have the same data, and the overwrite guard decides about
# others.
ORIGIN = ("hospital.data", "hospital.healthdata")


def check(config: Mapping[str, Any], root: Path, environment: Mapping[str, str] = os.environ) -> None:
    """Refuse folders that a run must not write to."""
    home = root.resolve()
    for name, folder in config["pathvars"].items():
        path = Path(folder).resolve()
        inside = path.relative_to(home).parts if path.is_relative_to(home) else ("",)
        # A run removes and overwrites in its folders, so sources must not be among them.
        if path in (home, *home.parents) or inside[0] in SOURCES or inside[0].startswith("."):
            raise InputError(
                f"config: pathvars.{name}: {folder} is the project's folder, lies above it or among its "
                "own files; write a folder such as results/mine"
            )
    if not may_replace(environment):
        _keep_study_results(config, configuration.read(root / STUDY))


def _keep_study_results(config: Mapping[str, Any], study: Mapping[str, Any]) -> None:
    """Refuse to overwrite the study's results by those of a config that is laid over it."""
    folders = config["pathvars"].items() & study["pathvars"].items()
    # Downloads may be shared: their names have a hash of the query.
    shared = sorted(name for name, _ in folders if name != "downloads")
    before = {*flat(study)}
    others = (word.partition("=")[0] for word in flat(config) if word not in before)
    changed = next((key for key in others if not key.startswith(("pathvars.", *ORIGIN))), None)
    if shared and changed:
        raise InputError(
            f"config: {changed} is not as in {STUDY}, and the run would overwrite the study's results "
            f"(pathvars.{shared[0]}: {study['pathvars'][shared[0]]}); add pathvars: {{results: "
            "results/mine, paper: results/mine/paper, logs: results/mine/logs} to your config, or set "
            f"{REPLACE_VARIABLE}=1"
        )
