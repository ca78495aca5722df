"""The stages of the explorer: laws of batch sizes at several tolerances, and the file itself."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from private_experts.replication.files import write_csv, write_text
from private_experts.replication.formats import CURVES, TOLERANCES_COMPUTED, TOLERANCES_SIMULATED
from private_experts.replication.records import data_label, read_records
from private_experts.replication.stage_cli import INPUT, OUTPUT, Config
from private_experts.replication.stage_parameters import (
    Confidence,
    Curves,
    Experts,
    Horizon,
    Panels,
    Provenance,
    Repetitions,
    Seed,
)


def tolerances(
    experts: Experts,
    privacy_levels: Annotated[
        Sequence[float], Config("batching.privacy_levels"), "Levels mu of Gaussian differential privacy."
    ],
    horizon: Horizon,
    rounds: Annotated[Sequence[int], Config("batching.rounds"), "Rounds of the data whose batches are computed."],
    repetitions: Annotated[int, Config("batching.repetitions"), "Runs behind each simulated law."],
    tolerances: Annotated[Sequence[float], Config("batching.tolerances"), "Tolerances alpha of RW-AdaBatch."],
    seed: Seed,
    computed: Annotated[Path, OUTPUT, "Gets the laws that are computed."],
    simulated: Annotated[Path, OUTPUT, "Gets the batch sizes of every repetition."],
) -> None:
    """Compute and simulate the laws of RW-AdaBatch's batch sizes at several tolerances."""
    from private_experts.replication.study.batching import tolerances as laws

    write_csv(computed, laws.computed(experts, privacy_levels, horizon, rounds, tolerances))
    write_csv(simulated, laws.simulated(experts, privacy_levels, horizon, rounds, repetitions, tolerances, seed))


def explorer(
    curves: Curves,
    panels: Panels,
    computed: Annotated[
        Sequence[Path], INPUT, "Laws of batch sizes at several tolerances, computed; a file for each n."
    ],
    simulated: Annotated[
        Sequence[Path], INPUT, "Batch sizes of every repetition at several tolerances, a file for each n."
    ],
    provenance: Provenance,
    repetitions: Repetitions,
    confidence: Confidence,
    horizon: Horizon,
    output: Annotated[Path, OUTPUT, "HTML file."],
) -> None:
    """Write the explorer: the games of all states and the amplification of batching, in one file."""
    from private_experts.replication.report.explorer.contents import contents
    from private_experts.replication.report.explorer.document import render
    from private_experts.replication.study.loading import read_panels

    bounds, drawn = read_records(computed, TOLERANCES_COMPUTED), read_records(simulated, TOLERANCES_SIMULATED)
    laws = {
        tolerance: (bounds[bounds["tolerance"] == tolerance], drawn[drawn["tolerance"] == tolerance])
        for tolerance in sorted(set(bounds["tolerance"].tolist()))
    }
    games = read_records(curves, CURVES)
    made = contents(games, read_panels(panels), laws, repetitions, confidence, horizon, *data_label(provenance))
    write_text(output, render(*made))
