"""Each check of batch sizes gives the expected verdict on a small grid, and another one for a mutant."""

from typing import Any

import numpy as np
import pytest

from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import NotRunError, decide
from private_experts.replication.papers.p000 import batches
from private_experts.replication.study.batching.batch_size_laws import tighter_survival
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.intervals import clopper_pearson
from private_experts.walks import proxy_survival
from tests.each import each
from tests.replication.papers.remembered import remembered

CHECKED = batches
SEED = 1
PROXY = {"n": [2, 5], "eta": [1.0], "T": 50, "t": [40], "b": [1, 2], "least": 0.03}
STREAMS = {
    "stream": ["coin-flips"],
    "n": [2, 5],
    "eta": [4.5],
    "T": 50,
    "t": [40],
    "b": [1, 2],
    "least": 0.03,
}
HOSPITAL = {"eta": [1.0, 4.0], "alpha": [1.0], "t": [60], "b": [1], "least": 0.02}
TIGHTER = {"n": [2, 5], "eta": [10.0], "T": 60, "t": [50], "b": [2, 4], "least": 0.01}
A11 = {"T": 560, "t": [500], "b": [2, 4], "factor": 2.0}
COMPUTED = {"simulate_batches": remembered(batches.simulate_batches)}
DECIDED = 4000  # repetitions that decide each of these grids
DENSITY = rng_for(SEED, "density").uniform(0, 0.3, (72, 8))
PANELS = {"NM": Panel(tuple(map(str, range(72))), tuple("abcdefgh"), DENSITY, np.full(72, 10.0))}


def run(name: str, only: int | None = None) -> str:
    """Return the verdict of a check, for `only` this number of experts if one is named."""
    experts = {} if only is None else {"n": [only]}
    if name == "equal means":
        points = batches.proxy_law_equal(PROXY | experts, 4 * DECIDED, SEED)
    elif name == "streams":
        points = batches.proxy_law_streams(STREAMS | experts, DECIDED, SEED)
    else:
        points = batches.proxy_law_hospital(HOSPITAL, DECIDED, SEED, panels=PANELS)
    assert only in (None, *(point.where["n"] for point in points))
    return decide(points)


@each("where", ["equal means", "streams", "panels"])
def test_the_proxy_law_holds_on(where: str) -> None:
    assert run(where) == "holds"


def times(factor: float) -> Any:
    return lambda *arguments: factor * proxy_survival(*arguments)


@pytest.mark.parametrize(
    ("where", "n", "mutant"),
    [
        ("equal means", 2, times(1.08)),
        ("streams", 2, times(1.1)),
        ("panels", 8, times(1.2)),
        # The noise scale cancels except in the drift: with more noise, the drift counts less.
    ],
)
def test_another_proxy_law_is_caught_on(where: str, n: int, mutant: Any, put: Any) -> None:
    put(proxy_survival=mutant)
    assert run(where, n) == "fails"


def test_the_tighter_law_holds_and_says_more_and_one_shifted_by_one_is_caught(put: Any) -> None:
    points = batches.proxy_law_equal(TIGHTER, DECIDED, SEED, batches.tighter_survival)
    assert decide(points) == "holds"
    theirs = {
        tuple(point.where.values()): point.bound for point in batches.proxy_law_equal(TIGHTER, 100, SEED)
    }
    assert all(point.bound > theirs.get(tuple(point.where.values()), 0.0) for point in points)
    put(tighter_survival=lambda *arguments: np.concatenate([[1.0], tighter_survival(*arguments)[:-1]]))
    assert decide(batches.proxy_law_equal(TIGHTER, DECIDED, SEED, batches.tighter_survival)) == "fails"


def test_panels_too_short_for_every_round_asked_for_are_not_run() -> None:
    panel = PANELS["NM"]
    short = Panel(panel.weeks[:20], panel.hospitals, panel.density[:20], panel.smallest_beds[:20])
    with pytest.raises(NotRunError):
        batches.proxy_law_hospital(HOSPITAL, 10, SEED, panels={"NM": short})


def test_no_point_asks_for_a_batch_that_the_end_of_the_game_cuts_short() -> None:
    grid = HOSPITAL | {"t": [60, 71], "b": [1, 2], "least": 0.0}
    points = batches.proxy_law_hospital(grid, 10, SEED, panels=PANELS)
    assert {point.where["t"] for point in points} == {60}


def test_a_simulated_interval_takes_each_difference_at_its_worst() -> None:
    """Of ten repetitions one has only the large batch, and three only the large gap."""
    differences = np.array([[1, -1, -1, -1, 0, 0, 0, 0, 0, 0]], dtype=np.int8)
    gains, grid = np.zeros((PROXY["T"], 5)), PROXY | {"b": [1]}
    [point] = batches._simulated_points({"any": 1}, gains, differences, grid, 4, None)
    known = point.value - (1 - 3) / 10
    low, high = clopper_pearson(np.array([1, 3]), 10, 2 * 4)
    assert point.interval == pytest.approx((known + low[0] - high[1], known + high[0] - low[1]), abs=1e-12)


# Appendix A.11


def test_a11_is_no_bound_which_is_far_from_chance_but_up_to_the_factor_it_holds() -> None:
    assert decide(batches.a11_heuristic(A11, 8000, SEED)) == "holds"
    points = batches.a11_heuristic(A11 | {"factor": 1.0}, 8000, SEED)
    assert all(point.interval[0] > 1.1 * point.bound for point in points)


def test_the_estimate_of_a11_is_that_of_the_formula() -> None:
    # sqrt(2 b / (pi t)) [sqrt(log 2) + sqrt(log(sqrt(t / log 2) / alpha))] at t = 500, alpha = 0.01, by hand
    assert batches.predicted([2, 4, 8, 16], 500) == pytest.approx([0.1838, 0.2599, 0.3676, 0.5199], abs=5e-5)
    assert batches.predicted([10_000], 500) == [1.0]
