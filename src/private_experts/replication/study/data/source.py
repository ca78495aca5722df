"""Where the reports come from (a file, a download, or synthetic data), decided before any work is done.

A job may run on a machine where the environment names another source, so jobs resolve nothing. The process that plans
passes the source in an environment variable that the workflow declares (Snakemake's ``envvars``).
"""

import os
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args
from urllib.parse import quote, unquote

from private_experts.errors import InputError
from private_experts.replication.choices import Download, Kind
from private_experts.replication.files import require_file, sha256
from private_experts.replication.study.data.csv_columns import HINT, LARGEST
from private_experts.replication.study.data.query import Query, cached_record

FILE_VARIABLE = "HHS_FACILITY_CSV"
OFFLINE_VARIABLE = "PRIVATE_EXPERTS_OFFLINE"
SOURCE_VARIABLE = "PRIVATE_EXPERTS_SOURCE"
DELPHI = "covid_hosp_facility"  # the name of the data set at Delphi
DOWNLOADS: tuple[Download, ...] = get_args(Download)


@dataclass(frozen=True)
class Source:
    """A kind of source, and the path of a file; ``auto`` is the first download that succeeds, or synthetic data."""

    kind: Kind
    path: Path | None = None

    @property
    def sha256(self) -> str:
        """The checksum of a file, by which the workflow knows it: one that was moved changes nothing."""
        return sha256(self.path) if self.path else ""


def offline(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether the environment disables the network."""
    return environment.get(OFFLINE_VARIABLE, "") not in ("", "0")


def resolve(hospital: Mapping[str, Any], resources: Path, environment: Mapping[str, str] = os.environ) -> Source:
    """Decide where the reports come from; a source that the config names and that is impossible is refused.

    ``auto`` is the file that is given, else a download (cached in `resources` or not), else synthetic data.
    """
    given = hospital["file"] or environment.get(FILE_VARIABLE) or None
    kind: Kind = hospital["source"]
    if kind == "file" and given is None:
        raise InputError(
            f"hospital.source: file, but no file is given; set hospital.file or the variable {FILE_VARIABLE}"
        )
    if kind in ("auto", "file") and given is not None:
        path = Path(given)
        require_file(path, LARGEST, HINT)
        refuse_braces(path)
        return Source("file", path)
    if hospital["offline"] or offline(environment):
        names = {"healthdata": hospital["healthdata"]["dataset"], "delphi": DELPHI}
        if not any(any(resources.glob(f"{names[each]}-*.csv.gz")) for each in _services(kind)):
            if kind in DOWNLOADS:
                raise InputError(f"hospital.source: {kind}, but offline is set and no download is cached; write auto")
            return Source("synthetic")
    return Source(kind)


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


def refuse_braces(path: Path) -> None:
    """Refuse a path that the workflow cannot use, because Snakemake takes braces for wildcards."""
    if {*"{}"} & {*str(path)}:
        raise InputError(f"{path}: Snakemake takes braces for wildcards; choose a name without them")


def flags(
    resolved: Source, config: Mapping[str, Any], scenarios: Iterable[Mapping[str, Any]], states: Sequence[str]
) -> list[str]:
    """Return the flags that the stage `reports` needs for this source, and none that only other sources need."""
    columns = _columns(scenarios)
    words = ["--source", resolved.kind, "--columns", *columns]
    if resolved.kind == "file":
        words += ["--sha256", resolved.sha256]
    if queries := _queries(resolved, config, columns, states):
        words += ["--downloads", *(each.as_json() for each in queries), "--cache", config["pathvars"]["resources"]]
    if resolved.kind in ("auto", "synthetic"):
        synthetic = config["hospital"]["synthetic"]
        words += ["--states", *states, "--weeks", str(synthetic["weeks"]), "--seed", str(synthetic["seed"])]
    return words


def candidates(
    resolved: Source, config: Mapping[str, Any], scenarios: Iterable[Mapping[str, Any]], states: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """Return what is known, before any download, of the data that a run may use, by kind; parameters as of `flags`."""
    if resolved.kind == "file":
        return {"file": {"name": str(resolved.path), "sha256": resolved.sha256}}
    found: dict[str, dict[str, Any]] = {}
    for query in _queries(resolved, config, _columns(scenarios), states):
        cache = query.cache(Path(config["pathvars"]["resources"]))
        digest = query.sha256 or (cached_record(cache) or {}).get("sha256")
        found[query.service] = {"name": cache.name, "sha256": digest}
    return found | ({"synthetic": {}} if resolved.kind in ("auto", "synthetic") else {})


def _services(kind: Kind) -> tuple[Download, ...]:
    """Return the services that a kind of source may download from, in the order in which they are tried."""
    return DOWNLOADS if kind == "auto" else tuple(each for each in DOWNLOADS if each == kind)


def _columns(scenarios: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the columns of the reports that the scenarios of a study name."""
    named = (name for each in scenarios for names in each["hospital"]["columns"].values() for name in names)
    return list(dict.fromkeys(named))


def _queries(resolved: Source, config: Mapping[str, Any], columns: Sequence[str], states: Sequence[str]) -> list[Query]:
    """Return the queries of the services that the source may download from; parameters as of `flags`."""
    hospital = config["hospital"]
    shared = {key: hospital[key] for key in ("first_week", "last_week")} | {"columns": columns}
    shared["states"] = [] if config["generality"]["states"] == "all" else list(states)
    return [Query(each, **{"dataset": DELPHI, **hospital[each]}, **shared) for each in _services(resolved.kind)]
