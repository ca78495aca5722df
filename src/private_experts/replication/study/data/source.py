"""Where the reports come from: the file of the repository, or what `hospital.data` names in its place.

A run takes what it was told to take, or ends: no source ever stands in for another.
"""

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from private_experts.errors import InputError
from private_experts.replication.files import require_file, sha256
from private_experts.replication.records import LARGEST
from private_experts.replication.study.choices import Kind
from private_experts.replication.study.data.query import Query, cached_record

PINNED = Path("resources/hhs/facility_weekly_2020-2022.csv.gz")
NEW_YORK = PINNED.with_name("facility_weekly_NY_two_columns_2020-2022.csv.gz")
SUMS = PINNED.with_name("SHA256SUMS")
NAMED = ("pinned", "healthdata", "synthetic")  # all else is the path of a file
HINT = f"hospital.data (DATA=...) is {', '.join(NAMED)}, or the path of a CSV export"
OLD_VARIABLE = "HHS_FACILITY_CSV"


@dataclass(frozen=True)
class Source:
    """A kind of source, and the path of a file."""

    kind: Kind
    path: Path | None = None

    @property
    def sha256(self) -> str:
        """The checksum of a file; a pinned one is refused if it is not the listed one."""
        if self.path is None:
            return ""
        require_file(self.path, LARGEST, HINT)
        found = sha256(self.path)
        # A pinned file that was edited would give numbers that nobody else can get.
        if self.kind == "pinned" and found != (listed := listed_sha256(self.path)):
            raise InputError(
                f"{self.path}: its sha256 is {found[:8]}..., and {SUMS.name} beside it lists "
                f"{listed[:8]}...; restore it (git checkout {PINNED.parent}), or name your own: make "
                "reproduce DATA=/path/to/export.csv"
            )
        return found


def listed_sha256(path: Path) -> str:
    """Return the checksum that ``SHA256SUMS`` beside a file lists for it."""
    listed = path.with_name(SUMS.name)
    require_file(listed, LARGEST, f"restore it (git checkout {PINNED.parent})")
    lines = listed.read_text(encoding="utf-8", errors="replace").splitlines()
    found = next((line.split()[0] for line in lines if line.split()[1:] == [path.name]), None)
    if found is None:
        raise InputError(f"{listed}: does not list {path.name}; restore it (git checkout {PINNED.parent})")
    return found


def resolve(data: str) -> Source:
    """Return the source that `hospital.data` names."""
    if data in NAMED:
        return Source(cast(Kind, data), PINNED if data == "pinned" else None)
    if "://" in data:  # a path would lose one of the slashes
        raise InputError(
            f"{data}: addresses are not read; download the file and give its path (DATA=/path/to/export.csv)"
        )
    # Not every shell expands the tilde of DATA=~/export.csv, and none that of a config.
    path = Path(os.path.expanduser(data))  # noqa: PTH111 - Path raises where there is no such home
    refuse_braces(path)
    return Source("file", path)


def unread_variable(environment: Mapping[str, str] = os.environ) -> str:
    """Return the line that says that a variable of earlier versions is set but not read, or nothing."""
    path = environment.get(OLD_VARIABLE)
    return f"{OLD_VARIABLE} is set, but not read; write make reproduce DATA={path}" if path else ""


def refuse_braces(path: Path) -> None:
    """Refuse a path that the workflow cannot use, because Snakemake takes braces for wildcards."""
    if {*"{}"} & {*str(path)}:
        raise InputError(f"{path}: Snakemake takes braces for wildcards; choose a name without them")


def flags(
    resolved: Source,
    config: Mapping[str, Any],
    scenarios: Collection[Mapping[str, Any]],
    states: Sequence[str],
) -> list[str]:
    """Return the flags that the stage `reports` needs for this source, and none that only others need."""
    columns = _columns(scenarios)
    words = ["--source", resolved.kind, "--columns", *columns]
    if resolved.path is not None:
        return [*words, "--file", str(resolved.path), "--sha256", resolved.sha256]
    if resolved.kind == "healthdata":
        query = _query(config, scenarios, states)
        return [*words, "--download", query.as_json(), "--cache", config["pathvars"]["downloads"]]
    synthetic = config["hospital"]["synthetic"]
    return [*words, "--states", *states, "--weeks", str(synthetic["weeks"]), "--seed", str(synthetic["seed"])]


def expected_record(
    resolved: Source,
    config: Mapping[str, Any],
    scenarios: Collection[Mapping[str, Any]],
    states: Sequence[str],
) -> dict[str, Any]:
    """Return what is known of the data before a download, as its provenance; parameters as of `flags`."""
    if resolved.path is not None:
        return {"kind": resolved.kind, "name": str(resolved.path), "sha256": resolved.sha256}
    if resolved.kind == "synthetic":
        return {"kind": resolved.kind}
    query = _query(config, scenarios, states)
    cache = query.cache(Path(config["pathvars"]["downloads"]))
    digest = query.sha256 or (cached_record(cache) or {}).get("sha256")
    return {"kind": resolved.kind, "name": cache.name, "sha256": digest}


def _columns(scenarios: Collection[Mapping[str, Any]]) -> list[str]:
    """Return the columns of the reports that the scenarios of a study name."""
    named = (
        name for scenario in scenarios for names in scenario["hospital"]["columns"].values() for name in names
    )
    return list(dict.fromkeys(named))


def _preferred(scenarios: Collection[Mapping[str, Any]]) -> list[str]:
    """Return the columns that the scenarios of a study name first."""
    first = (names[0] for scenario in scenarios for names in scenario["hospital"]["columns"].values())
    return list(dict.fromkeys(first))


def _query(
    config: Mapping[str, Any], scenarios: Collection[Mapping[str, Any]], states: Sequence[str]
) -> Query:
    """Return what to download; parameters as of `flags`."""
    hospital = config["hospital"]
    weeks = {key: hospital[key] for key in ("first_week", "last_week")}
    # All states are one query, whichever are studied: so a change of the study needs no download.
    wanted = [] if config["generality"]["states"] == "all" else list(states)
    columns = _columns(scenarios)
    # The export has them: one that does not is another data set, or was renamed since.
    required = _preferred(scenarios)
    return Query(**hospital["healthdata"], **weeks, states=wanted, columns=columns, required=required)
