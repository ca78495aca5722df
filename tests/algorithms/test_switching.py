"""Both algorithms over sequences play what a list of all sequences says."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from private_experts.algorithms.dartboard_parameters import DartboardParameters
from private_experts.algorithms.dartboard_privacy import dartboard_epsilon
from private_experts.algorithms.sequence_weights import (
    SequenceWeights,
    _sums_of_others,
    count_sequences,
    drawn_states,
)
from private_experts.algorithms.switching_dartboard import SwitchingDartboard
from private_experts.algorithms.switching_softmax import SwitchingSoftmax, softmax_regret_bound
from private_experts.errors import InputError
from private_experts.games import play
from private_experts.privacy import ApproximateDP, GaussianDP, PureDP
from private_experts.privacy.composition import advanced_epsilon
from private_experts.privacy.guarantees import pure_or_approximate
from private_experts.privacy.selection import exponential_law, exponential_mechanism
from private_experts.randomness import rng_for
from private_experts.replication.papers.dartboard_law import dartboard_paths
from private_experts.replication.papers.p004.sequence_laws import sequence_laws, switching_sequences
from tests.each import each

OPEN = PureDP(math.inf, "central")
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


def test_a_count_of_many_sequences_is_exact():
    assert count_sequences(1000, 10, 2) == 10 + 999 * 90 + 999 * 998 // 2 * 810


def test_repetitions_with_streams_of_their_own_have_laws_of_their_own():
    gains = rng_for(1, "own").random((6, 2, 3))
    together = SwitchingSoftmax(
        3, OPEN, horizon=6, switches=2, rate=1.0, rng=rng_for(0, "unused"), repetitions=2
    )
    alone = [
        SwitchingSoftmax(3, OPEN, horizon=6, switches=2, rate=1.0, rng=rng_for(0, "unused")) for _ in range(2)
    ]
    for round_ in gains:
        together.update(round_)
        for r, one in enumerate(alone):
            one.update(round_[r])
        np.testing.assert_allclose(together.law, np.vstack([one.law for one in alone]), rtol=1e-12)


@each("copies", [1, 20])
def test_each_round_is_drawn_from_its_law_to_the_digit(copies):
    draws, again = (rng_for(1, "digits") for _ in range(2))
    algorithm = SwitchingSoftmax(30, OPEN, horizon=100, switches=2, rate=0.3, rng=draws, repetitions=copies)
    for gains in rng_for(1, "gains").random((100, 30)):
        law = np.broadcast_to(algorithm._weights.log_law, (copies, 30))
        np.testing.assert_array_equal(algorithm.predict(), exponential_mechanism(law, 1.0, again))
        algorithm.update(gains)


@each("shape", [(40,), (6, 40)])  # of the gains of a round: for all copies, or of each
def test_without_switches_weights_and_lotteries_are_exponential_in_every_round(shape):
    n, eta, p, totals = 40, 0.3, 0.4, np.zeros(40)
    own = {"horizon": 100, "switches": 0, "rng": rng_for(0, "no switch"), "repetitions": 6}
    board = SwitchingDartboard(n, OPEN, parameters=DartboardParameters(eta, p, math.inf), **own)
    softmax = SwitchingSoftmax(n, OPEN, rate=eta, **own)
    for gains in rng_for(2, "no switch").random((99, *shape)):
        np.testing.assert_allclose(softmax.law, np.atleast_2d(exponential_law(totals, eta)), rtol=1e-9)
        of_board = np.atleast_2d(exponential_law(totals, -math.log1p(-eta)))
        np.testing.assert_allclose(np.exp(board._weights.log_law), of_board, rtol=1e-9)
        played, draws = board.predict(), board.draws.copy()
        softmax.update(gains)
        board.update(gains)
        totals = totals + gains
        own_gains = np.broadcast_to(gains, (6, n))[np.arange(6), played]
        np.testing.assert_allclose(board._kept, (1 - p) * (1 - eta) ** (1 - own_gains), rtol=1e-9)
        kept = board.draws == draws
        np.testing.assert_array_equal(board.predict()[kept], played[kept])


def test_each_copy_draws_from_the_law_of_its_own_gains():
    parameters = DartboardParameters(0.4, 0.45, math.inf)
    own = {"horizon": 40, "switches": 0, "rng": rng_for(0, "own draws"), "repetitions": 200}
    board, best = SwitchingDartboard(50, OPEN, parameters=parameters, **own), np.arange(200) % 50
    play(board, np.tile(np.eye(50)[best], (39, 1, 1)))
    # The law of a copy has nearly all its mass at the expert that gains there, and at another in 49 of 50.
    assert (board.predict() == best).mean() > 0.9


@each("copies", [1, 70])
def test_states_are_drawn_with_noise_for_each_of_them_to_the_digit(copies):
    rng, again = (rng_for(0, "states") for _ in range(2))
    for laws in rng_for(1, "states").normal(size=(80, copies, 3, 30)):
        heights = (laws + again.gumbel(size=laws.shape)).reshape(copies, -1)
        made, experts = drawn_states(laws, rng)
        np.testing.assert_array_equal(30 * made + experts, heights.argmax(axis=1))


@each("copies", [1, 20])
def test_each_lottery_and_switch_of_the_dartboard_has_numbers_of_its_own_to_the_digit(copies):
    n, p = 6, 0.3
    rng, again = (rng_for(0, "switching digits") for _ in range(2))
    still = DartboardParameters(0.2, p, math.inf)
    board = SwitchingDartboard(n, OPEN, horizon=60, switches=9, parameters=still, rng=rng, repetitions=copies)
    drawn_states(
        np.broadcast_to(board._weights.log_joint, (copies, *board._weights.log_joint.shape[1:])), again
    )
    switched, anew_in_all = 0, 0
    for gains in rng_for(1, "switching digits").random((60, n)):
        before = board.predict()
        board.update(gains)
        stay, race = again.uniform(size=copies) < board._stay, again.gumbel(size=(copies, n))
        race[np.arange(copies), before] = -np.inf
        expected = np.where(stay, before, race.argmax(axis=1))
        anew = again.uniform(size=copies) >= (1 - p) * 0.8 ** (1 - gains[before])
        joint = np.broadcast_to(board._weights.log_joint, (copies, *board._weights.log_joint.shape[1:]))
        expected[anew] = drawn_states(joint[anew], again)[1]
        if board._seen < 60:
            np.testing.assert_array_equal(board.predict(), expected)
        switched, anew_in_all = switched + (~stay).sum(), anew_in_all + anew.sum()
    assert min(switched, anew_in_all) > 4 * copies


@each("copies", [1, 20])
def test_futures_are_drawn_with_numbers_of_their_own_to_the_digit(copies):
    n, rounds, switches = 5, 8, 6
    rng, again = (rng_for(0, "futures digits") for _ in range(2))
    weights = SequenceWeights(n, 30, switches)
    for start in rng_for(1, "futures digits").integers(n, size=(40, copies)):
        path = weights.paths(start, np.zeros(copies, dtype=int), 29, rounds, rng)
        assert path.shape == (copies, rounds)
        spare, at = np.full(copies, switches), np.zeros(copies, dtype=int)
        expected = np.repeat(start[:, None], rounds, axis=1)
        ways = weights.log_ways[29 - np.arange(rounds)]
        while ((spare > 0) & (at < rounds)).any():
            least = ways[at.clip(max=rounds - 1), spare] + np.log(again.uniform(size=copies))
            later = (ways[:, spare] >= least).sum(axis=0)
            at = np.where((spare > 0) & (at < rounds), later, rounds)
            race = again.gumbel(size=(copies, n))
            race[np.arange(copies), expected[:, -1]] = -np.inf
            expected = np.where(np.arange(rounds) >= at[:, None], race.argmax(axis=1)[:, None], expected)
            spare = spare - 1
        np.testing.assert_array_equal(path, expected)


def test_the_play_has_the_law():
    gains = np.array([[1.0, 0.0, 0.5]] * 3)
    algorithm = SwitchingSoftmax(
        3, OPEN, horizon=4, switches=1, rate=1.5, rng=rng_for(1, "play"), repetitions=50_000
    )
    for round_ in gains:
        algorithm.update(round_)
    counts = np.bincount(algorithm.predict(), minlength=3)
    assert stats.chisquare(counts, 50_000 * algorithm.law[0]).pvalue > 1e-6  # false alarm 1e-6


@each("budget", [1, 2, math.inf])
def test_the_dartboard_over_sequences_plays_as_one_over_a_list_of_them(budget):
    horizon, n, switches, repetitions = 3, 2, 1, 40_000
    losses = np.array([[1.0, 0.0], [0.3, 1.0], [0.5, 0.5]])
    every = switching_sequences(horizon, n, switches)
    paths = dartboard_paths(losses[np.arange(horizon), every].T, 0.4, 0.45, budget)  # of sequences
    expected = np.zeros((n,) * horizon)
    for chosen in itertools.product(range(len(every)), repeat=horizon):
        expected[tuple(every[e, t] for t, e in enumerate(chosen))] += paths[chosen]
    algorithm = SwitchingDartboard(
        n,
        OPEN,
        horizon=horizon,
        switches=switches,
        parameters=DartboardParameters(0.4, 0.45, budget),
        rng=rng_for(1, "paths", budget),
        repetitions=repetitions,
    )
    actions = play(algorithm, 1 - losses)
    counts = np.bincount(np.ravel_multi_index(tuple(actions), expected.shape), minlength=expected.size)
    likely = expected.ravel() > 0
    assert counts[~likely].sum() == 0
    # false alarm 1e-6
    assert stats.chisquare(counts[likely], repetitions * expected.ravel()[likely]).pvalue > 1e-6


def test_the_dartboard_draws_anew_as_often_as_its_step_says():
    copies, eta, p = 200_000, 0.4, 0.45  # a step 5 % longer differs by eight standard errors
    algorithm = SwitchingDartboard(
        2,
        OPEN,
        horizon=2,
        switches=1,
        parameters=DartboardParameters(eta, p, math.inf),
        rng=rng_for(1, "step"),
        repetitions=copies,
    )
    algorithm.update(np.zeros(2))
    anew = int((algorithm.draws - 1).sum())
    assert stats.binomtest(anew, copies, 1 - (1 - p) * (1 - eta)).pvalue > 1e-6  # false alarm 1e-6


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
    # of 3 rounds some switch, each to one of the others
    assert len(ways) == sum(math.comb(3, made) * (n - 1) ** made for made in range(switches + 1))
    assert stats.chisquare(counts).pvalue > 1e-6  # false alarm 1e-6


def test_late_switches_are_as_likely_as_early_ones():
    n, rounds, copies = 30, 100, 600
    still = DartboardParameters(1e-9, 1e-9, math.inf)
    given = {"horizon": rounds, "switches": rounds - 1, "parameters": still, "repetitions": copies}
    actions = play(SwitchingDartboard(n, OPEN, rng=rng_for(0, "late races"), **given), np.ones((rounds, n)))
    moves = np.diff(actions.astype(np.intp), axis=0)[-30:] % n
    counts = np.bincount(moves.ravel(), minlength=n)  # of all sequences any expert follows on any other
    assert stats.chisquare(counts).pvalue > 1e-6  # false alarm 1e-6


def test_with_batches_the_dartboard_plays_the_means_of_batches():
    """The last batch is cut short, and its losses change nothing."""
    losses = rng_for(0, "batched losses").random((11, 3))
    once = DartboardParameters(0.4, 0.45, math.inf)
    own = {"switches": 1, "repetitions": 200}
    batched = SwitchingDartboard(
        3, OPEN, horizon=11, parameters=once._replace(batch=4), rng=rng_for(1, "batched"), **own
    )
    means = SwitchingDartboard(3, OPEN, horizon=3, parameters=once, rng=rng_for(1, "batched"), **own)
    means._step /= 4  # the sum of a batch, as the batched one adds it
    actions = play(batched, 1 - losses)
    of_batches = []
    for batch in (losses[:4], losses[4:8], losses[8:]):
        of_batches.append(means.predict())
        means.update_unchecked(1 - batch.sum(axis=0))
    np.testing.assert_array_equal(actions, np.repeat(of_batches, 4, axis=0)[:11])
    assert batched.guarantee == pure_or_approximate(dartboard_epsilon(0.4, 0.45, math.inf, 0.0, 4), 0.0)
    with pytest.raises(InputError, match="11 rounds"):
        batched.update(np.zeros(3))


def test_the_guarantees_add_up_what_rounds_tell():
    softmax = SwitchingSoftmax(3, OPEN, horizon=10, switches=1, rate=0.1, rng=rng_for(0, "unused"))
    assert isinstance(softmax.guarantee, PureDP)
    assert softmax.guarantee.epsilon == pytest.approx(9 * 0.2)
    leaky = ApproximateDP(math.inf, 1e-6, "central")
    many = SwitchingSoftmax(
        3, leaky, horizon=10_001, switches=1, rate=0.001, rng=rng_for(0, "unused")
    ).guarantee
    assert isinstance(many, ApproximateDP)
    assert many.delta == 1e-6
    spread = 0.002 * math.sqrt(2 * 10_000 * math.log(1e6))
    assert many.epsilon == pytest.approx(10_000 * 0.002 * math.tanh(0.001) + spread)
    parameters = DartboardParameters(0.1, 0.2, 6)
    dartboard = SwitchingDartboard(
        3, OPEN, horizon=10, switches=1, parameters=parameters, rng=rng_for(0, "unused")
    )
    assert dartboard.guarantee == PureDP(dartboard_epsilon(0.1, 0.2, 6), "central")


@each(
    "guarantee",
    [PureDP(2.0, "central"), ApproximateDP(2.0, 1e-6, "central"), ApproximateDP(0.1, 0.9, "central")],
)
@each("horizon", [1, 2, 3, 1001])
def test_the_rate_is_the_largest_that_the_guarantee_allows(guarantee, horizon):
    softmax = SwitchingSoftmax(3, guarantee, horizon=horizon, switches=1, rng=rng_for(0, "unused"))
    delta = getattr(guarantee, "delta", 0.0)
    assert softmax.guarantee == guarantee
    assert advanced_epsilon(epsilon=2 * softmax.rate, count=horizon - 1, delta=delta) <= guarantee.epsilon * (
        1 + 1e-12
    )
    assert (
        horizon == 1
        or advanced_epsilon(epsilon=2.001 * softmax.rate, count=horizon - 1, delta=delta) > guarantee.epsilon
    )


def test_a_rate_that_costs_more_than_the_guarantee_is_refused():
    settings = {"horizon": 11, "switches": 1, "rng": rng_for(0, "unused")}
    assert SwitchingSoftmax(3, PureDP(2.0, "central"), rate=0.1, **settings).guarantee == PureDP(
        2.0, "central"
    )
    with pytest.raises(
        InputError, match=r"^switching softmax: the settings promise 2\.2-DP .*, not 2-DP \(central\); "
    ):
        SwitchingSoftmax(3, PureDP(2.0, "central"), rate=0.11, **settings)
    with pytest.raises(InputError, match=r"^switching softmax: epsilon = inf"):
        SwitchingSoftmax(3, OPEN, **settings)
    with pytest.raises(InputError, match=r"1-GDP \(central\) was asked for; write PureDP"):
        SwitchingSoftmax(3, GaussianDP(1.0, "central"), **settings)


def test_a_round_has_one_draw_however_often_it_is_asked_for():
    asked_once, asked_twice = (
        SwitchingSoftmax(9, OPEN, horizon=3, switches=1, rate=1.0, rng=rng_for(1, "twice"), repetitions=100)
        for _ in range(2)
    )
    for _ in range(3):
        actions = asked_twice.predict()
        expected = actions.copy()
        actions[:] = -1  # what the caller does to them changes nothing
        np.testing.assert_array_equal(asked_twice.predict(), expected)
        np.testing.assert_array_equal(asked_once.predict(), expected)
        for algorithm in (asked_once, asked_twice):
            algorithm.update(np.zeros(9))


def test_there_is_no_draw_after_the_last_round():
    algorithm = SwitchingSoftmax(2, OPEN, horizon=1, switches=0, rate=100.0, rng=rng_for(0, "last"))
    assert algorithm.guarantee == PureDP(0.0, "central")  # no draw knows a loss
    algorithm.predict()
    algorithm.update(np.array([0.0, 1.0]))
    with pytest.raises(InputError, match="all 1 rounds were played: write the true horizon"):
        algorithm.predict()


def test_the_regret_bound_in_numbers():
    assert softmax_regret_bound(2, 4, 1, 0.5) == pytest.approx(math.log(8) / 0.5 + 0.25)


def test_the_digits_of_rare_sequences_are_kept():
    weights = SequenceWeights(3, 5, 1)
    weights.add(np.array([0.0, -800.0, -800.0]))
    # After one switch, at expert 0 now: from 1 or 2, both of weight e^-800.
    joint = weights.log_joint[0]
    assert joint[1, 0] - joint[0, 0] == pytest.approx(math.log(2) - 800 - math.log1p(3 * 2))


@each(
    "make",
    [
        SequenceWeights,
        lambda n, t, s: SwitchingSoftmax(n, OPEN, horizon=t, switches=s, rate=0.1, rng=rng_for(0, "unused")),
    ],
)
def test_a_negative_number_of_switches_is_refused(make):
    with pytest.raises(InputError, match="switches = -1"):
        make(3, 5, -1)


def test_what_is_too_long_or_too_many_is_refused():
    with pytest.raises(InputError, match="SwitchingSoftmax"):
        switching_sequences(100, 10, 5)
    with pytest.raises(InputError, match="rate"):
        SwitchingSoftmax(3, OPEN, horizon=5, switches=1, rate=-1.0, rng=rng_for(0, "unused"))
    algorithm = SwitchingSoftmax(2, OPEN, horizon=2, switches=1, rate=1.0, rng=rng_for(0, "unused"))
    algorithm.update(np.zeros(2))
    algorithm.update(np.zeros(2))
    with pytest.raises(InputError, match="true horizon"):
        algorithm.update(np.zeros(2))


@each(("horizon", "n", "switches"), GAMES)
@each("rate", [0.0, 0.8, 800.0])
def test_the_laws_of_all_rounds_at_once_are_those_one_by_one(horizon, n, switches, rate):
    losses = rng_for(1, "at once", horizon, n, switches).random((horizon, n))
    algorithm = SwitchingSoftmax(
        n, OPEN, horizon=horizon, switches=switches, rate=rate, rng=rng_for(0, "unused")
    )
    for t, law in enumerate(sequence_laws(losses, switches, rate)):
        np.testing.assert_allclose(law, algorithm.law[0], atol=1e-12)
        algorithm.update(1 - losses[t])


@pytest.mark.parametrize("scale", [1.0, 500.0])
def test_sums_of_all_others_keep_their_digits_however_small_they_are(scale: float) -> None:
    logs = scale * np.array([-1.0, 0.0, -2.0, -np.inf])
    expected = [np.logaddexp.reduce(np.delete(logs, j)) for j in range(4)]
    assert _sums_of_others(logs[None, None]).ravel() == pytest.approx(expected, rel=1e-14)
    assert (_sums_of_others(np.full((1, 1, 3), -np.inf)) == -np.inf).all()
