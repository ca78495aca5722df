"""How the explorer draws each algorithm. Any of them may be shown together, so no two lines look the same."""

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

from private_experts.replication.plotting.palette import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    VERMILION,
)
from private_experts.replication.study.hospital_game import LEARNER
from private_experts.replication.study.players import Contender

COLOURS = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, BLACK, GREY)
# Lengths of strokes and gaps, in pixels; none is a solid line.
DASHES: tuple[tuple[int, ...], ...] = (
    (),
    (9, 4),
    (9, 3, 2, 3),
    (2, 3),
    (5, 2),
    (9, 2, 2, 2, 2, 2),
    (14, 4),
    (4, 6),
)
_NAMED = {"-": DASHES[0], "--": DASHES[1], "-.": DASHES[2], ":": DASHES[3]}
_PIXELS = 2  # of a canvas for each unit of Matplotlib's dashes, which are multiples of the line's width


def dashes(style: Any) -> tuple[int, ...]:
    """Return a line style of Matplotlib as lengths of strokes and gaps in pixels."""
    return _NAMED[style] if isinstance(style, str) else tuple(_PIXELS * length for length in style[1])


def algorithms(names: Iterable[str], contenders: Mapping[str, Contender]) -> list[dict[str, Any]]:
    """Return how each algorithm is drawn, contenders first: with the figures' colour and its own dashes."""
    there = {*names}
    used: set[tuple[str, tuple[int, ...]]] = set()

    def look(colour: str, dashed: tuple[int, ...]) -> dict[str, Any]:
        styles = [(colour, dashed), *((colour, dash) for dash in DASHES), *product(COLOURS, DASHES)]
        # The figures' own look first, then other dashes of its colour: who knows the figures finds the line
        # again.
        free = next((pattern for pattern in styles if pattern not in used), styles[0])
        used.add(free)
        return {"colour": free[0], "dashes": list(free[1])}

    made = [
        {"name": name, "label": shown.label, "group": shown.model, **look(shown.colour, dashes(shown.dashes))}
        for name, shown in contenders.items()
        if name in there
    ]
    learners = sorted((name for name in there if name.startswith(LEARNER)), key=_natural)
    made += [
        {
            "name": name,
            "label": f"learner {name.removeprefix(LEARNER)}",
            "group": "learner",
            **look(GREY, DASHES[3]),
        }
        for name in learners
    ]
    return made


def _natural(name: str) -> tuple[int, str]:
    """Return what sorts ``w8-weak`` before ``w16-weak``."""
    digits = "".join(sign for sign in name if sign.isdigit())
    return int(digits or 0), name
