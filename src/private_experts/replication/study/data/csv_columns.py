"""Reading columns of a CSV file as text, plain or gzipped. No row is cut or filled up."""

import csv
import gzip
import io
import sys
import zlib
from collections.abc import Sequence
from operator import itemgetter
from pathlib import Path
from typing import TextIO

from private_experts.errors import InputError
from private_experts.replication.files import require_file

LARGEST = 1 << 31  # bytes, packed or not: four times the full export of 190 weeks
MOST_ROWS = 3_000_000  # three times those of the full export
HINT = "name a CSV export of hospital reports in hospital.data (DATA=...)"


def read_columns(
    path: Path, required: Sequence[str], others: Sequence[str]
) -> tuple[list[str], list[tuple[str, ...]]]:
    """Return the names of two or more columns, all `required` and what `others` there are, and rows."""
    require_file(path, LARGEST, HINT)
    try:
        with path.open("rb") as stream:
            # By content: a gzipped file may be called .csv.
            packed = stream.read(2) == b"\x1f\x8b"
        plain = gzip.GzipFile(path) if packed else path.open("rb")
        with plain, io.TextIOWrapper(plain, encoding="utf-8-sig", newline="") as text:
            return _parse(path, text, required, others)
    except (OSError, EOFError, zlib.error, UnicodeDecodeError, csv.Error) as error:
        raise InputError(
            f"{path}: cannot be read ({error}); is it CSV, plain or gzipped, and complete?"
        ) from error


def _parse(
    path: Path, text: TextIO, required: Sequence[str], others: Sequence[str]
) -> tuple[list[str], list[tuple[str, ...]]]:
    """Return the names and cells of columns from the text of a file."""
    line = text.readline()
    if line.lstrip().startswith("<"):
        raise InputError(f"{path}: is a web page, not CSV; download the data set's CSV export")
    # The header may have spaces after commas, as exports by hand do.
    header = [name.strip() for name in next(csv.reader([line.strip()], skipinitialspace=True), [])]
    alike = {"".join(name.split()).casefold(): name for name in header}
    for name in (*required, *others):
        # Passed over, it would leave its place to the next column of the config.
        if name not in header and (found := alike.get(name.casefold())) is not None:
            raise InputError(
                f"{path}: column {found!r} differs from {name} in case or spaces alone; write {name}"
            )
    names = [name for name in dict.fromkeys((*required, *others)) if name in header or name in required]
    for name in names:
        if name not in header:
            raise InputError(
                f"{path}: column {name} is missing; the file must have {', '.join(required)} and the "
                "figures, under their official names"
            )
        if header.count(name) > 1:
            raise InputError(f"{path}: column {name} appears twice; keep one of them")
    cells = itemgetter(*map(header.index, names))
    rows: list[tuple[str, ...]] = []
    reader = csv.reader(text, strict=True)
    for row in reader:
        if len(row) == len(header):
            rows.append(tuple(map(sys.intern, cells(row))))  # most cells are those of other rows as well
        elif row:  # no blank line
            raise InputError(
                f"{path}: line {reader.line_num + 1} has {len(row)} cells, and the header {len(header)}; "
                "write numbers without commas, and check that the download is complete"
            )
        if len(rows) > MOST_ROWS:
            raise InputError(f"{path}: has more than {MOST_ROWS:,} rows; {HINT}")
    return names, rows
