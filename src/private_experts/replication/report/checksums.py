"""Whether the tables of a run are, byte by byte, those that were published: `paper/checksums`.

That file says of which data and config the tables are, and has their checksums, as `sha256sum --check` reads
them. `make docs` writes it from the last run of the whole study.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from private_experts.replication.files import sha256

PUBLISHED = Path("paper/checksums")
_NAMED = 5  # tables that differ
_ABOUT = "# "
# What of a config changes no table: where files are, and where reports come from, which the data's label
# tells.
_PLACES = ("pathvars",)
_SOURCES = ("data", "healthdata")


def made_from(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return what the tables of a run are made from: its data, and the checksum of its config."""
    # Tables do not depend on folders: a run elsewhere has to be comparable.
    values = {name: value for name, value in manifest["config"]["values"].items() if name not in _PLACES}
    values["hospital"] = {name: value for name, value in values["hospital"].items() if name not in _SOURCES}
    config = hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()
    return {"data": manifest["data"]["label"], "config": config}


def of_tables(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return the checksums of a run's tables, by their path in the folder of the products."""
    paper = Path(manifest["config"]["values"]["pathvars"]["paper"])
    found = {
        Path(path).relative_to(paper).as_posix(): output["sha256"]
        for path, output in manifest["outputs"].items()
    }
    return {path: found[path] for path in sorted(found) if path.startswith("tables/") or path == "claims.csv"}


def made_since(manifest: Mapping[str, Any]) -> list[str]:
    """Return the tables that are gone, or not what the manifest tells, as when one result alone was made."""
    paper = Path(manifest["config"]["values"]["pathvars"]["paper"])
    return [
        path
        for path, checksum in of_tables(manifest).items()
        if not (paper / path).exists() or sha256(paper / path) != checksum
    ]


def of_all(tables: Mapping[str, str]) -> str:
    """Return one short checksum of all tables, by which runs on several machines are compared."""
    return hashlib.sha256(_lines(tables).encode()).hexdigest()[:8]


def _lines(tables: Mapping[str, str]) -> str:
    return "".join(f"{checksum}  {path}\n" for path, checksum in tables.items())


def text(manifest: Mapping[str, Any]) -> str:
    """Return the content of the file."""
    about = "".join(f"{_ABOUT}{what}: {which}\n" for what, which in made_from(manifest).items())
    return about + _lines(of_tables(manifest))


def compared(manifest: Mapping[str, Any], published: str) -> str:
    """Return in a line how a run's tables compare with the published ones, this file's content."""
    tables = of_tables(manifest)
    counted = f"{len(tables)} files, checksum {of_all(tables)}"
    lines = published.splitlines()
    about = dict(line.removeprefix(_ABOUT).split(": ", 1) for line in lines if line.startswith(_ABOUT))
    other = [what for what, which in made_from(manifest).items() if about.get(what) != which]
    # Other data makes other tables, rightly: to compare them would only raise an alarm.
    if other:
        return f"{counted}; nothing is published of this {' and '.join(other)}"
    known = {path: checksum for checksum, _, path in (line.partition("  ") for line in lines) if path}
    # Of both: a missing table differs as well as a new one.
    differ = [path for path in sorted({*known, *tables}) if known.get(path) != tables.get(path)]
    if not differ:
        return f"{counted}: the same tables as published"
    more = f" and {len(differ) - _NAMED} more" if len(differ) > _NAMED else ""
    return f"{counted}; other than published: {', '.join(differ[:_NAMED])}{more}"
