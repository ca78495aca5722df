"""Windows of a phase: the regrets that are looked at, and that looking seldom changes nothing."""

import itertools
import math

import numpy as np
import pytest

from private_experts.algorithms.all_windows import AllWindows
from private_experts.algorithms.dyadic_blocks import DyadicBlocks, shortest_block
from private_experts.privacy import AboveThreshold, PureDP
from private_experts.randomness import rng_for
from tests.each import each

RNG = rng_for(1, "quiet")


def alarm_at(epsilon, rng, repetitions):
    return AboveThreshold(PureDP(epsilon, "central"), rng=rng, repetitions=repetitions)


def regret(gains, own, start, stop):
    """What the best expert earned in the rounds start + 1..stop, less what was played."""
    return gains[start:stop].sum(axis=0).max() - own[start:stop].sum()


@each("keep", [False, True])
def test_all_windows_of_the_phase_are_looked_at(keep):
    horizon, repetitions = 9, 3
    gains, own = rng_for(1, "all").random((horizon, 1, 2)), rng_for(1, "own").random((horizon, repetitions))
    windows = AllWindows(2, horizon, repetitions)
    first = np.zeros(repetitions, dtype=int)
    for t in range(horizon):
        windows.add(gains[t], own[t])
        regrets = windows.regrets(np.arange(repetitions))
        for r, start in itertools.product(range(repetitions), range(t + 1)):
            assert regrets[r, start] == pytest.approx(regret(gains[:, 0], own[:, r], start, t + 1), abs=1e-12)
        # With hardly any noise, what is above is a regret above its threshold, here the largest but for a
        # little.
        of_phase = [regrets[r, first[r] : t + 1].max() for r in range(repetitions)]
        for level, expected in ((max(of_phase) + 0.01, False), (min(of_phase) - 0.01, True)):
            hazard = windows._look(np.arange(repetitions), np.full(horizon + 1, level), alarm_at(1e6, RNG, 3))
            np.testing.assert_array_equal(hazard > 1, expected)
        which = np.array([t == 3, t == 5, False])
        windows.restart(which, gains[t], own[t], keep)
        first[which] = t if keep else t + 1


def test_a_block_of_windows_that_is_near_for_one_copy_alone_is_looked_at():
    horizon, rows = 320, np.arange(2)
    gains, own = np.zeros((horizon, 2, 2)), np.zeros((horizon, 2))
    gains[:40, 0, 1] = gains[-40:, 1, 1] = 1.0  # what expert 1 is ahead: early in one copy, late in the other
    own[:-40, 1] = 0.5
    windows, above = AllWindows(2, horizon, 2), alarm_at(8.0, RNG, 2)
    for each_round, played in zip(gains, own, strict=True):
        windows.add(each_round, played)
    queries = windows.regrets(rows) - 45.0
    hazard = above.hazard(above.margins(queries, rows))
    np.testing.assert_allclose(windows._look(rows, np.full(horizon + 1, 45.0), above), hazard, rtol=1e-9)


def test_with_hardly_any_noise_bounds_are_too_large_for_a_number_and_nobody_is_warned():
    windows, above = AllWindows(2, 9, 1), alarm_at(2000.0, RNG, 1)
    windows.add(np.zeros((1, 2)), np.zeros(1))
    with np.errstate(all="raise", under="ignore"):
        windows._look(np.arange(1), np.zeros(10), above)
    assert np.isfinite(windows._rise).all()
    assert np.isposinf(windows._bound).all()


def test_a_round_whose_regret_grows_by_more_than_any_before_is_looked_at():
    windows, above = AllWindows(1, 40, 1, bounded=False), alarm_at(100.0, RNG, 1)
    for gain, ends in ((0.0, False), (0.0, False), (30.0, True)):
        ended = windows.test(np.full((1, 1), gain), np.zeros(1), np.full(41, 20.0), above)
        assert ended.tolist() == [ends]


def test_rounds_in_which_regret_grows_faster_than_foreseen_are_not_passed_over():
    windows, gains = AllWindows(2, 9, 3), np.zeros((5, 1, 2))
    assert windows.steady(gains, np.zeros((5, 3))) == 5
    gains[3, 0, 1] = 1.1
    assert windows.steady(gains, np.zeros((5, 3))) == 3


@each("keep", [False, True])
@each("wide", [1, 3])
@each("shortest", [1, 2, 8])
def test_blocks_of_the_phase_are_looked_at_when_they_end(keep, wide, shortest):
    horizon, repetitions = 40, 3
    gains, own = (
        rng_for(1, "blocks").random((horizon, wide, 2)),
        rng_for(1, "own").random((horizon, repetitions)),
    )
    windows = DyadicBlocks(2, horizon, repetitions, shortest)
    seen = []
    first = np.zeros(repetitions, dtype=int)  # rounds before the phase
    for t in range(horizon):
        quiet, one = windows.quiet(100, None), windows.quiet(1, None)
        regrets, lengths = windows.add(gains[t], own[t])
        assert (one, quiet > 0) == (min(quiet, 1), not np.isfinite(regrets).any())
        for r in range(repetitions):
            of_own = gains[:, r % wide]
            position = t + 1 - first[r]  # rounds of a phase are counted from 1
            sizes = [size for size in (1, 2, 4, 8, 16, 32) if shortest <= size and (position + 1) % size == 0]
            assert np.isfinite(regrets[r]).sum() == len(sizes)
            assert (lengths.shape[-1], lengths.dtype) == (regrets.shape[1], np.intp)
            for k, size in enumerate(sizes):
                length = min(size, position)
                seen.append(length)
                assert lengths[r, k] == length
                assert regrets[r, k] == pytest.approx(
                    regret(of_own, own[:, r], t + 1 - length, t + 1), abs=1e-12
                )
        which = np.array([t == 11, t == 12, False])
        windows.restart(which, gains[t], own[t], keep)
        first[which] = t if keep else t + 1
    assert {max(shortest - 1, 1), 16, 31} <= set(seen)


@each("wide", [1, 3])
def test_rounds_in_which_no_block_ends_are_taken_in_together(wide):
    together, in_turn = (DyadicBlocks(2, 40, 3, 8) for _ in range(2))
    gains, own = rng_for(1, "quiet").random((30, wide, 2)), rng_for(1, "own").random((30, 3))
    quiet = together.quiet(100, None)
    assert quiet == 6
    together.add_many(gains[:quiet], own[:quiet])
    for t in range(30):
        found = in_turn.add(gains[t], own[t])
        if t >= quiet:
            for one, other in zip(together.add(gains[t], own[t]), found, strict=True):
                np.testing.assert_array_equal(one, other)


def test_no_more_windows_are_asked_about_than_are_paid_for():
    rng = rng_for(1, "restarts")
    for horizon in (2, 3, 31, 32, 100):
        for shortest in (1, 2, 4, 16):
            if shortest > horizon:
                continue
            windows = DyadicBlocks(2, horizon, 50, shortest)
            queries = np.zeros(50, dtype=int)
            for _ in range(horizon):
                gains, own = np.zeros((1, 2)), np.zeros(50)
                queries += np.isfinite(windows.add(gains, own)[0]).sum(axis=1)
                windows.restart(rng.random(50) < 0.1, gains, own, keep=False)
            assert windows.most_windows == 2 * horizon // shortest
            assert queries.max() <= windows.most_windows
            assert queries.max() > windows.most_windows / 3 - 2  # not paid for in vain
        assert horizon * (horizon + 1) / 2 <= AllWindows(2, horizon, 1).most_windows == horizon**2


def test_blocks_are_looked_at_from_the_first_length_on_that_can_exceed_its_threshold():
    def thresholds(queries):
        return 3.0 + np.sqrt(np.arange(101.0)) + math.log(queries)

    size = shortest_block(100, thresholds)
    assert size == 16
    assert thresholds(2 * 100 // 16)[16] < 16
    assert thresholds(2 * 100 // 8)[8] >= 8
    assert shortest_block(100, lambda queries: np.zeros(101)) == 1
    assert shortest_block(100, lambda queries: np.full(101, np.inf)) == 64
    assert shortest_block(64, lambda queries: np.full(65, np.inf)) == 64
    assert shortest_block(2, lambda queries: np.full(3, np.inf)) == 2


def risen(n, horizon, repetitions, rng):
    """Gains (T, repetitions, n) of a learner who plays expert 0, which is good at first and bad later."""
    chances = np.full((horizon, 1, n), 0.4)
    chances[horizon // 2 :, :, 0] = 0.0
    chances[: horizon // 2, :, 0] = 0.7
    return (rng.random((horizon, repetitions, n)) < chances).astype(float)


def test_looking_seldom_raises_the_alarms_that_a_look_at_all_windows_in_every_round_does():
    horizon, repetitions = 120, 300
    thresholds = np.append(8.0, 8.0 + np.sqrt(np.arange(horizon)))
    seldom, always = (AllWindows(2, horizon, repetitions) for _ in range(2))
    above, other = (alarm_at(4.0, rng_for(1, "alarm noise"), repetitions) for _ in range(2))
    rows, alarms, looks, look = np.arange(repetitions), [], [], seldom._look
    seldom._look = lambda some, *rest: looks.append(some.size) or look(some, *rest)
    for t, each_round in enumerate(risen(2, horizon, repetitions, rng_for(1, "alarm"))):
        ended = seldom.test(each_round, each_round[:, 0], thresholds, above)
        always.add(each_round, each_round[:, 0])
        queries = always.regrets(rows) - thresholds[np.arange(t + 1, 0, -1)]
        patience, hazard = other.patience(), other.hazard(other.margins(queries, rows))
        np.testing.assert_array_equal(ended, other.exceeds(hazard, patience, rows))
        alarms.append(ended.sum())
    assert np.count_nonzero(alarms) > 20
    assert sum(alarms) > repetitions / 2
    assert sum(looks) < horizon * repetitions / 2


def test_a_query_adds_no_more_to_the_hazard_than_the_bound_says():
    margins = np.concatenate([np.linspace(-15, 15, 2001), [-1e12, 50.0]])
    x = np.exp(-np.maximum(margins, -20.0))
    hazard = AboveThreshold.hazard(margins[:, None])
    assert (hazard <= x / 2 + x**2 / 4).all()
    assert (hazard > 0.9 * (x / 2 + x**2 / 4))[margins > 0].all()  # and not much less


def test_the_bound_on_the_hazard_is_one():
    horizon, repetitions = 200, 40
    thresholds = np.append(10.0, 10.0 + np.sqrt(np.arange(horizon)))
    gains = risen(2, horizon, repetitions, rng_for(1, "bound"))
    gains[150:, :, 1] = 1.0  # the regret grows as fast as it can
    windows, above = (
        AllWindows(2, horizon, repetitions),
        alarm_at(8.0, rng_for(1, "bound noise"), repetitions),
    )
    rows, promised = np.arange(repetitions), 0
    for t, each_round in enumerate(gains):
        windows.add(each_round, each_round[:, 0])
        queries = windows.regrets(rows) - thresholds[np.arange(t + 1, 0, -1)]
        queries[np.arange(t + 1) < windows._first[:, None]] = -np.inf
        hazard = above.hazard(above.margins(queries, rows))
        valid = windows._until >= windows._round
        assert (hazard[valid] <= windows._bound[valid] * (1 + 1e-9)).all()
        promised += valid.sum()
        if not valid.all():
            np.testing.assert_allclose(
                windows._look(rows[~valid], thresholds, above), hazard[~valid], rtol=1e-9
            )
        if t in (60, 120):
            windows.restart(rows % 3 == 0, each_round, each_round[:, 0], keep=t == 60)
            above._threshold[rows % 3 == 0] = -8.0  # drawn anew, and so low that no bound so far holds
    assert promised > horizon * repetitions / 3
