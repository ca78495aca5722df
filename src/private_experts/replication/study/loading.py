"""Loading panels and games, for several stages."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from private_experts.replication.plotting.numbers import in_weeks

if TYPE_CHECKING:
    import pandas as pd

    from private_experts.replication.study.choices import Adjacency, Reach
    from private_experts.replication.study.data.panel import Panel
    from private_experts.replication.study.hospital_game import Game


def read_panels(paths: Iterable[Path]) -> dict[str, "Panel"]:
    """Read panels; the name of each file is its state."""
    from private_experts.replication.study.data.panel import read

    return {path.stem: read(path) for path in paths}


def best_hospital(panels: Mapping[str, "Panel"]) -> dict[str, float]:
    """Return the total density of each state's best single hospital."""
    return {state: float(panel.density.sum(axis=0).max()) for state, panel in panels.items()}


def caption_facts(games: "pd.DataFrame", panels: Mapping[str, "Panel"], confidence: float) -> dict[str, Any]:
    """Return what captions say of some games."""
    weeks = in_weeks(len(panel.weeks) for panel in panels.values())
    return {"weeks": weeks, "repetitions": games["repetition"].max() + 1, "confidence": 100 * confidence}


def read_game(
    panel: Path,
    state: str,
    privacy_levels: Sequence[float],
    repetitions: int,
    seed: int,
    adjacency: "Adjacency",
    reach: "Reach" = 1.0,
) -> "Game":
    """Read a panel and turn it into a game."""
    from private_experts.replication.study.data.panel import read
    from private_experts.replication.study.hospital_game import game

    return game(read(panel), state, privacy_levels, repetitions, seed, adjacency, reach)
