"""Downloading the weekly hospital reports of the US health department from healthdata.gov, page by page.

A download that was interrupted continues where it stopped.
"""

import gzip
import json
import shutil
from contextlib import nullcontext
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO, Any

import requests
from tqdm import tqdm

from private_experts.errors import InputError
from private_experts.replication import files
from private_experts.replication.hospital.answers import AnswerError, check_page, count_of, records_of
from private_experts.replication.hospital.portal import PATIENCE, Patience, Query, Server, check_request
from private_experts.replication.hospital.reports import IDENTITY


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
    parts = destination.parent / f"{destination.name}.parts"
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
        _prepare_parts(parts, {"url": url, "parameters": asked, "rows": rows})
        with tqdm(total=rows, unit="row", desc="reports", disable=not progress) as bar:
            pages = _fetch_pages(server, asked, columns, rows, parts, bar)
    digest = _join(pages, destination, sha256, parts)
    provenance = {
        "url": url,
        "dataset": query.dataset,
        "query": asked,
        "retrieved": datetime.now(UTC).isoformat(timespec="seconds"),
        "rows": rows,
        "columns": columns,
        "states": list(query.states),
        "first_week": query.first_week,
        "last_week": query.last_week,
        "sha256": digest,
    }
    record = destination.parent / f"{destination.name}.provenance.json"
    files.write_text(record, json.dumps(provenance, indent=2) + "\n")
    _discard(parts)
    return provenance


def _prepare_parts(parts: Path, wanted: dict[str, Any]) -> None:
    """Keep the pages of an interrupted download if they are of the same rows; otherwise discard them."""
    try:
        same = json.loads((parts / "query.json").read_bytes()) == wanted
    except (OSError, ValueError):
        same = False
    if not same:
        _discard(parts)
        files.write_text(parts / "query.json", json.dumps(wanted, indent=2) + "\n")


def _fetch_pages(
    server: Server, asked: dict[str, str], columns: list[str], rows: int, parts: Path, bar: "tqdm[Any]"
) -> list[Path]:
    """Fetch the pages that are not yet in `parts`, and return the files of all pages in order."""
    size = int(asked["$limit"])
    pages: list[Path] = []
    text = ""
    for offset in range(0, rows, size):
        page, expected = parts / f"page-{len(pages):05d}.csv", min(size, rows - offset)
        check = partial(check_page, number=len(pages) + 1, columns=columns, rows=expected, before=text)
        try:
            text = check(page.read_bytes().decode("utf-8"))
        except (OSError, ValueError, AnswerError):  # missing or damaged
            text = server.ask({**asked, "$offset": str(offset)}, check)
            files.write_text(page, text)
        pages.append(page)
        bar.update(expected)
    return pages


def _join(pages: list[Path], destination: Path, sha256: str | None, parts: Path) -> str:
    """Write the pages to `destination` under one header, and return the file's checksum."""
    with files.written_aside(destination) as aside:
        with aside.open("wb") as raw, _packed(raw, destination) as stream:
            for number, page in enumerate(pages):
                header, end, body = page.read_bytes().partition(b"\n")
                stream.write(body if number else header + end + body)
        digest = files.sha256(aside)
        if sha256 is not None and digest != sha256.lower():
            _discard(parts)  # otherwise the next download would make the same file from them
            raise InputError(f"{destination}: the download's sha256 is {digest}, expected {sha256.lower()}")
    return digest


def _packed(raw: IO[bytes], destination: Path) -> Any:
    if not destination.name.endswith(".gz"):
        return nullcontext(raw)
    # Without time and name, equal rows give equal files.
    return gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0)


def _discard(parts: Path) -> None:
    try:
        if parts.exists():
            shutil.rmtree(parts)
    except OSError as error:
        raise InputError(f"{parts}: cannot be removed ({error.strerror or error}); remove it") from error
