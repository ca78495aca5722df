"""The last words of a run."""

from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

from private_experts.errors import PROGRAM, InputError
from private_experts.replication.files import sha256
from private_experts.replication.records import read_json
from private_experts.replication.study.data.overwrite_guard import data_record

# What kind of product lies in a folder, or has a name or a suffix; all else belongs to the ledger.
FOLDERS = {"tables": "Tables:", "figures": "Figures:"}
KINDS = {"explorer.html": "Explorer:", ".tex": "LaTeX:", ".ipynb": "Notebook:", ".html": "Notebook:"}


def lines(manifest: Mapping[str, Any]) -> list[str]:
    """Return the summary of a run, from its manifest: the page, the data, and where the products lie."""
    data = manifest["data"]
    said = [f"Page:     {manifest['config']['values']['pathvars']['paper']}/index.html", f"Data:     {data['label']}"]
    if data["kind"] == "synthetic":
        said.append("          Give real reports in HHS_FACILITY_CSV or hospital.file to get the paper's results.")
    said += [f"          {line}" for line in data.get("shape", [])]
    places: dict[tuple[str, str], list[str]] = {}
    for path in map(PurePath, manifest["outputs"]):
        kind = FOLDERS.get(path.parent.name) or KINDS.get(path.name) or KINDS.get(path.suffix, "Ledger:")
        places.setdefault((kind, str(path.parent)), []).append(path.stem)
    for (kind, folder), stems in places.items():
        said.append(f"{kind:<10}{folder}/  ({', '.join(dict.fromkeys(stems))})")
    for number, line in enumerate(manifest.get("verdicts", [])):
        said.append(f"{'' if number else 'Claims:':<10}{line}")
    return said


def unfinished(results: Path, root: Path = Path()) -> list[str]:
    """Return in a line how many products are not those of the last run that ended, and on which data they rest."""
    try:
        manifest = read_json(results / "manifest.json", ("data", "outputs"))
        before, now = manifest["data"]["label"], (data_record(results) or manifest["data"])["label"]
        sums = {root / name: told["sha256"] for name, told in manifest["outputs"].items()}
    except (OSError, InputError, KeyError, TypeError, AttributeError):
        return []
    gone = [path for path in sums if not path.is_file()]
    new = [path for path, told in sums.items() if path not in gone and sha256(path) != told]
    if not new and not gone and now == before:
        return []
    said = f"Since the last run that ended, on {before}, {len(new)} of {len(sums)} products were replaced and "
    return [said + f"{len(gone)} removed" + (f"; what is new rests on {now}" if now != before else "")]


def complaints(logs: Path, since: float) -> list[str]:
    """Return what stages said of input that a person can mend, from the logs written since a time (seconds)."""
    fresh = [path for path in sorted(logs.rglob("*.log")) if path.stat().st_mtime >= since]
    said = [line for path in fresh for line in path.read_text(encoding="utf-8", errors="replace").splitlines()]
    return list(dict.fromkeys(line for line in said if line.startswith(f"{PROGRAM}: ")))
