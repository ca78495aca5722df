"""What to download from healthdata.gov, and where the download is cached."""

import gzip
import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from private_experts.errors import InputError
from private_experts.replication import files


@dataclass(frozen=True)
class Query:
    """What to download; the config's schema has validated it.

    No `states` mean all. Absent `columns` are left out, but for the `required` ones.
    """

    base_url: str
    dataset: str
    states: Sequence[str]
    first_week: str
    last_week: str
    columns: Sequence[str]
    sha256: str | None = None
    required: Sequence[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Take addresses with and without a slash at the end for the same."""
        object.__setattr__(self, "base_url", self.base_url.rstrip("/"))

    def identity(self) -> dict[str, Any]:
        """Return what a provenance record says of a query."""
        named = {name: getattr(self, name) for name in ("base_url", "dataset", "first_week", "last_week")}
        return named | {"states": list(self.states)}

    def cache(self, folder: Path) -> Path:
        """Return the file in a folder where the download is cached; its name has a hash of the query."""
        # Sorted: the same states in another order are the same download.
        key = self.identity() | {"states": sorted(self.states), "columns": sorted(self.columns)}
        digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:8]
        return folder / f"{self.dataset}-{digest}.csv.gz"

    def as_json(self) -> str:
        """Return it as `parse` reads it."""
        return json.dumps(asdict(self))


def parse(text: str) -> Query:
    """Return the query of a JSON text; raise `InputError` if it has none."""
    try:
        return Query(**json.loads(text))
    except (ValueError, TypeError, AttributeError) as error:
        raise InputError(f"reports: --download is not the JSON of a download ({error})") from error


def record_of(download: Path) -> Path:
    """Return the path of the provenance record of a download."""
    return download.with_name(f"{download.name}.provenance.json")


def cached_record(download: Path) -> dict[str, Any] | None:
    """Return the provenance record of a download that was made before, or None if there is none."""
    try:
        record = json.loads(record_of(download).read_text(encoding="utf-8"))
        return record if download.exists() and record["sha256"] else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def store(text: str, download: Path, provenance: dict[str, Any], sha256: str | None) -> dict[str, Any]:
    """Write a download, gzipped, and its provenance, which is returned; refuse other checksums."""
    with files.written_aside(download) as aside:
        # Without a time and a name in the header, equal rows give equal files.
        with aside.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as stream:
            stream.write(text.encode())
        digest = files.sha256(aside)
        if sha256 not in (None, digest):
            raise InputError(f"{download}: the download's sha256 is {digest}, expected {sha256}")
    # The record after the file: a download without a record is fetched again.
    record = provenance | {"retrieved": datetime.now(UTC).isoformat(timespec="seconds"), "sha256": digest}
    files.write_text(record_of(download), json.dumps(record, indent=2, allow_nan=False) + "\n")
    return record
