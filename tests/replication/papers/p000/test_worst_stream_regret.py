"""Each check on the worst streams gives the expected verdict on a small grid, another for a mutant."""

from typing import Any

import pytest

from private_experts.replication.balls.balls import near, precision
from private_experts.replication.papers.p000 import worst_stream_regret
from private_experts.replication.papers.p000.worst_stream_regret import (
    halved_bound_attained,
    halved_bounds,
    played_regrets,
    printed_bounds,
    sharper_bound_attained,
    sharper_bounds,
)
from tests.each import each
from tests.replication.papers.remembered import remembered
from tests.replication.papers.small_checks import times, verdict

CHECKED = worst_stream_regret
PRINTED = {"noise": ["walk", "constant"], "n": [2, 1000], "T": [6400], "eta": [5.0]}
PRINTED |= {"programmed": 400, "parts": 1}
SHARPER = PRINTED | {"n": [2], "T": [400], "eta": [0.5, 1.4142]}
HALVED = PRINTED | {"n": [100], "T": [1600], "eta": [1.4142], "programmed": 1}
PLAYED = {"n": [5], "T": [60], "eta": [1.4142], "tolerance": 0.1}
BOUNDS = [worst_stream_regret.sharper_bound, worst_stream_regret.halved_bound]
REGRETS = ["regret_of_leads", "certain_regret_of_leads", "regret_of_rise", "certain_regret_of_rise"]
COMPUTED = {
    name: remembered(getattr(worst_stream_regret, name)) for name in ("worst_leads", "worst_rise", *REGRETS)
}


def shrunk(name: str, factor: float) -> dict[str, Any]:
    """Return one of the bounds or regrets, multiplied by a factor."""
    return {name: times(factor, getattr(worst_stream_regret, name))}


@each(
    ("check", "grid", "repetitions", "name", "factor", "expected"),
    [
        (printed_bounds, PRINTED, 2, "printed_bound", 1, "holds"),
        (printed_bounds, PRINTED | {"noise": ["walk"], "n": [1000]}, 2, "printed_bound", 0.76, "fails"),
        (printed_bounds, PRINTED | {"noise": ["constant"], "n": [1000]}, 2, "printed_bound", 0.84, "fails"),
        (sharper_bounds, SHARPER, 2, "sharper_bound", 1, "holds"),
        (sharper_bounds, SHARPER | {"noise": ["walk"]}, 2, "sharper_bound", 0.93, "fails"),
        (sharper_bounds, SHARPER | {"noise": ["constant"]}, 2, "sharper_bound", 0.97, "fails"),
        (sharper_bound_attained, SHARPER | {"share": 0.9}, 2, "sharper_bound", 1, "holds"),
        (sharper_bound_attained, SHARPER | {"share": 0.9}, 2, "sharper_bound", 1.1, "fails"),
        (halved_bounds, HALVED, 2, "halved_bound", 1, "holds"),
        (halved_bounds, HALVED | {"noise": ["walk"]}, 2, "halved_bound", 0.8, "fails"),
        (halved_bounds, HALVED | {"noise": ["constant"]}, 2, "halved_bound", 0.8, "fails"),
        (halved_bound_attained, HALVED | {"share": 0.9}, 2, "halved_bound", 1, "holds"),
        (halved_bound_attained, HALVED | {"share": 0.9}, 2, "halved_bound", 1.1, "fails"),
        (played_regrets, PLAYED, 4000, "scales_of", 1, "holds"),
        (played_regrets, PLAYED, 1500, "scales_of", 1.3, "fails"),
    ],
)
def test_it_holds_and_another_bound_or_noise_is_caught(
    check: Any, grid: dict[str, Any], repetitions: int, name: str, factor: float, expected: str
) -> None:
    assert verdict(check, grid, repetitions, **shrunk(name, factor)) == expected


@each("name", REGRETS)
@each("factor", [0.999, 1.001])
@each("check", [printed_bounds, sharper_bounds, sharper_bound_attained])
def test_a_regret_of_the_program_that_is_not_that_of_the_balls_is_caught(
    name: str, factor: float, check: Any
) -> None:
    grid = SHARPER | {"n": [2 if "leads" in name else 10], "eta": [1.4142], "share": 0.5}
    assert verdict(check, grid, **shrunk(name, factor)) == "fails"


def test_bounds_above_the_trivial_one_are_left_out() -> None:
    assert printed_bounds(PRINTED | {"T": [400], "eta": [20.0]}) == []


def test_the_bound_with_half_the_second_term_is_the_sharper_one_for_two_and_less_from_four_on() -> None:
    with precision():
        for noise in ("walk", "constant"):
            old, new = ([near(bound(noise, 0.5, n, 400)) for n in (2, 3, 4, 100)] for bound in BOUNDS)
            assert new[:2] == pytest.approx(old[:2])
            assert new[2] < old[2]
            assert new[3] < 0.85 * old[3]
