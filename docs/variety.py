"""Write the second rule's table into docs/readings.md: python docs/variety.py [--panels FOLDER].

It plays all learners that the paper's words allow on the panels of a run, in some minutes: so it is no job of
each run, and nothing of a run rests on it.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from tables import ROOT, put

from private_experts.arrays import Indices
from private_experts.replication.plotting.tables import markdown
from private_experts.replication.study.data.panel import Panel, read
from private_experts.replication.study.hospital_game import Game, game
from private_experts.replication.study.players.rw_meta import advised, followed
from private_experts.replication.workflow import config as configuration
from private_experts.ties import first_largest

REPETITIONS = 50  # as the rule says


def different(advice: Indices) -> float:
    """Return how many experts are named in a round, on average, by advice of shape (T, m, repetitions)."""
    ordered = np.sort(advice, axis=1)
    return float(1 + (np.diff(ordered, axis=1) != 0).sum(axis=1).mean())


def variety(
    match: Game, family: str, windows: Sequence[int], strengths: Mapping[str, Sequence[float]]
) -> dict[str, float]:
    """Return the rule's measure of a family in one state, by strengths, as a mean over the levels."""
    every = sorted({strength for triple in strengths.values() for strength in triple})
    pairs = [(window, strength) for window in windows for strength in every]
    found: dict[str, list[float]] = {name: [] for name in strengths}
    for mu in match.levels:
        advice = advised(followed(match, mu), family, pairs).actions
        for name, triple in strengths.items():
            # RW-FTPL, the last of those who advise, is no regression.
            rows = [row for row, (_, strength) in enumerate(pairs) if strength in triple]
            found[name].append(different(advice[:, rows]))
    return {name: float(np.mean(values)) for name, values in found.items()}


def slice_of(panels: Mapping[str, Panel], studied: Sequence[str], smallest: int) -> dict[str, Panel]:
    """Return the panels that the rule looks at: of other states than the study's, with enough hospitals."""
    return {
        state: panel
        for state, panel in panels.items()
        if state not in studied and len(panel.hospitals) >= smallest
    }


def shown(measured: pd.DataFrame, plays: tuple[str, str], states: int) -> str:
    """Return the table of the measure by family and strengths, and what the rule chooses by it."""
    best = measured.stack()
    family, name = best.index[int(first_largest(best.to_numpy()))]
    table = measured.map(lambda value: f"{value:.2f}").rename_axis("learners").reset_index()
    return (
        f"{markdown(table).strip()}\n\n*Different hospitals that twelve regressions name in a week, by "
        f"strengths, in {states} states. The largest: {family}, {name} ({best[family, name]:.2f}); the study "
        f"plays {plays[0]}, {plays[1]} ({best[plays]:.2f}).*"
    )


def main(folder: Path) -> None:
    """Measure, and write the table."""
    config = configuration.read(ROOT / "config/study.yaml")
    hospital, learners, readings = (config[name] for name in ("hospital", "learners", "readings"))
    panels = {path.stem: read(path) for path in sorted(folder.glob("??.csv"))}
    kept = slice_of(panels, hospital["states"], config["generality"]["smallest_number_of_hospitals"])
    rows = {}
    for family in readings["families"]:
        found = []
        for state, panel in kept.items():
            match = game(
                panel, state, config["privacy_levels"], REPETITIONS, config["seed"], hospital["adjacency"]
            )
            found.append(variety(match, family, learners["windows"], readings["strengths"]))
        rows[family] = pd.DataFrame(found).mean()  # each state alike
        print(family, rows[family].round(3).to_dict(), flush=True)
    triples = {tuple(triple): name for name, triple in readings["strengths"].items()}
    plays = learners["family"], triples[tuple(learners["strengths"].values())]
    put(ROOT / "docs/readings.md", shown(pd.DataFrame(rows).T, plays, len(kept)), "variety")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write the table of the second rule into docs/readings.md.")
    parser.add_argument("--panels", type=Path, default=ROOT / "results/hospital/study/panels")
    main(parser.parse_args().panels)
