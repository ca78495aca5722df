"""Downloads the weekly hospital reports of the US health department from healthdata.gov, page by page."""

import re
from functools import partial
from pathlib import Path
from typing import Any

from tqdm import tqdm

from private_experts.errors import InputError
from private_experts.replication.study.data.hospital_reports import IDENTITY
from private_experts.replication.study.data.http_client import HttpClient, ResponseError
from private_experts.replication.study.data.paging import Pages, csv_rows
from private_experts.replication.study.data.query import Query


def download(query: Query, destination: Path) -> dict[str, Any]:
    """Download the reports of a query into one gzipped CSV file, and return its provenance record.

    It raises `Unreachable` when the server keeps failing, and `InputError` when its data or their checksum is wrong.
    """
    url, client = f"{query.base_url}/resource/{query.dataset}.csv", HttpClient()
    where = f"collection_week between '{query.first_week}T00:00:00' and '{query.last_week}T00:00:00'"
    if query.states:
        where = f"state in ({','.join(repr(state) for state in query.states)}) and {where}"
    header = client.get(url, {"$limit": "1"}, lambda text: csv_rows(text)[0])
    if lacking := [name for name in IDENTITY if name not in header]:
        raise InputError(f"{url}: there is no column {', '.join(lacking)}; check the data set's name")
    columns = [name for name in dict.fromkeys((*IDENTITY, *query.columns)) if name in header]
    rows = client.get(url, {"$select": "count(*)", "$where": where}, _parse_count)
    if rows == 0:
        raise InputError(f"{url}: no rows where {where}; choose other states or weeks")
    # Hospital and week identify a row. Ordered by them, rows cannot move to another page between requests.
    parameters = {
        "$select": ",".join(columns),
        "$where": where,
        "$order": "hospital_pk,collection_week",
        "$limit": str(query.page_size),
    }
    pages, text = Pages(destination, {"url": url, "parameters": parameters, "rows": rows}), ""
    with tqdm(total=rows, unit="row", desc="reports") as bar:
        for number, offset in enumerate(range(0, rows, query.page_size), start=1):
            expected = min(query.page_size, rows - offset)
            check = partial(_check_page, number=number, columns=columns, rows=expected, previous=text)
            text = pages.next(check, partial(client.get, url, {**parameters, "$offset": str(offset)}, check))
            bar.update(expected)
    return pages.join(
        {"url": url, **query.identity(), "query": parameters, "rows": rows, "columns": columns}, query.sha256
    )


def _parse_count(text: str) -> int:
    """Return the number in the response to a count."""
    values = csv_rows(text)[1:]  # the column's name differs between versions of the service
    if len(values) != 1 or not re.fullmatch("[0-9]+", ",".join(values[0])):
        raise ResponseError("the response to count(*) is not one number")
    return int(values[0][0])


def _check_page(text: str, *, number: int, columns: list[str], rows: int, previous: str) -> str:
    """Return a page's text if it has `rows` new rows with these columns."""
    header, *records = csv_rows(text)
    if header != columns:  # a retry would not help: the data set has changed
        missing = ", ".join(name for name in columns if name not in header) or "none, but others were added"
        raise InputError(f"page {number}: the columns changed during the download; missing: {missing}")
    if len(records) != rows:
        found = f"has {len(records)} rows" if records else "is empty"
        raise ResponseError(f"page {number} {found}, expected {rows} from the server's count")
    if previous and set(text.splitlines()) <= set(previous.splitlines()):
        raise ResponseError(f"page {number} repeats the rows of the previous page")
    return text
