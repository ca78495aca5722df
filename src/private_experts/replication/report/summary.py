"""The last words of a run."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from private_experts.errors import PROGRAM
from private_experts.replication.report.checksums import compared

SHOWN = 2  # remarks on data of one kind; the manifest has all


def lines(manifest: Mapping[str, Any], published: str = "", since: Sequence[str] = ()) -> list[str]:
    """Return the summary of a run: page, data, verdicts, and whether tables are as published.

    It knows nothing of tables that were made, or lost, `since` the manifest was.
    """
    data = manifest["data"]
    summary = [
        f"Page:     {manifest['config']['values']['pathvars']['paper']}/index.html",
        f"Data:     {data['label']}",
    ]
    if data["kind"] == "synthetic":
        summary.append("          Real reports come with the repository: make reproduce, without DATA.")
    if data["kind"] not in ("synthetic", "pinned"):  # of which the documents tell
        summary += [f"          {column}: {name}" for column, name in data.get("columns_used", {}).items()]
        for what, cases in data.get("remarks", {}).items():
            more = [f"{len(cases) - SHOWN} more, in the manifest"] * (len(cases) > SHOWN)
            summary.append(f"          {what}: {'; '.join([*cases[:SHOWN], *more])}")
    summary += [f"          {line}" for line in data.get("shape", [])]
    if unknown := manifest.get("code", {}).get("unknown"):
        summary.append(f"Code:     of no known commit ({unknown})")
    summary += [
        f"Python:   starts with {file}, which may change any package"
        for file in manifest.get("machine", {}).get("customized", [])
    ]
    for number, line in enumerate(manifest.get("verdicts", [])):
        summary.append(f"{'' if number else 'Claims:':<10}{line}")
    if since:
        return [
            *summary,
            f"Tables:   {since[0]} ({len(since)} in all) is missing, or newer than the rest: make reproduce",
        ]
    return [*summary, f"Tables:   {compared(manifest, published)}"]


def complaints(logs: Path, since: float) -> list[str]:
    """Return what stages said of input that a person can mend, from logs written since a time (seconds)."""
    fresh = [path for path in sorted(logs.rglob("*.log")) if path.stat().st_mtime >= since]
    messages = [
        line for path in fresh for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
    ]
    return list(dict.fromkeys(line for line in messages if line.startswith(f"{PROGRAM}: ")))
