"""Both algorithms over sequences play what a list of all sequences says."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from private_experts.algorithms import FixedShare, PooledDraws, PoolParameters, RestartingLeader
from private_experts.algorithms.dartboard_parameters import DartboardParameters
from private_experts.algorithms.dartboard_privacy import dartboard_epsilon
from private_experts.algorithms.sequence_weights import (
    SequenceWeights,
    count_sequences,
    drawn_states,
)
from private_experts.algorithms.switching_dartboard import SwitchingDartboard
from private_experts.algorithms.switching_softmax import SwitchingSoftmax, softmax_regret_bound
from private_experts.errors import InputError
from private_experts.games import play
from private_experts.privacy import ApproximateDP, GaussianDP, PureDP
from private_experts.privacy.composition import advanced_epsilon
from private_experts.privacy.selection import exponential_law, exponential_mechanism
from private_experts.randomness import rng_for
from private_experts.replication.papers.dartboard_law import dartboard_paths
from private_experts.replication.papers.p004.sequence_laws import sequence_laws, switching_sequences
from tests.each import each

OPEN, TWO = PureDP(math.inf, "central"), PureDP(2.0, "central")
GAMES = [(1, 3, 0), (1, 2, 3), (5, 3, 0), (5, 3, 2), (6, 2, 9), (7, 3, 3), (4, 1, 2)]


@each(("horizon", "n", "switches"), GAMES)
def test_the_list_has_every_sequence_once(horizon, n, switches):
    listed = {tuple(row) for row in switching_sequences(horizon, n, switches).tolist()}
    few = {
        path
        for path in itertools.product(range(n), repeat=horizon)
        if sum(a != b for a, b in itertools.pairwise(path)) <= switches
    }
    assert listed == few
    assert count_sequences(horizon, n, switches) == len(few) == len(switching_sequences(horizon, n, switches))
    assert count_sequences(1000, 10, 2) == 10 + 999 * 90 + 999 * 998 // 2 * 810


@each("copies", [1, 20])
def test_each_round_is_drawn_from_its_law_to_the_digit(copies):
    draws, again = (rng_for(1, "digits") for _ in range(2))
    algorithm = SwitchingSoftmax(30, OPEN, horizon=100, switches=2, rate=0.3, rng=draws, repetitions=copies)
    for gains in rng_for(1, "gains").random((100, 30)):
        law = np.broadcast_to(algorithm._weights.log_law, (copies, 30))
        np.testing.assert_array_equal(algorithm.predict(), exponential_mechanism(law, 1.0, again))
        algorithm.update(gains)


def test_without_switches_the_law_of_a_long_game_is_exponential():
    given = {"horizon": 100, "switches": 0, "rate": 0.3, "rng": 0, "repetitions": 6}
    softmax, totals = SwitchingSoftmax(40, OPEN, **given), np.zeros((6, 40))
    for gains in rng_for(2, "no switch").random((99, 6, 40)):
        softmax.update(gains)
        totals += gains
        np.testing.assert_allclose(softmax.law, exponential_law(totals, 0.3), rtol=1e-9)


@each("copies", [1, 70])
def test_states_are_drawn_with_noise_for_each_of_them_to_the_digit(copies):
    rng, again = (rng_for(0, "states") for _ in range(2))
    for laws in rng_for(1, "states").normal(size=(80, copies, 3, 30)):
        heights = (laws + again.gumbel(size=laws.shape)).reshape(copies, -1)
        made, experts = drawn_states(laws, rng)
        np.testing.assert_array_equal(30 * made + experts, heights.argmax(axis=1))


@each("budget", [1, 2])
def test_the_dartboard_over_sequences_plays_as_one_over_a_list_of_them(budget):
    horizon, n, switches, repetitions = 3, 2, 1, 40_000
    losses = np.array([[1.0, 0.0], [0.3, 1.0], [0.5, 0.5]])
    every = switching_sequences(horizon, n, switches)
    paths = dartboard_paths(losses[np.arange(horizon), every].T, 0.4, 0.45, budget)  # of sequences
    expected = np.zeros((n,) * horizon)
    for chosen in itertools.product(range(len(every)), repeat=horizon):
        expected[tuple(every[e, t] for t, e in enumerate(chosen))] += paths[chosen]
    given = {"parameters": DartboardParameters(0.4, 0.45, budget), "rng": rng_for(1, "paths", budget)}
    algorithm = SwitchingDartboard(n, OPEN, horizon=3, switches=1, repetitions=repetitions, **given)
    actions = play(algorithm, 1 - losses)
    counts = np.bincount(np.ravel_multi_index(tuple(actions), expected.shape), minlength=expected.size)
    likely = expected.ravel() > 0
    assert counts[~likely].sum() == 0
    # false alarm 1e-6
    assert stats.chisquare(counts[likely], repetitions * expected.ravel()[likely]).pvalue > 1e-6


@each(("copies", "batch"), [(1, 1), (20, 1), (20, 3)])
def test_each_lottery_and_switch_of_the_dartboard_has_numbers_of_its_own_to_the_digit(copies, batch):
    """Gains are now of each copy, now of all. The last batch is cut short, and its losses change nothing."""
    n, p, eta, horizon, every = 6, 0.3, 0.2, 62, np.arange(copies)
    rng, again = (rng_for(0, "switching digits") for _ in range(2))
    given = {"parameters": DartboardParameters(eta, p, math.inf, batch), "repetitions": copies}
    board = SwitchingDartboard(n, OPEN, horizon=horizon, switches=9, rng=rng, **given)
    weights = SequenceWeights(n, -(-horizon // batch), 9)

    def joint():
        return np.broadcast_to(weights.log_joint, (copies, *weights.log_joint.shape[1:]))

    (made, played), losses = drawn_states(joint(), again), 0.0
    draws, switched = np.ones(copies, dtype=int), 0
    for t, gains in enumerate(rng_for(1, "switching digits").random((horizon, copies, n)), start=1):
        np.testing.assert_array_equal(board.predict(), played)
        np.testing.assert_array_equal(board.draws, draws)
        gains = gains if t % 2 else gains[0]
        board.update(gains)
        losses = losses + 1 - np.broadcast_to(gains, (copies, n))
        if t % batch:
            np.testing.assert_array_equal(board.probabilities(), np.eye(n)[played])
            continue
        if t == horizon:
            break
        change, losses = math.log1p(-eta) / batch * losses, 0.0
        weights.add(change)
        left, spare = -(-horizon // batch) - weights.round, 9 - made
        chance = np.exp(weights.log_ways[left, spare] - weights.log_ways[left + 1, spare])
        kept = (1 - p) * np.exp(change[every, played])
        goes_on = np.where(np.eye(n)[played], chance[:, None], (1 - chance[:, None]) / (n - 1))
        law = kept[:, None] * goes_on + (1 - kept[:, None]) * np.exp(weights.log_law)
        np.testing.assert_allclose(board.probabilities(), law, rtol=1e-9)
        stay, race = again.uniform(size=copies) < chance, again.gumbel(size=(copies, n))
        race[every, played] = -np.inf
        anew = again.uniform(size=copies) >= kept
        played, made = np.where(stay, played, race.argmax(axis=1)), made + ~stay
        made[anew], played[anew] = drawn_states(joint()[anew], again)
        draws, switched = draws + anew, switched + (~stay).sum()
    assert min(switched, (draws - 1).sum()) > copies
    with pytest.raises(InputError, match="62 rounds"):
        board.update(np.zeros(n))


def test_a_switch_goes_to_any_other_expert():
    n, copies = 30, 30_000
    still = DartboardParameters(1e-9, 1e-9, math.inf)
    board = SwitchingDartboard(
        n, OPEN, horizon=2, switches=1, parameters=still, rng=rng_for(0, "races"), repetitions=copies
    )
    first, second = play(board, np.ones((2, n))).astype(np.intp)
    moved = (second - first)[second != first] % n
    assert moved.size > 0.9 * copies
    assert stats.chisquare(np.bincount(moved, minlength=n)[1:]).pvalue > 1e-6  # false alarm 1e-6


@each(("n", "switches"), [(3, 2), (40, 1)])
def test_futures_are_uniform_among_all_ways_to_go_on(n, switches):
    start, rng, weights = np.zeros(200, dtype=np.intp), rng_for(0, "futures"), SequenceWeights(n, 4, switches)
    futures = np.vstack([weights.paths(start, start, 3, 4, rng) for _ in range(100)])
    ways, counts = np.unique(futures, axis=0, return_counts=True)
    assert not weights.paths(start, start, 3, 1, rng).any()  # it goes on with a round of the present expert
    # of 3 rounds some switch, each to one of the others
    assert len(ways) == sum(math.comb(3, made) * (n - 1) ** made for made in range(switches + 1))
    assert stats.chisquare(counts).pvalue > 1e-6  # false alarm 1e-6


def test_the_guarantees_add_up_what_rounds_tell():
    given = {"switches": 1, "rng": 0}
    softmax = SwitchingSoftmax(3, OPEN, horizon=10, rate=0.1, **given).guarantee
    assert (type(softmax), softmax.epsilon) == (PureDP, pytest.approx(9 * 0.2))
    leaky = ApproximateDP(math.inf, 1e-6, "central")
    many = SwitchingSoftmax(3, leaky, horizon=10_001, rate=0.001, **given).guarantee
    spread = 0.002 * math.sqrt(2 * 10_000 * math.log(1e6))
    epsilon = pytest.approx(10_000 * 0.002 * math.tanh(0.001) + spread)
    assert (type(many), many.epsilon, many.delta) == (ApproximateDP, epsilon, 1e-6)
    board = SwitchingDartboard(3, OPEN, horizon=10, parameters=DartboardParameters(0.1, 0.2, 6), **given)
    assert board.guarantee == PureDP(dartboard_epsilon(0.1, 0.2, 6), "central")


@each(
    "guarantee",
    [PureDP(2.0, "central"), ApproximateDP(2.0, 1e-6, "central"), ApproximateDP(0.1, 0.9, "central")],
)
@each("horizon", [1, 2, 1001])
def test_the_rate_is_the_largest_that_the_guarantee_allows(guarantee, horizon):
    softmax = SwitchingSoftmax(3, guarantee, horizon=horizon, switches=1, rng=0)
    assert softmax.guarantee == guarantee

    def spent(rate):
        delta = getattr(guarantee, "delta", 0.0)
        return advanced_epsilon(epsilon=2 * rate, count=horizon - 1, delta=delta)

    assert spent(softmax.rate) <= guarantee.epsilon * (1 + 1e-12)
    assert horizon == 1 or spent(1.0005 * softmax.rate) > guarantee.epsilon


@each(
    ("message", "guarantee", "rate"),
    [
        (r"^switching softmax: the settings promise 2\.2-DP .*, not 2-DP \(central\); ", TWO, 0.11),
        (r"^switching softmax: epsilon = inf", OPEN, None),
        (r"1-GDP \(central\) was asked for; write PureDP", GaussianDP(1.0, "central"), None),
        ("rate = -1", OPEN, -1.0),
    ],
)
def test_a_rate_that_costs_more_than_the_guarantee_is_refused(message, guarantee, rate):
    with pytest.raises(InputError, match=message):
        SwitchingSoftmax(3, guarantee, horizon=11, switches=1, rate=rate, rng=0)
    assert SwitchingSoftmax(3, TWO, horizon=11, switches=1, rate=0.1, rng=0).guarantee == TWO


def test_the_regret_bound_in_numbers():
    assert softmax_regret_bound(2, 4, 1, 0.5) == pytest.approx(math.log(8) / 0.5 + 0.25)


def test_the_digits_of_rare_sequences_are_kept():
    weights = SequenceWeights(3, 5, 1)
    weights.add(np.array([0.0, -800.0, -800.0]))
    # After one switch, at expert 0 now: from 1 or 2, both of weight e^-800.
    joint = weights.log_joint[0]
    assert joint[1, 0] - joint[0, 0] == pytest.approx(math.log(2) - 800 - math.log1p(3 * 2))


def test_what_is_out_of_range_or_beyond_the_horizon_is_refused():
    given = {"rate": 100.0, "rng": rng_for(0, "last")}
    with pytest.raises(InputError, match="switches = -1"):
        SequenceWeights(3, 5, -1)
    with pytest.raises(InputError, match="switches = -1"):
        SwitchingSoftmax(3, OPEN, horizon=5, switches=-1, **given)
    with pytest.raises(InputError, match="SwitchingSoftmax"):
        switching_sequences(100, 10, 5)
    algorithm = SwitchingSoftmax(2, OPEN, horizon=1, switches=0, **given)
    assert algorithm.guarantee == PureDP(0.0, "central")  # no draw knows a loss
    algorithm.update(np.array([0.0, 1.0]))
    for act in (algorithm.predict, lambda: algorithm.update(np.zeros(2))):
        with pytest.raises(InputError, match="all 1 rounds were played: write the true horizon"):
            act()


@each(("horizon", "n", "switches"), GAMES)
@each("rate", [0.0, 0.8, 800.0])
def test_the_laws_of_all_rounds_at_once_are_those_one_by_one(horizon, n, switches, rate):
    losses = rng_for(1, "at once", horizon, n, switches).random((2, horizon, n))  # of each copy
    given = {"horizon": horizon, "switches": switches, "rate": rate, "rng": 0, "repetitions": 2}
    algorithm = SwitchingSoftmax(n, OPEN, **given)
    laws = zip(*(sequence_laws(of_copy, switches, rate) for of_copy in losses), strict=True)
    for t, of_copies in enumerate(laws):
        np.testing.assert_allclose(np.broadcast_to(algorithm.law, (2, n)), of_copies, atol=1e-12)
        algorithm.update(1 - losses[:, t])


STEPS, SLOTS = DartboardParameters(0.3, 0.4, 40), PoolParameters(0.4, 4, (0.5, 0.6), 20.0)
NINE = PureDP(9.0, "central")
LEAST = {  # what is made with a whole number, and the least that is allowed
    "switching dartboard: switches": (
        lambda k: SwitchingDartboard(3, OPEN, horizon=9, switches=k, parameters=STEPS, rng=0),
        0,
    ),
    "sequences: switches": (lambda k: SwitchingSoftmax(3, OPEN, horizon=9, switches=k, rate=0.3, rng=0), 0),
    "pooled draws: switches": (
        lambda k: PooledDraws(3, OPEN, horizon=9, switches=k, parameters=SLOTS, rng=0),
        0,
    ),
    "fixed share: switches": (lambda k: FixedShare(3, horizon=9, switches=k, eta=0.5, rng=0), 0),
    "restarting leader: horizon": (lambda k: RestartingLeader(3, NINE, horizon=k, rng=0), 2),
    "pooled draws: horizon": (lambda k: PoolParameters.for_guarantee(NINE, 3, k), 2),
    "pooled draws: epoch": (
        lambda k: PooledDraws(3, OPEN, horizon=9, parameters=SLOTS._replace(epoch=k), rng=0),
        2,
    ),
}


@each("name", LEAST)
def test_the_least_number_is_taken_and_one_less_is_refused(name):
    make, least = LEAST[name]
    make(least)
    with pytest.raises(
        InputError, match=rf"^{name} = {least - 1}: write a whole number of at least {least}$"
    ):
        make(least - 1)
