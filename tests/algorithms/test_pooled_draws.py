"""A pool of draws: its accounting, its choice of parameters, its budget and what it refuses."""

import math
from functools import cache

import numpy as np
import pytest
from scipy import stats

from private_experts.algorithms import PooledDraws, PoolParameters, pool_regret
from private_experts.algorithms.pool_parameters import filter_of, pool_epsilon, shifts
from private_experts.algorithms.sequence_weights import SequenceWeights
from private_experts.errors import InputError
from private_experts.games import play
from private_experts.privacy import ApproximateDP, PureDP
from private_experts.privacy.conversions import concentrated_epsilon
from private_experts.randomness import rng_for
from tests.each import each

chosen = cache(PoolParameters.for_guarantee)  # it takes a second for a long game
APPROXIMATE, PURE = ApproximateDP(1.0, 1e-6, "central"), PureDP(1.0, "central")
SMALL = PoolParameters(0.3, 4, (2.0, 3.0), 0.5, 5)


@each("guarantee", [APPROXIMATE, PURE])
@each("horizon", [100, 1_000_000])
def test_chosen_parameters_spend_nearly_all_of_a_guarantee_and_no_more(guarantee, horizon):
    parameters = chosen(guarantee, 10, horizon)
    spent = pool_epsilon(parameters, horizon, getattr(guarantee, "delta", 0.0))
    assert 0.9 < spent <= 1


@each(("guarantee", "gaussian"), [(APPROXIMATE, True), (PURE, False)])
def test_chosen_parameters_are_better_than_those_beside_them(guarantee, gaussian):
    horizon, delta = 1_000_000, getattr(guarantee, "delta", 0.0)
    best = chosen(guarantee, 10, horizon)
    least = pool_regret(best, 10, horizon, gaussian=gaussian)
    for name, factors in {"shift": (0.6, 1.7), "draws": (0.8,), "eta": (0.5,)}.items():
        for factor in factors:
            other = best._replace(**{name: factor * getattr(best, name)})
            assert pool_epsilon(other, horizon, delta) <= 1
            assert pool_regret(other, 10, horizon, gaussian=gaussian) > least
    # the largest rate without privacy, where a guarantee asks for little
    loose = PoolParameters.for_guarantee(ApproximateDP(100.0, 1e-6, "central"), 10, 10_000)
    assert loose.eta == pytest.approx(math.sqrt(8 * math.log(10) / 10_000))


def test_parameters_are_chosen_for_the_number_of_experts():
    few, many = chosen(APPROXIMATE, 2, 1000), chosen(APPROXIMATE, 10**9, 1000)
    for n, own, other in ((2, few, many), (10**9, many, few)):
        assert pool_regret(own, n, 1000, gaussian=True) < pool_regret(other, n, 1000, gaussian=True)


LONG = PoolParameters(1e-3, 8, tuple(range(20, 60)), 0.5)


@each(("parameters", "horizon"), [(SMALL, 100), (SMALL, 4), (SMALL, 8), (SMALL, 9), (LONG, 8000)])
def test_levels_are_those_of_the_theorem(parameters, horizon):
    """In two epochs of two slots at most two draws can know a loss, and one round more begins a third."""
    eta, epoch, scales, _, draws = parameters
    known = min(draws - 1, len(scales) * (-(-horizon // epoch) - 1))
    pure = 2 * eta * known + (epoch - 1).bit_length() * sum(1 / scale for scale in scales)
    assert pool_epsilon(parameters, horizon) == pytest.approx(pure, rel=1e-12)
    square = sum((math.comb(2 * k, k) / 4**k) ** 2 for k in range(epoch - 1))
    rho = known * eta**2 / 2 + square * sum(1 / scale**2 for scale in scales) / 2
    epsilon = pytest.approx(concentrated_epsilon(rho, 0.01), rel=1e-12)
    assert pool_epsilon(parameters, horizon, 0.01) == epsilon


def test_a_level_of_0_has_no_parameters():
    with pytest.raises(InputError, match=r"epsilon = 0\.0: write a positive number"):
        PoolParameters.for_guarantee(PureDP(0.0, "central"), 2, 50)


@each(("switches", "kept"), [(0, (1, 1)), (2, (4, 2))])
def test_what_is_kept_by_round_is_that_of_the_rounds_an_epoch_has_left(switches, kept):
    pool = PooledDraws(2, PureDP(1e9, "central"), horizon=6, switches=switches, rng=0, parameters=SMALL)
    rounds = []
    for gains in np.eye(2)[[0, 1, 1, 0, 1]]:
        rounds.append(pool._paths.shape[2])
        pool.update(gains)
    assert rounds == [kept[0]] * 4 + [kept[1]]


def test_shifts_are_in_units_of_the_largest_noise_of_a_count():
    squares = sum(coefficient**2 for coefficient in (1, 1 / 2, 3 / 8))
    assert shifts(SMALL, True) == pytest.approx(0.5 * math.sqrt(squares) * np.array([2.0, 3.0]))
    assert shifts(SMALL, False) == pytest.approx(0.5 * 2 * np.array([2.0, 3.0]))
    np.testing.assert_allclose(np.convolve(filter_of(50), filter_of(50))[:50], 1, rtol=1e-12)


@each("gaussian", [True, False])
def test_the_regret_bound_is_that_of_the_theorem(gaussian):
    eta, epoch, scales, shift, draws = many = PoolParameters(0.1, 4, (2.0, 3.0), 0.5, 18)
    # Of a count's noise, by place: its variance, or the number of its nodes.
    grown = np.cumsum([0.0, 1.0, 1 / 4, 9 / 64]) if gaussian else np.array([0, 1, 2, 2])
    places, apart, dead, lasting = np.arange(epoch), np.zeros(epoch), np.ones(epoch), []
    for scale in scales:
        added = shift * scale * math.sqrt(grown[-1] if gaussian else 2 * grown[-1])
        theta = np.geomspace(1e-2, 10 if gaussian else 0.999 / scale, 10_000)[:, None]
        if gaussian:
            s, moments = scale * np.sqrt(grown), theta**2 * scale**2 * grown / 2
            u = added / np.maximum(s, 1e-9)
            below = s * (stats.norm.pdf(u) - u * stats.norm.sf(u))
        else:
            moments = -np.log1p(-((theta * scale) ** 2)) * grown
            below = (np.exp(moments - theta * added - 1) / theta).min(axis=0) * (grown > 0)
        most = (np.log(np.exp(theta * places + moments).sum(axis=1)) / theta[:, 0]).min()
        apart += eta * below * dead
        dead *= 1 - np.exp(-eta * (places + added + below))
        lasting.append(math.exp(-eta * (added + most)))
    t = np.geomspace(1e-3, 3, 10_000)
    of_epoch = lasting[0] * np.exp(t) + (1 - lasting[0]) * np.exp(2 * t)
    short = np.exp(10 * np.log(of_epoch) - t * draws).min()
    regret = math.log(7) / eta + eta * 40 / 8 + 40 * ((apart + dead).mean() + short)
    assert 0.05 < short < 0.7
    room = 1.005 if gaussian else 1.01  # the library's grid is coarser
    assert regret <= pool_regret(many, 7, 40, gaussian=gaussian) * (1 + 1e-9) <= regret * room
    without, rounding = many._replace(draws=math.inf), 1e-9 if gaussian else 5e-3  # of another grid
    assert pool_regret(without, 7, 40, gaussian=gaussian) == pytest.approx(regret - 40 * short, rel=rounding)


def test_no_more_is_drawn_than_the_budget_and_then_the_last_draw_stays():
    given = {"horizon": 40, "repetitions": 200, "parameters": PoolParameters(1.0, 4, (0.5, 0.5), 1.0, 5)}
    pool = PooledDraws(50, PureDP(100.0, "central"), rng=rng_for(0, "budget"), **given)
    plays = play(pool, np.zeros((40, 50)))
    np.testing.assert_array_equal(pool.draws, np.full(200, 5), strict=True)  # whole numbers
    assert (plays[-16:] == plays[-1]).all()
    assert len({*plays[-1].tolist()}) > 20


class Impulses:
    """A generator of which each number is 1 in a copy of its own, and 0 in the others."""

    def __init__(self):
        self.drawn = 0

    def laplace(self, size):
        return self.standard_normal(size)

    def standard_normal(self, size):
        rows = np.arange(size[0])
        numbers = np.zeros(size)
        numbers[rows, self.drawn + rows] = 1.0
        self.drawn += size[0]
        return numbers


SCALES = (0.5, 1.0, 2.0, 3.0, 4.0, 5.0)


def pool_of(guarantee, epoch, repetitions, rng=0, switches=0):
    given = {"horizon": 12 * epoch, "parameters": PoolParameters(0.5, epoch, SCALES, 0.3)}
    return PooledDraws(3, guarantee, rng=rng, repetitions=repetitions, switches=switches, **given)


@each("epoch", [2, 7, 33, 130])
def test_a_count_has_the_noise_of_its_nodes_or_of_its_filter_to_the_digit(epoch):
    def gram(guarantee):
        pool = pool_of(guarantee, epoch, 2 * epoch)
        pool._rng = Impulses()
        for _ in range(70):  # late draws as well
            pool._rng.drawn = 0
            loads = pool._count_noise(2 * epoch)
        return loads @ loads.T

    def nodes(rounds):  # by the binary digits of a number of rounds
        return {(level, rounds >> level) for level in range(rounds.bit_length()) if rounds >> level & 1}

    shared = [[len(nodes(first) & nodes(last)) for last in range(epoch)] for first in range(epoch)]
    np.testing.assert_allclose(gram(PureDP(1e9, "central")), shared, atol=1e-12)
    rows = np.zeros((epoch, epoch))
    for known in range(1, epoch):
        rows[known, :known] = filter_of(known)[::-1]
    np.testing.assert_allclose(gram(ApproximateDP(1e9, 0.1, "central")), rows @ rows.T, atol=1e-12)


class Noted(np.random.Generator):
    """A generator that notes its exponential variables."""

    def standard_exponential(self, size):
        self.noted = [*getattr(self, "noted", []), super().standard_exponential(size)]
        return self.noted[-1]


@pytest.mark.parametrize("switches", [0, 2])
@pytest.mark.parametrize("shape", [(3,), (50, 3)])  # of the gains of a round: for all copies, or of each
def test_each_draw_has_a_clock_and_noise_of_its_own_to_the_digit(monkeypatch, switches, shape):
    rng, added = Noted(np.random.PCG64(0)), []

    def counted(pool, copies):
        added.append(rng.standard_normal((7, copies)))
        return added[-1]

    monkeypatch.setattr(PooledDraws, "_count_noise", counted)
    pool = pool_of(PureDP(1e9, "central"), 7, 50, rng, switches)
    weights = SequenceWeights(3, 84, switches)
    for gains in rng_for(0, "epochs").random((12, 7, *shape)):
        play(pool, gains[:6], resume=True)
        used = np.isfinite(pool._clocks)
        clocks, noise = np.concatenate(rng.noted), np.concatenate(added, axis=1)
        np.testing.assert_array_equal(np.sort(pool._clocks[used]), np.sort(clocks))
        slots = len(used)
        unit = (pool._raised - pool._shifts[:slots, None, None]) / np.reshape(SCALES[:slots], (slots, 1, 1))
        np.testing.assert_allclose(np.sort(unit[used], axis=0), np.sort(noise.T, axis=0), atol=1e-9)
        assert slots > 3
        rng.noted.clear()
        added.clear()
        play(pool, gains[6:], resume=True)
        for losses in 1 - gains:
            weights.add(-0.5 * losses)
        np.testing.assert_allclose(np.exp(pool._weights.log_law), np.exp(weights.log_law), rtol=1e-9)


def test_a_slot_that_is_dead_may_come_back():
    given = {"horizon": 4, "repetitions": 500, "parameters": PoolParameters(0.5, 4, (2.0,) * 6, 0.1, 6)}
    pool = PooledDraws(1000, PureDP(100.0, "central"), rng=rng_for(0, "back"), **given)
    plays = play(pool, np.zeros((4, 1000)))
    # Two draws of a thousand experts are seldom the same one.
    assert ((plays[0] == plays[2]) & (plays[1] != plays[0])).mean() > 0.03


def test_the_guarantee_is_kept_by_refusals():
    def pool(guarantee, **more):
        return PooledDraws(2, guarantee, horizon=8, rng=0, **more)

    assert pool(PureDP(10.0, "central"), parameters=SMALL).guarantee.epsilon == pytest.approx(
        2.8667, abs=1e-4
    )
    with pytest.raises(InputError, match="change them, or ask for less"):
        pool(PureDP(2.8, "central"), parameters=SMALL)
    with pytest.raises(InputError, match="write PureDP"):
        pool(PureDP(1.0, "local"))
    for wrong, message in {
        "eta": "eta = -1",
        "shift": "shift = -1",
        "draws": "draws = -1: write a number of at least 1",
        "epoch": "epoch = -1",
    }.items():
        with pytest.raises(InputError, match=message):
            pool(PureDP(10.0, "central"), parameters=SMALL._replace(**{wrong: -1}))
    for scales in ((), (0.0,), (1.0, math.inf)):
        with pytest.raises(InputError, match="scales"):
            pool(PureDP(10.0, "central"), parameters=SMALL._replace(scales=scales))
    alone = pool(PureDP(10.0, "central"), parameters=SMALL)
    play(alone, np.zeros((8, 2)))
    with pytest.raises(InputError, match="8 rounds"):
        alone.update(np.zeros(2))


def test_a_sequence_that_is_drawn_late_pays_for_the_rounds_before():
    # One slot after the other dies at once, so that later ones are drawn in the epoch's last rounds.
    gains = rng_for(0, "late").random((6, 3))
    given = {"horizon": 6, "switches": 2, "repetitions": 500}
    given["parameters"] = PoolParameters(2.0, 6, (1e-6,) * 6, 0.0)
    pool = PooledDraws(3, PureDP(1e9, "central"), rng=rng_for(1, "late"), **given)
    play(pool, gains[:5])
    lost = np.zeros_like(pool._lost)
    for t in range(5):
        lost += (1 - gains[t])[pool._paths[:, :, t]]
    held = pool._clocks > -math.inf
    assert held[2:].any()
    np.testing.assert_allclose(pool._lost[held], lost[held])
