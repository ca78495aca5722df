"""The pages of a download: each is kept as it arrives, and they are joined to one file when all are there.

So a download that was interrupted continues where it stopped.
"""

import gzip
import json
import shutil
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import IO, Any

from private_experts.errors import InputError
from private_experts.replication import files
from private_experts.replication.hospital.answers import AnswerError
from private_experts.replication.hospital.kept import record_of


class Pages:
    """The folder ``<destination>.parts``, which holds the pages of one download, each a CSV file with the same header.

    Parameters
    ----------
    destination : Path
        The file that the pages will make.
    wanted : dict
        What is downloaded, as JSON can say it. Pages of anything else are discarded.
    """

    def __init__(self, destination: Path, wanted: dict[str, Any]) -> None:
        self.destination = destination
        self.parts = destination.parent / f"{destination.name}.parts"
        self.arrived: list[Path] = []
        record = self.parts / "query.json"
        try:
            same = json.loads(record.read_bytes()) == wanted
        except (OSError, ValueError):
            same = False
        if not same:
            self.discard()
            files.write_text(record, json.dumps(wanted, indent=2) + "\n")

    def next(self, check: Callable[[str], Any], ask: Callable[[], str]) -> str:
        """Return the text of the next page: as it is kept, if `check` accepts it, else as `ask` gets it."""
        page = self.parts / f"page-{len(self.arrived):05d}.csv"
        try:
            text = page.read_bytes().decode("utf-8")
            check(text)
        except (OSError, ValueError, AnswerError):  # missing or damaged
            text = ask()
            files.write_text(page, text)
        self.arrived.append(page)
        return text

    def join(self, sha256: str | None) -> str:
        """Write the pages to the destination under one header, and return the file's checksum.

        Raises
        ------
        InputError
            When the checksum is not the one expected.
        """
        with files.written_aside(self.destination) as aside:
            with aside.open("wb") as raw, _packed(raw, self.destination) as stream:
                for number, page in enumerate(self.arrived):
                    header, end, body = page.read_bytes().partition(b"\n")
                    stream.write(body if number else header + end + body)
            digest = files.sha256(aside)
            if sha256 is not None and digest != sha256.lower():
                self.discard()  # otherwise the next download would make the same file from them
                raise InputError(f"{self.destination}: the download's sha256 is {digest}, expected {sha256.lower()}")
        return digest

    def discard(self) -> None:
        """Remove all pages."""
        try:
            if self.parts.exists():
                shutil.rmtree(self.parts)
        except OSError as error:
            raise InputError(f"{self.parts}: cannot be removed ({error.strerror or error}); remove it") from error


def _packed(raw: IO[bytes], destination: Path) -> Any:
    if not destination.name.endswith(".gz"):
        return nullcontext(raw)
    # Without time and name, equal rows give equal files.
    return gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0)


def finish(pages: Pages, provenance: dict[str, Any], sha256: str | None) -> dict[str, Any]:
    """Join the pages, write the record of where they come from beside them, and return it."""
    provenance["sha256"] = pages.join(sha256)
    files.write_text(record_of(pages.destination), json.dumps(provenance, indent=2) + "\n")
    pages.discard()
    return provenance
