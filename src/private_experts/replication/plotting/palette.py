"""Okabe and Ito's palette, which colour-blind readers can tell apart, and looks of lines in one figure."""

from typing import Any

BLACK, ORANGE, SKY, GREEN, BLUE, VERMILION, PURPLE = (
    "#000000",
    "#E69F00",
    "#56B4E9",
    "#009E73",
    "#0072B2",
    "#D55E00",
    "#CC79A7",
)
GREY = "#777777"

Look = tuple[str, Any, str]  # colour, line style and marker

# The looks of the first, second, ... line. Each of the three alone tells the lines apart.
LOOKS: tuple[Look, ...] = (
    (BLUE, "-", "o"),
    (VERMILION, "--", "s"),
    (GREEN, "-.", "^"),
    (ORANGE, (0, (4, 1, 1, 1, 1, 1)), "D"),
    (PURPLE, (0, (1, 1)), "v"),
    (BLACK, (0, (6, 2)), "P"),
)
