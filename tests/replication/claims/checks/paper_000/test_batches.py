"""Each check of batch sizes gives the expected verdict on a small grid, and another one for a mutant."""

from typing import Any

import numpy as np
import pytest

from private_experts.randomness import rng_for
from private_experts.replication.batching.laws import tighter_survival
from private_experts.replication.claims.checks.paper_000 import batches
from private_experts.replication.claims.evidence import NotRunError, decide
from private_experts.replication.hospital.panel import Panel
from private_experts.walks import proxy_survival
from tests.each import each

SEED = 1

PROXY = {"n": [2], "eta": [1.0], "T": 100, "t": [80], "b": [1, 2, 4], "least": 0.01}
STREAMS = {"stream": ["turncoat", "easy"], "n": [2], "eta": [4.5], "T": 100, "t": [75], "b": [1, 2], "least": 0.01}
HOSPITAL = {"eta": [1.0], "t": [60], "b": [1, 2], "least": 0.005}


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that replaces a name in the module of the checks."""
    return lambda name, value: monkeypatch.setattr(batches, name, value)


@pytest.fixture(scope="module")
def panels() -> dict[str, Panel]:
    weeks, n = 72, 4
    density = rng_for(SEED, "density").uniform(0, 0.3, (weeks, n)) + np.array([0.5, 0, 0, 0])
    names = tuple(str(week) for week in range(weeks))
    return {"NM": Panel(names, ("a", "b", "c", "d"), density, np.full(weeks, 10.0))}


def run(name: str, panels: dict[str, Panel], repetitions: int) -> str:
    if name == "equal means":
        return decide(batches.proxy_law(PROXY, repetitions, SEED))
    if name == "streams":
        return decide(batches.proxy_law_streams(STREAMS, repetitions, SEED))
    return decide(batches.proxy_law_hospital(HOSPITAL, repetitions, SEED, panels=panels))


ENOUGH = {"equal means": 16_000, "streams": 4_000, "panels": 4_000}


@each("where", ENOUGH)
def test_the_proxy_law_holds_on(where: str, panels: dict[str, Panel]) -> None:
    assert run(where, panels, ENOUGH[where]) == "holds"


def one_too_far(*arguments: Any) -> Any:
    return np.concatenate([[1.0], proxy_survival(*arguments)[:-1]])


TIGHTER = {"n": [2], "eta": [10.0], "T": 100, "t": [80], "b": [2, 4], "least": 0.01}


def test_the_tighter_law_holds_and_says_more() -> None:
    points = batches.proxy_law_tighter(TIGHTER, 16_000, SEED)
    assert decide(points) == "holds"
    theirs = batches.proxy_law(TIGHTER, 100, SEED)
    assert all(ours.bound > paper.bound for ours, paper in zip(points, theirs, strict=True))


def test_a_tighter_law_shifted_by_one_is_caught(put: Any) -> None:
    put("tighter_survival", lambda *arguments: np.concatenate([[1.0], tighter_survival(*arguments)[:-1]]))
    assert decide(batches.proxy_law_tighter(TIGHTER, 4000, SEED)) == "fails"


@pytest.mark.parametrize("where", ENOUGH)
def test_a_proxy_law_shifted_by_one_is_caught_on(where: str, panels: dict[str, Panel], put: Any) -> None:
    put("proxy_survival", one_too_far)
    assert run(where, panels, 1000) == "fails"


def test_a_proxy_law_without_drift_is_caught_on_equal_means(panels: dict[str, Panel], put: Any) -> None:
    put("proxy_survival", lambda *arguments: proxy_survival(*arguments, rho=0.0))
    assert run("equal means", panels, ENOUGH["equal means"]) == "fails"


def test_a_proxy_law_that_takes_the_noise_for_more_than_it_is_shows_on_equal_means(put: Any) -> None:
    # The noise scale cancels except in the drift: with more noise, the drift counts less.
    put("proxy_survival", lambda t, eta, *rest: proxy_survival(t, 4 * eta, *rest))
    assert decide(batches.proxy_law(PROXY, ENOUGH["equal means"], SEED)) == "fails"


def test_a_proxy_law_with_ten_times_the_tolerance_is_caught(put: Any) -> None:
    put("proxy_survival", lambda t, eta, n, alpha, b: proxy_survival(t, eta, n, 10 * alpha, b))
    assert decide(batches.proxy_law(PROXY, ENOUGH["equal means"], SEED)) == "fails"


def test_batches_one_smaller_than_they_are_allowed_are_caught(put: Any) -> None:
    simulated = batches.simulate_batches

    def timid(*arguments: Any, **more: Any) -> Any:
        return np.maximum(simulated(*arguments, **more) - 1, 1)

    put("simulate_batches", timid)
    assert decide(batches.proxy_law(PROXY, 2000, SEED)) == "fails"


def test_batches_of_the_streaming_algorithm_that_never_grow_are_caught(put: Any, panels: dict[str, Panel]) -> None:
    played = batches._played
    put("_played", lambda *arguments: np.ones_like(played(*arguments)))
    assert run("streams", panels, 500) == "fails"
    assert run("panels", panels, 500) == "fails"


def test_panels_too_short_for_every_round_asked_for_are_not_run(panels: dict[str, Panel]) -> None:
    panel = panels["NM"]
    short = Panel(panel.weeks[:20], panel.hospitals, panel.density[:20], panel.smallest_beds[:20])
    with pytest.raises(NotRunError):
        batches.proxy_law_hospital(HOSPITAL, 10, SEED, panels={"NM": short})


def test_no_point_asks_for_a_batch_that_the_end_of_the_game_cuts_short(panels: dict[str, Panel]) -> None:
    grid = HOSPITAL | {"t": [60, 71], "least": 0.0}
    points = batches.proxy_law_hospital(grid, 10, SEED, panels=panels)
    assert {point.where["t"] for point in points} == {60}


# Appendix A.11

A11 = {"T": 560, "t": [500], "b": [2, 4]}


def test_a11_fails_as_a_bound_far_from_chance() -> None:
    points = batches.a11_bound(A11, 3000, SEED)
    assert decide(points) == "fails"
    assert all(point.interval[0] > 1.1 * point.bound for point in points)


def test_a11_would_not_fail_if_it_promised_twice_as_much(put: Any) -> None:
    predicted = batches.predicted
    put("predicted", lambda b, t: 2 * predicted(b, t))
    assert decide(batches.a11_bound(A11, 3000, SEED)) == "holds"


def test_a11_holds_up_to_the_factor() -> None:
    assert decide(batches.a11_heuristic(A11 | {"factor": 2.0}, 3000, SEED)) == "holds"


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
    assert decide(batches.a11_heuristic(A11 | {"factor": 2.0}, 3000, SEED)) == "fails"


batches_predicted = batches.predicted


def test_a11_holds_no_longer_if_sizes_are_counted_one_too_small(put: Any) -> None:
    simulated = batches.simulate_batches
    put("simulate_batches", lambda *arguments, **more: np.maximum(simulated(*arguments, **more) // 4, 1))
    assert decide(batches.a11_heuristic(A11 | {"factor": 2.0}, 3000, SEED)) == "fails"


def test_the_estimate_of_a11_is_that_of_the_formula() -> None:
    # sqrt(2 b / (pi t)) [sqrt(log 2) + sqrt(log(sqrt(t / log 2) / alpha))] at t = 500, alpha = 0.01, by hand
    assert batches.predicted([2, 4, 8, 16], 500) == pytest.approx([0.1838, 0.2599, 0.3676, 0.5199], abs=5e-5)
    assert batches.predicted([10_000], 500) == [1.0]
