"""A small study: the records that its stages leave, and the explorer made of them."""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from private_experts.replication.explorer.stages import explorer, tolerances
from private_experts.replication.hospital import panel
from private_experts.replication.hospital.panel import Panel
from private_experts.replication.hospital.stages import games
from tests.replication.hospital.plays import LEARNERS, LEVELS, a_panel

REPETITIONS, CONFIDENCE, HORIZON = 6, 0.95, 40
STATES = {"NM": a_panel(), "VT": a_panel(weeks=9, hospitals=3, seed=2)}
ALONE = Panel(("week 1",), ("010000",), np.array([[0.5]]), np.array([4.0]))  # one hospital: no game
EVERYWHERE = ("rw-meta", "rw-ftpl", "tree-ftpl", "yardsticks")


class Left(NamedTuple):
    """The records of a small run, and the file made of them."""

    curves: list[Path]
    panels: list[Path]
    computed: Path
    simulated: Path
    provenance: Path
    output: Path

    def records(self) -> pd.DataFrame:
        """Return the records of all games."""
        return pd.concat(map(pd.read_csv, self.curves), ignore_index=True)

    def make(self, output: Path) -> str:
        """Write the explorer, and return it."""
        laws, states = ([self.computed], [self.simulated]), self.panels
        explorer(self.curves, states, *laws, self.provenance, REPETITIONS, CONFIDENCE, HORIZON, output)
        return output.read_text(encoding="utf-8")


def left(folder: Path) -> Left:
    """Run the stages on small panels, and return what they leave."""
    panels = [folder / f"{state}.csv" for state in (*STATES, "GU")]
    for path, each in zip(panels, (*STATES.values(), ALONE), strict=True):
        panel.write(path, each)
    curves = []
    for player, where in [*((player, panels) for player in EVERYWHERE), ("prefix-sums", panels[:1])]:
        curves.append(folder / f"{player}.curves.csv")
        settings = json.dumps({"learners": LEARNERS}) if player == "rw-meta" else "{}"
        totals = folder / f"{player}.totals.csv"
        games(player, where, totals, curves[-1], LEVELS, REPETITIONS, 5, settings=settings)
    computed, simulated = folder / "computed.csv", folder / "simulated.csv"
    tolerances(3, [1.0, 0.5], HORIZON, [10, 20], 30, [0.01, 0.1], 5, computed, simulated)
    provenance = folder / "provenance.json"
    provenance.write_text(json.dumps({"label": "reports <of> 12 weeks", "kind": "file"}), encoding="utf-8")
    return Left(curves, panels, computed, simulated, provenance, folder / "explorer.html")


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Left:
    """Return the records of a small run, with the explorer made."""
    run = left(tmp_path_factory.mktemp("explorer"))
    run.make(run.output)
    return run
