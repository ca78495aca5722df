"""A pool with secure noise: its weights, its exact draws, what rounding costs, and the counts it releases."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from private_experts.algorithms import PooledDraws, PoolParameters, secure_draws
from private_experts.algorithms.pool_parameters import filter_of, levels_of_tree, pool_epsilon
from private_experts.algorithms.secure_draws import SecureWeights, drawn_exactly, rounded, rows
from private_experts.algorithms.sequence_weights import SequenceWeights
from private_experts.errors import InputError
from private_experts.games import play
from private_experts.privacy import ApproximateDP, PureDP, SecureNoise, SimulatedNoise
from private_experts.randomness import rng_for
from private_experts.saving import load_state_dict, state_dict
from tests.each import each

OPEN = {"gaussian": ApproximateDP(1e9, 0.1, "central"), "laplace": PureDP(1e9, "central")}
SLOTS = PoolParameters(0.8, 6, (0.6, 0.9, 1.4), 0.3)


@pytest.fixture
def noise():
    pytest.importorskip("opendp", reason="secure noise is the optional extra 'secure'")
    return SecureNoise()


@each(("n", "switches"), [(1, 2), (3, 0), (3, 2), (5, 4)])
def test_weights_are_those_in_logarithms(n, switches):
    usual, secure = SequenceWeights(n, 30, switches), SecureWeights(n, 30, switches, 0.7)
    for losses in rng_for(0, "secure weights").random((29, 2, n)):
        usual.add(-0.7 * losses)
        secure.add(-0.7 * losses)
        law = secure.joint / secure.joint.sum(axis=(1, 2), keepdims=True)
        np.testing.assert_allclose(law, np.exp(usual.log_joint), atol=1e-13)
        np.testing.assert_array_equal(law == 0, np.broadcast_to(usual.log_joint == -np.inf, law.shape))


def test_a_copy_that_lost_far_more_than_another_keeps_its_law():
    alone, beside = (SecureWeights(2, 50, 0, 10.0) for _ in range(2))
    for _ in range(49):
        alone.add(np.array([[-9.0, -9.1]]))
        beside.add(np.array([[-9.0, -9.1], [0.0, 0.0]]))
    law, other = alone.joint[0], beside.joint[0]
    np.testing.assert_allclose(other / other.sum(), law / law.sum(), rtol=1e-12)


def test_in_long_games_sequences_switch_as_often_as_they_should():
    n, rounds = 10, 10**8 - 3 + np.arange(4)
    weights = SecureWeights(n, 3, 1, 0.1)
    ways = 1 + (n - 1) * rounds
    # As rounded as logarithms of factorials are there; a switch in one round is less likely than that.
    weights.log_ways = np.log([np.ones(4), ways]).T.round(7)
    weights.add(np.zeros(n))
    switched = weights.joint[0, 1].sum() / weights.joint.sum()
    assert switched == pytest.approx((n - 1) / ways[2], rel=1e-6)


def test_no_rounding_makes_a_chance_to_stay_negative():
    weights = SecureWeights(10, 3, 2, 0.1)
    weights._past = np.ones((1, 3, 10))
    weights.log_ways = np.zeros((4, 3))  # rounded beyond use: nine others, to each with chance 1
    weights.add(np.zeros(10))
    assert (weights.joint[0] / weights.joint.max()).mean(axis=1).tolist() == [0.0, 0.9, 1.0]


def test_rounding_in_weights_is_within_what_the_level_counts():
    n, switches, horizon, eta = 3, 1, 40, 30.0  # so large a rate meets the least weight
    weights = SecureWeights(n, horizon, switches, eta)
    exact = [[Fraction(weight) for weight in row] for row in weights.joint[0].tolist()]
    for t, losses in enumerate(np.rint(rng_for(0, "rounding").random((horizon - 1, n)) * 2) / 2):
        factors = [Fraction(float(np.exp(-eta * loss))) for loss in losses]
        left = horizon - t - 1
        chance = float(np.exp(weights.log_ways[left - 1, 0] - weights.log_ways[left, 1]))
        stay, move = 1 - (n - 1) * chance, Fraction(chance)
        before, after = ([w * f for w, f in zip(row, factors, strict=True)] for row in exact)
        after = [w + move * (sum(before) - own) for w, own in zip(after, before, strict=True)]
        exact = [[Fraction(stay) * w for w in before], after]
        least = max(map(max, exact)) * Fraction(secure_draws._LEAST)
        exact = [[max(w, least) for w in row] for row in exact]
        weights.add(-eta * losses)
    unit = Fraction(float(weights.joint.max())) / max(map(max, exact))
    errors = [
        abs(Fraction(weight) / (unit * true) - 1)
        for weight, true in zip(weights.joint[0].ravel(), (*exact[0], *exact[1]), strict=True)
    ]
    assert 0 < max(errors) <= 2 * horizon * (n + 4) * 2.0**-53


@each(("eta", "switches"), [(0.5, 0), (0.5, 1), (1000.0, 1)])  # e^-1000 is no number
def test_one_loss_moves_a_draw_by_nearly_its_level_and_no_more(eta, switches):
    horizon, n = 4, 2
    vectors = [np.array(vector, dtype=np.float64) for vector in product((0, 1), repeat=n)]

    def law(rounds):
        weights = SecureWeights(n, horizon, switches, eta)
        for i in rounds:
            weights.add(-eta * vectors[i])
        numbers = [Fraction(weight) for weight in weights.joint.ravel().tolist()]
        return [number / sum(numbers) for number in numbers]

    laws = {rounds: law(rounds) for rounds in product(range(4), repeat=horizon - 1)}
    most = max(
        one / other
        for rounds, before in laws.items()
        for place, i in product(range(horizon - 1), range(4))
        for one, other in zip(before, laws[(*rounds[:place], i, *rounds[place + 1 :])], strict=True)
        if one  # where the other is 0 it is told apart for certain, which no level allows
    )
    level = rounded(PoolParameters(eta, 2, (1.0,), 0.0), n, horizon, switches).eta
    assert 0.6 * min(2 * level, -math.log(secure_draws._LEAST)) < math.log(most) <= 2 * level


def test_draws_have_probabilities_exactly_in_the_ratio_of_weights(monkeypatch):
    weights = np.array([[[3.0, 0.1], [0.0, 2.0**-300]]])
    numbers = [Fraction(weight) for weight in weights.ravel().tolist()]
    unit = Fraction(2) ** -352  # of the last bit of the least
    tickets = [0]
    monkeypatch.setattr(secure_draws.secrets, "randbelow", lambda most: asked.append(most) or tickets[0])
    states = [(0, 0), (0, 1), (1, 0), (1, 1)]
    for state, start, number in zip(states, np.cumsum([0, *numbers[:-1]]), numbers, strict=True):
        for ticket in {start / unit, (start + number) / unit - 1} if number else ():
            asked, tickets[0] = [], int(ticket)
            of_copies = np.transpose(drawn_exactly(np.tile(weights, (2, 1, 1)))).tolist()
            assert of_copies == [[*state], [*state]]
            assert asked == [sum(numbers) / unit] * 2  # a number for each copy


@each("kind", OPEN)
def test_entries_make_running_sums_and_a_round_is_in_few(kind):
    epoch = 45
    sums, filtered = np.zeros((epoch - 1, epoch - 1)), filter_of(epoch - 1)
    entries = sums.copy()
    for t in range(1, epoch):
        entries[t - 1, :t], count = rows(t, filtered[:t] if kind == "gaussian" else None)
        sums[t - 1] = count @ entries[:t]
    np.testing.assert_allclose(sums, np.tril(np.ones_like(sums)), atol=1e-12)
    if kind == "laplace":
        assert set(entries.ravel()) == {0, 1}
        assert entries.sum(axis=0).max() == levels_of_tree(epoch)
    else:
        assert (entries**2).sum(axis=0).max() == pytest.approx((filtered**2).sum())


@each("guarantee", [ApproximateDP(1.0, 1e-6, "central"), PureDP(1.0, "central")])
def test_a_guarantee_is_kept_with_rounding_and_does_not_say_simulated(noise, guarantee):
    switches, horizon = 2, 1000
    delta = getattr(guarantee, "delta", 0.0)
    pool = PooledDraws(10, guarantee, horizon=horizon, switches=switches, rng=0, noise=noise)
    assert not pool.guarantee.simulated
    assert 0.9 < pool.guarantee.epsilon <= 1
    plain = pool_epsilon(pool.parameters, horizon, delta)
    assert 1 < pool.guarantee.epsilon / plain < 1.0005
    spent = rounded(pool.parameters, 10, horizon, switches)
    assert pool.guarantee.epsilon == pool_epsilon(spent, horizon, delta)
    assert secure_draws._STEP == 2.0**SecureNoise._GRID / secure_draws.UNIT
    counted = (10 + 12) * horizon * 2.0**-52
    assert spent.eta - pool.parameters.eta == pytest.approx(counted, rel=1e-6)


@each("epoch", [2, 8, 100])
def test_a_loss_moves_entries_with_rounding_by_no_more_than_is_paid_for(epoch):
    # a slot's entries move by at most f / scale, the grid's step, and rounding of two sums of H products
    parameters = PoolParameters(0.5, epoch, (0.7, 3.0), 0.3)
    for scale, paid in zip(parameters.scales, rounded(parameters, 5, 1000, 1).scales, strict=True):
        moved = (filter_of(epoch - 1) + 2.0**-50 * epoch**1.5) / scale + 2.0**-46
        assert np.linalg.norm(moved) <= np.linalg.norm(filter_of(epoch - 1)) / paid


def test_losses_are_numbers_whose_sums_are_exact(noise):
    settings = {"horizon": 9, "switches": 1, "repetitions": 5, "parameters": SLOTS, "noise": noise}
    pool = PooledDraws(3, OPEN["laplace"], rng=3, **settings)
    play(pool, rng_for(0, "exact sums").random((5, 3)))
    losses = pool._past[np.nonzero(pool._past)]
    assert losses.size >= 5 * 3
    np.testing.assert_array_equal(losses * 2.0**30, np.rint(losses * 2.0**30))


@each("kind", OPEN)
def test_counts_are_the_losses_without_noise_and_late_draws_pay_for_the_rounds_before(
    noise, kind, monkeypatch
):
    for law in ("perturb", "laplace"):
        monkeypatch.setattr(SecureNoise, law, lambda self, values, scale, repetitions: values)
    gains = rng_for(0, "late").random((6, 2, 3))  # of each copy its own
    parameters = PoolParameters(2.0, 6, (1e-3, 0.1, 5.0, 1.0), 0.0)
    given = {"horizon": 6, "switches": 2, "repetitions": 2, "parameters": parameters}
    pool = PooledDraws(3, OPEN[kind], rng=1, noise=noise, **given)
    for t in range(6):
        held = np.argwhere(pool._clocks > -math.inf)
        for slot, copy in held:
            lost = (1 - gains)[np.arange(t), copy, pool._paths[slot, copy, :t]].sum()
            count = pool._raised[slot, copy, :t] @ pool._rows(t)[1] if t else 0.0
            assert count == pytest.approx(lost, abs=1e-8)
            assert pool._alive((slot, copy), t) == (pool._clocks[slot, copy] > 2.0 * count)
        play(pool, gains[[t]], resume=True)
    assert held[:, 0].max() == 3


@each("kind", OPEN)
def test_each_entry_has_noise_of_its_own_in_the_scale_of_its_slot_to_the_digit(noise, kind, monkeypatch):
    drawn, rng = [], rng_for(0, "entries")

    def perturb(self, values, scale, repetitions):
        assert (scale, repetitions) == (secure_draws.UNIT, 1)
        drawn.extend(rng.normal(size=values.size).tolist())
        return values + scale * np.reshape(drawn[-values.size :], values.shape)

    right, wrong = {"gaussian": ("perturb", "laplace"), "laplace": ("laplace", "perturb")}[kind]
    monkeypatch.setattr(SecureNoise, right, perturb)
    monkeypatch.setattr(SecureNoise, wrong, lambda *given: pytest.fail("noise of another law"))
    scales, rounds = (0.5, 1.0, 2.0, 3.0), 11
    settings = {"parameters": PoolParameters(0.5, 12, scales, 0.3), "noise": noise, "repetitions": 5}
    pool = PooledDraws(3, OPEN[kind], horizon=12, switches=1, rng=1, **settings)
    gains = rng.integers(5, size=(rounds, 5, 3)) / 4
    play(pool, gains)
    held, units = pool._clocks > -math.inf, []
    assert len(np.unique(pool._clocks[held])) == held.sum()
    for slot, copy in np.argwhere(held):
        paid = (1 - gains)[np.arange(rounds), copy, pool._paths[slot, copy, :rounds]]
        entries = [pool._rows(t)[0] @ paid[:t] for t in range(1, rounds + 1)]
        units.extend((pool._raised[slot, copy, :rounds] - entries) / scales[slot])
    assert len(units) > 5 * rounds
    np.testing.assert_allclose(np.sort(units), np.sort(drawn), atol=1e-9)


@each("kind", OPEN)
def test_a_game_can_be_saved_within_an_epoch(noise, kind):
    def pool(source):
        settings = {"horizon": 10, "switches": 1, "repetitions": 5, "parameters": SLOTS, "noise": source}
        return PooledDraws(3, OPEN[kind], rng=3, **settings)

    gains = rng_for(0, "saved").random((10, 3))
    for source in (None, noise):
        # Other slots have been used by then than in a pool that was made anew, and the last epoch is short.
        for rounds in (1, 3, 8):
            one, other = pool(source), pool(source)
            play(one, gains[:rounds])
            load_state_dict(state_dict(one), other)
            np.testing.assert_array_equal(one._raised, other._raised)
            assert (one.predict() == other.predict()).all()
            assert play(other, gains[rounds:], resume=True).shape == (10 - rounds, 5)


@each("base", [SimulatedNoise, SecureNoise])
def test_other_sources_of_noise_are_refused(base):
    class Other(base):  # may draw from any law
        def __init__(self):
            pass

    with pytest.raises(InputError, match="noise of type Other: write SecureNoise"):
        PooledDraws(2, OPEN["laplace"], horizon=8, rng=0, parameters=SLOTS, noise=Other())
