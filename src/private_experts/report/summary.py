"""The last words of a run."""

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any


def lines(manifest: Mapping[str, Any]) -> list[str]:
    """Return the summary of a run, from its manifest: the data, and where the products lie."""
    data = manifest["data"]
    said = [f"Data:     {data['label']}"]
    if data["kind"] == "synthetic":
        said.append("          Give real reports in HHS_FACILITY_CSV or hospital.file to get the paper's results.")
    said += [f"          {line}" for line in data.get("shape", [])]
    folders: dict[str, list[str]] = {}
    for path in map(PurePath, manifest["outputs"]):
        folders.setdefault(str(path.parent), []).append(path.stem)
    for folder, stems in folders.items():
        kind = "Tables: " if folder.endswith("tables") else "Figures:"
        said.append(f"{kind}  {folder}/  ({', '.join(dict.fromkeys(stems))})")
    return said
