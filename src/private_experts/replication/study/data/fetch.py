"""Fetches the reports from the source that the config names, with the label that tells what data they are.

Nobody may mistake synthetic results for real ones. So every source gives a provenance record, and its `label` is
printed on every table and figure.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from private_experts.errors import InputError
from private_experts.replication.choices import Kind
from private_experts.replication.files import sha256
from private_experts.replication.plotting.numbers import in_weeks
from private_experts.replication.study.data import (
    delphi,
    healthdata,
    hospital_reports,
    overwrite_guard,
    query,
    source,
    synthetic,
)
from private_experts.replication.study.data.http_client import Unreachable

Found = tuple[pd.DataFrame, dict[str, Any]]  # reports, and the record of their provenance


def fetch(
    kind: Kind,
    columns: Sequence[str],
    file: Path | None,
    queries: Sequence[query.Query],
    cache: Path,
    synthetic_choices: tuple[Sequence[str], int, int],
    folders: Sequence[Path],
) -> Found:
    """Return the reports and their provenance; failed downloads are told on stderr.

    `queries` are tried in order, and ``auto`` takes synthetic reports if no service can be reached. `folders` are what
    the overwrite guard checks.
    """
    if kind == "synthetic":
        return from_generator(*synthetic_choices)
    if kind == "file":
        if file is None:
            raise InputError("reports: --source file needs --file")
        return from_file(file, columns)
    if not queries:
        raise InputError(f"reports: --source {kind} needs --downloads")
    failures: list[str] = []
    for each in queries:
        try:
            table, origin = from_service(each, cache)
            break
        except Unreachable as error:
            failures.append(str(error))
    else:
        if kind != "auto":
            raise Unreachable("; ".join(failures))
        table, origin = from_generator(*synthetic_choices)
    failed = "; ".join(failures)
    # Synthetic results of an earlier run without a network may be overwritten, where the source is still auto.
    allowed: dict[str, dict[str, Any]] = {origin["kind"]: origin} | ({"synthetic": {}} if kind == "auto" else {})
    overwrite_guard.check(allowed, folders, failed=failed)
    if failed:
        instead = "SYNTHETIC data" if origin["kind"] == "synthetic" else "Delphi Epidata's copy of the reports"
        print(f"{failed}; continuing with {instead}", file=sys.stderr)
        origin["failed"] = failures
    return table, origin


def from_service(asked: query.Query, folder: Path) -> Found:
    """Return the reports of a query, from the cache if possible; raise `Unreachable` if that and the service fail."""
    cache = asked.cache(folder)
    record = query.cached_record(cache)
    if record is None or record["sha256"] != sha256(cache) or asked.sha256 not in (None, record["sha256"]):
        if source.offline():
            raise Unreachable(f"{folder}: has no cached download of this query, and {source.OFFLINE_VARIABLE} is set")
        if asked.service == "delphi":
            record = delphi.download(asked, cache, key=os.environ.get(delphi.KEY_VARIABLE) or None)
        else:
            record = healthdata.download(asked, cache)
    return hospital_reports.read(cache, asked.columns), {"kind": asked.service, "name": cache.name, **record}


def from_file(path: Path, columns: Sequence[str]) -> Found:
    """Return reports from the user's file."""
    return hospital_reports.read(path, columns), {"kind": "file", "name": Path(path).name, "sha256": sha256(path)}


def from_generator(states: Sequence[str], weeks: int, seed: int) -> Found:
    """Return synthetic reports."""
    table = synthetic.reports(tuple(states), weeks, seed)
    table["collection_week"] = table["collection_week"].str.replace("/", "-")
    return table, {"kind": "synthetic", "name": f"seed {seed}", "seed": seed}


def describe(table: pd.DataFrame, provenance: dict[str, Any]) -> dict[str, Any]:
    """Complete a provenance record with the data's coverage, weeks by state, and its label for tables and figures."""
    weeks = table["collection_week"]
    by_state = {str(state): int(ours.nunique()) for state, ours in weeks.groupby(table["state"])}
    coverage = {
        "rows": len(table),
        "weeks": by_state,
        "first_week": str(weeks.min()),
        "last_week": str(weeks.max()),
        "states": sorted(by_state),
    }
    span = f"{in_weeks(by_state.values())}, {coverage['first_week']} to {coverage['last_week']}"
    if provenance["kind"] == "synthetic":
        label = f"SYNTHETIC DATA ({provenance['name']}), not hospital reports: {span}"
    else:
        version = f"published {provenance['publication']}, " if "publication" in provenance else ""
        label = f"HHS hospital reports, {span} ({provenance['name']}, {version}sha256 {provenance['sha256'][:8]})"
    return {**provenance, **coverage, "label": label}
