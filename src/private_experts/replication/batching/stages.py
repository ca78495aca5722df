"""RW-AdaBatch's stages: laws of batch sizes, games, Figure 1 and the figures beside it."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from private_experts.errors import InputError
from private_experts.replication.command_line import WILDCARD, Config, Folder, Output
from private_experts.replication.files import write_text
from private_experts.replication.hospital.reading import read_game
from private_experts.replication.records import data_label, read_records

if TYPE_CHECKING:
    import pandas as pd


def batch_sizes(
    experts: Annotated[int, WILDCARD],
    privacy_levels: Annotated[Sequence[float], Config("batching.privacy_levels")],
    horizon: Annotated[int, Config("batching.horizon")],
    rounds: Annotated[Sequence[int], Config("batching.rounds")],
    gaps: Annotated[Sequence[float], Config("batching.gaps")],
    repetitions: Annotated[int, Config("batching.repetitions")],
    alpha: Annotated[float, Config("batching.alpha")],
    seed: Annotated[int, Config("seed")],
    computed: Output,
    simulated: Output,
) -> None:
    """Compute and simulate the laws of RW-AdaBatch's batch sizes for one number of experts.

    Parameters
    ----------
    experts
        Number of experts.
    privacy_levels
        Levels mu of Gaussian differential privacy.
    horizon, rounds
        Number of rounds, and the rounds whose data are asked about.
    gaps
        By how much one expert gains more than all others each round, on further, easier streams.
    repetitions, seed
        Runs behind each simulated law, and the study's seed.
    alpha
        RW-AdaBatch's tolerance.
    computed, simulated
        Gets the laws that are computed; gets every repetition's batch sizes.
    """
    from private_experts.replication.batching import laws

    if max(rounds) >= horizon:
        raise InputError(f"batching.rounds: {max(rounds)} does not lie before the end, batching.horizon = {horizon}")
    bounds = laws.computed(experts, privacy_levels, horizon, rounds, alpha)
    drawn = laws.simulated(experts, privacy_levels, horizon, rounds, gaps, repetitions, alpha, seed)
    write_text(computed, bounds.to_csv(index=False, lineterminator="\n"))
    write_text(simulated, drawn.to_csv(index=False, lineterminator="\n"))


def batched_games(
    experts: Annotated[int, WILDCARD],
    horizons: Annotated[Sequence[int], Config("batching.horizons")],
    play_repetitions: Annotated[int, Config("batching.play_repetitions")],
    alpha: Annotated[float, Config("batching.alpha")],
    seed: Annotated[int, Config("seed")],
    switches: Output,
    regrets: Output,
) -> None:
    """Play RW-FTPL and RW-AdaBatch on the streams, for one number of experts.

    Parameters
    ----------
    experts
        Number of experts.
    horizons
        Numbers of rounds.
    play_repetitions, seed
        Independent copies of each game, and the study's seed.
    alpha
        RW-AdaBatch's tolerance.
    switches, regrets
        Gets every repetition's switches; gets every repetition's regrets.
    """
    from private_experts.replication.batching import plays

    counts = plays.switch_counts(experts, horizons, play_repetitions, alpha, seed)
    write_text(switches, counts.to_csv(index=False, lineterminator="\n"))
    missed = plays.regrets(experts, horizons, play_repetitions, alpha, seed)
    write_text(regrets, missed.to_csv(index=False, lineterminator="\n"))


def hospital_batches(
    state: Annotated[str, WILDCARD],
    panel: Path,
    weeks: Output,
    totals: Output,
    privacy_levels: Annotated[Sequence[float], Config("privacy_levels")],
    repetitions: Annotated[int, Config("repetitions")],
    seed: Annotated[int, Config("seed")],
    alpha: Annotated[float, Config("batching.alpha")],
    adjacency: Annotated[Literal["move", "removal"], Config("hospital.adjacency")] = "move",
) -> None:
    """Play RW-AdaBatch on a state's panel.

    Parameters
    ----------
    state
        Names the randomness.
    panel
        CSV of the state's panel.
    weeks, totals
        Gets the mean batch sizes by week; gets every repetition's total gain.
    privacy_levels
        Levels mu; inf is none.
    repetitions, seed
        Independent copies, and the study's seed.
    alpha
        RW-AdaBatch's tolerance.
    adjacency
        Whom the privacy is for.
    """
    from private_experts.replication.batching import hospital_batches as hospital

    game = read_game(panel, state, privacy_levels, repetitions, seed, adjacency)
    for path, table in zip((weeks, totals), hospital.weeks(game, alpha), strict=True):
        write_text(path, table.to_csv(index=False, lineterminator="\n"))


def figure_1(
    computed: Sequence[Path],
    simulated: Sequence[Path],
    horizon: Annotated[int, Config("batching.horizon")],
    alpha: Annotated[float, Config("batching.alpha")],
    confidence: Annotated[float, Config("confidence")],
    seed: Annotated[int, Config("seed")],
    figures: Folder,
    tables: Folder,
) -> None:
    """Draw Figure 1 as trade-off curves and as profiles, and write its tables.

    Parameters
    ----------
    computed, simulated
        Laws of batch sizes, a file for each number of experts.
    horizon, alpha, confidence, seed
        What the records were made with, for labels and captions.
    figures, tables
        Folders.
    """
    import numpy as np
    from scipy.special import ndtr

    from private_experts.replication.batching import amplification
    from private_experts.replication.batching import figure_1 as report
    from private_experts.replication.drawing import figures as drawing
    from private_experts.replication.drawing import tables as writing

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
    horizon: Annotated[int, Config("batching.horizon")],
    alpha: Annotated[float, Config("batching.alpha")],
    confidence: Annotated[float, Config("confidence")],
    seed: Annotated[int, Config("seed")],
    figures: Folder,
    tables: Folder,
) -> None:
    """Draw the laws of batch sizes and where the proxy is loose, and write their tables.

    Parameters
    ----------
    computed, simulated
        Laws of batch sizes, a file for each number of experts.
    horizon, alpha, confidence, seed
        What the records were made with, for labels and captions.
    figures, tables
        Folders.
    """
    from private_experts.replication.batching import comparisons
    from private_experts.replication.batching import figure_batch_sizes as report
    from private_experts.replication.drawing import figures as drawing
    from private_experts.replication.drawing import tables as writing

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
    horizon: Annotated[int, Config("batching.horizon")],
    alpha: Annotated[float, Config("batching.alpha")],
    confidence: Annotated[float, Config("confidence")],
    seed: Annotated[int, Config("seed")],
    figures: Folder,
    tables: Folder,
) -> None:
    """Draw amplification on easy streams and on the hospitals, and write their tables.

    Parameters
    ----------
    computed, simulated
        Laws of batch sizes, a file for each number of experts.
    weeks, totals, provenance
        What the hospitals' games left, a file a state, and where the data comes from.
    horizon, alpha, confidence, seed
        What the records were made with, for labels and captions.
    figures, tables
        Folders.
    """
    from private_experts.replication.batching import comparisons
    from private_experts.replication.batching import figure_amplification as report
    from private_experts.replication.batching import hospital_batches as hospital
    from private_experts.replication.drawing import figures as drawing
    from private_experts.replication.drawing import tables as writing

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
    alpha: Annotated[float, Config("batching.alpha")],
    confidence: Annotated[float, Config("confidence")],
    seed: Annotated[int, Config("seed")],
    figures: Folder,
    tables: Folder,
) -> None:
    """Draw what batching costs in switches and regret, and write the tables.

    Parameters
    ----------
    switches, regrets
        Records of games, a file for each number of experts.
    alpha, confidence, seed
        What the records were made with, for labels and captions.
    figures, tables
        Folders.
    """
    from private_experts.replication.batching import figure_batching_costs as report
    from private_experts.replication.batching import plays
    from private_experts.replication.drawing import figures as drawing
    from private_experts.replication.drawing import tables as writing

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
