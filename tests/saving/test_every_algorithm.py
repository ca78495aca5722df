"""Every algorithm and learner, saved between any two calls and loaded elsewhere, goes on unchanged."""

import functools
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from private_experts import algorithms, learners
from private_experts.errors import InputError
from private_experts.learners import (
    Autoregressions,
    Deviations,
    LinearFilters,
    PooledAutoregressions,
    PosteriorMeans,
    Recorded,
    TotalsLeader,
)
from private_experts.learners import gaussian_process_weights as smooth
from private_experts.learners import trend_weights as trend
from private_experts.privacy import PureDP, Reports
from private_experts.privacy.above_threshold import AboveThreshold
from private_experts.randomness import rng_for
from private_experts.saving import load, load_state_dict, save, state_dict
from tests.algorithms.cases import CASES, LOCAL, SCALE, gains_of, opened

ROUNDS = 11
# Before the first round of all; in the second, when learners have one report; at the end of a dyadic block.
BREAKS = [(0, False), (1, True), (8, False), (8, True)]


def steps(player: Any, feedback: list[Any], shown: tuple[Any, ...] = ()) -> Iterator[np.ndarray]:
    """Play, and stop between all calls: yield the actions of a round before it is told to the player."""
    for report in feedback:
        yield player.predict(*shown)
        player.update(report)


def numbers(value: Any, place: str = "") -> Iterator[tuple[str, object]]:
    """Yield what a player remembers, by place: all but what it derives from the rest when it is needed."""
    if isinstance(value, np.random.Generator):
        yield place, str(value.bit_generator.state)
    elif isinstance(value, np.ndarray):
        yield f"{place}, shape", value.shape
        yield place, value
    elif isinstance(value, list | tuple | deque | dict):
        yield f"{place}, length", len(value)
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from numbers(part, f"{place}[{key}]")
    elif type(value).__module__.startswith("private_experts.") and hasattr(value, "__dict__"):
        kinds = type(value).__mro__
        derived = {name for kind in kinds for name in getattr(kind, "DERIVED", ())}
        derived |= {
            name
            for kind in kinds
            for name, part in vars(kind).items()
            if isinstance(part, functools.cached_property)
        }
        for name, part in vars(value).items():
            if name not in derived:
                yield from numbers(part, f"{place}.{name}")
    elif isinstance(value, int | float | str | None):
        yield place, value


def goes_on(
    make: Callable[[int], tuple[Any, list[Any]]],
    path: Path,
    shown: tuple[Any, ...] = (),
    breaks: Sequence[tuple[int, bool]] = BREAKS,
) -> None:
    """Break a game before and after a prediction; compare it with the whole game. Seeds 1, 2 make players.

    `shown` is what a player is shown before it predicts.
    """
    player, feedback = make(1)
    whole = [*steps(player, feedback, shown)]
    for t, predicted in breaks:
        first, _ = make(1)
        for _ in steps(first, feedback[:t], shown):
            pass
        if predicted:
            np.testing.assert_array_equal(first.predict(*shown), whole[t])
        save(path, first)
        second, _ = make(2)
        load(path, second)
        # also what these few rounds do not use again
        np.testing.assert_equal(dict(numbers(second)), dict(numbers(first)))
        if predicted:
            second.update(feedback[t])
        np.testing.assert_array_equal(
            [*steps(second, feedback[t + predicted :], shown)], whole[t + predicted :]
        )


@pytest.mark.parametrize("name", CASES)
def test_an_algorithm_goes_on_bit_for_bit(name, tmp_path):
    case = CASES[name]
    goes_on(lambda seed: opened(case, gains_of(ROUNDS, 4), seed=seed), tmp_path / "a.state")


def test_a_leader_that_has_restarted_goes_on_bit_for_bit(tmp_path):
    gains = gains_of(24, 4) / 5
    gains[:8, 0] = gains[8:, 1] = 1  # another expert is the best one from round 8 on

    def make(seed: int) -> tuple[Any, list[Any]]:
        return opened(CASES["restarting leader"], gains, seed=seed)

    leader, feedback = make(1)
    for _ in steps(leader, feedback[:16]):
        pass
    assert leader.restarts.all()
    goes_on(make, tmp_path / "a.state", breaks=[(16, False)])


def test_a_test_that_has_halted_says_nothing_more_once_it_is_loaded(tmp_path):
    first, second = (AboveThreshold(PureDP(1.0, "central"), rng=seed) for seed in (1, 2))
    assert first.test(np.array([1e6])).all()
    save(tmp_path / "a.state", first)
    load(tmp_path / "a.state", second)
    np.testing.assert_equal(dict(numbers(second)), dict(numbers(first)))
    assert not second.test(np.array([1e6])).any()


@pytest.mark.parametrize("name", CASES)
def test_a_state_with_a_missing_number_is_refused_and_changes_nothing(name):
    case, gains = CASES[name], gains_of(ROUNDS, 4)
    first, feedback = opened(case, gains)
    for report in feedback[:5]:
        first.predict()
        first.update(report)
    saved = state_dict(first)
    second, feedback = opened(case, gains)
    for path, value in saved["state"].items():
        if isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size:
            missing = np.where(np.arange(value.size).reshape(value.shape) == 0, np.nan, value)
            with pytest.raises(InputError, match="take another copy"):
                load_state_dict(saved | {"state": saved["state"] | {path: missing}}, second)
    whole = [*steps(opened(case, gains)[0], feedback)]
    np.testing.assert_array_equal([*steps(second, feedback)], whole)  # it goes on from its own beginning


SETTINGS = [(2, 0.1), (5, 10.0)]
LEARNERS: dict[str, Callable[[Reports], Any]] = {
    "LinearFilters": lambda first: LinearFilters(trend, SETTINGS, first),
    "LinearFilters of processes": lambda first: LinearFilters(smooth, SETTINGS, first),
    "Autoregressions": lambda first: Autoregressions(SETTINGS, first, order=2),
    "PooledAutoregressions": lambda first: PooledAutoregressions(SETTINGS, first),
    "PosteriorMeans": lambda first: PosteriorMeans([Deviations(0.1, 1.0, 0.9)] * 2, first, np.ones(4)),
    "TotalsLeader": TotalsLeader,
    "Recorded": lambda _: Recorded(np.arange(ROUNDS * 6).reshape(ROUNDS, 2, 3)),
}


def learner(kind: str, seed: int) -> tuple[Any, list[Any]]:
    first = Reports(rng_for(seed, "first").normal(size=(3, 4)), LOCAL, SCALE)
    reports = rng_for(0, "reports").normal(size=(ROUNDS, 3, 4))
    return LEARNERS[kind](first), [Reports(values, LOCAL, SCALE) for values in reports]


@pytest.mark.parametrize("kind", LEARNERS)
def test_a_learner_goes_on_bit_for_bit(kind, tmp_path):
    goes_on(functools.partial(learner, kind), tmp_path / "a.state")


def test_sums_have_the_same_bits_afterwards(tmp_path):
    """Reports lie in memory expert by expert, and sums over experts are added in the order of memory."""
    first = Reports(np.zeros((3, 200)), LOCAL, SCALE)
    feedback = [
        Reports(np.asfortranarray(rng_for(t, "long").normal(size=(3, 200))), LOCAL, SCALE) for t in range(5)
    ]
    whole, before, after = (PooledAutoregressions([(5, 10.0)], first) for _ in range(3))
    for report in feedback[:3]:
        whole.update(report)
        before.update(report)
    save(tmp_path / "a.state", before)
    load(tmp_path / "a.state", after)
    for report in feedback[3:]:
        whole.update(report)
        after.update(report)
        assert [product.tobytes() for product in after._products] == [
            product.tobytes() for product in whole._products
        ]


def test_no_algorithm_and_no_learner_is_missing():
    exported = [getattr(room, name) for room in (algorithms, learners) for name in room.__all__]
    players = {
        kind.__name__
        for kind in exported
        if isinstance(kind, type) and hasattr(kind, "predict") and not getattr(kind, "_is_protocol", False)
    }
    played = {type(opened(case, np.zeros((1, 4)))[0]).__name__ for case in CASES.values()}
    assert players - played == {kind for kind in LEARNERS if kind.isidentifier()}
