"""Each check on the worst streams gives the expected verdict on a small grid, and another one for a mutant."""

from typing import Any

import pytest

from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import worst_stream_regret
from tests.replication.papers.remembered import remembered

CHECKED = worst_stream_regret

SEED = 1
PRINTED = {"noise": ["walk", "constant"], "n": [2, 1000], "T": [6400], "eta": [5.0], "programmed": 400, "parts": 1}
SHARPER = {"noise": ["walk", "constant"], "n": [2], "T": [400], "eta": [0.5, 1.4142], "programmed": 400, "parts": 1}
PLAYED = {"n": [5], "T": [60], "eta": [1.4142], "tolerance": 0.1}
REGRETS = ["regret_of_leads", "certain_regret_of_leads", "regret_of_rise", "certain_regret_of_rise"]
COMPUTED = {name: remembered(getattr(worst_stream_regret, name)) for name in ("worst_leads", "worst_rise", *REGRETS)}


@pytest.fixture(autouse=True)
def computed_once(put: Any) -> None:
    """Compute each stream and its regrets once for all tests."""
    for name, function in COMPUTED.items():
        put(**{name: function})


@pytest.fixture
def shrunk(put: Any) -> Any:
    """Return a function that multiplies one of the bounds or regrets by a factor."""

    def shrink(name: str, factor: float) -> None:
        bound = getattr(worst_stream_regret, name)
        put(**{name: lambda *arguments: factor * bound(*arguments)})

    return shrink


def test_the_bounds_hold() -> None:
    assert decide(worst_stream_regret.printed(PRINTED, 2, SEED)) == "holds"
    assert decide(worst_stream_regret.sharper(SHARPER, 2, SEED)) == "holds"
    assert decide(worst_stream_regret.attained(SHARPER | {"share": 0.9}, 2, SEED)) == "holds"


@pytest.mark.parametrize(("noise", "factor"), [("walk", 0.76), ("constant", 0.84)])
def test_a_smaller_printed_bound_is_caught(noise: str, factor: float, shrunk: Any) -> None:
    shrunk("printed_bound", factor)
    assert decide(worst_stream_regret.printed(PRINTED | {"noise": [noise], "n": [1000]}, 2, SEED)) == "fails"


@pytest.mark.parametrize(("noise", "factor"), [("walk", 0.93), ("constant", 0.97)])
def test_a_smaller_sharp_bound_is_caught(noise: str, factor: float, shrunk: Any) -> None:
    shrunk("sharper_bound", factor)
    assert decide(worst_stream_regret.sharper(SHARPER | {"noise": [noise]}, 2, SEED)) == "fails"


def test_a_larger_sharp_bound_is_not_attained(shrunk: Any) -> None:
    shrunk("sharper_bound", 1.1)
    assert decide(worst_stream_regret.attained(SHARPER | {"share": 0.9}, 2, SEED)) == "fails"


@pytest.mark.parametrize("name", REGRETS)
@pytest.mark.parametrize("factor", [0.999, 1.001])
def test_a_regret_of_the_program_that_is_not_that_of_the_balls_is_caught(name: str, factor: float, shrunk: Any) -> None:
    shrunk(name, factor)
    grid = SHARPER | {"n": [2 if "leads" in name else 10], "eta": [1.4142]}
    assert decide(worst_stream_regret.printed(grid, 2, SEED)) == "fails"
    assert decide(worst_stream_regret.sharper(grid, 2, SEED)) == "fails"
    assert decide(worst_stream_regret.attained(grid | {"share": 0.5}, 2, SEED)) == "fails"


def test_bounds_above_the_trivial_one_are_left_out() -> None:
    assert worst_stream_regret.printed(PRINTED | {"T": [400], "eta": [20.0]}, 2, SEED) == []


def test_the_algorithms_have_the_computed_regret() -> None:
    assert decide(worst_stream_regret.played(PLAYED, 4000, SEED)) == "holds"


def test_another_noise_than_the_computed_one_is_caught(put: Any) -> None:
    scales_of = worst_stream_regret.scales_of
    put(scales_of=lambda *arguments: 1.3 * scales_of(*arguments))
    assert decide(worst_stream_regret.played(PLAYED, 1500, SEED)) == "fails"
