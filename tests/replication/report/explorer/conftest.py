"""A small study: the records that its stages leave, and the explorer made of them."""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from private_experts.replication.report.explorer.explorer_stages import explorer
from private_experts.replication.study.data import panel
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.hospital_stages import games
from tests.once import once
from tests.replication.study.plays import LEARNERS, LEVELS, a_panel

REPETITIONS, CONFIDENCE = 6, 0.95
STATES = {"NM": a_panel(weeks=9, hospitals=3, seed=2), "VT": a_panel()}
ALONE = Panel(("week 1",), ("010000",), np.array([[0.5]]), np.array([4.0]))  # one hospital: no game
EVERYWHERE = ("rw-meta", "rw-ftpl", "tree-ftpl", "yardsticks")
PLAYERS = (*EVERYWHERE, "prefix-sums")


class Left(NamedTuple):
    """The records of a small run, and the file made of them."""

    curves: list[Path]
    panels: list[Path]
    provenance: Path
    output: Path

    def records(self) -> pd.DataFrame:
        return pd.concat(map(pd.read_csv, self.curves), ignore_index=True)

    def make(self, output: Path) -> str:
        explorer(self.curves, self.panels, self.provenance, REPETITIONS, CONFIDENCE, output)
        return output.read_text(encoding="utf-8")


def left(folder: Path) -> Left:
    panels = [folder / f"{state}.csv" for state in (*STATES, "GU")]
    curves = [folder / f"{player}.curves.csv" for player in PLAYERS]
    return Left(curves, panels, folder / "provenance.json", folder / "explorer.html")


def run(folder: Path) -> None:
    """Run the stages on small panels, and make the explorer of what they leave."""
    folder.mkdir()
    here = left(folder)
    for path, state in zip(here.panels, (*STATES.values(), ALONE), strict=True):
        panel.write(path, state)
    for player, curves in zip(PLAYERS, here.curves, strict=True):
        where = here.panels if player in EVERYWHERE else here.panels[1:2]
        settings = {"learners": LEARNERS} if player == "rw-meta" else {}
        totals, report_noise = (folder / f"{player}.{kind}.csv" for kind in ("totals", "report-noise"))
        games(player, where, totals, curves, report_noise, LEVELS, REPETITIONS, 5, settings=settings)
    here.provenance.write_text(
        json.dumps({"label": "reports <of> 12 weeks (one.csv)", "kind": "file"}), encoding="utf-8"
    )
    here.make(here.output)


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Left:
    """Return the records of a small run, with the explorer made; all test processes share them."""
    return left(once(tmp_path_factory, "small-explorer", run))
