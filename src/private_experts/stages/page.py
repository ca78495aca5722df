"""The reviewer's page."""

import csv
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from private_experts.errors import InputError
from private_experts.files import write_text
from private_experts.records import AGAIN, read_json, read_rows, read_text


def page(ledger: Path, manifest: Path, evidence: Path, benchmarks: Path, paper: Path, output: Path) -> None:
    """Write the page from what a run left: its ledger and manifest, and the folders of evidence, times and products."""
    from private_experts.report.page.page import render, view

    claims = read_json(ledger, ("data", "synthetic", "papers", "claims", "figures"))
    record = read_json(manifest, ("code", "config", "data", "machine", "outputs", "seeds"))
    files = {claim["id"]: evidence / f"{claim['id']}.csv" for claim in claims["claims"]}
    names = [figure["name"] for figure in claims["figures"]]

    def link(path: str) -> str:
        return quote(os.path.relpath(path, output.parent))

    try:
        seen = view(
            claims,
            record,
            evidence={name: read_rows(path) for name, path in files.items()},
            evidence_files={name: path.as_posix() for name, path in files.items()},
            jobs=list(_jobs(benchmarks)),
            table_2=read_rows(paper / "tables" / "table-2.csv"),
            drawings={name: read_text(paper / "figures" / f"{name}.svg") for name in names},
            files={name: _beside(name, paper) for name in names},
            link=link,
        )
    except KeyError as missing:
        raise InputError(f"{ledger}, {manifest} or a table: {missing} is missing; {AGAIN}") from missing
    write_text(output, render(seen))


def _beside(name: str, paper: Path) -> list[tuple[str, str]]:
    """Return the kinds and paths of the files of a figure, and of the table of its name."""
    paths = [paper / "figures" / f"{name}.{suffix}" for suffix in ("pdf", "png", "svg")]
    paths.append(paper / "tables" / f"{name}.csv")
    return [(path.suffix[1:].upper(), path.as_posix()) for path in paths if path.exists()]


def _jobs(benchmarks: Path) -> Iterable[dict[str, Any]]:
    """Yield what Snakemake measured of each job; where it measured nothing, there is no file or no number."""
    for path in sorted(benchmarks.rglob("*.tsv")):
        first, *rest = path.relative_to(benchmarks).with_suffix("").parts
        with path.open(encoding="utf-8", newline="") as stream:
            row = next(csv.DictReader(stream, delimiter="\t"), {})
        seconds, cpu, megabytes = (_measured(row.get(name)) for name in ("s", "cpu_time", "max_rss"))
        if seconds == seconds:
            yield {
                "rule": first,
                "name": "/".join(rest) or first,
                "seconds": seconds,
                "cpu": cpu,
                "megabytes": megabytes,
            }


def _measured(text: str | None) -> float:
    try:
        return float(text or "nan")
    except ValueError:
        return float("nan")
