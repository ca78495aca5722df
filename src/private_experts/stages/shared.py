"""What several stages read."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from private_experts.records import read_json, read_table

if TYPE_CHECKING:
    import pandas as pd

    from private_experts.hospital.panel import Panel
    from private_experts.hospital.study import Adjacency, Game


def read_records(paths: Iterable[Path]) -> "pd.DataFrame":
    """Read game records below one another; panels without a choice left none."""
    import pandas as pd

    parts = [read_table(path) for path in paths]
    return pd.concat([part for part in parts if len(part)] or parts, ignore_index=True)


def read_panels(paths: Iterable[Path]) -> dict[str, "Panel"]:
    """Read panels by state, which is the file's name."""
    from private_experts.hospital.panel import read

    return {path.stem: read(path) for path in paths}


def best_hospital(panels: Mapping[str, "Panel"]) -> dict[str, float]:
    """Return the total density of each state's best single hospital."""
    return {state: float(panel.density.sum(axis=0).max()) for state, panel in panels.items()}


def data_label(provenance: Path) -> tuple[str, bool]:
    """Return the data's label, and whether it is synthetic."""
    origin = read_json(provenance, ("label", "kind"))
    return origin["label"], origin["kind"] == "synthetic"


def read_game(
    panel: Path, state: str, privacy_levels: Sequence[float], repetitions: int, seed: int, adjacency: "Adjacency"
) -> "Game":
    """Read a panel and turn it into a game."""
    from private_experts.hospital.panel import read
    from private_experts.hospital.study import game

    return game(read(panel), state, privacy_levels, repetitions, seed, adjacency)
