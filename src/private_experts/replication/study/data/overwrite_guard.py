"""The overwrite guard: a run refuses to overwrite results computed from other data.

There are two folders of such results, and a config may move each of them alone: results, and the products in
``paper/``.
"""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from private_experts.errors import InputError
from private_experts.replication.files import require_file, write_text
from private_experts.replication.records import AGAIN, LARGEST
from private_experts.replication.study.data.source import FILE_VARIABLE

REPLACE_VARIABLE = "PRIVATE_EXPERTS_REPLACE"
PRODUCTS = "data.json"  # tells in a folder of products which data they were computed from
PROVENANCE = "hospital/provenance.json"  # and in a folder of results
PAGE = "index.html"
DOWNLOADED = "hospital.source, states, weeks and columns"


def check(
    candidates: Mapping[str, Mapping[str, Any]],
    folders: Iterable[Path],
    environment: Mapping[str, str] = os.environ,
    *,
    failed: str = "",
) -> None:
    """Refuse to overwrite results that were computed from data of another kind or content.

    `candidates` are the kinds of data that the run may use, each with what is known of it (`name`, `sha256`).
    """
    if environment.get(REPLACE_VARIABLE, "") not in ("", "0"):
        return
    for folder in folders:
        record = data_record(folder)
        if record is None:
            continue
        kind = record["kind"]
        if kind not in candidates or not _may_be(record, candidates[kind]):
            real = [each for each in candidates if each != "synthetic"] or list(candidates)
            new = " or ".join(_describe(each, candidates[each]) for each in ([kind] if kind in candidates else real))
            setting = FILE_VARIABLE if kind in ("file", "synthetic") else DOWNLOADED
            raise InputError(
                f"{failed}{'; ' if failed else ''}{folder}: the results here were computed from {record['label']}, and "
                f"this run would overwrite them with results computed from {new}; use the same data again "
                f"({setting}), write elsewhere (pathvars.results and pathvars.paper in a "
                f"config), or set {REPLACE_VARIABLE}=1"
            )


def _may_be(record: Mapping[str, Any], known: Mapping[str, Any]) -> bool:
    """Return whether the data of a record may be those of which something is known."""
    if record.get("sha256") and known.get("sha256"):
        return bool(record["sha256"] == known["sha256"])
    # The name of a cached download has a hash of its query.
    return not {"name"} <= record.keys() & known.keys() or record["name"] == known["name"]


def _describe(kind: str, known: Mapping[str, Any]) -> str:
    if kind not in ("healthdata", "delphi"):
        return f"the file {known['name']}" if kind == "file" else "SYNTHETIC DATA"
    version = f", sha256 {known['sha256'][:8]}" if known.get("sha256") else ""
    return f"a download from {'healthdata.gov' if kind == 'healthdata' else 'Delphi Epidata'}{version}"


def data_record(folder: Path) -> dict[str, Any] | None:
    """Return the record of the data that the results or products in a folder were computed from, or None."""
    for name in (PROVENANCE, "manifest.json", PRODUCTS):  # while the reports are made again, the manifest has it
        try:
            require_file(folder / name, LARGEST, AGAIN)
            content = json.loads((folder / name).read_text(encoding="utf-8"))
            record = dict(content.get("data", content))
            return {**record, "kind": str(record["kind"]), "label": str(record["label"])}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):  # absent or damaged
            continue
    return None


def announce(record: Mapping[str, Any], products: Path | None) -> None:
    """Record beside the products which data this run uses. A page of other data is removed: the run writes its own."""
    if products is None:
        return
    before = data_record(products)
    if before is not None and before["label"] != record["label"]:
        (products / PAGE).unlink(missing_ok=True)
    write_text(products / PRODUCTS, json.dumps(dict(record), indent=1) + "\n")
