"""Claims to evidence, evidence to the ledger."""

import csv
import importlib
import io
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from private_experts.errors import InputError
from private_experts.files import sha256, write_text
from private_experts.records import read_json, read_table
from private_experts.stages.shared import data_label, read_panels


def claim(
    check: str,
    grid: str,
    repetitions: int,
    cap: int,
    seed: int,
    evidence: Path,
    verdict: Path,
    panels: Sequence[Path] = (),
    table: Path | None = None,
    provenance: Path | None = None,
    real_data_only: bool = False,
    code: Path | None = None,
) -> None:
    """Check one claim: its evidence as a table, its verdict as JSON."""
    rows, record = computed(check, json.loads(grid), repetitions, cap, seed, panels, table, provenance, real_data_only)
    if code is not None:  # what stands for the check's code, so that a reader sees which code the verdict is of
        record["fingerprint"] = sha256(code)[:16]
    write_text(evidence, table_of(rows) if rows else f"reason\n{record['reason']}\n")
    write_text(verdict, json.dumps(_plain(record), indent=1) + "\n")


def computed(
    check: str,
    grid: Mapping[str, Any],
    repetitions: int,
    cap: int,
    seed: int,
    panels: Sequence[Path] = (),
    table: Path | None = None,
    provenance: Path | None = None,
    real_data_only: bool = False,
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return a claim's evidence, a row a grid point, and the record of its verdict; see `claim` for the parameters."""
    from private_experts import evidence as evidences

    given: dict[str, Any] = {}
    if panels:
        given["panels"] = read_panels(panels)
    if table is not None:
        given["table"] = read_table(table)
    function = _named(f"private_experts.checks.{check}")
    try:
        if real_data_only and provenance is not None and data_label(provenance)[1]:
            raise evidences.NotRunError("synthetic data")
        points, decided, spent = evidences.gather(lambda count: function(grid, count, seed, **given), repetitions, cap)
    except evidences.NotRunError as reason:
        return [], {"verdict": "not run", "reason": str(reason)}
    nearest = evidences.worst(points)
    return [point.row() for point in points], {
        "verdict": decided,
        "margin": list(nearest.margin),
        "worst": nearest.row(),
        "points": len(points),
        "repetitions": spent,
        "seed": seed,
    }


def claim_figure(
    draw: str,
    claims: Sequence[str],
    evidence: Path,
    seed: int,
    output: Path,
    provenance: Path | None = None,
) -> None:
    """Draw a figure from the evidence of its claims, which lies in the folder `evidence` by their ids."""
    from private_experts.report import figures

    function = _named(f"private_experts.report.evidence_figures.{draw}")
    tables = {name: read_table(evidence / f"{name}.csv") for name in claims}
    label = (f"simulation, seed {seed}", False) if provenance is None else data_label(provenance)
    figures.save(function(tables), output, *label)


def table_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as CSV, with every column that any of them has; without pandas, whose start many claims would pay."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(dict.fromkeys(name for row in rows for name in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _named(entry: str) -> Any:
    """Return a function by its entry point; the rule names it as an entry of its fingerprint as well."""
    module, _, function = entry.partition(":")
    try:
        return getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise InputError(f"claims: there is no {entry}; {error}") from error


def _plain(value: Any) -> Any:
    """Return a value as JSON can say it: NumPy numbers as Python's, infinities and NaN as text."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def ledger(
    claims: Sequence[Path],
    schema: Path,
    verdicts: Path,
    provenance: Path,
    output: Path,
    table: Path,
    quick: bool = False,
) -> None:
    """Gather all claims and verdicts into the ledger."""
    import pandas as pd

    from private_experts import ledger as room
    from private_experts.report import claims as report

    known = room.read(claims, schema)
    records = {name: read_json(verdicts / f"{name}.json", ("verdict",)) for name in known.claims}
    label, synthetic = data_label(provenance)
    everything = {"data": label, "synthetic": synthetic, **room.gathered(known, records, quick)}
    write_text(output, json.dumps(everything, indent=1) + "\n")
    entries = everything["claims"]
    rows = report.rows(entries)
    write_text(
        table.with_suffix(".csv"), pd.DataFrame(rows).assign(data=label).to_csv(index=False, lineterminator="\n")
    )
    write_text(table.with_suffix(".md"), report.markdown(entries, label))


def verdicts(ledger: Path, output: Path, allow_undecided: bool = False) -> None:
    """Count the verdicts, and refuse when one is not as expected."""
    from private_experts import ledger as room
    from private_experts.report import claims as report

    entries = read_json(ledger, ("claims",))["claims"]
    surprising = [
        entry for entry in entries if not room.as_expected(entry["expected"], entry["verdict"], allow_undecided)
    ]
    if surprising:
        names = ", ".join(f"{each['id']} ({each['verdict']}, expected {each['expected']})" for each in surprising)
        raise InputError(f"claims: {len(surprising)} came out otherwise than expected: {names}; see claims.md")
    write_text(output, "\n".join(report.counts(entries)) + "\n")
