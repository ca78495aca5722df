"""Each check of batch sizes gives the expected verdict on a small grid, and another one for a mutant."""

from typing import Any

import numpy as np
import pytest

from private_experts.randomness import rng_for
from private_experts.replication.intervals import clopper_pearson
from private_experts.replication.ledger.evidence import NotRunError, decide
from private_experts.replication.papers.p000 import batches
from private_experts.replication.study.batching.batch_size_laws import tighter_survival
from private_experts.replication.study.data.panel import Panel
from private_experts.walks import proxy_survival
from tests.each import each

SEED = 1

PROXY = {"n": [2, 5], "eta": [1.0], "T": 50, "t": [40], "b": [1, 2], "least": 0.03}
STREAMS = {"stream": ["coin-flips"], "n": [2, 5], "eta": [4.5], "T": 50, "t": [40], "b": [1, 2], "least": 0.03}
HOSPITAL = {"eta": [1.0, 4.0], "alpha": [1.0], "t": [60], "b": [1], "least": 0.02}
TIGHTER = {"n": [2, 5], "eta": [10.0], "T": 60, "t": [50], "b": [2, 4], "least": 0.01}

DECIDED = 4000  # repetitions that decide each of these grids


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that replaces a name in the module of the checks."""
    return lambda name, value: monkeypatch.setattr(batches, name, value)


@pytest.fixture(scope="module")
def panels() -> dict[str, Panel]:
    weeks, n = 72, 8
    density = rng_for(SEED, "density").uniform(0, 0.3, (weeks, n))
    names = tuple(str(week) for week in range(weeks))
    return {"NM": Panel(names, tuple("abcdefgh"), density, np.full(weeks, 10.0))}


def run(name: str, panels: dict[str, Panel], only: int | None = None) -> str:
    """Return the verdict of a check, for `only` this number of experts if one is named."""
    experts = {} if only is None else {"n": [only]}
    if name == "equal means":
        points = batches.proxy_law(PROXY | experts, 4 * DECIDED, SEED)
    elif name == "streams":
        points = batches.proxy_law_streams(STREAMS | experts, DECIDED, SEED)
    else:
        points = batches.proxy_law_hospital(HOSPITAL, DECIDED, SEED, panels=panels)
    assert only in (None, *(point.where["n"] for point in points))
    return decide(points)


WHERE = ["equal means", "streams", "panels"]


@each("where", WHERE)
def test_the_proxy_law_holds_on(where: str, panels: dict[str, Panel]) -> None:
    assert run(where, panels) == "holds"


def test_the_tighter_law_holds_and_says_more() -> None:
    points = batches.proxy_law_tighter(TIGHTER, DECIDED, SEED)
    assert decide(points) == "holds"
    theirs = {tuple(point.where.values()): point.bound for point in batches.proxy_law(TIGHTER, 100, SEED)}
    assert all(point.bound > theirs.get(tuple(point.where.values()), 0.0) for point in points)


def test_a_tighter_law_shifted_by_one_is_caught(put: Any) -> None:
    put("tighter_survival", lambda *arguments: np.concatenate([[1.0], tighter_survival(*arguments)[:-1]]))
    assert decide(batches.proxy_law_tighter(TIGHTER, DECIDED, SEED)) == "fails"


def one_too_far(*arguments: Any) -> Any:
    return np.concatenate([[1.0], proxy_survival(*arguments)[:-1]])


@pytest.mark.parametrize(("where", "n"), [("equal means", 2), ("panels", 8)])
def test_a_proxy_law_shifted_by_one_is_caught_on(where: str, n: int, panels: dict[str, Panel], put: Any) -> None:
    put("proxy_survival", one_too_far)
    assert run(where, panels, n) == "fails"


@pytest.mark.parametrize(("where", "n"), [("equal means", 2), ("panels", 8)])
def test_a_proxy_law_without_drift_is_caught_on(where: str, n: int, panels: dict[str, Panel], put: Any) -> None:
    put("proxy_survival", lambda *arguments: proxy_survival(*arguments, rho=0.0))
    assert run(where, panels, n) == "fails"


@pytest.mark.parametrize(
    ("where", "n", "factor"),
    [("equal means", 2, 1.08), ("equal means", 5, 1.3), ("streams", 2, 1.1), ("panels", 8, 1.2)],
)
def test_a_proxy_law_times_a_factor_is_caught_on(
    where: str, n: int, factor: float, panels: dict[str, Panel], put: Any
) -> None:
    put("proxy_survival", lambda *arguments: factor * proxy_survival(*arguments))
    assert run(where, panels, n) == "fails"


def test_a_proxy_law_that_takes_the_noise_for_more_than_it_is_shows_on_equal_means(
    panels: dict[str, Panel], put: Any
) -> None:
    # The noise scale cancels except in the drift: with more noise, the drift counts less.
    put("proxy_survival", lambda t, eta, *rest: proxy_survival(t, 1.5 * eta, *rest))
    assert run("equal means", panels, 2) == "fails"


def test_a_proxy_law_with_twice_the_tolerance_is_caught(panels: dict[str, Panel], put: Any) -> None:
    put("proxy_survival", lambda t, eta, n, alpha, b: proxy_survival(t, eta, n, 2 * alpha, b))
    assert run("equal means", panels, 2) == "fails"


@pytest.mark.parametrize("where", ["streams", "panels"])
def test_batches_one_smaller_than_they_are_allowed_are_caught(where: str, panels: dict[str, Panel], put: Any) -> None:
    sizes = batches.containing_sizes
    put("containing_sizes", lambda *arguments: np.maximum(sizes(*arguments) - 1, 1))
    assert run(where, panels) == "fails"


def test_panels_too_short_for_every_round_asked_for_are_not_run(panels: dict[str, Panel]) -> None:
    panel = panels["NM"]
    short = Panel(panel.weeks[:20], panel.hospitals, panel.density[:20], panel.smallest_beds[:20])
    with pytest.raises(NotRunError):
        batches.proxy_law_hospital(HOSPITAL, 10, SEED, panels={"NM": short})


def test_no_point_asks_for_a_batch_that_the_end_of_the_game_cuts_short(panels: dict[str, Panel]) -> None:
    grid = HOSPITAL | {"t": [60, 71], "b": [1, 2], "least": 0.0}
    points = batches.proxy_law_hospital(grid, 10, SEED, panels=panels)
    assert {point.where["t"] for point in points} == {60}


def test_a_simulated_interval_takes_each_difference_at_its_worst() -> None:
    """Of ten repetitions one has only the large batch, and three only the large gap."""
    where, gains = {"any": 1}, np.zeros((PROXY["T"], 5))
    grid = PROXY | {"b": [1]}
    differences = np.array([[1, -1, -1, -1, 0, 0, 0, 0, 0, 0]], dtype=np.int8)
    [point] = batches._simulated_points(where, gains, differences, grid, 4, None)
    known = point.value - (1 - 3) / 10
    low, high = clopper_pearson(np.array([1, 3]), 10, 2 * 4)
    assert point.interval == pytest.approx((known + low[0] - high[1], known + high[0] - low[1]), abs=1e-12)


# Appendix A.11

A11 = {"T": 560, "t": [500], "b": [2, 4]}


@pytest.fixture(scope="module")
def once() -> Any:
    """Return the simulation, played once: these tests all ask for the same games."""
    simulated, asked, kept = batches.simulate_batches, [], []

    def played(*arguments: Any, rounds: Any, **more: Any) -> Any:
        *words, rng = arguments
        asked.append((words, rng.bit_generator.state, rounds, more))
        if not kept:
            kept.append(simulated(*arguments, rounds=rounds, **more))
        assert asked[-1] == asked[0]
        return kept[0]

    return played


@pytest.fixture
def a11(put: Any, once: Any) -> None:
    """Let the checks of A.11 share one simulation."""
    put("simulate_batches", once)


@pytest.mark.usefixtures("a11")
def test_a11_fails_as_a_bound_far_from_chance() -> None:
    points = batches.a11_bound(A11, 8000, SEED)
    assert decide(points) == "fails"
    assert all(point.interval[0] > 1.1 * point.bound for point in points)


@pytest.mark.usefixtures("a11")
def test_a11_would_not_fail_if_it_promised_twice_as_much(put: Any) -> None:
    predicted = batches.predicted
    put("predicted", lambda b, t: 2 * predicted(b, t))
    assert decide(batches.a11_bound(A11, 8000, SEED)) == "holds"


@pytest.mark.usefixtures("a11")
def test_a11_holds_up_to_the_factor() -> None:
    assert decide(batches.a11_heuristic(A11 | {"factor": 2.0}, 8000, SEED)) == "holds"


@pytest.mark.usefixtures("a11")
@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(lambda b, t: batches_predicted(b, t) / 2, id="half the estimate"),
        pytest.param(lambda b, t: batches_predicted(b, t * t), id="no square root of t"),
        pytest.param(lambda b, t: batches_predicted(np.sqrt(b) / 2, t), id="another power of b"),
    ],
)
def test_a11_up_to_the_factor_catches(mutant: Any, put: Any) -> None:
    put("predicted", mutant)
    assert decide(batches.a11_heuristic(A11 | {"factor": 2.0}, 8000, SEED)) == "fails"


batches_predicted = batches.predicted


@pytest.mark.usefixtures("a11")
def test_a11_holds_no_longer_if_sizes_are_counted_one_too_small(put: Any) -> None:
    simulated = batches.simulate_batches
    put("simulate_batches", lambda *arguments, **more: np.maximum(simulated(*arguments, **more) // 4, 1))
    assert decide(batches.a11_heuristic(A11 | {"factor": 2.0}, 8000, SEED)) == "fails"


def test_the_estimate_of_a11_is_that_of_the_formula() -> None:
    # sqrt(2 b / (pi t)) [sqrt(log 2) + sqrt(log(sqrt(t / log 2) / alpha))] at t = 500, alpha = 0.01, by hand
    assert batches.predicted([2, 4, 8, 16], 500) == pytest.approx([0.1838, 0.2599, 0.3676, 0.5199], abs=5e-5)
    assert batches.predicted([10_000], 500) == [1.0]
