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

REPLACE_VARIABLE = "PRIVATE_EXPERTS_REPLACE"
PRODUCTS = "data.json"  # tells in a folder of products which data they were computed from
PROVENANCE = "hospital/provenance.json"  # and in a folder of results
PAGE = "index.html"


def check(
    new: Mapping[str, Any], folders: Iterable[Path], environment: Mapping[str, str] = os.environ
) -> None:
    """Refuse to overwrite results that were computed from data of another kind or content.

    `new` is what is known of the data of this run: its `kind`, and perhaps `name` and `sha256`.
    """
    if may_replace(environment):
        return
    for folder in folders:
        record = data_record(folder)
        if record is not None and not _may_be(record, new):
            raise InputError(
                f"{folder}: the results here were computed from {record['label']}, and this run would "
                f"overwrite them with results computed from {_describe(new)}; use the same data again "
                "(DATA=...), write elsewhere (pathvars.results and pathvars.paper in a config), or set "
                f"{REPLACE_VARIABLE}=1"
            )


def may_replace(environment: Mapping[str, str]) -> bool:
    """Return whether the user lets a run overwrite other results."""
    value = environment.get(REPLACE_VARIABLE, "")
    if value.strip().lower() in ("1", "true", "yes", "on"):
        return True
    if value.strip().lower() not in ("", "0", "false", "no", "off"):
        raise InputError(f"{REPLACE_VARIABLE}={value}: write 1 to overwrite, or 0")
    return False


def _may_be(record: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Return whether the data of a record may be those of which something is known."""
    # The content decides where it is known: a renamed copy is the same data.
    if record.get("sha256") and new.get("sha256"):  # a copy of the pinned file is the same data
        return bool(record["sha256"] == new["sha256"])
    if record["kind"] != new["kind"]:
        return False
    # The name of a cached download has a hash of its query.
    return "name" not in record.keys() & new.keys() or record["name"] == new["name"]


def _describe(new: Mapping[str, Any]) -> str:
    kind = new["kind"]
    if kind != "healthdata":
        return "SYNTHETIC DATA" if kind == "synthetic" else f"the file {new['name']}"
    version = f", sha256 {new['sha256'][:8]}" if new.get("sha256") else ""
    return f"a download from healthdata.gov{version}"


def data_record(folder: Path) -> dict[str, Any] | None:
    """Return the record of the data that the results or products in a folder were computed from, or None."""
    # while the reports are made again, the manifest has it
    for name in (PROVENANCE, "manifest.json", PRODUCTS):
        try:
            require_file(folder / name, LARGEST, AGAIN)
            content = json.loads((folder / name).read_text(encoding="utf-8"))
            record = dict(content.get("data", content))
            return {**record, "kind": str(record["kind"]), "label": str(record["label"])}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):  # absent or damaged
            continue
    return None


def announce(record: Mapping[str, Any], products: Path | None) -> None:
    """Record beside the products what data it uses. A page of other data goes: the run writes its own."""
    if products is None:
        return
    before = data_record(products)
    if before is not None and before["label"] != record["label"]:
        # A page of other data beside new tables would be believed.
        (products / PAGE).unlink(missing_ok=True)
    write_text(products / PRODUCTS, json.dumps(dict(record), indent=1, allow_nan=False) + "\n")
