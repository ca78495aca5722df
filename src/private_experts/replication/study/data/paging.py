"""The pages of a download: kept as they arrive, so that an interrupted download resumes, and joined at the end."""

import gzip
import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from private_experts.errors import InputError
from private_experts.replication import files
from private_experts.replication.study.data.query import record_of
from private_experts.replication.study.data.response_validation import ResponseError


class Pages:
    """The pages of one download, CSV files with the same header in a folder beside `destination`."""

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
        """Write the pages to the destination under one header, and return and write the record of its provenance."""
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
        record = provenance | {"sha256": digest}
        files.write_text(record_of(self.destination), json.dumps(record, indent=2) + "\n")
        self._delete()
        return record

    def _delete(self) -> None:
        for folder in self.destination.parent.glob(f"{self.destination.name}.*.parts"):
            shutil.rmtree(folder, ignore_errors=True)
