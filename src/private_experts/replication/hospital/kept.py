"""Downloads that are kept: what one was asked for, whether it still serves, and what a run would rest on.

The process that plans a run asks this too, so nothing is loaded here that takes long.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from private_experts.replication.files import sha256

_ASKED = ("base_url", "dataset", "states", "first_week", "last_week", "as_of")


@dataclass(frozen=True)
class Version:
    """What is known of the download that a run would rest on.

    Parameters
    ----------
    as_of : str, optional
        The day whose version is asked for, where a service has versions.
    sha256 : str, optional
        The checksum of the file; None where it is not known before it is there.
    replaces : str, optional
        The checksum of the kept file that a new download would replace.
    had : tuple of str
        What that one was asked for, where it is not what is asked for now. Empty if it is the file or its record that
        does not serve.
    """

    as_of: str | None = None
    sha256: str | None = None
    replaces: str | None = None
    had: tuple[str, ...] = ()

    def may_be(self, record: Mapping[str, Any]) -> bool:
        """Return whether it may be the download that a record tells of."""
        had = record.get("sha256")
        if had is not None and self.sha256 is not None:
            return bool(had == self.sha256)
        return record.get("as_of") == self.as_of and (had is None or had != self.replaces)

    def __str__(self) -> str:
        """Return it in words, to go on after the service's name."""
        if self.sha256 is not None:
            return f", sha256 {self.sha256[:8]}"
        dated = f" as of {self.as_of}" if self.as_of else ""
        if self.replaces is None:
            return dated or ", made anew"
        why = f"was asked for {', '.join(self.had)}" if self.had else "is not as it was, or its record is not"
        return f"{dated}, made anew, since the kept one {why}"


def record_of(destination: Path) -> Path:
    """Return the path of the record of where a download comes from."""
    return destination.with_name(f"{destination.name}.provenance.json")


def told(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return what tells one download from another, of all that is known of it; columns may be more than are asked for.

    Parameters
    ----------
    asked : mapping
        The address of the service, the data set, states, weeks and version.
    """
    given = {name: asked[name] for name in _ASKED if asked.get(name) is not None}
    return given | {"base_url": str(asked["base_url"]).rstrip("/"), "states": list(asked["states"])}


def provenance(
    cache: Path, asked: Mapping[str, Any], columns: Iterable[str], expected: str | None
) -> dict[str, Any] | None:
    """Return the record of an earlier download of the same, if its file has not changed since.

    Parameters
    ----------
    cache : Path
        Where it would be kept.
    asked : mapping
        As for `told`.
    columns : iterable of str
        Columns that it must have been asked for.
    expected : str or None
        The checksum that it must have, if any.
    """
    if not cache.exists() or (record := _record(cache)) is None or _otherwise(record, asked, columns):
        return None
    digest = sha256(cache)
    return record if record.get("sha256") == digest and (expected or digest).lower() == digest else None


def _record(cache: Path) -> dict[str, Any] | None:
    """Return the record of what is kept, or None if there is none, or a damaged one."""
    try:
        record = dict(json.loads(record_of(cache).read_text(encoding="utf-8")))
        if "base_url" not in record:  # records of earlier versions have the whole address alone
            name = record["dataset"]
            record["base_url"] = record["url"].removesuffix(f"/resource/{name}.csv").removesuffix(f"/{name}/")
        _otherwise(record, record, ())  # it has all that is compared
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return record


def _otherwise(record: Mapping[str, Any], asked: Mapping[str, Any], columns: Iterable[str]) -> tuple[str, ...]:
    """Return what a record was asked for, in words, where it is not what is asked for now, in whatever order."""
    had, now = (told(each) | {"states": ", ".join(sorted(each["states"])) or "all"} for each in (record, asked))
    found = [f"{name} {had.get(name, 'null')}" for name in _ASKED if had.get(name) != now.get(name)]
    lacking = sorted({*columns} - {*record["wanted"]})
    return (*found, *([f"columns without {', '.join(lacking)}"] if lacking else []))


def version(asked: Mapping[str, Any], columns: Iterable[str]) -> Version:
    """Return what is known, before anything is asked of a service, of the download that a run would rest on.

    Parameters
    ----------
    asked : mapping
        As for `told`, with where it is kept (`cache`) and the checksum that it must have, if any (`sha256`).
    columns : iterable of str
        The columns that are asked for.
    """
    cache, expected, as_of = Path(asked["cache"]), asked["sha256"], asked.get("as_of")
    if expected is not None:
        return Version(as_of, expected.lower())
    if not cache.exists():
        return Version(as_of)
    record, digest = _record(cache), sha256(cache)
    had = () if record is None else _otherwise(record, asked, columns)
    if record is None or had or record.get("sha256") != digest:
        return Version(as_of, replaces=digest, had=had)
    return Version(as_of, digest)
