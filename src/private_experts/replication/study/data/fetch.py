"""Fetches the reports from the source that the config names, with the label that tells what data they are.

Nobody may mistake results on other data for those on the pinned file. So every source gives a provenance
record, and its `label` is printed on every table and figure.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd

from private_experts.errors import InputError
from private_experts.replication.files import sha256
from private_experts.replication.plotting.numbers import in_weeks
from private_experts.replication.study.data import healthdata, hospital_reports, query, source, synthetic

# What a density counts, by the column of patients: the papers' and the pinned file's differ.
PATIENTS = {synthetic.SUSPECTED: "confirmed and suspected", synthetic.CONFIRMED: "confirmed"}
Found = tuple[pd.DataFrame, dict[str, Any]]  # reports, and the record of their provenance


def from_service(wanted: query.Query, folder: Path) -> Found:
    """Return the reports of a query, from the cache if possible."""
    cache = wanted.cache(folder)
    record = query.cached_record(cache)
    # A damaged cache is fetched again, not trusted: nothing else would notice.
    if (
        record is None
        or record["sha256"] != sha256(cache)
        or wanted.sha256 not in (None, record["sha256"])
        or not {*wanted.required} <= {*record.get("columns", ())}
    ):
        try:
            record = healthdata.download(wanted, cache)
        except InputError as error:
            raise InputError(
                f"{error}; without this download: make reproduce (the repository's own data), or "
                "make reproduce DATA=/path/to/export.csv"
            ) from error
    return hospital_reports.read(cache, wanted.columns), {"kind": "healthdata", "name": cache.name, **record}


def from_file(path: Path, columns: Sequence[str]) -> Found:
    """Return reports from the user's file; a copy of the file of the repository counts as that file."""
    table = hospital_reports.read(path, columns)
    digest = sha256(path)
    # Elsewhere than in the repository no list says which data are the pinned ones.
    if source.SUMS.is_file() and digest == source.listed_sha256(source.PINNED):
        return table, _pinned_record(source.PINNED.name, digest)
    return table, {"kind": "file", "name": path.name, "sha256": digest}


def from_pinned(path: Path, columns: Sequence[str]) -> Found:
    """Return reports from the file of the repository, whose checksum must be the listed one."""
    digest = source.Source("pinned", path).sha256
    return hospital_reports.read(path, columns), _pinned_record(path.name, digest)


def _pinned_record(name: str, digest: str) -> dict[str, Any]:
    return {"kind": "pinned", "name": name, "sha256": digest, "checked": f"as listed in {source.SUMS}"}


def from_generator(states: Sequence[str], weeks: int, seed: int) -> Found:
    """Return synthetic reports."""
    table = synthetic.reports(tuple(states), weeks, seed)
    table["collection_week"] = table["collection_week"].str.replace("/", "-")
    return table, {"kind": "synthetic", "name": f"seed {seed}", "seed": seed}


def describe(
    table: pd.DataFrame,
    provenance: dict[str, Any],
    accepted: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> dict[str, Any]:
    """Complete a provenance record with the data's coverage, the columns used, and the label of products.

    `accepted` has the columns that may serve each purpose, in order of preference.
    """
    weeks = table["collection_week"]
    by_state = {str(state): int(of_state.nunique()) for state, of_state in weeks.groupby(table["state"])}
    used = hospital_reports.columns_used(table, accepted)
    coverage = {
        "rows": len(table),
        "weeks": by_state,
        "first_week": str(weeks.min()),
        "last_week": str(weeks.max()),
        "states": sorted(by_state),
        "columns_used": used,
        "patients": PATIENTS.get(used.get("patients", ""), ""),
    }
    span = f"{in_weeks(by_state.values())}, {coverage['first_week']} to {coverage['last_week']}"
    name = provenance["name"]
    if provenance["kind"] == "synthetic":
        # First and in capitals: it is printed on every figure.
        label = f"SYNTHETIC DATA ({name}), not hospital reports: {span}"
    else:
        what = (
            "THE FILE OF A USER, not the pinned data"
            if provenance["kind"] == "file"
            else "HHS hospital reports"
        )
        of = f" of {coverage['patients']} patients" * bool(coverage["patients"])
        label = f"{what}{of}, {span} ({name}, sha256 {provenance['sha256'][:8]})"
    # What the pinned file lacks is the default of this study, of which docs/data.md tells.
    other = [purpose for purpose, name in used.items() if name != accepted[purpose][0]]
    if other and provenance["kind"] == "file":
        label += f"; not by the first choice of column: {', '.join(other)}"
    return {**provenance, **coverage, "label": label}
