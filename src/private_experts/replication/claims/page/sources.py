"""What the page reads besides the ledger: the files of a figure, and how long each job took."""

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

CLAIMS = "claims"  # the folder of what each claim took, beside those of what each job took


def beside(name: str, paper: Path) -> list[tuple[str, str]]:
    """Return the kinds and paths of the files of a figure, and of the table of its name."""
    paths = [paper / "figures" / f"{name}.{suffix}" for suffix in ("pdf", "png", "svg")]
    paths.append(paper / "tables" / f"{name}.csv")
    return [(path.suffix[1:].upper(), path.as_posix()) for path in paths if path.exists()]


def jobs(benchmarks: Path) -> Iterable[dict[str, Any]]:
    """Yield what Snakemake measured for each job. Jobs that it did not measure are left out."""
    for path in sorted(benchmarks.rglob("*.tsv")):
        first, *rest = path.relative_to(benchmarks).with_suffix("").parts
        if first == CLAIMS:
            continue
        row = next(_rows(path), {})
        seconds, cpu, megabytes = (_measured(row.get(name)) for name in ("s", "cpu_time", "max_rss"))
        if seconds == seconds:
            yield {
                "rule": first,
                "name": "/".join(rest) or first,
                "seconds": seconds,
                "cpu": cpu,
                "megabytes": megabytes,
            }


def costs(benchmarks: Path) -> dict[str, dict[str, float]]:
    """Return the seconds of each claim, and the memory that its job had needed at its end, as the stage measured."""
    rows = [row for path in sorted((benchmarks / CLAIMS).rglob("*.tsv")) for row in _rows(path)]
    return {row["claim"]: {"seconds": _measured(row["s"]), "megabytes": _measured(row["max_rss"])} for row in rows}


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        yield from csv.DictReader(stream, delimiter="\t")


def _measured(text: str | None) -> float:
    try:
        return float(text or "nan")
    except ValueError:
        return float("nan")
