"""The stages about RW-AdaBatch: laws of batch sizes, Figure 1, easier data and the hospitals."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from private_experts.errors import InputError
from private_experts.replication.files import write_csv
from private_experts.replication.plotting.data_label import data_label
from private_experts.replication.records import read_records
from private_experts.replication.stage_cli import INPUT, Config, Output
from private_experts.replication.study import formats
from private_experts.replication.study.stage_parameters import (
    Adjacency,
    Alpha,
    Computed,
    Confidence,
    Experts,
    FigureFolder,
    Horizon,
    Panel,
    PrivacyLevels,
    Provenance,
    Reach,
    Repetitions,
    Seed,
    Simulated,
    State,
    TableFolder,
    Totals,
    TotalsFile,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


def batch_sizes(
    experts: Experts,
    privacy_levels: Annotated[
        Sequence[float], Config("batching.privacy_levels"), "Levels mu of Gaussian differential privacy."
    ],
    horizon: Horizon,
    rounds: Annotated[
        Sequence[int], Config("batching.rounds"), "Rounds of the data whose batches are computed."
    ],
    repetitions: Annotated[int, Config("batching.repetitions"), "Runs behind each simulated law."],
    alpha: Alpha,
    seed: Seed,
    computed: Annotated[Output, "Gets the laws that are computed."],
    simulated: Annotated[Output, "Gets the batch sizes of every repetition."],
    gaps: Annotated[
        Sequence[float],
        Config("batching.gaps"),
        "How much more one expert gains than all others in each round, on further, easier streams.",
    ] = (),
) -> None:
    """Compute and simulate the laws of RW-AdaBatch's batch sizes for one number of experts."""
    from private_experts.replication.study.batching import batch_size_laws

    if max(rounds) >= horizon:
        raise InputError(f"batching.rounds: {max(rounds)} must be less than batching.horizon = {horizon}")
    write_csv(computed, batch_size_laws.computed(experts, privacy_levels, horizon, rounds, alpha))
    write_csv(
        simulated,
        batch_size_laws.simulated(experts, privacy_levels, horizon, rounds, gaps, repetitions, alpha, seed),
    )


def hospital_batches(
    state: State,
    panel: Panel,
    weeks: Annotated[Output, "Gets the mean batch sizes by week."],
    totals: TotalsFile,
    privacy_levels: PrivacyLevels,
    repetitions: Repetitions,
    seed: Seed,
    alpha: Alpha,
    adjacency: Adjacency = "move",
    reach: Reach = 1.0,
) -> None:
    """Play RW-AdaBatch on a state's panel."""
    from private_experts.replication.study.batching import hospital_batches as hospital
    from private_experts.replication.study.data.panel import read
    from private_experts.replication.study.hospital_game import game

    match = game(read(panel), state, privacy_levels, repetitions, seed, adjacency, reach)
    for path, table in zip((weeks, totals), hospital.weeks(match, alpha), strict=True):
        write_csv(path, table)


def figure_1(
    computed: Computed,
    simulated: Simulated,
    horizon: Horizon,
    alpha: Alpha,
    confidence: Confidence,
    seed: Seed,
    figures: FigureFolder,
    tables: TableFolder,
) -> None:
    """Draw Figure 1, and write its tables, as trade-off curves and as privacy profiles."""
    import numpy as np
    from scipy.special import ndtr

    from private_experts.replication.plotting.tables import write_numbers
    from private_experts.replication.study.batching import amplification
    from private_experts.replication.study.batching import figure_1 as report

    bounds, drawn = read_records(computed, formats.COMPUTED), read_records(simulated, formats.SIMULATED)
    grid = amplification.cells(bounds, drawn, horizon, confidence)
    curves = amplification.tradeoff_curves(grid, np.concatenate([[0], ndtr(np.linspace(-3.5, 3.5, 57)), [1]]))
    profiles, summary = amplification.profiles(grid), amplification.summary(grid)
    label, facts = _simulation(drawn, seed, horizon=horizon, alpha=alpha, confidence=100 * confidence)
    _draw(figures / "figure-1", report.trade_off_figure(curves, _middle(drawn)), label)
    _write(tables / "figure-1", curves, report.delta_table(summary), report.CAPTION, facts, label)
    _write(
        tables / "figure-1-delta",
        profiles,
        report.profiles_table(summary),
        report.DELTA_CAPTION,
        facts,
        label,
    )
    write_numbers(tables / "figure-1-summary.csv", summary, label)


def figure_amplification(
    computed: Computed,
    simulated: Simulated,
    weeks: Annotated[Sequence[Path], INPUT, "Mean batch sizes by week, a file for each state."],
    totals: Totals,
    provenance: Provenance,
    horizon: Horizon,
    alpha: Alpha,
    confidence: Confidence,
    seed: Seed,
    figures: FigureFolder,
    tables: TableFolder,
) -> None:
    """Draw privacy amplification on easy streams, and write its table and that of the hospitals."""
    from private_experts.replication.study.batching import amplification
    from private_experts.replication.study.batching import figure_amplification as report
    from private_experts.replication.study.batching import hospital_batches as hospital

    drawn, bounds = read_records(simulated, formats.SIMULATED), read_records(computed, formats.COMPUTED)
    by_week, played = read_records(weeks, formats.BATCHED_WEEKS), read_records(totals, formats.BATCHED_TOTALS)
    table = amplification.by_gap(drawn, bounds, epsilon=1.0, confidence=confidence)
    label, facts = _simulation(drawn, seed, horizon=horizon, alpha=alpha, confidence=100 * confidence)
    _draw(figures / "figure-amplification", report.amplification_figure(table, _middle(drawn)), label)
    _write(tables / "amplification", table, report.amplification_table(table), report.CAPTION, facts, label)

    label, _ = data_label(provenance, dict.fromkeys(by_week["state"]))
    facts |= {"repetitions": played["repetition"].nunique()}
    rows = hospital.summary(by_week, played, confidence)
    shown, stem = report.hospitals_table(rows), tables / "amplification-hospitals"
    _write(stem, rows, shown, report.HOSPITAL_CAPTION, facts, label)


def _draw(stem: Path, figure: "Figure", label: str) -> None:
    from private_experts.replication.plotting.figures import save

    save(figure, stem, label, synthetic=False)


def _write(
    stem: Path,
    table: "pd.DataFrame",
    shown: "pd.DataFrame",
    caption: str,
    facts: Mapping[str, float],
    label: str,
) -> None:
    from private_experts.replication.plotting.tables import write

    write(stem, table, shown, caption.format(**facts), label)


def _simulation(drawn: "pd.DataFrame", seed: int, **facts: float) -> tuple[str, dict[str, float]]:
    """Return the label of simulated data, and the facts that captions state about it."""
    repetitions = int(drawn["repetition"].max()) + 1
    return f"simulation, seed {seed}", {**facts, "repetitions": repetitions}


def _middle(drawn: "pd.DataFrame") -> int:
    """Return the middle one of the rounds."""
    rounds = sorted(set(drawn["round"].tolist()))
    return int(rounds[len(rounds) // 2])
