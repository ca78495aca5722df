"""What reports are known to contain, kept under version control and compared with every download.

A service may change its data. So a record has, for each state, the rows, weeks and hospitals of the study's window, and
the checksum of the cleaned panel, which is that of the file that the stage panels writes. It also has the rules of
cleaning that it was made with, so that a comparison does not depend on the current config.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd

from private_experts.errors import PROGRAM, InputError
from private_experts.replication.files import write_text
from private_experts.replication.records import read_json
from private_experts.replication.study.data import hospital_reports, panel
from private_experts.replication.study.data.cleaning import Cleaning, clean_all

Contents = dict[str, dict[str, Any]]  # by state
_COUNTS = ("rows", "weeks", "hospitals")
_IN_JSON: dict[Any, Any] = {tuple[str, ...]: list, float: int | float}  # of the types of rules; others are the same


def contents(table: pd.DataFrame, rules: Cleaning) -> Contents:
    """Return by state the numbers of `rows`, `weeks` and `hospitals` in the window, and the SHA-256 of the `panel`."""
    inside = table[table["collection_week"].between(rules.first_week, rules.last_week)]
    panels, found = clean_all(table, sorted(inside["state"].unique()), rules, required=())
    return {
        each.state: {
            "rows": each.rows,
            "weeks": each.weeks,
            "hospitals": each.hospitals_reporting,
            "panel": hashlib.sha256(panel.text(panels[each.state]).encode()).hexdigest(),
        }
        for each in found
    }


def read(path: Path) -> list[dict[str, Any]]:
    """Return the records of a file, or none if it does not exist; raise `InputError` if it is malformed."""
    try:
        records = json.loads(path.read_text(encoding="utf-8"))["reports"]
        for each in records:
            _rules(each["rules"])
            if not {"of", "recorded", "states"} <= each.keys():
                raise KeyError
            for state in each["states"].values():
                [state[name] for name in (*_COUNTS, "panel")]
    except FileNotFoundError:
        return []
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{path}: is not a file of records; restore it from version control, or delete it and record again"
        ) from error
    return list(records)


def changes(path: Path, table: pd.DataFrame, origin: Mapping[str, Any]) -> list[str]:
    """Return lines about what changed in reports since they were recorded; states with the same change share a line.

    A download is compared with the record of the same data set and version, a file with that of the same checksum.
    """
    record = next((each for each in read(path) if each["of"] == identity(origin)), None)
    if record is None:
        missing = f"{path}: has no record of this download; after the run, make one with {PROGRAM} reports --record"
        return [] if origin["kind"] == "file" else [missing]
    since = f"since the record of {record['recorded']}"
    try:
        now = contents(table, _rules(record["rules"]))
    except InputError as error:
        return [f"{since}: no comparison is possible ({error})"]
    requested = set(origin.get("states") or {*record["states"], *now})
    alike: dict[str, list[str]] = {}
    for state in sorted(requested & {*record["states"], *now}):
        if said := difference(record["states"].get(state), now.get(state)):
            alike.setdefault(said, []).append(state)
    if not alike:
        return [f"{since}: all {len(now)} states are unchanged"]
    return [f"{since}: {', '.join(states)}: {said}" for said, states in alike.items()]


def difference(before: Mapping[str, Any] | None, now: Mapping[str, Any] | None) -> str:
    """Return what changed in a state, in words; an empty text if nothing did."""
    if now is None or before is None:
        there = now or before or dict.fromkeys(_COUNTS, 0)
        counted = ", ".join(f"{there[name]} {name}" for name in _COUNTS)
        return f"{'not in the record' if before is None else 'gone'} ({counted})"
    counts = [f"{now[name]} {name} instead of {before[name]}" for name in _COUNTS if now[name] != before[name]]
    if now["panel"] == before["panel"]:
        return ", ".join([*counts, "but the same panel"]) if counts else ""
    return ", ".join(counts) or "the same rows, weeks and hospitals, but another panel"


def record(path: Path, results: Path, today: date) -> dict[str, Any]:
    """Record what the reports of the last run contain, in place of an earlier record of the same; return the record."""
    earlier = read(path)
    manifest, made = results / "manifest.json", results / "hospital/reports.csv"
    if not (manifest.exists() and made.exists()):
        raise InputError(f"{results}: has no finished run; run make reproduce, or set --results")
    run = read_json(manifest, ("config", "data"))
    origin = run["data"]
    if origin["kind"] == "synthetic":
        raise InputError(f"{results}: the results here were computed from synthetic data, which need no record")
    if read_json(results / "hospital/provenance.json", ("sha256",))["sha256"] != origin["sha256"]:
        raise InputError(f"{results}: the manifest and the reports are of different data; finish the run")
    hospital = run["config"]["values"]["hospital"]
    rules = _rules({**hospital, **hospital["columns"]})
    table = hospital_reports.read(made, (*rules.patients, *rules.beds, *rules.participation))
    new = {
        "of": identity(origin),
        "recorded": today.isoformat(),
        "name": origin["name"],
        "sha256": origin["sha256"],
        "rules": asdict(rules),
        "states": contents(table, rules),
    }
    others = [each for each in earlier if each["of"] != new["of"]]
    entries = sorted([*others, new], key=lambda each: json.dumps(each["of"]))
    write_text(path, json.dumps({"reports": entries}, indent=1) + "\n")
    return new


def identity(origin: Mapping[str, Any]) -> dict[str, str]:
    """Return what identifies the reports of a provenance record."""
    if origin["kind"] == "file":
        return {"kind": "file", "sha256": origin["sha256"]}
    return {"kind": origin["kind"], "dataset": origin["dataset"], "as_of": origin.get("as_of") or "newest"}


def _rules(section: Mapping[str, Any]) -> Cleaning:
    """Return rules of cleaning from a section of the config or of a record."""
    values: dict[str, Any] = {}
    for each in fields(Cleaning):
        value = section[each.name]
        if not isinstance(value, _IN_JSON.get(each.type, each.type)):
            raise TypeError(each.name)
        values[each.name] = tuple(map(str, value)) if isinstance(value, list) else value
    return Cleaning(**values)
