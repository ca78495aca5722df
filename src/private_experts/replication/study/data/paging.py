"""The pages of a download: kept as they arrive, so that an interrupted download resumes, and joined at the end."""

import csv
import gzip
import hashlib
import io
import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from private_experts.errors import InputError
from private_experts.replication import files
from private_experts.replication.study.data.http_client import ResponseError
from private_experts.replication.study.data.query import record_of


class Pages:
    """The pages of one download, CSV files with the same header in a folder beside `destination`.

    The folder's name has a hash of `key`, all that determines the pages, so that no download resumes another one.
    """

    def __init__(self, destination: Path, key: dict[str, Any]) -> None:
        digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:12]
        self.destination = destination
        self.folder = destination.with_name(f"{destination.name}.{digest}.parts")
        self.received: list[Path] = []

    def next(self, check: Callable[[str], Any], request: Callable[[], str]) -> str:
        """Return the text of the next page: the kept one if it passes `check`, else that of a request."""
        page = self.folder / f"page-{len(self.received):05d}.csv"
        try:
            text = page.read_bytes().decode("utf-8")
            check(text)
        except (OSError, ValueError, ResponseError):  # missing or damaged
            text = request()
            files.write_text(page, text)
        self.received.append(page)
        return text

    def join(self, provenance: dict[str, Any], sha256: str | None) -> dict[str, Any]:
        """Write the pages to the destination under one header, and return and write the record of its provenance.

        If the file's checksum is not `sha256`, it is not written, and the pages are deleted: the next run starts over.
        """
        with files.written_aside(self.destination) as aside:
            # Without a time and a name in the header, equal rows give equal files.
            with aside.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as stream:
                for number, page in enumerate(self.received):
                    header, end, body = page.read_bytes().partition(b"\n")
                    stream.write(body if number else header + end + body)
            digest = files.sha256(aside)
            if sha256 is not None and digest != sha256:
                self._delete()
                raise InputError(f"{self.destination}: the download's sha256 is {digest}, expected {sha256}")
        record = provenance | {"retrieved": datetime.now(UTC).isoformat(timespec="seconds"), "sha256": digest}
        files.write_text(record_of(self.destination), json.dumps(record, indent=2) + "\n")
        self._delete()
        return record

    def _delete(self) -> None:
        for folder in self.destination.parent.glob(f"{self.destination.name}.*.parts"):
            shutil.rmtree(folder, ignore_errors=True)


def csv_rows(text: str) -> list[list[str]]:
    """Return the rows of a CSV text, the header first, all of the same length."""
    # HTTP reports a connection that was closed early only when the server announced a length.
    if not text.endswith("\n"):
        raise ResponseError("the response is empty or its last line is cut off")
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise ResponseError(f"the response is not well-formed CSV ({error})") from error
    for number, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise ResponseError(f"row {number} has {len(row)} fields instead of {len(rows[0])}")
    return rows
