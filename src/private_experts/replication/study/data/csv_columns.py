"""Reading columns of a CSV file as text, plain or gzipped. What is read is bounded, and no row is cut or filled up."""

import csv
import gzip
import io
import sys
import zlib
from collections.abc import Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

from private_experts.errors import InputError
from private_experts.replication.files import require_file

LARGEST = 1 << 31  # bytes, packed or not: four times the full export of 190 weeks
MOST_ROWS = 3_000_000  # three times those of the full export
LONGEST_LINE = 1 << 16  # bytes
MOST_LINES = 100  # of a row, whose quoted cells may hold line ends
LONGEST_CELL = 100  # characters of a cell that is kept; the publisher's longest ids have 64
HINT = "name the hospital CSV in hospital.file or HHS_FACILITY_CSV"
PACKED = {
    b"PK": "a zip archive or a workbook",
    b"BZh": "packed by bzip2",
    b"\xfd7z": "packed by xz",
    b"(\xb5/": "packed by zstd",
}


class _Bytes(io.BufferedReader):
    """The bytes of a CSV file, up to the bounds. Programs disagree on what a NUL byte means."""

    def __init__(self, raw: Any, path: Path) -> None:
        super().__init__(raw)
        self._path, self._read, self._line = path, 0, 0

    def read1(self, size: int = -1, /) -> bytes:
        """Return some bytes; raise `InputError` at a NUL byte, or beyond a bound."""
        found = super().read1(size)
        self._read += len(found)
        self._line = 0 if b"\n" in found or b"\r" in found else self._line + len(found)
        if b"\0" in found:
            raise InputError(f"{self._path}: has a NUL byte, so it is not text; is the download complete?")
        if self._line > LONGEST_LINE:
            raise InputError(f"{self._path}: has a line of more than {LONGEST_LINE:,} bytes, so it is not CSV; {HINT}")
        if self._read > LARGEST:
            raise InputError(f"{self._path}: has more than {LARGEST:,} bytes; {HINT}")
        return found


def read_columns(path: Path, required: Sequence[str], others: Sequence[str]) -> tuple[list[str], list[tuple[str, ...]]]:
    """Return the names of two or more columns, all `required` and what there is of the `others`, and their rows."""
    require_file(path, LARGEST, HINT)
    try:
        with path.open("rb") as stream:
            start = stream.read(3)
        if packed := next((what for magic, what in PACKED.items() if start.startswith(magic)), None):
            raise InputError(f"{path}: is {packed}; unpack it, or pack it with gzip")
        with (
            gzip.GzipFile(path) if start.startswith(b"\x1f\x8b") else path.open("rb", buffering=0) as raw,
            _Bytes(raw, path) as data,
            io.TextIOWrapper(data, encoding="utf-8-sig", newline="") as text,
        ):
            return _parse(path, text, required, others)
    except (OSError, EOFError, zlib.error, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: cannot be read ({error}); is the download complete?") from error


def _parse(
    path: Path, text: io.TextIOWrapper, required: Sequence[str], others: Sequence[str]
) -> tuple[list[str], list[tuple[str, ...]]]:
    """Return the names and cells of columns from the text of a file."""
    line = text.readline()
    if line.lstrip().startswith("<"):
        raise InputError(f"{path}: is a web page, not CSV; download the data set's CSV export")
    header = [name.strip() for name in next(csv.reader([line.strip()], skipinitialspace=True), [])]
    wanted = dict.fromkeys((*required, *others))
    alike = {name.lower(): name for name in wanted}
    for found in header:  # else another column would take its place without a word
        if found not in wanted and (name := alike.get(found.lower())):
            raise InputError(f"{path}: column {found} is {name} but for case; keep one, with the name {name}")
    names = [name for name in wanted if name in header or name in required]
    for name in names:
        if name not in header:
            raise InputError(
                f"{path}: column {name} is missing; the file must have {', '.join(required)} and the figures, under "
                "their official names"
            )
        if header.count(name) > 1:
            raise InputError(f"{path}: column {name} appears twice; keep one of them")
    cells = itemgetter(*map(header.index, names))
    rows: list[tuple[str, ...]] = []
    begun = 1

    def lines() -> Iterator[str]:
        for number, line in enumerate(text, start=2):
            if number - begun > MOST_LINES:
                raise InputError(
                    f"{path}: the row after line {begun} does not end; is a quotation mark left open there?"
                )
            yield line

    reader = csv.reader(lines(), strict=True)
    for row in reader:
        begun = reader.line_num + 1
        if begun > 2 * MOST_ROWS:  # cells may hold line ends, and blank lines count as well
            raise InputError(f"{path}: has more than {2 * MOST_ROWS:,} lines; {HINT}")
        if len(row) == len(header):
            kept = cells(row)
            if max(map(len, kept)) > LONGEST_CELL:
                name, cell = next(
                    (name, cell) for name, cell in zip(names, kept, strict=True) if len(cell) > LONGEST_CELL
                )
                raise InputError(
                    f"{path}: line {begun}, column {name}: has {len(cell):,} characters, and {LONGEST_CELL} are "
                    f"allowed, so it is no id, date, state or figure; {HINT}"
                )
            rows.append(tuple(map(sys.intern, kept)))  # most cells are those of other rows as well
        elif row:  # no blank line
            raise InputError(
                f"{path}: line {begun} has {len(row)} cells, and the header {len(header)}; write numbers "
                "without commas, and check that the download is complete"
            )
        if len(rows) > MOST_ROWS:
            raise InputError(f"{path}: has more than {MOST_ROWS:,} rows; {HINT}")
    return names, rows
