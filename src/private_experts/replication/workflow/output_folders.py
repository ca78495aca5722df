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
USUAL = {"results": "results", "paper": "paper", "logs": "results/logs", "resources": "resources"}
STAMPS = "code/replication.*.txt"  # what a run writes first into its results
# Where the data comes from: another source may have the same data, and the overwrite guard decides about others.
ORIGIN = tuple(f"hospital.{key}" for key in ("source", "file", "offline", "healthdata", "delphi"))


def check(config: Mapping[str, Any], root: Path, environment: Mapping[str, str] = os.environ) -> None:
    """Refuse folders that a run must not write to."""
    home, pathvars = root.resolve(), config["pathvars"]
    folders = {name: Path(folder).resolve() for name, folder in pathvars.items()}
    usual = {name: (home / folder).resolve() for name, folder in USUAL.items()}  # these may be links
    for name, path in reversed(folders.items()):  # results last: of two that mix the other is more easily moved
        key = f"config: pathvars.{name}: {pathvars[name]}"
        if pathvars[name].startswith("~"):
            raise InputError(f"{key} would be a folder of that name here; write the path in full, from / on")
        if path == home or path in home.parents:
            raise InputError(f"{key} is the project's folder or lies above it; write a folder such as results/mine")
        if file := next((each for each in (path, *path.parents) if each.exists() and not each.is_dir()), None):
            raise InputError(f"{key} cannot be a folder, for {file} is a file; write a folder such as results/mine")
        if path.is_relative_to(home):
            first = path.relative_to(home).parts[0]
            if first in SOURCES or first.startswith("."):
                raise InputError(f"{key} is among the project's own files; write a folder such as results/mine")
        if path != usual[name]:
            _check_apart(key, name, folders, usual)
    for name, path in folders.items():
        known = [home, usual[name], *([folders["results"]] if name == "logs" else [])]
        # Downloads may lie among other files: their names are of them alone.
        outside = name != "resources" and not any(path.is_relative_to(each) for each in known)
        if outside and _somebody_elses(path, folders["results"]):
            raise InputError(
                f"config: pathvars.{name}: {pathvars[name]} has files in it that no run has made; write the name of a "
                "new or empty folder"
            )
    if environment.get(REPLACE_VARIABLE, "") in ("", "0"):
        _spare_study(config, configuration.read(root / STUDY))


def _check_apart(key: str, name: str, folders: Mapping[str, Path], usual: Mapping[str, Path]) -> None:
    """Refuse a folder that is another's or lies in it. One that lies in results has a name that nothing else has."""
    path = folders[name]
    for other in folders:
        for theirs in (folders[other], usual[other]):
            own = other == name and (path == theirs or name in ("results", "resources"))
            if own or not path.is_relative_to(theirs) or (other == "results" and path.name == name):
                continue
            where = f"is the folder of {other}" if path == theirs else f"lies in the folder of {other}, {theirs}"
            write = "results/mine" if name == "results" else f"results/mine/{name}"
            raise InputError(f"{key} {where}, and their files would mix; write a folder of its own, such as {write}")


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
