"""A state's panel, which has one row for each week and one column for each hospital, and its CSV files.

The beds of each hospital, and how far one person moves its cleaned figure, are in files of their own, because
most stages ask for densities alone. Many short jobs read panels, so this module does not load pandas.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from private_experts.arrays import Array
from private_experts.errors import InputError
from private_experts.replication.files import require_file, write_text
from private_experts.replication.records import LARGEST

BESIDE = ("beds", "covering")  # in files beside the panel


@dataclass(frozen=True)
class Panel:
    """A state's panel. Its weeks are the rounds of a game, and its densities the gains."""

    weeks: tuple[str, ...]  # ISO dates
    hospitals: tuple[str, ...]  # sorted
    density: Array  # (T, n), in [0, 1]
    smallest_beds: Array  # (T,), among the hospitals that report; it determines the sensitivity
    # (T, n), positive; of a closed hospital those of the nearest week with a report
    beds: Array | None = None
    covering: Array | None = None  # (T, n), positive: see `suppression.covering_reach`


def text(panel: Panel) -> str:
    """Return a panel as CSV: the week, smallest_beds, then one column of densities for each hospital."""
    lines = [",".join(["week", "smallest_beds", *panel.hospitals])]
    for week, smallest, density in zip(panel.weeks, panel.smallest_beds, panel.density, strict=True):
        # repr keeps every bit of a float, so panels read back are those that were written.
        lines.append(",".join([week, repr(float(smallest)), *map(repr, density.tolist())]))
    return "\n".join(lines) + "\n"


def write(path: Path, panel: Panel) -> None:
    """Write a panel as `text` has it, and what else it has of each hospital to files beside it."""
    content = text(panel)
    for name in BESIDE:
        values, file = getattr(panel, name), beside(path, name)
        if values is None:  # those of another panel may be there
            file.unlink(missing_ok=True)
            continue
        lines = [",".join(["week", *panel.hospitals])]
        lines += [
            ",".join([week, *map(repr, row)]) for week, row in zip(panel.weeks, values.tolist(), strict=True)
        ]
        write_text(file, "\n".join(lines) + "\n")
    # The panel last: who waits for it finds the files beside it.
    write_text(path, content)


def beside(path: Path, name: str) -> Path:
    """Return where the beds of a panel are, or what else `BESIDE` names: as in ``NM.beds.csv``."""
    return path.with_name(f"{path.stem}.{name}.csv")


def read(path: Path) -> Panel:
    """Read a panel that `write` wrote, with what is beside it; refuse any other file."""
    require_file(Path(path), LARGEST, "the stage panels writes it")
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
    right &= len({*panel.hospitals}) == len(panel.hospitals) and len({*panel.weeks}) == len(panel.weeks)
    usable = not panel.hospitals or bool((panel.smallest_beds > 0).all())
    inside = ((panel.density >= 0) & (panel.density <= 1)).all()
    if not (right and usable and inside):
        raise InputError(
            f"{path}: is not a panel (densities in [0, 1], positive beds, nothing twice); the stage panels "
            "writes one"
        )
    found: dict[str, Any] = {name: _read_beside(panel, beside(Path(path), name)) for name in BESIDE}
    return replace(panel, **found)


def read_panels(paths: Iterable[Path]) -> dict[str, Panel]:
    """Read panels; the name of each file is its state."""
    return {path.stem: read(path) for path in paths}


def best_hospital(panels: Mapping[str, Panel]) -> dict[str, float]:
    """Return the total density of each state's best single hospital."""
    return {state: float(panel.density.sum(axis=0).max()) for state, panel in panels.items()}


def _read_beside(panel: Panel, path: Path) -> Array | None:
    """Return positive numbers (T, n) from a file, or None where there is none."""
    if not path.exists():
        return None
    require_file(path, LARGEST, "the stage panels writes it")
    try:
        names, *rows = [line.split(",") for line in path.read_text(encoding="utf-8").splitlines()]
        values = np.array([[float(cell) for cell in row[1:]] for row in rows], dtype=np.float64)
        values = values.reshape(panel.density.shape)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); the stage panels writes it") from error
    except (ValueError, IndexError) as error:
        raise InputError(f"{path}: is not of the panel beside it; the stage panels writes both") from error
    same = names == ["week", *panel.hospitals] and tuple(row[0] for row in rows) == panel.weeks
    if not same or not ((values > 0) & np.isfinite(values)).all():
        raise InputError(f"{path}: is not of the panel beside it; the stage panels writes both")
    return values
