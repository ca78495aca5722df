"""Where the reports come from: a file, the public data set, or synthetic data; and the label that says so.

Nobody may mistake synthetic results for real ones. So every source gives a provenance record, and its `label` is
printed on every table and figure.
"""

import json
import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from private_experts.errors import InputError
from private_experts.replication.choices import Kind
from private_experts.replication.files import sha256, write_text
from private_experts.replication.hospital import reports, synthetic
from private_experts.replication.hospital.answers import Unreachable
from private_experts.replication.hospital.healthdata import download
from private_experts.replication.hospital.portal import Query

FILE_VARIABLE = "HHS_FACILITY_CSV"
OFFLINE_VARIABLE = "PRIVATE_EXPERTS_OFFLINE"


@dataclass(frozen=True)
class Source:
    """A source that has been decided on: its kind, and the path if it is a file."""

    kind: Kind
    path: Path | None = None


def resolve(hospital: Mapping[str, Any], cache: Path, environment: Mapping[str, str] = os.environ) -> Source:
    """Decide where the reports come from, before any work is done.

    Parameters
    ----------
    hospital : mapping
        The config's section: `source`, `file`, `offline`.
    cache : Path
        Where a finished download is kept.
    environment : mapping
        Environment variables.

    Returns
    -------
    Source
        For ``auto``, the first of these that is possible: the file that is given; the public data set, from the cache
        or the network; synthetic data.

    Raises
    ------
    InputError
        If a file is asked for and none is given or its name has braces, or a download is asked for and the network is
        forbidden.
    """
    given = hospital["file"] or environment.get(FILE_VARIABLE) or None
    offline = bool(hospital["offline"]) or forbidden(environment)
    kind: Kind = hospital["source"]
    if kind == "file" and given is None:
        raise InputError(
            f"hospital.source: file, but no file is given; set hospital.file or the variable {FILE_VARIABLE}"
        )
    if kind in ("auto", "file") and given is not None:
        path = Path(given)
        if not path.exists():
            raise InputError(f"{path}: no such file; hospital.file or {FILE_VARIABLE} names it")
        refuse_braces(path)
        return Source("file", path)
    if offline and not cache.exists():
        if kind == "healthdata":
            raise InputError("hospital.source: healthdata, but offline is set and no download is cached; write auto")
        return Source("synthetic")
    return Source(kind)


def refuse_braces(path: Path) -> None:
    """Refuse a path that the workflow cannot use, because Snakemake takes braces for wildcards."""
    if {*"{}"} & {*str(path)}:
        raise InputError(f"{path}: Snakemake takes braces for wildcards; choose a name without them")


def flags(
    resolved: Source,
    cache: Path,
    config: Mapping[str, Any],
    scenarios: Iterable[Mapping[str, Any]],
    states: Sequence[str],
) -> str:
    """Return the flags that the stage `reports` needs for this source, and none that only other sources need.

    Parameters
    ----------
    resolved, cache
        As in `resolve`.
    config, scenarios
        The config of the study, and of all scenarios. The columns that any of them names are kept.
    states
        All states of the study.
    """
    hospital = config["hospital"]
    columns = [name for each in scenarios for names in each["hospital"]["columns"].values() for name in names]
    words = ["--source", resolved.kind, "--columns", *dict.fromkeys(columns)]
    if resolved.path:
        words += ["--file", str(resolved.path)]
    if resolved.kind in ("auto", "healthdata"):
        query = {key: hospital["healthdata"][key] for key in ("base_url", "dataset", "page_size")}
        query |= {key: hospital[key] for key in ("first_week", "last_week")}
        query["states"] = [] if config["generality"]["states"] == "all" else list(states)
        words += ["--cache", str(cache), "--query", json.dumps(query, sort_keys=True)]
        if hospital["healthdata"]["sha256"]:
            words += ["--sha256", hospital["healthdata"]["sha256"]]
    if resolved.kind in ("auto", "synthetic"):
        made_up = hospital["synthetic"]
        words += ["--states", *states, "--weeks", str(made_up["weeks"]), "--seed", str(made_up["seed"])]
    return shlex.join(words)


def forbidden(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether the environment forbids the network."""
    return environment.get(OFFLINE_VARIABLE, "") not in ("", "0")


def from_file(path: Path, columns: tuple[str, ...]) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Read reports from the user's file."""
    table = reports.read(path, columns)
    return table, {"kind": "file", "name": Path(path).name, "sha256": sha256(path)}


def from_healthdata(query: Query, cache: Path, expected: str | None) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Read reports from the public data set, which is downloaded once and kept in `cache`."""
    provenance = _cached(query, cache, expected)
    if provenance is None:
        if forbidden():
            raise Unreachable(f"{cache}: holds no download of this query, and offline is set; unset it")
        # Record the columns asked for, not only those found. Otherwise a missing one would be asked for every time.
        provenance = download(query, cache, sha256=expected) | {"wanted": list(query.columns)}
        write_text(_record(cache), json.dumps(provenance, indent=2) + "\n")
    return reports.read(cache, query.columns), {"kind": "healthdata", "name": cache.name, **provenance}


def _record(cache: Path) -> Path:
    """Return the path of a download's provenance record."""
    return cache.with_name(f"{cache.name}.provenance.json")


def _cached(query: Query, cache: Path, expected: str | None) -> dict[str, Any] | None:
    """Return the provenance of an earlier download of the same query, if its file has not changed since."""
    record = _record(cache)
    if not (cache.exists() and record.exists()):
        return None
    try:
        provenance = json.loads(record.read_text(encoding="utf-8"))
        had = tuple(provenance[name] for name in ("dataset", "states", "first_week", "last_week", "sha256"))
        wanted = provenance["wanted"]
    except (ValueError, KeyError, TypeError):  # damaged, or written by an earlier version
        return None
    digest = sha256(cache)
    asked = (query.dataset, list(query.states), query.first_week, query.last_week, digest)
    same = had == asked and set(query.columns) <= set(wanted)
    return provenance if same and expected in (None, digest, digest.upper()) else None


def from_generator(states: tuple[str, ...], weeks: int, seed: int) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return synthetic reports."""
    table = synthetic.reports(states, weeks, seed)
    table["collection_week"] = table["collection_week"].str.replace("/", "-")
    return table, {"kind": "synthetic", "name": f"seed {seed}", "seed": seed}


def describe(table: pd.DataFrame, provenance: dict[str, Any]) -> dict[str, Any]:
    """Complete a provenance record with the data's coverage and its label for tables and figures."""
    weeks = table["collection_week"]
    coverage = {
        "rows": len(table),
        "weeks": int(weeks.nunique()),
        "first_week": str(weeks.min()),
        "last_week": str(weeks.max()),
        "states": sorted(table["state"].unique()),
    }
    span = f"{coverage['weeks']} weeks, {coverage['first_week']} to {coverage['last_week']}"
    if provenance["kind"] == "synthetic":
        label = f"SYNTHETIC DATA ({provenance['name']}), not hospital reports: {span}"
    else:
        label = f"HHS hospital reports, {span} ({provenance['name']}, sha256 {provenance['sha256'][:8]})"
    return {**provenance, **coverage, "label": label}
