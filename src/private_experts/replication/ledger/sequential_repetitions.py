"""Games on the panels that are repeated until what is asked of them is decided.

A claim about the hospitals says something of each cell, a state at a privacy level. The repetitions grow in
*looks*: after each one, cells that are decided play no more, and none plays on when one has failed. All looks
share the probability of an error (Bonferroni), so it does not matter where a cell stops.
[mathematics/000.md#table-2-looks]
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from private_experts.arrays import Array
from private_experts.replication.ledger.evidence import Point, decide
from private_experts.replication.ledger.timing import Account, Meter

Cell = tuple[str, float]  # state and privacy level
Totals = dict[str, Array]  # total gain of each repetition, by algorithm
Part = TypeVar("Part", bound=Hashable)  # a cell, or one rival in a cell

FIRST = 50  # repetitions at the first look


class Shared(dict[str, Any]):
    """Panels by state, and the games played on them: claims about one player share its games."""

    def __init__(self, panels: Mapping[str, Any]) -> None:
        super().__init__(panels)
        self.played: dict[Hashable, tuple[Totals, Account]] = {}  # by seed: totals, and what the game took
        self.reused: list[Account] = []  # what games took that were needed again


def once(panels: Mapping[str, Any], key: Hashable, play: Callable[[], Totals]) -> Totals:
    """Return what `play` returns, and where panels are `Shared`, play a game only once by its key."""
    if not isinstance(panels, Shared):
        return play()
    # What another claim has paid for is noted, so that the seconds of a claim are those it needs alone.
    if key in panels.played:
        panels.reused.append(panels.played[key][1])
    else:
        meter = Meter("game")
        panels.played[key] = play(), meter.account()
    return panels.played[key][0]


def looks(most: int) -> list[int]:
    """Return how many repetitions there are at each look: `FIRST`, then doubled each time, up to `most`."""
    sizes = [min(FIRST, most)]
    while sizes[-1] < most:
        sizes.append(min(2 * sizes[-1], most))
    return sizes


def until_decided(
    play: Callable[[Part, int, int], Totals],
    groups: Sequence[Sequence[Part]],
    judge: Callable[[Mapping[Part, Totals]], Sequence[Point]],
    most: int,
) -> list[Point]:
    """Repeat games until each group of cells is decided, one has failed, or `most` repetitions are played.

    - `play`: ``play(cell, look, repetitions)`` plays that many new games. Looks count from 0.
    - `judge`: Turns a group's games into points. Its intervals hold jointly over all groups and `looks`.
    """
    played: dict[Part, Totals] = {}
    points: dict[int, Sequence[Point]] = {}
    waiting, before = list(range(len(groups))), 0
    for look, size in enumerate(looks(most)):
        for number in waiting:
            for cell in groups[number]:
                new = play(cell, look, size - before)
                old = played.get(cell)
                played[cell] = (
                    new if old is None else {name: np.concatenate([old[name], new[name]]) for name in old}
                )
            points[number] = judge({cell: played[cell] for cell in groups[number]})
        verdicts = {number: decide(points[number]) for number in waiting}
        # Groups that are decided play no more: their intervals hold jointly over all looks, so stopping costs
        # nothing.
        waiting, before = [number for number in waiting if verdicts[number] == "undecided"], size
        if not waiting or "fails" in verdicts.values():
            break
    return [point for number in range(len(groups)) for point in points[number]]
