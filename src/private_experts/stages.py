"""The workflow's stages: each reads files, calls pure functions, and writes files. I/O lives here and nowhere else.

A rule of the DAG, its CLI subcommand and its function here share one name. A stage's function is also the entry of
its code fingerprint, so heavy modules are imported inside the stages that need them.
"""

import importlib
import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from private_experts.errors import InputError
from private_experts.files import write_text

if TYPE_CHECKING:
    import pandas as pd

    from private_experts.hospital.panel import Panel
    from private_experts.hospital.study import Adjacency, Family, Game, Play


def reports(
    source: str,
    output: Path,
    provenance: Path,
    columns: Sequence[str],
    file: Path | None = None,
    cache: Path | None = None,
    query: str = "{}",
    sha256: str | None = None,
    states: Sequence[str] = (),
    weeks: int = 148,
    seed: int = 1,
) -> None:
    """Get hospital reports from wherever the config says, in one format, with their provenance."""
    from private_experts.hospital import healthdata
    from private_experts.hospital import source as sources

    wanted = tuple(dict.fromkeys(columns))
    if source == "file":
        if file is None:
            raise InputError("reports: --source file needs --file")
        table, origin = sources.from_file(file, wanted)
    elif source == "synthetic":
        table, origin = sources.from_generator(tuple(states), weeks, seed)
    else:
        if cache is None:
            raise InputError(f"reports: --source {source} needs --cache")
        try:
            asked = healthdata.Query(columns=("hospital_pk", "collection_week", "state", *wanted), **json.loads(query))
        except (ValueError, TypeError) as error:
            raise InputError(f"reports: --query is not the JSON of a query ({error})") from error
        try:
            table, origin = sources.from_healthdata(asked, cache, sha256)
        except healthdata.Unreachable as error:
            if source == "healthdata":
                raise
            print(f"{error}; going on with SYNTHETIC data", file=sys.stderr)
            table, origin = sources.from_generator(tuple(states), weeks, seed)
    write_text(output, table.to_csv(index=False, lineterminator="\n"))
    write_text(provenance, json.dumps(sources.describe(table, origin), indent=1) + "\n")


def panels(
    reports: Path,
    states: Sequence[str],
    folder: Path,
    quality: Path,
    required: Sequence[str] = (),
    **rules: Any,
) -> None:
    """Clean the reports to one panel a state, and count every repair."""
    import pandas as pd

    from private_experts.hospital import cleaning, panel
    from private_experts.hospital import reports as reading

    frozen: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in rules.items()}
    asked = cleaning.Cleaning(**frozen)
    table = reading.read(reports, (*asked.patients, *asked.beds, *asked.participation))
    present = sorted(table["state"].unique())
    for state in required:
        if state not in present:
            raise InputError(f"hospital.states: {state} is not in the data; it has {', '.join(present)}")
    cleaned, records = cleaning.clean_all(table, states, asked, required)
    for record in records:
        if record.state in required and record.hospitals < 2:
            raise InputError(
                f"hospital.states: {record.state} has {record.hospitals} hospital(s) left after cleaning and a choice "
                f"needs 2 ({record.left_out_participation} hardly take part, {record.left_out_no_beds} tell no beds, "
                f"{record.left_out_small} are too small); take another state or relax the rules"
            )
    for state in states:
        panel.write(folder / f"{state}.csv", cleaned[state])
    write_text(quality, pd.DataFrame([record.row() for record in records]).to_csv(index=False, lineterminator="\n"))


def _game(
    panel: Path, state: str, privacy_levels: Sequence[float], repetitions: int, seed: int, adjacency: "Adjacency"
) -> "Game":
    from private_experts.hospital.panel import read
    from private_experts.hospital.study import game

    return game(read(panel), state, privacy_levels, repetitions, seed, adjacency)


def _record(plays: Iterable["Play"], state: str, totals: Path, curves: Path) -> None:
    """Write every repetition's total, and every play's mean cumulative gain by week."""
    total_rows, curve_rows = ["state,algorithm,mu,repetition,total,switches"], ["state,algorithm,mu,week,gain"]
    for play in plays:
        name = f"{state},{play.algorithm},{play.mu!r}"
        sums = play.earned.sum(axis=0).tolist()
        total_rows += [
            f"{name},{r},{s!r},{n}" for r, (s, n) in enumerate(zip(sums, play.switches.tolist(), strict=True))
        ]
        mean = play.earned.mean(axis=1).cumsum().tolist()
        curve_rows += [f"{name},{week},{gain!r}" for week, gain in enumerate(mean, start=1)]
    write_text(totals, "\n".join(total_rows) + "\n")
    write_text(curves, "\n".join(curve_rows) + "\n")


def rw_ftpl(panel: Path, state: str, totals: Path, curves: Path, **settings: Any) -> None:
    """Play RW-FTPL on a panel."""
    from private_experts.hospital import study

    game = _game(panel, state, **settings)
    _record(study.rw_ftpl(game) if game.gains.shape[1] > 1 else [], state, totals, curves)


def rw_meta(
    panel: Path,
    state: str,
    totals: Path,
    curves: Path,
    family: "Family",
    windows: Sequence[int],
    strengths: Mapping[str, float],
    **settings: Any,
) -> None:
    """Play RW-Meta in all its variants, and its learners, on a panel."""
    from private_experts.hospital import study

    game = _game(panel, state, **settings)
    plays = study.rw_meta(game, family, windows, tuple(strengths.items())) if game.gains.shape[1] > 1 else []
    _record(plays, state, totals, curves)


def tree_ftpl(panel: Path, state: str, totals: Path, curves: Path, **settings: Any) -> None:
    """Play the dyadic-tree baseline on a panel."""
    from private_experts.hospital import study

    game = _game(panel, state, **settings)
    _record(study.tree_ftpl(game) if game.gains.shape[1] > 1 else [], state, totals, curves)


def yardsticks(panel: Path, state: str, totals: Path, curves: Path, **settings: Any) -> None:
    """Play follow-the-leader and uniform choice on a panel."""
    from private_experts.hospital import study

    game = _game(panel, state, **settings)
    _record(study.yardsticks(game) if game.gains.shape[1] > 1 else [], state, totals, curves)


def _read(paths: Iterable[Path]) -> "pd.DataFrame":
    """Read game records below one another; panels without a choice left none."""
    import pandas as pd

    parts = [pd.read_csv(path) for path in paths]
    return pd.concat([part for part in parts if len(part)] or parts, ignore_index=True)


def _panels(paths: Iterable[Path]) -> dict[str, "Panel"]:
    """Read panels by state, which is the file's name."""
    from private_experts.hospital.panel import read

    return {path.stem: read(path) for path in paths}


def _best_hospital(panels: Mapping[str, "Panel"]) -> dict[str, float]:
    return {state: float(panel.density.sum(axis=0).max()) for state, panel in panels.items()}


def _label(provenance: Path) -> tuple[str, bool]:
    """Return the data's label, and whether it is synthetic."""
    origin = json.loads(provenance.read_text(encoding="utf-8"))
    return origin["label"], origin["kind"] == "synthetic"


def table_2(totals: Sequence[Path], panels: Sequence[Path], provenance: Path, confidence: float, output: Path) -> None:
    """Write Table 2."""
    from private_experts.hospital.published import shape_difference
    from private_experts.report import table_2 as report
    from private_experts.report import tables
    from private_experts.report.cells import cells

    by_state, games = _panels(panels), _read(totals)
    shapes = {state: panel.density.shape for state, panel in by_state.items()}
    table = report.numbers(cells(games, _best_hospital(by_state), confidence), shapes)
    caption = report.CAPTION.format(
        weeks=max(weeks for weeks, _ in shapes.values()),
        repetitions=games["repetition"].max() + 1,
        confidence=100 * confidence,
    )
    differences = [shape_difference(state, *shape) for state, shape in shapes.items()]
    if any(differences):
        caption += f" Shape of the data: {'; '.join(filter(None, differences))}."
    tables.write(output, table, report.shown(table), caption, _label(provenance)[0])


def figure_2(curves: Sequence[Path], panels: Sequence[Path], provenance: Path, output: Path) -> None:
    """Draw Figure 2."""
    from private_experts.report import figure_2 as report
    from private_experts.report import figures

    figures.save(report.draw(_read(curves), _best_hospital(_panels(panels))), output, *_label(provenance))


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

    by_state = {state: panel for state, panel in _panels(panels).items() if len(panel.hospitals) >= smallest}
    if not by_state:
        raise InputError(
            f"generality.smallest_number_of_hospitals: no state has {smallest}; write a smaller number or more states"
        )
    games = _read(totals)
    games = games[games["state"].isin(by_state)]
    shapes = {state: panel.density.shape for state, panel in by_state.items()}
    table = numbers(cells(games, _best_hospital(by_state), confidence), shapes)
    answered = answers(table)
    facts = {
        "states": len(by_state),
        "smallest": smallest,
        "repetitions": games["repetition"].max() + 1,
        "confidence": 100 * confidence,
    }
    label, synthetic = _label(provenance)
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
        games = _read(totals[number * games_each : (number + 1) * games_each])
        by_state = _panels(panels[number * panels_each : (number + 1) * panels_each])
        compared[scenario] = cells(games, _best_hospital(by_state), confidence)
    table = report.compare(compared)
    caption = report.CAPTION.format(choice=choice, repetitions=games["repetition"].max() + 1)
    tables.write(output, table, report.shown(table), caption, _label(provenance)[0])


def rw_meta_variants(
    totals: Sequence[Path], panels: Sequence[Path], provenance: Path, confidence: float, output: Path
) -> None:
    """Write the table that compares the variants of RW-Meta."""
    from private_experts.hospital.study import RW_META_VARIANTS
    from private_experts.report import sensitivity as report
    from private_experts.report import tables
    from private_experts.report.cells import cells

    games, best = _read(totals), _best_hospital(_panels(panels))
    table = report.compare({name: cells(games, best, confidence, meta=name) for name in RW_META_VARIANTS})
    caption = report.CAPTION.format(choice="the variant of RW-Meta", repetitions=games["repetition"].max() + 1)
    tables.write(output, table, report.shown(table), caption, _label(provenance)[0])


def batch_sizes(
    experts: int,
    privacy_levels: Sequence[float],
    horizon: int,
    rounds: Sequence[int],
    gaps: Sequence[float],
    repetitions: int,
    alpha: float,
    seed: int,
    computed: Path,
    simulated: Path,
) -> None:
    """Compute and simulate the laws of RW-AdaBatch's batch sizes for one number of experts."""
    from private_experts.batching import laws

    if max(rounds) >= horizon:
        raise InputError(f"batching.rounds: {max(rounds)} does not lie before the end, batching.horizon = {horizon}")
    bounds = laws.computed(experts, privacy_levels, horizon, rounds, alpha)
    drawn = laws.simulated(experts, privacy_levels, horizon, rounds, gaps, repetitions, alpha, seed)
    write_text(computed, bounds.to_csv(index=False, lineterminator="\n"))
    write_text(simulated, drawn.to_csv(index=False, lineterminator="\n"))


def batched_games(
    experts: int,
    horizons: Sequence[int],
    play_repetitions: int,
    alpha: float,
    seed: int,
    switches: Path,
    regrets: Path,
) -> None:
    """Play RW-FTPL and RW-AdaBatch on the streams, for one number of experts."""
    from private_experts.batching import plays

    counts = plays.switch_counts(experts, horizons, play_repetitions, alpha, seed)
    write_text(switches, counts.to_csv(index=False, lineterminator="\n"))
    missed = plays.regrets(experts, horizons, play_repetitions, alpha, seed)
    write_text(regrets, missed.to_csv(index=False, lineterminator="\n"))


def hospital_batches(panel: Path, state: str, alpha: float, weeks: Path, totals: Path, **settings: Any) -> None:
    """Play RW-AdaBatch on a panel."""
    from private_experts.batching import hospital

    for path, table in zip((weeks, totals), hospital.weeks(_game(panel, state, **settings), alpha), strict=True):
        write_text(path, table.to_csv(index=False, lineterminator="\n"))


def figure_1(
    computed: Sequence[Path],
    simulated: Sequence[Path],
    horizon: int,
    alpha: float,
    confidence: float,
    seed: int,
    figures: Path,
    tables: Path,
) -> None:
    """Draw Figure 1 as trade-off curves and as profiles, and write their tables; both folders are named."""
    import numpy as np
    from scipy.special import ndtr

    from private_experts.batching import amplification
    from private_experts.report import figure_1 as report
    from private_experts.report import figures as drawing
    from private_experts.report import tables as writing

    bounds, drawn = _read(computed), _read(simulated)
    grid = amplification.cells(bounds, drawn, horizon, confidence)
    curves = amplification.tradeoff_curves(grid, np.concatenate([[0], ndtr(np.linspace(-3.5, 3.5, 57)), [1]]))
    profiles, summary = amplification.profiles(grid), amplification.summary(grid)
    label, facts = _simulation(drawn, seed, horizon=horizon, alpha=alpha, confidence=100 * confidence)
    middle = _middle(drawn)
    pictures = {
        "figure-1": report.draw(curves, middle),
        "figure-1-rounds": report.draw_gain(curves),
        "figure-1-delta": report.draw_delta(profiles, middle),
    }
    for name, picture in pictures.items():
        drawing.save(picture, figures / name, label, synthetic=False)
    writing.write(tables / "figure-1", curves, report.shown(summary), report.CAPTION.format(**facts), label)
    caption = report.DELTA_CAPTION.format(**facts)
    writing.write(tables / "figure-1-delta", profiles, report.shown_delta(summary), caption, label)
    write_text(tables / "figure-1-summary.csv", summary.assign(data=label).to_csv(index=False, lineterminator="\n"))


def figure_batch_sizes(
    computed: Sequence[Path],
    simulated: Sequence[Path],
    horizon: int,
    alpha: float,
    confidence: float,
    seed: int,
    figures: Path,
    tables: Path,
) -> None:
    """Draw the laws of batch sizes and where the proxy is loose, and write their tables."""
    from private_experts.batching import comparisons
    from private_experts.report import batch_sizes as report
    from private_experts.report import figures as drawing
    from private_experts.report import tables as writing

    bounds, drawn = _read(computed), _read(simulated)
    laws, causes = (make(bounds, drawn, confidence) for make in (comparisons.survivals, comparisons.looseness))
    label, facts = _simulation(drawn, seed, horizon=horizon, alpha=alpha, confidence=100 * confidence)
    drawing.save(report.draw(laws, _middle(drawn)), figures / "figure-batch-sizes", label, synthetic=False)
    drawing.save(report.draw_looseness(causes), figures / "figure-looseness", label, synthetic=False)
    writing.write(tables / "batch-sizes", laws, report.shown(laws), report.CAPTION.format(**facts), label)
    caption = report.LOOSENESS_CAPTION.format(**facts)
    writing.write(tables / "looseness", causes, report.shown_looseness(causes), caption, label)


def figure_amplification(
    computed: Sequence[Path],
    simulated: Sequence[Path],
    weeks: Sequence[Path],
    totals: Sequence[Path],
    provenance: Path,
    horizon: int,
    alpha: float,
    confidence: float,
    seed: int,
    figures: Path,
    tables: Path,
) -> None:
    """Draw amplification on easy streams and on the hospitals, and write their tables."""
    from private_experts.batching import comparisons, hospital
    from private_experts.report import amplification as report
    from private_experts.report import figures as drawing
    from private_experts.report import tables as writing

    drawn = _read(simulated)
    table = comparisons.by_gap(drawn, _read(computed), epsilon=1.0, confidence=confidence)
    label, facts = _simulation(drawn, seed, horizon=horizon, alpha=alpha, confidence=100 * confidence)
    drawing.save(report.draw(table), figures / "figure-amplification", label, synthetic=False)
    writing.write(tables / "amplification", table, report.shown(table), report.CAPTION.format(**facts), label)

    by_week, played = _read(weeks), _read(totals)
    label, synthetic = _label(provenance)
    facts |= {"repetitions": played["repetition"].nunique()}
    rows = hospital.summary(by_week, played, confidence)
    stem = "figure-amplification-hospitals"
    drawing.save(report.draw_hospitals(by_week), figures / stem, label, synthetic)
    caption = report.HOSPITAL_CAPTION.format(**facts)
    writing.write(tables / "amplification-hospitals", rows, report.shown_hospitals(rows), caption, label)


def figure_batching_costs(
    switches: Sequence[Path],
    regrets: Sequence[Path],
    alpha: float,
    confidence: float,
    seed: int,
    figures: Path,
    tables: Path,
) -> None:
    """Draw what batching costs in switches and regret, and write the tables."""
    from private_experts.batching import plays
    from private_experts.report import batching_costs as report
    from private_experts.report import figures as drawing
    from private_experts.report import tables as writing

    played = _read(switches)
    counts = plays.mean_switches(played, confidence)
    missed = plays.mean_regrets(_read(regrets), alpha, confidence)
    label, facts = _simulation(played, seed, alpha=alpha, confidence=100 * confidence)
    drawing.save(report.draw_switches(counts), figures / "figure-switching", label, synthetic=False)
    drawing.save(report.draw_regrets(missed), figures / "figure-regret", label, synthetic=False)
    caption = report.SWITCH_CAPTION.format(**facts)
    writing.write(tables / "switching", counts, report.shown_switches(counts), caption, label)
    writing.write(tables / "regret", missed, report.shown_regrets(missed), report.REGRET_CAPTION.format(**facts), label)


def _simulation(drawn: "pd.DataFrame", seed: int, **facts: float) -> tuple[str, dict[str, float]]:
    """Return the label of simulated data, and what captions say of it."""
    repetitions = int(drawn["repetition"].max()) + 1
    return f"simulation, seed {seed}", {**facts, "repetitions": repetitions}


def _middle(drawn: "pd.DataFrame") -> int:
    """Return the middle one of the rounds."""
    rounds = sorted(set(drawn["round"].tolist()))
    return int(rounds[len(rounds) // 2])


def quality(quality: Path, provenance: Path, output: Path) -> None:
    """Write the table of repairs."""
    import pandas as pd

    from private_experts.report import tables

    table = pd.read_csv(quality)
    figures = table.set_index("state").select_dtypes("number")
    shown = figures.loc[:, (figures != 0).any()].reset_index()
    shown.columns = [str(name).replace("_", " ") for name in shown]
    tables.write(
        output, table, shown, "What the reports had, and how often each repair was made.", _label(provenance)[0]
    )


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
) -> None:
    """Check one claim: its evidence as a table, its verdict as JSON."""
    import pandas as pd

    from private_experts import evidence as evidences

    given: dict[str, Any] = {}
    if panels:
        given["panels"] = _panels(panels)
    if table is not None:
        given["table"] = pd.read_csv(table)
    function = _check(check)
    try:
        if real_data_only and provenance is not None and _label(provenance)[1]:
            raise evidences.NotRunError("synthetic data")
        points, decided, spent = evidences.gather(
            lambda count: function(json.loads(grid), count, seed, **given), repetitions, cap
        )
    except evidences.NotRunError as reason:
        write_text(evidence, f"reason\n{reason}\n")
        write_text(verdict, json.dumps({"verdict": "not run", "reason": str(reason)}, indent=1) + "\n")
        return
    rows = pd.DataFrame([point.row() for point in points])
    write_text(evidence, rows.to_csv(index=False, lineterminator="\n"))
    nearest = evidences.worst(points)
    record = {
        "verdict": decided,
        "margin": list(nearest.margin),
        "worst": nearest.row(),
        "points": len(points),
        "repetitions": spent,
        "seed": seed,
    }
    write_text(verdict, json.dumps(_plain(record), indent=1) + "\n")


def _check(name: str) -> Any:
    """Return a check by its name in the ledger; the rule names it as an entry of its fingerprint as well."""
    module, _, function = name.partition(":")
    try:
        return getattr(importlib.import_module(f"private_experts.checks.{module}"), function)
    except (ImportError, AttributeError) as error:
        raise InputError(f"claims: there is no check {name}; {error}") from error


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


def ledger(claims: Sequence[Path], schema: Path, verdicts: Path, provenance: Path, output: Path, table: Path) -> None:
    """Gather all claims and verdicts into the ledger."""
    import pandas as pd

    from private_experts import ledger as room
    from private_experts.report import claims as report

    known = room.load(claims, schema)
    records = {name: json.loads((verdicts / f"{name}.json").read_text(encoding="utf-8")) for name in known}
    entries = room.gathered(known, records)
    label, _ = _label(provenance)
    write_text(output, json.dumps({"data": label, "claims": entries}, indent=1) + "\n")
    rows = report.rows(entries)
    write_text(
        table.with_suffix(".csv"), pd.DataFrame(rows).assign(data=label).to_csv(index=False, lineterminator="\n")
    )
    write_text(table.with_suffix(".md"), report.markdown(entries, label))


def verdicts(ledger: Path, output: Path, allow_undecided: bool = False) -> None:
    """Count the verdicts, and refuse when one is not as expected."""
    from private_experts import ledger as room
    from private_experts.report import claims as report

    entries = json.loads(ledger.read_text(encoding="utf-8"))["claims"]
    surprising = [
        entry for entry in entries if not room.as_expected(entry["expected"], entry["verdict"], allow_undecided)
    ]
    if surprising:
        names = ", ".join(f"{each['id']} ({each['verdict']}, expected {each['expected']})" for each in surprising)
        raise InputError(f"claims: {len(surprising)} came out otherwise than expected: {names}; see claims.md")
    write_text(output, "\n".join(report.counts(entries)) + "\n")


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
    import csv

    from private_experts.hospital.published import shape_difference
    from private_experts.report.claims import counts
    from private_experts.report.manifest import collect

    record = collect(json.loads(config), root, json.loads(provenance.read_text(encoding="utf-8")), outputs, stamps)
    with quality.open(encoding="utf-8", newline="") as stream:
        rows = {row["state"]: row for row in csv.DictReader(stream)}
    shapes = [(state, int(rows[state]["weeks"]), int(rows[state]["hospitals"])) for state in states]
    record["verdicts"] = counts(json.loads(ledger.read_text(encoding="utf-8"))["claims"])
    record["data"]["shape"] = [line for line in (shape_difference(*shape) for shape in shapes) if line]
    write_text(output, json.dumps(record, indent=1, sort_keys=True) + "\n")


def summary(manifest: Path, started: float | None = None) -> None:
    """Say what data was used, where the tables and figures lie, and how long the run took."""
    import time

    from private_experts.report.summary import lines

    if not manifest.exists():
        raise InputError(f"{manifest}: no such file; run the workflow first")
    print("\n".join(lines(json.loads(manifest.read_text(encoding="utf-8")))))
    if started is not None:
        print(f"Time:     {time.time() - started:.0f} s")
