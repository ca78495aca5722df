"""What a run that has not ended left behind: products of two runs side by side, perhaps on different data."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from private_experts.errors import InputError
from private_experts.replication.files import sha256
from private_experts.replication.hospital.overwrite_guard import data_record
from private_experts.replication.records import read_json

FEW = 6  # products that are named before the rest is counted


def lines(results: Path, root: Path = Path()) -> list[str]:
    """Return which products were replaced since the last run that ended, and on which data they and the others rest.

    Parameters
    ----------
    results : Path
        The folder of the results. Its manifest has the products of the last run that ended, with their checksums.
    root : Path
        The folder that the paths in the manifest are relative to.

    Returns
    -------
    list of str
        Empty where no run has ended, or where nothing has changed since one did.

    Raises
    ------
    InputError
        If the manifest is none.
    """
    path = results / "manifest.json"
    if not path.is_file():
        return []
    manifest = read_json(path, ("data", "outputs"))
    try:
        before, now = manifest["data"]["label"], (data_record(results) or manifest["data"])["label"]
        state = {name: _state(root / name, each) for name, each in manifest["outputs"].items()}
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: is no manifest of a run; remove it and run the workflow again") from error
    if before == now and set(state.values()) <= {"same"}:
        return []
    new, gone, old = ([name for name, is_ in state.items() if is_ == wanted] for wanted in ("new", "gone", "same"))
    said = [f"A later run has begun to replace these {len(state)} products, and has not ended:"]
    theirs = f"of the later run, on {now}"
    if before == now:  # the files alone do not tell who it was
        said = [f"A later run that has not ended, or somebody, changed some of these {len(state)} products:"]
        theirs = "changed"
    said += [f"  {len(new)} {theirs}: {_some(new)}"] if new else []
    said += [f"  {len(gone)} gone: {_some(gone)}"] if gone else []
    said += [f"  {len(old)} of the last run that ended, on {before}: {_some(old)}"] if old else []
    return said


def _state(path: Path, told: Mapping[str, Any]) -> str:
    if not path.is_file():
        return "gone"
    return "same" if path.stat().st_size == told["bytes"] and sha256(path) == told["sha256"] else "new"


def _some(names: list[str]) -> str:
    more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
    return ", ".join(names[:FEW]) + more
