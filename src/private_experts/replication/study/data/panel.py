"""A state's panel, which has one row for each week and one column for each hospital, and its CSV file.

Many short jobs read panels, so this module does not load pandas.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from private_experts.arrays import Array
from private_experts.errors import InputError
from private_experts.replication.files import write_text


@dataclass(frozen=True)
class Panel:
    """A state's panel. Its weeks are the rounds of a game, and its densities the gains."""

    weeks: tuple[str, ...]  # ISO dates
    hospitals: tuple[str, ...]  # sorted
    density: Array  # (T, n), in [0, 1]
    smallest_beds: Array  # (T,), among the hospitals that report; it determines the sensitivity


def text(panel: Panel) -> str:
    """Return a panel as CSV: the week, smallest_beds, then one column of densities for each hospital."""
    lines = [",".join(["week", "smallest_beds", *panel.hospitals])]
    for week, smallest, density in zip(panel.weeks, panel.smallest_beds, panel.density, strict=True):
        lines.append(",".join([week, repr(float(smallest)), *map(repr, density.tolist())]))
    return "\n".join(lines) + "\n"


def write(path: Path, panel: Panel) -> None:
    """Write a panel as `text` has it."""
    write_text(path, text(panel))


def read(path: Path) -> Panel:
    """Read a panel that `write` wrote; refuse any other file."""
    try:
        names, *rows = [line.split(",") for line in Path(path).read_text(encoding="utf-8").splitlines()]
        figures = np.array([[float(cell) for cell in row[1:]] for row in rows], dtype=np.float64)
        figures = figures.reshape(len(rows), len(names) - 1)
        panel = Panel(tuple(row[0] for row in rows), tuple(names[2:]), figures[:, 1:], figures[:, 0])
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); the stage panels writes it") from error
    except (ValueError, IndexError) as error:
        raise InputError(f"{path}: is not a panel; the stage panels writes one") from error
    right = names[:2] == ["week", "smallest_beds"] and bool(rows or not panel.hospitals)
    usable = not panel.hospitals or bool((panel.smallest_beds > 0).all())
    inside = ((panel.density >= 0) & (panel.density <= 1)).all()
    if not (right and usable and inside):
        raise InputError(f"{path}: is not a panel (densities in [0, 1], positive beds); the stage panels writes one")
    return panel
