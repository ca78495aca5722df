"""Downloads of reports: each is made once and kept, and the next is tried when a host cannot be reached."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from private_experts.errors import InputError
from private_experts.replication.choices import Download as Kind
from private_experts.replication.files import write_text
from private_experts.replication.hospital import delphi, healthdata, hospital_reports, kept
from private_experts.replication.hospital.answers import Unreachable
from private_experts.replication.hospital.outline import forbidden
from private_experts.replication.hospital.portal import Query

Found = tuple[pd.DataFrame, dict[str, Any]]  # reports, and the record of where they come from


@dataclass(frozen=True)
class Download:
    """What to download: from which service, what, where it is kept, and the checksum that it must have, if any."""

    source: Kind
    query: Query
    cache: Path
    sha256: str | None = None


def parse(text: str, columns: Sequence[str]) -> Download:
    """Return the download that a JSON text describes, of these columns.

    Raises
    ------
    InputError
        If it describes none.
    """
    try:
        said = json.loads(text)
        source, cache, digest = said.pop("source"), Path(said.pop("cache")), said.pop("sha256", None)
        query = Query(columns=(*hospital_reports.IDENTITY, *columns), **said)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(f"reports: --downloads is not the JSON of a download ({error})") from error
    if source not in ("healthdata", "delphi"):
        raise InputError(f"reports: --downloads: {source!r} is no service; write healthdata or delphi")
    return Download(source, query, cache, digest)


def first_reachable(downloads: Sequence[Download]) -> Found:
    """Return the reports of the first service that can be reached. The record has what was tried before (``failed``).

    Raises
    ------
    Unreachable
        If none can be reached; the message has all that went wrong.
    """
    failed: list[str] = []
    for each in downloads:
        try:
            table, provenance = get(each)
        except Unreachable as error:
            failed.append(str(error))
        else:
            return table, provenance | ({"failed": failed} if failed else {})
    raise Unreachable("; ".join(failed))


def get(download: Download) -> Found:
    """Return reports from a service, or from the cache if the same was downloaded before.

    Raises
    ------
    Unreachable
        If there is no such download, and the service cannot be reached or the network is forbidden.
    InputError
        As in `healthdata.download` and `delphi.download`.
    """
    query, cache = download.query, download.cache
    provenance = kept.provenance(cache, query.asked(), query.columns, download.sha256)
    if provenance is None:
        if forbidden():
            raise Unreachable(f"{cache}: holds no download of this query, and offline is set; unset it")
        provenance = _made(download)
        # Record the columns asked for, not only those found. Otherwise a missing one would be asked for every time.
        provenance |= {"wanted": list(query.columns)}
        write_text(kept.record_of(cache), json.dumps(provenance, indent=2) + "\n")
    return hospital_reports.read(cache, query.columns), {"kind": download.source, "name": cache.name, **provenance}


def _made(download: Download) -> dict[str, Any]:
    """Download, and return the record of where it came from."""
    if download.source == "delphi":
        key = os.environ.get(delphi.KEY_VARIABLE) or None
        return delphi.download(download.query, download.cache, key=key, sha256=download.sha256)
    return healthdata.download(download.query, download.cache, sha256=download.sha256)
