"""Where the reports come from: a file, a download, or synthetic data; and the label that says so.

Nobody may mistake synthetic results for real ones. So every source gives a provenance record, and its `label` is
printed on every table and figure.
"""

import json
import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from private_experts.errors import InputError
from private_experts.replication.choices import Download, Kind
from private_experts.replication.drawing.numbers import in_weeks
from private_experts.replication.files import sha256
from private_experts.replication.hospital.kept import Version, version
from private_experts.replication.hospital.outline import DELPHI, forbidden

if TYPE_CHECKING:
    import pandas as pd

FILE_VARIABLE = "HHS_FACILITY_CSV"
DOWNLOADS: tuple[Download, ...] = get_args(Download)


@dataclass(frozen=True)
class Source:
    """A source that has been decided on: its kind, and the path if it is a file."""

    kind: Kind
    path: Path | None = None


def caches(hospital: Mapping[str, Any], resources: Path) -> dict[Download, Path]:
    """Return where finished downloads are kept, in the folder `resources`; versions lie side by side."""
    version = f"-{hospital['as_of']}" if hospital["as_of"] else ""
    return {
        "healthdata": resources / f"{hospital['healthdata']['dataset']}.csv.gz",
        "delphi": resources / f"{DELPHI}{version}.csv.gz",
    }


def resolve(
    hospital: Mapping[str, Any], kept: Mapping[Download, Path], environment: Mapping[str, str] = os.environ
) -> Source:
    """Decide where the reports come from, before any work is done.

    Parameters
    ----------
    hospital : mapping
        The config's section: `source`, `file`, `offline`, `as_of`.
    kept : mapping of Path
        Where finished downloads are kept, from `caches`.
    environment : mapping
        Environment variables.

    Returns
    -------
    Source
        For ``auto``, the first of these that is possible: the file that is given; a download, from its cache or the
        network; synthetic data. With `as_of` it is Delphi's download, which alone has versions.

    Raises
    ------
    InputError
        If a file is asked for and none is given or its name has braces, if a download is asked for and the network is
        forbidden, or if a version is asked for of what has none.
    """
    given = hospital["file"] or environment.get(FILE_VARIABLE) or None
    offline = bool(hospital["offline"]) or forbidden(environment)
    kind: Kind = hospital["source"]
    if hospital["as_of"]:
        kind = _with_versions(kind, given)
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
    if offline and not any(kept[each].exists() for each in services(kind)):
        if kind in DOWNLOADS:
            raise InputError(f"hospital.source: {kind}, but offline is set and no download is cached; write auto")
        return Source("synthetic")
    return Source(kind)


def services(kind: Kind) -> tuple[Download, ...]:
    """Return the services that a kind of source may download from, in the order in which they are tried."""
    return DOWNLOADS if kind == "auto" else tuple(each for each in DOWNLOADS if each == kind)


def _with_versions(kind: Kind, given: str | None) -> Kind:
    """Return the kind of source to use where a version is asked for."""
    if kind == "delphi" or (kind == "auto" and given is None):
        return "delphi"
    what = f"the file {given}" if kind == "auto" else f"hospital.source: {kind}"
    raise InputError(f"hospital.as_of: {what} has no versions; write null there, or hospital.source: delphi")


def refuse_braces(path: Path) -> None:
    """Refuse a path that the workflow cannot use, because Snakemake takes braces for wildcards."""
    if {*"{}"} & {*str(path)}:
        raise InputError(f"{path}: Snakemake takes braces for wildcards; choose a name without them")


def flags(
    resolved: Source,
    kept: Mapping[Download, Path],
    config: Mapping[str, Any],
    scenarios: Iterable[Mapping[str, Any]],
    states: Sequence[str],
) -> str:
    """Return the flags that the stage `reports` needs for this source, and none that only other sources need.

    Parameters
    ----------
    resolved, kept
        As in `resolve`.
    config, scenarios
        The config of the study, and of all scenarios. The columns that any of them names are kept.
    states
        All states of the study.
    """
    words = ["--source", resolved.kind, "--columns", *_columns(scenarios)]
    if resolved.path:
        words += ["--file", str(resolved.path)]
    if downloads := _asked(resolved, kept, config, states):
        words += ["--downloads", *(json.dumps(each, sort_keys=True) for each in downloads)]
    if resolved.kind in ("auto", "synthetic"):
        made_up = config["hospital"]["synthetic"]
        words += ["--states", *states, "--weeks", str(made_up["weeks"]), "--seed", str(made_up["seed"])]
    return shlex.join(words)


def versions(
    resolved: Source,
    kept: Mapping[Download, Path],
    config: Mapping[str, Any],
    scenarios: Iterable[Mapping[str, Any]],
    states: Sequence[str],
) -> dict[Kind, Version]:
    """Return what is known, before any is made, of the download from each service; parameters as of `flags`."""
    columns = _columns(scenarios)
    return {each["source"]: version(each, columns) for each in _asked(resolved, kept, config, states)}


def _columns(scenarios: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the columns of the reports that the scenarios of a study name."""
    named = (name for each in scenarios for names in each["hospital"]["columns"].values() for name in names)
    return list(dict.fromkeys(named))


def _asked(
    resolved: Source, kept: Mapping[Download, Path], config: Mapping[str, Any], states: Sequence[str]
) -> list[dict[str, Any]]:
    """Return what would be asked of each service that the source may download from; parameters as of `flags`."""
    hospital, found = config["hospital"], []
    some = [] if config["generality"]["states"] == "all" else list(states)
    for service in services(resolved.kind):
        each = {"dataset": DELPHI, **hospital[service], "source": service, "cache": str(kept[service])}
        each |= {"states": some, **{key: hospital[key] for key in ("first_week", "last_week")}}
        found.append(each | ({"as_of": hospital["as_of"]} if service == "delphi" else {}))
    return found


def from_file(path: Path, columns: tuple[str, ...]) -> tuple["pd.DataFrame", dict[str, Any]]:
    """Read reports from the user's file."""
    from private_experts.replication.hospital import reports

    table = reports.read(path, columns)
    return table, {"kind": "file", "name": Path(path).name, "sha256": sha256(path)}


def from_generator(states: tuple[str, ...], weeks: int, seed: int) -> tuple["pd.DataFrame", dict[str, Any]]:
    """Return synthetic reports."""
    from private_experts.replication.hospital import synthetic

    table = synthetic.reports(states, weeks, seed)
    table["collection_week"] = table["collection_week"].str.replace("/", "-")
    return table, {"kind": "synthetic", "name": f"seed {seed}", "seed": seed}


def describe(table: "pd.DataFrame", provenance: dict[str, Any]) -> dict[str, Any]:
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
