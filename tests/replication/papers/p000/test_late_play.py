"""Claims about late reports: each gives its verdict, and another one when something is wrong."""

from typing import Any

import numpy as np

from private_experts.algorithms.delayed import Delayed
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import late_play
from tests.each import each
from tests.replication.papers.small_checks import SEED, times, verdict

COPIES = {"stream": ["easy"], "n": [4], "T": [800], "delay": [2], "late": ["all", "drawn"], "eta": 1.4142}
LATE = {"stream": ["turncoat"], "n": [2], "T": [400], "delay": [3], "eta": 1.4142}


def test_copies_that_take_turns_have_the_bound_and_uniform_play_breaks_it() -> None:
    points = late_play.delayed_copies(COPIES, 20, SEED)
    assert decide(points) == "holds"
    assert all(point.lazy_fails for point in points)


class Unheard(Delayed):
    """Whatever arrives is told to nobody."""

    def update(self, arrived: Any) -> None:
        for copy in self.copies:
            copy.total[:] = 0.0  # type: ignore[attr-defined]
        super().update(arrived)


def test_copies_that_forget_are_caught() -> None:
    grid = COPIES | {"late": ["all"]}
    assert verdict(late_play.delayed_copies, grid, 20, Delayed=Unheard) == "fails"


def test_a_drawn_delay_is_from_none_to_the_largest() -> None:
    drawn = late_play._delays("drawn", 3, 400, SEED)
    assert {*np.asarray(drawn).tolist()} == {0, 1, 2, 3}
    assert late_play._delays("all", 3, 400, SEED) == 3


def later(more: int) -> Any:
    def walk(gains: Any, eta: float, repetitions: int, wait: int, *key: Any) -> Any:
        return late_walk(gains, eta, repetitions, wait + more * (wait > 0), *key)

    return walk


late_walk = late_play._walk


@each(
    ("grid", "repetitions", "of", "mutants", "expected"),
    [
        (LATE, 100, {}, {}, "holds"),
        *((LATE, 100, {"of": "plays that differ"}, {"_walk": later(more)}, "fails") for more in (1, -1)),
        # a quarter of the switches
        (
            LATE | {"delay": [8]},
            400,
            {"of": "regret"},
            {"switches": times(0.25, late_play.switches)},
            "fails",
        ),
    ],
)
def test_being_told_late_costs_at_most_the_switches_and_other_delays_or_counts_are_caught(
    grid: Any, repetitions: int, of: Any, mutants: Any, expected: str
) -> None:
    assert verdict(late_play.late_reports, grid, repetitions, of=of, **mutants) == expected
