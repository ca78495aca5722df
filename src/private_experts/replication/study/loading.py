"""Loading panels and games, for several stages."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from private_experts.replication.choices import Adjacency
    from private_experts.replication.study.data.panel import Panel
    from private_experts.replication.study.hospital_game import Game


def read_panels(paths: Iterable[Path]) -> dict[str, "Panel"]:
    """Read panels; the name of each file is its state."""
    from private_experts.replication.study.data.panel import read

    return {path.stem: read(path) for path in paths}


def best_hospital(panels: Mapping[str, "Panel"]) -> dict[str, float]:
    """Return the total density of each state's best single hospital."""
    return {state: float(panel.density.sum(axis=0).max()) for state, panel in panels.items()}


def read_game(
    panel: Path,
    state: str,
    privacy_levels: Sequence[float],
    repetitions: int,
    seed: int,
    adjacency: "Adjacency",
    reach: float = 1.0,
) -> "Game":
    """Read a panel and turn it into a game."""
    from private_experts.replication.study.data.panel import read
    from private_experts.replication.study.hospital_game import game

    return game(read(panel), state, privacy_levels, repetitions, seed, adjacency, reach)
