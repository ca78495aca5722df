"""Downloads the weekly hospital reports of the US health department from healthdata.gov, in one response."""

import csv
import io
from pathlib import Path
from typing import Any

from private_experts.errors import InputError
from private_experts.replication.study.data.hospital_reports import IDENTITY, NAMES
from private_experts.replication.study.data.http_client import get
from private_experts.replication.study.data.query import Query, store


def download(query: Query, destination: Path) -> dict[str, Any]:
    """Download the reports of a query into one gzipped CSV file, and return its provenance record.

    It raises `InputError` when the server keeps failing, or when its data or their checksum is wrong.
    """
    url = f"{query.base_url}/resource/{query.dataset}.csv"
    where = f"collection_week between '{query.first_week}T00:00:00' and '{query.last_week}T00:00:00'"
    if query.states:
        where = f"state in ({','.join(repr(state) for state in query.states)}) and {where}"
    header = next(csv.reader([get(url, {"$limit": "1"}).partition("\n")[0]]), [])
    if lacking := [name for name in IDENTITY if name not in header]:
        raise InputError(f"{url}: there is no column {', '.join(lacking)}; check the data set's name")
    if lacking := [name for name in query.required if name not in header]:
        raise InputError(
            f"{url}: there is no column {', '.join(lacking)}, which hospital.columns names first; take it "
            "out there, and the next one is used"
        )
    columns = [name for name in dict.fromkeys((*IDENTITY, *query.columns, *NAMES)) if name in header]
    counted = get(url, {"$select": "count(*)", "$where": where})
    count = counted.partition("\n")[2].strip('"\r\n')  # below the name of its column
    if not count.isdecimal():
        raise InputError(f"{url}: the response to count(*) is not a number; run again later")
    rows = int(count)
    if rows == 0:
        raise InputError(f"{url}: no rows where {where}; choose other states or weeks")
    # Hospital and week identify a row. In their order, equal rows give equal files.
    parameters = {"$select": ",".join(columns), "$where": where, "$order": "hospital_pk,collection_week"}
    # Without a limit the service cuts the response at 1,000 rows, and says nothing.
    parameters["$limit"] = str(rows)
    text = get(url, parameters)
    # HTTP reports a connection that was closed early only when the server announced a length.
    if not text.endswith("\n") or _lengths(text) != [len(columns)] * (rows + 1):
        raise InputError(
            f"{url}: the response is not the {rows} rows that the service counts; run again later"
        )
    provenance = {"url": url, **query.identity(), "query": parameters, "rows": rows, "columns": columns}
    return store(text, destination, provenance, query.sha256)


def _lengths(text: str) -> list[int]:
    """Return the number of cells of each row of a CSV text; none if it is no CSV."""
    try:
        return [len(row) for row in csv.reader(io.StringIO(text, newline=""), strict=True)]
    except csv.Error:
        return []
