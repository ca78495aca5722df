"""The terminal that the reader's commands write to: as wide as it is, and in colour where it has any."""

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import Any

UNBOUNDED = 10**6  # what goes into a file or a pipe is cut nowhere
COLOURS = {"holds": 32, "fails": 31, "undecided": 33, "not run": 33}
VERDICT = re.compile(rf"(?<= )({'|'.join(COLOURS)})\b", re.IGNORECASE)


def width() -> int:
    """Return how many characters a line may have."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() or "COLUMNS" in os.environ else UNBOUNDED


def coloured(line: str) -> str:
    """Return a line with its first verdict in colour, on a terminal that has colours and where nobody declines them."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return line
    return VERDICT.sub(lambda found: f"\x1b[{COLOURS[found[0].lower()]}m{found[0]}\x1b[0m", line, count=1)


def wrapped(text: str, indent: str = "") -> list[str]:
    """Return a text in lines that fit, from the second on indented deeper."""
    return textwrap.wrap(text, width(), initial_indent=indent, subsequent_indent=f"{indent}    ") or [""]


def cut(text: str, room: int) -> str:
    """Return a text, or as much of it as there is room for."""
    return text if len(text) <= room else f"{text[: max(room - 1, 0)].rstrip()}…"


def aligned(rows: Sequence[Sequence[Any]], sides: str = "", room: int = 0) -> list[str]:
    """Return rows with columns aligned, to the right unless `sides` (< and > for each column) says otherwise.

    Columns from the last one on are left out while lines are longer than the terminal is wide, less `room`.
    """
    widths = fitting(rows, room)
    forms = [f"{{!s:{side}{wide}}}" for side, wide in zip(sides or ">" * len(rows[0]), widths, strict=False)]
    return ["  ".join(form.format(cell) for form, cell in zip(forms, row, strict=False)) for row in rows]


def fitting(rows: Sequence[Sequence[Any]], room: int = 0) -> list[int]:
    """Return the widths of the columns that fit into a line, from the first on."""
    widths = [max(len(str(cell)) for cell in column) for column in zip(*rows, strict=True)]
    while len(widths) > 2 and sum(widths) + 2 * (len(widths) - 1) > width() - room:
        widths.pop()
    return widths
