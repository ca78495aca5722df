"""Where a run may write: not among files of the project or of others, nor over the study with another config."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from private_experts.errors import InputError
from private_experts.replication.stage_cli import flat
from private_experts.replication.study.data.overwrite_guard import REPLACE_VARIABLE, data_record
from private_experts.replication.workflow import config as configuration
from private_experts.replication.workflow.run_lock import LOCK

# Folders of the project that are no place for results, beside all whose name begins with a dot.
SOURCES = ("benchmarks", "claims", "config", "containers", "docs", "examples", "src", "tests", "workflow")
STUDY = Path("config/study.yaml")
STAMPS = "code/replication.*.txt"  # what a run writes first into its results
# Where the data comes from: another source may have the same data, and the overwrite guard decides about others.
ORIGIN = tuple(f"hospital.{key}" for key in ("source", "file", "as_of", "offline", "healthdata", "delphi"))


def check(config: Mapping[str, Any], root: Path, environment: Mapping[str, str] = os.environ) -> None:
    """Refuse folders that a run must not write to."""
    home, results = root.resolve(), Path(config["pathvars"]["results"]).resolve()
    for name, folder in config["pathvars"].items():
        path = Path(folder).resolve()
        key = f"config: pathvars.{name}: {folder}"
        if folder.startswith("~"):
            raise InputError(f"{key} would be a folder of that name here; write the path in full, from / on")
        if path == home or path in home.parents:
            raise InputError(f"{key} is the project's folder or lies above it; write a folder such as results/mine")
        if path.is_relative_to(home):
            first = path.relative_to(home).parts[0]
            if first in SOURCES or first.startswith("."):
                raise InputError(f"{key} is among the project's own files; write a folder such as results/mine")
        elif folder != name and name in ("results", "paper") and _somebody_elses(path, results):  # these may be links
            raise InputError(f"{key} has files in it that no run has made; write the name of a new or empty folder")
    if environment.get(REPLACE_VARIABLE, "") in ("", "0"):
        _spare_study(config, configuration.read(root / STUDY))


def _somebody_elses(folder: Path, results: Path) -> bool:
    """Tell whether files are there that no run made. One that was killed locked its folders and stamped its code."""
    if not folder.is_dir() or data_record(folder) is not None:
        return False
    begun = (folder / LOCK).exists() and any(results.glob(STAMPS))
    return not begun and any(path.name != LOCK for path in folder.iterdir())


def _spare_study(config: Mapping[str, Any], study: Mapping[str, Any]) -> None:
    """Refuse to overwrite the study's results by those of a config that is laid over it."""
    folders = config["pathvars"].items() & study["pathvars"].items()
    shared = sorted(name for name, _ in folders if name != "resources")
    before = {*flat(study)}
    others = (word.partition("=")[0] for word in flat(config) if word not in before)
    changed = next((key for key in others if not key.startswith(("pathvars.", *ORIGIN))), None)
    if shared and changed:
        raise InputError(
            f"config: {changed} is not as in {STUDY}, and the run would overwrite the study's results "
            f"(pathvars.{shared[0]}: {study['pathvars'][shared[0]]}); add pathvars: {{results: results/mine, "
            f"paper: results/mine/paper, logs: results/mine/logs}} to your config, or set {REPLACE_VARIABLE}=1"
        )
