"""What the results in a folder rest on, so that no run replaces them by results on other data unawares."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from private_experts.errors import InputError
from private_experts.replication.files import sha256
from private_experts.replication.hospital.source import FILE_VARIABLE, Source

REPLACE_VARIABLE = "PRIVATE_EXPERTS_REPLACE"


def keep(resolved: Source, results: Path, environment: Mapping[str, str] = os.environ) -> None:
    """Refuse to replace results by those on data of another kind, or on a file with another content.

    Nobody would see it happen: a run takes minutes, and whoever forgets to name the file gets synthetic data.

    Parameters
    ----------
    resolved : Source
        What a run would read. A download that is still to be tried (``auto``) counts as a download.
    results : Path
        The folder of the results.
    environment : mapping
        Environment variables. `REPLACE_VARIABLE` says that the replacement is meant.

    Raises
    ------
    InputError
        If the data differ and nobody said that this is meant.
    """
    record = _record(results)
    if record is None or environment.get(REPLACE_VARIABLE, "") not in ("", "0"):
        return
    kind, asked = record["kind"], "healthdata" if resolved.kind == "auto" else resolved.kind
    if asked == kind and (resolved.path is None or sha256(resolved.path) == record.get("sha256")):
        return
    if resolved.kind == "auto" and kind == "synthetic":  # made because the network was away: tried again
        return
    would = {"synthetic": "SYNTHETIC DATA", "file": f"the file {resolved.path}"}.get(asked, "a download")
    raise InputError(
        f"{results}: the results here rest on {record['label']}, and this run would replace them by results on "
        f"{would}; name the same data again ({FILE_VARIABLE}), write elsewhere (pathvars.results and pathvars.paper in "
        f"a config), or say that it is meant by {REPLACE_VARIABLE}=1"
    )


def _record(results: Path) -> dict[str, Any] | None:
    """Return what is on record of the data, by the reports or, while these are made again, by the manifest."""
    for name in ("hospital/provenance.json", "manifest.json"):
        try:
            content = json.loads((results / name).read_text(encoding="utf-8"))
            record = dict(content.get("data", content))
            return {**record, "kind": str(record["kind"]), "label": str(record["label"])}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):  # absent or damaged: nothing is known by it
            continue
    return None
