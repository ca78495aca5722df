"""Tables, figures, the manifest and the last words of a run."""

import json
from collections.abc import Sequence
from pathlib import Path

from private_experts.errors import InputError
from private_experts.files import write_text
from private_experts.records import read_json, read_rows
from private_experts.stages.shared import best_hospital, data_label, read_panels, read_records


def table_2(totals: Sequence[Path], panels: Sequence[Path], provenance: Path, confidence: float, output: Path) -> None:
    """Write Table 2."""
    from private_experts.hospital.published import shape_difference
    from private_experts.report import table_2 as report
    from private_experts.report import tables
    from private_experts.report.cells import cells

    by_state, games = read_panels(panels), read_records(totals)
    shapes = {state: panel.density.shape for state, panel in by_state.items()}
    table = report.numbers(cells(games, best_hospital(by_state), confidence), shapes)
    caption = report.CAPTION.format(
        weeks=max(weeks for weeks, _ in shapes.values()),
        repetitions=games["repetition"].max() + 1,
        confidence=100 * confidence,
    )
    differences = [shape_difference(state, *shape) for state, shape in shapes.items()]
    if any(differences):
        caption += f" Shape of the data: {'; '.join(filter(None, differences))}."
    tables.write(output, table, report.shown(table), caption, data_label(provenance)[0])


def figure_2(curves: Sequence[Path], panels: Sequence[Path], provenance: Path, output: Path) -> None:
    """Draw Figure 2."""
    from private_experts.report import figure_2 as report
    from private_experts.report import figures

    figures.save(report.draw(read_records(curves), best_hospital(read_panels(panels))), output, *data_label(provenance))


def generality(
    totals: Sequence[Path],
    panels: Sequence[Path],
    provenance: Path,
    confidence: float,
    smallest: int,
    output: Path,
    statements: Path,
    figure: Path,
) -> None:
    """Write the tables and draw the figure of all states with at least `smallest` hospitals."""
    from private_experts.report import figures, tables
    from private_experts.report import generality as report
    from private_experts.report.cells import cells
    from private_experts.report.statements import answers, tally
    from private_experts.report.table_2 import numbers

    by_state = {state: panel for state, panel in read_panels(panels).items() if len(panel.hospitals) >= smallest}
    if not by_state:
        raise InputError(
            f"generality.smallest_number_of_hospitals: no state has {smallest}; write a smaller number or more states"
        )
    games = read_records(totals)
    games = games[games["state"].isin(by_state)]
    shapes = {state: panel.density.shape for state, panel in by_state.items()}
    table = numbers(cells(games, best_hospital(by_state), confidence), shapes)
    answered = answers(table)
    facts = {
        "states": len(by_state),
        "smallest": smallest,
        "repetitions": games["repetition"].max() + 1,
        "confidence": 100 * confidence,
    }
    label, synthetic = data_label(provenance)
    everything = table.merge(answered, on=["state", "mu"])
    tables.write(output, everything, report.shown(table), report.CAPTION.format(**facts), label)
    counts = tally(answered)
    tables.write(statements, counts, report.shown_statements(counts), report.STATEMENTS_CAPTION.format(**facts), label)
    figures.save(report.draw(table), figure, label, synthetic)


def sensitivity(
    choice: str,
    scenarios: Sequence[str],
    totals: Sequence[Path],
    panels: Sequence[Path],
    provenance: Path,
    confidence: float,
    output: Path,
) -> None:
    """Write the table of one choice; totals and panels are listed scenario by scenario, the study first."""
    from private_experts.report import sensitivity as report
    from private_experts.report import tables
    from private_experts.report.cells import cells

    games_each, panels_each = len(totals) // len(scenarios), len(panels) // len(scenarios)
    compared = {}
    for number, scenario in enumerate(scenarios):
        games = read_records(totals[number * games_each : (number + 1) * games_each])
        by_state = read_panels(panels[number * panels_each : (number + 1) * panels_each])
        compared[scenario] = cells(games, best_hospital(by_state), confidence)
    table = report.compare(compared)
    caption = report.CAPTION.format(choice=choice, repetitions=games["repetition"].max() + 1)
    tables.write(output, table, report.shown(table), caption, data_label(provenance)[0])


def rw_meta_variants(
    totals: Sequence[Path], panels: Sequence[Path], provenance: Path, confidence: float, output: Path
) -> None:
    """Write the table that compares the variants of RW-Meta."""
    from private_experts.hospital.study import RW_META_VARIANTS
    from private_experts.report import sensitivity as report
    from private_experts.report import tables
    from private_experts.report.cells import cells

    games, best = read_records(totals), best_hospital(read_panels(panels))
    table = report.compare({name: cells(games, best, confidence, meta=name) for name in RW_META_VARIANTS})
    caption = report.CAPTION.format(choice="the variant of RW-Meta", repetitions=games["repetition"].max() + 1)
    tables.write(output, table, report.shown(table), caption, data_label(provenance)[0])


def privacy_models(
    totals: Sequence[Path], panels: Sequence[Path], provenance: Path, confidence: float, output: Path, figure: Path
) -> None:
    """Write the table and draw the figure of all algorithms at equal privacy."""
    from private_experts.report import figures, tables
    from private_experts.report import privacy_models as report

    by_state, games = read_panels(panels), read_records(totals)
    table = report.numbers(games, best_hospital(by_state), confidence)
    caption = report.CAPTION.format(
        weeks=max(panel.density.shape[0] for panel in by_state.values()),
        repetitions=games["repetition"].max() + 1,
        epsilons=report.epsilons(list(dict.fromkeys(table["mu"]))),
        confidence=100 * confidence,
    )
    label, synthetic = data_label(provenance)
    tables.write(output, table, report.shown(table), caption, label)
    figures.save(report.draw(table), figure, label, synthetic)


def manifest(
    config: str,
    root: Path,
    provenance: Path,
    quality: Path,
    states: Sequence[str],
    ledger: Path,
    outputs: Sequence[Path],
    stamps: Sequence[Path],
    output: Path,
) -> None:
    """Write down what made the results: code, packages, machine, config, data, and the outputs' checksums."""
    from private_experts.hospital.published import shape_difference
    from private_experts.report.claims import counts
    from private_experts.report.manifest import collect

    record = collect(json.loads(config), root, read_json(provenance), outputs, stamps)
    rows = {row["state"]: row for row in read_rows(quality)}
    shapes = [(state, int(rows[state]["weeks"]), int(rows[state]["hospitals"])) for state in states]
    record["verdicts"] = counts(read_json(ledger, ("claims",))["claims"])
    record["data"]["shape"] = [line for line in (shape_difference(*shape) for shape in shapes) if line]
    write_text(output, json.dumps(record, indent=1, sort_keys=True) + "\n")


def summary(manifest: Path, started: float | None = None) -> None:
    """Say what data was used, where the tables and figures lie, and how long the run took."""
    import time

    from private_experts.report.summary import lines

    if not manifest.exists():
        raise InputError(f"{manifest}: no such file; run the workflow first")
    print("\n".join(lines(read_json(manifest))))
    if started is not None:
        print(f"Time:     {time.time() - started:.0f} s")
