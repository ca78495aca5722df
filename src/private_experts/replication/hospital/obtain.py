"""Getting the reports from where the config says: what is tried in turn, and what is told and refused on the way."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from private_experts.errors import InputError
from private_experts.replication.choices import Kind
from private_experts.replication.hospital import downloads as downloading
from private_experts.replication.hospital import known, source, standing
from private_experts.replication.hospital.answers import Unreachable
from private_experts.replication.hospital.kept import Version

Found = tuple[pd.DataFrame, dict[str, Any]]


def obtain(
    kind: Kind,
    columns: Sequence[str],
    file: Path | None,
    downloads: Sequence[str],
    made_up: tuple[Sequence[str], int, int],
    folders: Sequence[Path],
    records: Path,
) -> Found:
    """Return the reports, and the record of where they come from.

    What was tried in vain, and how the reports differ from those on record, is told on the standard error stream.

    Parameters
    ----------
    kind : str
        The source. ``auto`` is the first download that can be reached, or synthetic data if none can.
    columns : sequence of str
        Columns to keep.
    file : Path or None
        The file, for the source ``file``.
    downloads : sequence of str
        What to download, as JSON; see `downloads.parse`.
    made_up : tuple
        States, weeks and seed of synthetic data.
    folders : sequence of Path
        The folders of the results and of the products. What is there must not be replaced unawares.
    records : Path
        The file of what reports are known to contain.

    Raises
    ------
    InputError
        If something that the source needs is missing or cannot be used.
    """
    wanted = tuple(dict.fromkeys(columns))
    if kind == "file" and file is None:
        raise InputError("reports: --source file needs --file")
    if kind not in ("file", "synthetic") and not downloads:
        raise InputError(f"reports: --source {kind} needs --downloads")
    if kind == "synthetic":
        return _made_up(made_up)
    if kind == "file" and file is not None:
        table, origin = source.from_file(file, wanted)
    else:
        table, origin = _downloaded(kind, [downloading.parse(each, wanted) for each in downloads], made_up, folders)
    for line in [] if origin["kind"] == "synthetic" else known.changes(records, table, origin):
        print(f"{origin['name']}: {line}", file=sys.stderr)
    return table, origin


def _downloaded(
    kind: Kind,
    downloads: Sequence[downloading.Download],
    made_up: tuple[Sequence[str], int, int],
    folders: Sequence[Path],
) -> Found:
    try:
        table, origin = downloading.first_reachable(downloads)
        failed = "; ".join(origin.get("failed", ()))
    except Unreachable as error:
        if kind != "auto":
            raise
        failed = str(error)
        table, origin = _made_up(made_up)
    version = Version(origin.get("as_of"), origin.get("sha256"))
    standing.keep(source.Source(kind), folders, versions={origin["kind"]: version}, found=origin["kind"], failed=failed)
    if failed:
        instead = "SYNTHETIC data" if origin["kind"] == "synthetic" else "Delphi Epidata's copy of the reports"
        print(f"{failed}; going on with {instead}", file=sys.stderr)
    return table, origin


def _made_up(given: tuple[Sequence[str], int, int]) -> Found:
    states, weeks, seed = given
    return source.from_generator(tuple(states), weeks, seed)
