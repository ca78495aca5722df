"""What to download from a data service, and where the download is cached."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from private_experts.errors import InputError
from private_experts.replication.choices import Download


@dataclass(frozen=True)
class Query:
    """What to download. The config's schema has validated all of it.

    Parameters
    ----------
    service : str
        ``healthdata`` or ``delphi``.
    base_url, dataset : str
        Where the data set is.
    states : sequence of str
        Postal abbreviations; none asks for all states.
    first_week, last_week : str
        The first and last collection week (ISO dates, both inclusive).
    columns : sequence of str
        Official names of columns. Those that the data set lacks are left out.
    page_size : int
        Rows per request; of Delphi, hospitals per request.
    as_of : str, optional
        The day (ISO date) whose version is wanted, where a service has versions; without it the newest.
    sha256 : str, optional
        The checksum that the download must have.
    """

    service: Download
    base_url: str
    dataset: str
    states: Sequence[str]
    first_week: str
    last_week: str
    columns: Sequence[str]
    page_size: int
    as_of: str | None = None
    sha256: str | None = None

    def __post_init__(self) -> None:
        """Take addresses with and without a slash at the end for the same."""
        object.__setattr__(self, "base_url", self.base_url.rstrip("/"))

    def identity(self) -> dict[str, Any]:
        """Return what a provenance record says of a query."""
        named = {name: getattr(self, name) for name in ("base_url", "dataset", "first_week", "last_week")}
        return named | {"states": list(self.states)} | ({"as_of": self.as_of} if self.as_of else {})

    def cache(self, folder: Path) -> Path:
        """Return the file in a folder where the download is cached; its name has a hash of the query."""
        key = self.identity() | {"states": sorted(self.states), "columns": sorted(self.columns)}
        digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:8]
        return folder / f"{self.dataset}-{digest}.csv.gz"

    def as_json(self) -> str:
        """Return it as `parse` reads it."""
        return json.dumps(asdict(self), sort_keys=True)


def record_of(download: Path) -> Path:
    """Return the path of the provenance record of a download."""
    return download.with_name(f"{download.name}.provenance.json")


def recorded_sha256(download: Path) -> str | None:
    """Return the checksum of a download that was made before, by its record."""
    try:
        return str(json.loads(record_of(download).read_text(encoding="utf-8"))["sha256"]) if download.exists() else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def parse(text: str) -> Query:
    """Return the query of a JSON text; raise `InputError` if it has none."""
    try:
        return Query(**json.loads(text))
    except (ValueError, TypeError) as error:
        raise InputError(f"reports: --downloads is not the JSON of a download ({error})") from error
