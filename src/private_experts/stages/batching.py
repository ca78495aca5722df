"""RW-AdaBatch: laws of batch sizes, games, Figure 1 and its company."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from private_experts.errors import InputError
from private_experts.files import write_text
from private_experts.stages.shared import data_label, read_game, read_records

if TYPE_CHECKING:
    import pandas as pd


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

    for path, table in zip((weeks, totals), hospital.weeks(read_game(panel, state, **settings), alpha), strict=True):
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

    bounds, drawn = read_records(computed), read_records(simulated)
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

    bounds, drawn = read_records(computed), read_records(simulated)
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

    drawn = read_records(simulated)
    table = comparisons.by_gap(drawn, read_records(computed), epsilon=1.0, confidence=confidence)
    label, facts = _simulation(drawn, seed, horizon=horizon, alpha=alpha, confidence=100 * confidence)
    drawing.save(report.draw(table), figures / "figure-amplification", label, synthetic=False)
    writing.write(tables / "amplification", table, report.shown(table), report.CAPTION.format(**facts), label)

    by_week, played = read_records(weeks), read_records(totals)
    label, synthetic = data_label(provenance)
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

    played = read_records(switches)
    counts = plays.mean_switches(played, confidence)
    missed = plays.mean_regrets(read_records(regrets), alpha, confidence)
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
