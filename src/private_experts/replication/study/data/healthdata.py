"""Downloads the weekly hospital reports of the US health department from healthdata.gov, page by page."""

from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import requests
from tqdm import tqdm

from private_experts.errors import InputError
from private_experts.replication.study.data.hospital_reports import IDENTITY
from private_experts.replication.study.data.http_client import RETRY_POLICY, HttpClient, RetryPolicy
from private_experts.replication.study.data.paging import Pages
from private_experts.replication.study.data.query import Query
from private_experts.replication.study.data.response_validation import check_page, csv_rows, parse_count


def download(
    query: Query, destination: Path, *, policy: RetryPolicy = RETRY_POLICY, progress: bool = True
) -> dict[str, Any]:
    """Download the reports of a query into one gzipped CSV file, and return its provenance record."""
    url = f"{query.base_url}/resource/{query.dataset}.csv"
    where = f"collection_week between '{query.first_week}T00:00:00' and '{query.last_week}T00:00:00'"
    if query.states:
        where = f"state in ({','.join(repr(state) for state in query.states)}) and {where}"
    with requests.Session() as session:
        # Pages are few and large, and a connection that is kept alive would stay open after an error.
        session.headers["Connection"] = "close"
        client = HttpClient(session, policy)
        header = client.get(url, {"$limit": "1"}, lambda text: csv_rows(text)[0], first=True)
        if lacking := [name for name in IDENTITY if name not in header]:
            raise InputError(f"{url}: there is no column {', '.join(lacking)}; check the data set's name")
        columns = [name for name in dict.fromkeys((*IDENTITY, *query.columns)) if name in header]
        rows = client.get(url, {"$select": "count(*)", "$where": where}, parse_count)
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
        with tqdm(total=rows, unit="row", desc="reports", disable=not progress) as bar:
            for number, offset in enumerate(range(0, rows, query.page_size), start=1):
                expected = min(query.page_size, rows - offset)
                check = partial(check_page, number=number, columns=columns, rows=expected, previous=text)
                text = pages.next(check, partial(client.get, url, {**parameters, "$offset": str(offset)}, check))
                bar.update(expected)
    provenance = {
        "url": url,
        **query.identity(),
        "query": parameters,
        "retrieved": datetime.now(UTC).isoformat(timespec="seconds"),
        "rows": rows,
        "columns": columns,
    }
    return pages.join(provenance, query.sha256)
