"""Downloading the weekly hospital reports of the US health department from healthdata.gov, page by page."""

from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import requests
from tqdm import tqdm

from private_experts.errors import InputError
from private_experts.replication.hospital.answers import check_page, count_of, records_of
from private_experts.replication.hospital.hospital_reports import IDENTITY
from private_experts.replication.hospital.pages import Pages, finish
from private_experts.replication.hospital.portal import PATIENCE, Patience, Query, Server, check_request


def download(
    query: Query,
    destination: Path,
    *,
    sha256: str | None = None,
    patience: Patience = PATIENCE,
    progress: bool = True,
) -> dict[str, Any]:
    """Download the reports that `query` asks for into one CSV file, and record where they came from.

    Pages that have arrived are kept in ``<destination>.parts`` until all are there. The provenance is written to
    ``<destination>.provenance.json``.

    Parameters
    ----------
    query : Query
        What to ask for.
    destination : Path
        The file to be written, compressed when its name ends in ``.gz``.
    sha256 : str, optional
        The checksum that the file must have.
    patience : Patience, optional
        How often and how long to try.
    progress : bool, optional
        Whether to show a progress bar on the standard error stream.

    Returns
    -------
    dict
        The provenance: source, query, time, number of rows, columns and checksum.

    Raises
    ------
    Unreachable
        When the server cannot be reached or keeps failing.
    InputError
        When the query is wrong, the answer is not the data asked for, or the checksum differs.
    """
    destination = Path(destination)
    check_request(query, destination, sha256)
    url = f"{query.base_url.rstrip('/')}/resource/{query.dataset}.csv"
    where = f"collection_week between '{query.first_week}T00:00:00' and '{query.last_week}T00:00:00'"
    if query.states:
        where = f"state in ({','.join(repr(state) for state in query.states)}) and {where}"
    with requests.Session() as session:
        # Pages are few and large, and a connection that is kept alive would stay open after an error.
        session.headers["Connection"] = "close"
        server = Server(session, url, patience)
        header = server.ask({"$limit": "1"}, lambda text: records_of(text)[0], first=True)
        if lacking := [name for name in IDENTITY if name not in header]:
            raise InputError(f"{url}: there is no column {', '.join(lacking)}; check the data set's name")
        columns = [name for name in dict.fromkeys(query.columns) if name in header]
        rows = server.ask({"$select": "count(*)", "$where": where}, count_of)
        if rows == 0:
            raise InputError(f"{url}: no rows where {where}; choose other states or weeks")
        # Hospital and week identify a row. Ordered by them, rows cannot move to another page between requests.
        asked = {
            "$select": ",".join(columns),
            "$where": where,
            "$order": "hospital_pk,collection_week",
            "$limit": str(query.page_size),
        }
        pages = Pages(destination, {"url": url, "parameters": asked, "rows": rows})
        with tqdm(total=rows, unit="row", desc="reports", disable=not progress) as bar:
            _fetch(server, asked, columns, rows, pages, bar)
    provenance = {
        "url": url,
        **query.asked(),
        "query": asked,
        "retrieved": datetime.now(UTC).isoformat(timespec="seconds"),
        "rows": rows,
        "columns": columns,
    }
    return finish(pages, provenance, sha256)


def _fetch(
    server: Server, asked: dict[str, str], columns: list[str], rows: int, pages: Pages, bar: "tqdm[Any]"
) -> None:
    """Get all pages, in order."""
    size, text = int(asked["$limit"]), ""
    for number, offset in enumerate(range(0, rows, size), start=1):
        expected = min(size, rows - offset)
        check = partial(check_page, number=number, columns=columns, rows=expected, before=text)
        text = pages.next(check, partial(server.ask, {**asked, "$offset": str(offset)}, check))
        bar.update(expected)
