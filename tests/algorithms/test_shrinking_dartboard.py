"""The dartboard plays what its exact chain says, and its chain is as private as it says."""

import itertools
import math
from functools import partial

import numpy as np
import pytest

from private_experts.algorithms.dartboard_parameters import (
    DartboardParameters,
    theorem_2_epsilon,
    theorem_2_regret,
)
from private_experts.algorithms.dartboard_privacy import (
    calibrated_parameters,
    dartboard_epsilon,
    dartboard_mu,
)
from private_experts.algorithms.sequence_weights import count_sequences
from private_experts.algorithms.shrinking_dartboard import ShrinkingDartboard
from private_experts.algorithms.switching_dartboard import SwitchingDartboard
from private_experts.errors import InputError
from private_experts.games import play
from private_experts.privacy import ApproximateDP, GaussianDP, PureDP, to_gaussian
from private_experts.privacy.composition import advanced_epsilon
from private_experts.privacy.selection import exponential_law
from private_experts.randomness import rng_for
from private_experts.replication.papers.dartboard_law import dartboard_law, dartboard_paths
from tests.each import each
from tests.laws import gaussian_level

OPEN = PureDP(math.inf, "central")
LOSSES = np.array([[1.0, 0.0, 0.3], [0.2, 1.0, 0.0], [0.0, 0.4, 1.0], [1.0, 1.0, 0.0], [0.5, 0.5, 0.5]])


def test_the_law_of_two_rounds_by_hand():
    keep, weights = 0.6 * 0.7 ** LOSSES[0], 0.7 ** LOSSES[0] / (0.7 ** LOSSES[0]).sum()
    expected = (np.diag(keep) + np.outer(1 - keep, weights)) / 3
    np.testing.assert_allclose(dartboard_paths(LOSSES[:2], 0.3, 0.4, 2), expected, atol=1e-14)
    np.testing.assert_allclose(dartboard_paths(LOSSES[:2], 0.3, 0.4, 1), np.eye(3) / 3, atol=1e-14)


@each("budget", [1, 2, 3, math.inf])
def test_the_chain_has_the_marginals_of_its_paths(budget):
    law, paths = dartboard_law(LOSSES, 0.3, 0.4, budget), dartboard_paths(LOSSES, 0.3, 0.4, budget)
    for t in range(5):
        others = tuple(s for s in range(5) if s != t)
        np.testing.assert_allclose(law[t].sum(axis=1), paths.sum(axis=others), atol=1e-14)


def test_without_a_budget_the_probabilities_along_a_play_multiply_to_that_of_the_path():
    paths, laws = dartboard_paths(LOSSES, 0.3, 0.4, math.inf), []
    settings = DartboardParameters(0.3, 0.4, math.inf, 1)
    darts = ShrinkingDartboard(3, OPEN, parameters=settings, rng=7, repetitions=50)
    actions = play(darts, 1 - LOSSES, note=lambda it: laws.append(it.probabilities()))
    along = np.take_along_axis(np.array(laws), actions[..., None], axis=-1)[..., 0]
    np.testing.assert_allclose(along.prod(axis=0), paths[tuple(actions)], rtol=1e-12)


@each(("budget", "batch"), [(math.inf, 1), (5, 1), (15, 3)])
@each("copies", [1, 6])
def test_each_lottery_and_draw_has_numbers_of_its_own_to_the_digit(copies, budget, batch):
    """In a long game of many experts, each copy by itself; its gains are now its own, now those of all."""
    rounds, n, eta, p = 100 * min(batch, 2), 12, 0.2, 0.3
    rng, again = (rng_for(0, "dartboard digits") for _ in range(2))
    settings = DartboardParameters(eta, p, budget, batch)
    darts = ShrinkingDartboard(n, OPEN, parameters=settings, rng=rng, repetitions=copies)
    played, weights, losses = again.gumbel(size=(copies, n)).argmax(axis=1), np.zeros((copies, n)), 0.0
    draws, every = np.ones(copies, dtype=int), np.arange(copies)
    for t, gains in enumerate(rng_for(0, "gains of digits").random((rounds, copies, n)), start=1):
        np.testing.assert_array_equal(darts.predict(), played)
        gains = gains if t % 2 else gains[0]
        darts.update(gains)
        losses = losses + 1 - np.broadcast_to(gains, (copies, n))
        law = np.eye(n)[played]
        if t % batch == 0:
            change, losses = math.log1p(-eta) / batch * losses, 0.0
            weights += change
            kept = np.where(draws < budget, (1 - p) * np.exp(change[every, played]), 1.0)
            law = kept[:, None] * law + (1 - kept)[:, None] * exponential_law(weights, 1.0)
            anew = np.flatnonzero(again.uniform(size=copies) >= kept)
            if anew.size:
                played[anew] = (weights[anew] + again.gumbel(size=(anew.size, n))).argmax(axis=1)
                draws[anew] += 1
        np.testing.assert_allclose(darts.probabilities(), law, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(darts.draws, draws)
    assert (min(budget, 15) <= draws).all()  # each copy has spent its budget
    assert (draws <= budget).all()


def test_without_a_budget_each_action_has_the_law_of_multiplicative_weights():
    weights = 0.7 ** np.vstack([np.zeros(3), np.cumsum(LOSSES, axis=0)[:-1]])
    expected = weights / weights.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(dartboard_law(LOSSES, 0.3, 0.4, math.inf).sum(axis=-1), expected, atol=1e-14)


def neighbours(eta, p, budget, rounds, batch=1):
    """Yield the laws of all paths for 0/1 losses, and after a batch's mean loss is moved by 1 / batch."""
    vectors = np.array(list(itertools.product([0.0, 1.0], repeat=2)))
    for choice in itertools.product(range(4), repeat=rounds):
        losses = vectors[list(choice)]
        base = dartboard_paths(losses, eta, p, budget).ravel()
        for t, other in itertools.product(range(rounds), range(4)):
            changed = losses.copy()
            changed[t] += (vectors[other] - losses[t]) / batch
            paths = dartboard_paths(changed, eta, p, budget).ravel()
            support = base > 0
            assert ((paths > 0) == support).all()
            yield base[support], paths[support]


@each(("eta", "p", "budget", "batch"), [(0.1, 0.4, 2, 1), (0.4, 0.45, 2, 1), (0.2, 0.3, 2, 2)])
def test_the_actions_are_as_private_as_both_levels_say_and_not_much_more(eta, p, budget, batch):
    pairs = [*neighbours(eta, p, budget, 3, batch)]
    stated, mu = dartboard_epsilon(eta, p, budget, batch=batch), dartboard_mu(eta, p, budget, batch)
    assert 0.6 * stated < max(np.abs(np.log(paths / base)).max() for base, paths in pairs) <= stated
    assert 0.6 * mu < max(gaussian_level(base, paths) for base, paths in pairs) <= mu
    assert mu < to_gaussian(PureDP(stated, "central")).mu


def test_who_never_draws_again_tells_nothing():
    assert dartboard_mu(0.4, 0.45, 1) == dartboard_epsilon(0.4, 0.45, 1) == 0.0
    assert all((base == paths).all() for base, paths in neighbours(0.4, 0.45, 1, 3))


@each("budget", [2, 1000])
@each("batch", [1, 7])
def test_levels_of_the_lottery_and_of_each_further_draw_are_added_up(budget, batch):
    eta, p, delta = 0.1, 0.2, 1e-4
    s = -math.log1p(-eta) / batch
    drawing = math.log((1 - (1 - p) * math.exp(-s)) / p)
    lottery, draw = (to_gaussian(PureDP(width, "central")).mu for width in ((s + drawing) / 2, s))
    assert dartboard_mu(eta, p, budget, batch) ** 2 == pytest.approx(lottery**2 + (budget - 1) * draw**2)
    draws = advanced_epsilon(epsilon=2 * s, count=budget - 1, delta=delta)
    assert dartboard_epsilon(eta, p, budget, delta, batch) == pytest.approx(max(drawing, s) + draws)


def test_the_corollaries_parameters_are_the_papers():
    of = DartboardParameters.for_guarantee
    assert of(PureDP(0.8, "central"), 10, 400) == pytest.approx((0.002, 0.05, 80, 1))
    approximate = of(ApproximateDP(0.4, math.exp(-1.0), "central"), 10, 1000)
    assert approximate == pytest.approx((0.1 * 0.2 / 20, 0.1, 400, 1))
    size = 4.0**0.4 * math.log(50) ** 0.6 / (1024**0.2 * 0.001**0.6)  # about 62.3
    batched = of(ApproximateDP(0.001, math.exp(-4.0), "central"), 50, 1024, batched=True)
    assert batched.batch == round(size) == 62
    assert batched.p == pytest.approx((62 / 4096) ** (1 / 3))
    assert batched.eta == pytest.approx(62 * batched.p * 0.001 / 40)
    assert batched.budget == int(4 * 1024 * batched.p / 62)
    loose = of(ApproximateDP(10.0, math.exp(-8.0), "central"), 10, 1000)  # the order best without privacy
    assert loose == pytest.approx((0.05 * 2 * math.sqrt(math.log(10) / 10) / 20, 0.05, 200, 1))
    assert of(PureDP(0.8, "central"), 1, 5).p == 5**-0.5  # the shortest game, of one expert


def test_what_theorem_2_states_in_numbers():
    assert theorem_2_epsilon(0.01, 0.1, 100) == pytest.approx(0.1 + 1.6)
    assert theorem_2_regret(0.1, 0.2, 30, 10, 2) == pytest.approx(3 + 20 * math.log(10) + 60 * math.exp(-1.0))


@each(("required", "batch"), [(PureDP(0.02, "central"), 1), (ApproximateDP(0.3, 1e-6, "central"), 3)])
def test_calibrated_parameters_spend_all_of_the_level_and_no_more(required, batch):
    delta = getattr(required, "delta", 0.0)
    given = DartboardParameters.for_guarantee(required, 5, 10_000)._replace(batch=batch)
    found = calibrated_parameters(required, given)
    assert found[1:] == given[1:]
    level = dartboard_epsilon(found.eta, found.p, found.budget, delta, batch)
    assert required.epsilon * (1 - 1e-12) < level <= required.epsilon
    board = ShrinkingDartboard(5, required, parameters=found, rng=rng_for(0, "unused"))
    assert board.guarantee.epsilon == level
    more = found._replace(eta=found.eta * 1.0001)  # a step that is larger by any share
    with pytest.raises(InputError, match=r"the settings promise"):
        ShrinkingDartboard(5, required, parameters=more, rng=rng_for(0, "unused"))
    few = given._replace(p=0.2, budget=5, batch=1)  # the step is at most p
    assert calibrated_parameters(PureDP(50.0, "central"), few) == (0.2, 0.2, 5, 1)


def test_over_sequences_the_parameters_are_those_for_so_many_experts():
    required = ApproximateDP(10.0, 1e-6, "central")  # so large that the number of experts counts
    board = SwitchingDartboard(3, required, horizon=400, switches=2, rng=rng_for(0, "unused"))
    eta, p, budget, _ = DartboardParameters.for_guarantee(required, count_sequences(400, 3, 2), 400)
    assert board.guarantee == ApproximateDP(dartboard_epsilon(eta, p, budget, 1e-6), 1e-6, "central")


@each("kind", [ShrinkingDartboard, partial(SwitchingDartboard, switches=1)])
def test_parameters_that_promise_less_than_was_asked_for_are_refused(kind):
    settings = {"horizon": 100, "rng": 0, "parameters": DartboardParameters(0.3, 0.4, 10)}
    with pytest.raises(
        InputError, match=r"dartboard: the settings promise 6\.\d+-DP .*, not 1-DP \(central\);"
    ):
        kind(3, PureDP(1.0, "central"), **settings)


GAME, ONE = {"horizon": 100}, PureDP(1.0, "central")


@each(
    ("guarantee", "settings", "message"),
    [
        (ONE, {}, r"^shrinking dartboard: write horizon=\.\.\., or parameters="),
        (OPEN, GAME, r"^dartboard parameters: epsilon = inf"),
        (PureDP(0.0, "central"), GAME, r"^dartboard parameters: epsilon = 0"),
        (PureDP(1.0, "local"), GAME, r"1-DP \(local\) was asked for; write PureDP\(\.\.\., 'central'\)"),
        (GaussianDP(1.0, "central"), GAME, r"1-GDP \(central\) was asked for; write PureDP"),
        (ONE, {"horizon": 4}, r"^dartboard parameters: horizon = 4: write a whole number"),
        (ONE, {**GAME, "batched": True}, r"write ApproximateDP$"),
        (ApproximateDP(1.0, 0.0, "central"), GAME, r"^shrinking dartboard: delta = 0"),
        (PureDP(21.0, "central"), GAME, r"21-DP \(central\): .* an epsilon of at most 20: write that, or"),
        (
            ApproximateDP(50.0, 1e-6, "central"),
            {"horizon": 400, "batched": True},
            "an epsilon of at most 40: wr",
        ),
        (ApproximateDP(1.0, 0.5, "central"), {"horizon": 5}, "the horizon is too short for this delta"),
    ],
)
def test_a_guarantee_that_cannot_be_had_is_refused_in_one_line(guarantee, settings, message):
    with pytest.raises(InputError, match=message) as caught:
        ShrinkingDartboard(3, guarantee, rng=rng_for(0, "unused"), **settings)
    assert "\n" not in str(caught.value)


@each(
    ("arguments", "message"),
    [
        ((0.3, 0.2, 5), "eta = 0.3: write a number above 0 and at most p = 0.2"),
        ((0.0, 0.2, 5), "eta = 0.0: write a number above 0"),
        ((0.1, 0.5, 5), "p = 0.5: write a number between 0 and 0.5"),
        ((0.1, 0.2, math.nan), "budget = nan: write a number of draws of at least 1"),
        ((0.1, 0.2, 0), "budget = 0: write a number of draws of at least 1"),
        ((0.1, 0.2, 5, 2.5), "batch = 2.5: write a whole number"),
    ],
)
def test_parameters_outside_their_range_are_refused(arguments, message):
    with pytest.raises(InputError, match=f"^shrinking dartboard: {message}"):
        ShrinkingDartboard(3, OPEN, parameters=DartboardParameters(*arguments), rng=rng_for(0, "unused"))


def test_a_budget_between_whole_numbers_allows_the_next_one_and_is_charged_for_it():
    parameters, unused = DartboardParameters(0.19, 0.2, 1.5), rng_for(0, "unused")
    dartboard = ShrinkingDartboard(2, OPEN, parameters=parameters, rng=rng_for(1, "half"), repetitions=200)
    play(dartboard, np.tile([0.0, 1.0], (50, 1)))
    assert dartboard.draws.max() == 2
    sequences = SwitchingDartboard(2, OPEN, horizon=9, switches=1, parameters=parameters, rng=unused)
    assert dartboard.guarantee == sequences.guarantee == PureDP(dartboard_epsilon(0.19, 0.2, 2), "central")
    assert dartboard_mu(0.19, 0.2, 1.5) == dartboard_mu(0.19, 0.2, 2)
    for law in (dartboard_law, dartboard_paths):
        np.testing.assert_array_equal(law(LOSSES, 0.19, 0.2, 1.5), law(LOSSES, 0.19, 0.2, 2))


def test_what_cannot_be_enumerated_or_calibrated_is_refused():
    with pytest.raises(InputError, match="too many"):
        dartboard_paths(np.zeros((20, 3)), 0.1, 0.2, 5)
    with pytest.raises(InputError, match=r"budget = inf: write the largest number of draws"):
        calibrated_parameters(PureDP(1.0, "central"), DartboardParameters(0.1, 0.2, math.inf))
    with pytest.raises(InputError, match=r"calibrated parameters: epsilon"):
        calibrated_parameters(OPEN, DartboardParameters(0.1, 0.2, 5))
