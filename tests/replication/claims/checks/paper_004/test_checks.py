"""Each check of paper 004 gives its verdict on a small grid, and another verdict when something is wrong."""

import math
from typing import Any

import numpy as np
import pytest

from private_experts.algorithms import restarting_leader
from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.algorithms.fixed_share import FixedShare
from private_experts.algorithms.noisy_fixed_share import NoisyFixedShare, regret_bound, sharper_bound
from private_experts.algorithms.restarting_leader import AllWindows, RestartingLeader
from private_experts.algorithms.shrinking_dartboard import dartboard_paths
from private_experts.algorithms.switching_softmax import SwitchingSoftmax, count_sequences
from private_experts.games.adaptive import PairsAdversary
from private_experts.privacy.above_threshold import halting_law
from private_experts.randomness import rng_for
from private_experts.replication.claims.checks.paper_004 import adaptive, noisy, phases, sequences, shares, stationary
from private_experts.replication.claims.evidence import decide
from tests.each import each

SEED = 1


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that replaces something that a module's checks use."""
    return lambda module, name, value: monkeypatch.setattr(module, name, value)


# Stationary streams

SIGN = {"N": [2], "T": [4096], "epsilon": [10.0], "gap": 0.8, "beta": 0.01}


def test_the_sign_of_the_selection_decides() -> None:
    assert decide(stationary.leader_sign(SIGN, 10, SEED)) == "holds"
    assert decide(stationary.leader_sign_printed(SIGN, 10, SEED)) == "fails"


def test_a_selection_by_noise_alone_is_caught(put: Any) -> None:
    put(stationary, "leader", lambda n, epsilon, *rest: DyadicLeader(n, epsilon / 1e6, *rest))
    grid = SIGN | {"N": [4], "gap": 1.0}
    assert decide(stationary.leader_sign(grid, 40, SEED, stationary.leader)) == "fails"


INTERVALS = {"kind": ["opposed"], "N": [4], "T": [512], "epsilon": [5.0], "gap": [0.3], "beta": 0.1, "lengths": 12}


def test_intervals_stay_within_a_quarter_of_the_bound_and_not_within_a_twentieth() -> None:
    assert decide(stationary.theorem_3_1(INTERVALS | {"fraction": [1.0, 0.25]}, 150, SEED)) == "holds"
    assert decide(stationary.theorem_3_1(INTERVALS | {"fraction": [0.05]}, 60, SEED)) == "fails"


def test_intervals_of_a_leader_that_keeps_its_first_expert_are_caught(put: Any) -> None:
    class Stubborn(DyadicLeader):
        def update(self, gains: Any) -> None:
            pass

    put(stationary, "leader", lambda *arguments: Stubborn(*arguments))
    assert decide(stationary.theorem_3_1(INTERVALS | {"gap": [1.0], "fraction": [0.25]}, 60, SEED)) == "fails"


def test_intervals_of_a_leader_as_printed_are_caught(put: Any) -> None:
    put(stationary, "leader", stationary.printed_leader)
    assert decide(stationary.theorem_3_1(INTERVALS | {"gap": [0.9], "fraction": [0.25]}, 60, SEED)) == "fails"


DEVIATIONS = {"N": [2], "T": [64], "beta": [0.2]}


def test_sums_deviate_as_little_as_stated() -> None:
    assert decide(stationary.lemma_3_2(DEVIATIONS, 60, SEED)) == "holds"
    assert decide(stationary.lemma_3_2_printed(DEVIATIONS, 40, SEED)) == "fails"


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(lambda w, n, t, beta: 0.4 * np.sqrt(2 * (w + 1) * math.log(n * t / beta)), id="two fifths"),
        pytest.param(lambda w, n, t, beta: np.sqrt(2 * w * math.log(n * t / beta)), id="a term too few"),
        pytest.param(lambda w, n, t, beta: np.sqrt((w + 1) * math.log(1 / beta) / 2), id="no union over sums"),
    ],
)
def test_a_smaller_deviation_is_caught(mutant: Any, put: Any) -> None:
    put(stationary, "deviation", mutant)
    assert decide(stationary.lemma_3_2(DEVIATIONS, 60, SEED)) == "fails"


SUMS = {"w": [1, 10, 100000], "t": [1, 2]}


def test_the_proofs_sums_have_the_constant_8_sqrt_2_and_no_smaller_one() -> None:
    assert decide(stationary.proof_sums(SUMS, 2, SEED)) == "holds"
    assert decide(stationary.proof_sums(SUMS, 2, SEED, 0.995 * 8 * math.sqrt(2))) == "fails"
    assert decide(stationary.proof_sums_printed(SUMS, 2, SEED)) == "fails"


# Algorithm 2

QUERIES = {"exhaustive": [[2, 2]], "epsilon": [1.0], "queries": [12], "level": [-20, -6, 0]}


def test_halved_queries_are_private_and_whole_ones_not() -> None:
    assert decide(phases.tracking_queries(QUERIES, 2, SEED)) == "holds"
    failing = phases.tracking_queries_printed(QUERIES, 2, SEED)
    assert {point.where["what"]: decide([point]) for point in failing} == {
        "sensitivity": "fails",
        "privacy": "fails",
        "Lemma 2.4": "holds",
    }


def test_four_fifths_of_the_noise_are_caught(put: Any) -> None:
    put(phases, "halting_law", lambda q, epsilon, sensitivity: halting_law(q, epsilon, 0.8 * sensitivity))
    assert decide(phases.tracking_queries(QUERIES, 2, SEED)) == "fails"


def test_windows_that_leave_out_the_played_expert_are_caught(put: Any) -> None:
    class Forgetful(AllWindows):
        def add(self, gains: Any, own: Any) -> Any:
            return super().add(gains, 3 * own)

    put(phases, "AllWindows", Forgetful)
    assert decide(phases.tracking_queries(QUERIES, 2, SEED)) == "fails"


PHASES = {
    "N": 2,
    "T": 512,
    "beta": 0.25,
    "kind": ["deterministic"],
    "epsilon": [20.0],
    "slack": [0.25],
    "gap": 0.8,
    "time": [0.25, 0.5, 0.75, 1.0],
}


def test_phases_end_after_a_shift_and_not_before() -> None:
    points = phases.phases(PHASES, 60, SEED)
    assert decide(points) == "holds"
    assert {point.where["what"] for point in points} == {"early", "late"}


def tracker(**options: Any) -> Any:
    def make(n: int, horizon: int, epsilon: float, beta: float, slack: float, repetitions: int, *key: Any) -> Any:
        rng = rng_for(*key, repetitions)
        return RestartingLeader(n, horizon, epsilon, rng, repetitions, beta, **({"slack": slack} | options))

    return make


def test_phases_that_end_late_are_caught(put: Any) -> None:
    put(phases, "tracker", tracker(slack=10.0))
    assert decide(phases.phases(PHASES, 60, SEED)) == "fails"


def test_phases_that_end_without_cause_are_caught(put: Any) -> None:
    put(phases, "tracker", tracker(slack=1e-9))
    put(restarting_leader, "accuracy", lambda *arguments: 0.0)
    grid = PHASES | {"kind": ["independent"]}
    assert decide(phases.phases(grid, 60, SEED)) == "fails"


SHIFTS = {"N": 2, "gap": 0.9, "cells": [[4096, 1, 50.0]]}


def test_the_dynamic_regret_is_within_its_bound() -> None:
    (point,) = phases.theorem_3_6(SHIFTS, 10, SEED)
    assert decide([point]) == "holds"
    assert point.notes["bound_over_T"] < 1


def test_the_dynamic_regret_of_the_runner_up_is_caught(put: Any) -> None:
    class RunnerUp(RestartingLeader):
        def predict(self) -> Any:
            return 1 - super().predict()

    make = lambda n, t, e, b, s, r, *key: RunnerUp(n, t, e, rng_for(*key, r), r, b)  # noqa: E731
    put(phases, "tracker", make)
    grid = SHIFTS | {"gap": 1.0, "cells": [[8192, 1, 50.0]]}
    assert decide(phases.theorem_3_6(grid, 5, SEED)) == "fails"


def test_a_bound_without_its_first_constant_is_caught(put: Any) -> None:
    printed = phases.printed_allowance
    put(phases, "printed_allowance", lambda rounds, *rest: printed(1 + (rounds - 1) / 30, *rest))
    assert decide(phases.theorem_3_6(SHIFTS, 10, SEED)) == "fails"


def test_the_explicit_bound_in_numbers() -> None:
    level, alpha = math.log(2 * 100 / 0.01), 16 * (2 * math.log(100) + math.log(200)) / 0.5
    expected = 9 * math.sqrt(2 * 3 * 100 * level) + 6 * (16 * level / 0.5 + 2 * alpha + 1)
    assert phases.explicit_bound(2, 100, 3, 0.5, 0.01) == pytest.approx(expected)


# Sequences

COUNTS = {"listed": [[5, 3, 2], [4, 2, 3]], "T": [10], "N": [2, 3], "S": [1, 3]}


def test_sequences_are_counted() -> None:
    assert decide(sequences.sequences(COUNTS, 2, SEED)) == "holds"
    assert decide(sequences.sequences(COUNTS | {"S": [0]}, 2, SEED)) == "fails"


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(lambda t, n, s: count_sequences(t + 1, n, s), id="one round more"),
        pytest.param(lambda t, n, s: count_sequences(t, n, s - 1), id="one switch less"),
        pytest.param(sequences.printed_count, id="with repeats, as printed"),
    ],
)
def test_another_count_is_caught(mutant: Any, put: Any) -> None:
    put(sequences, "count_sequences", mutant)
    assert decide(sequences.sequences(COUNTS, 2, SEED)) == "fails"


LAWS = {"games": [[5, 3, 2]], "rate": [1.0], "tolerance": 1e-12}


class LastRoundTwice(SwitchingSoftmax):
    """Learns twice as fast."""

    def update(self, gains: Any) -> None:
        super().update(2 * gains - 1)


class AllowsOneMore(SwitchingSoftmax):
    """Allows a switch more."""

    def __init__(self, n: int, horizon: int, switches: int, *rest: Any) -> None:
        super().__init__(n, horizon, switches + 1, *rest)


def test_the_law_of_the_sequences_is_exact() -> None:
    assert decide(sequences.softmax_law(LAWS, 2, SEED)) == "holds"


@pytest.mark.parametrize("mutant", [LastRoundTwice, AllowsOneMore])
def test_another_law_is_caught(mutant: Any, put: Any) -> None:
    put(sequences, "SwitchingSoftmax", mutant)
    assert decide(sequences.softmax_law(LAWS, 2, SEED)) == "fails"


REDUCTION = {"stream": ["turncoat", "alternating"], "N": [4], "T": [64], "S": [1]}


def test_the_reduction_has_the_static_bound() -> None:
    assert decide(sequences.theorem_4_1(REDUCTION, 2, SEED)) == "holds"


class NoSwitch(SwitchingSoftmax):
    """Competes with single experts only."""

    def __init__(self, n: int, horizon: int, switches: int, *rest: Any) -> None:
        super().__init__(n, horizon, 0, *rest)


def test_weights_on_single_experts_are_caught(put: Any) -> None:
    put(sequences, "SwitchingSoftmax", NoSwitch)
    assert decide(sequences.theorem_4_1(REDUCTION, 2, SEED)) == "fails"


def test_a_reduction_bound_of_half_the_size_is_caught(put: Any) -> None:
    bound = sequences.softmax_regret_bound
    put(sequences, "softmax_regret_bound", lambda *arguments: 0.5 * bound(*arguments))
    assert decide(sequences.theorem_4_1(REDUCTION, 2, SEED)) == "fails"


DARTBOARD = {"games": [[2, 3]], "p": [0.25], "share": [0.5]}


def test_the_dartboard_is_private() -> None:
    assert decide(sequences.dartboard_privacy(DARTBOARD, 2, SEED)) == "holds"


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(lambda losses, eta, p, k: dartboard_paths(2 * losses, eta, p, k), id="losses counted twice"),
        pytest.param(lambda losses, eta, p, k: dartboard_paths(losses, eta, p, 1 + losses[0].sum()), id="leaky budget"),
    ],
)
def test_a_dartboard_that_tells_more_is_caught(mutant: Any, put: Any) -> None:
    put(sequences, "dartboard_paths", mutant)
    grid = DARTBOARD | {"share": [0.1, 1.0]}
    assert decide(sequences.dartboard_privacy(grid, 2, SEED)) == "fails"


# Fixed share

PROJECTION = {
    "n": [2, 20],
    "spread": [3.0],
    "share": [0.01, 0.5],
    "instances": 20,
    "tolerance": 1e-9,
    "solver_n": [3],
    "solver_instances": 2,
    "solver_tolerance": 1e-6,
}


def clipped_and_scaled(u: Any, floor: float) -> Any:
    """Clip, then divide by the sum: a distribution, but not the nearest one."""
    w = np.maximum(u / u.sum(axis=-1, keepdims=True), floor)
    return w / w.sum(axis=-1, keepdims=True)


def euclidean(u: Any, floor: float) -> Any:
    """Raise to the floor what is too small, and take the same amount from each of the others."""
    w = u / u.sum(axis=-1, keepdims=True)
    low = w < floor
    return np.where(
        low, floor, w - (floor - w).clip(0).sum(axis=-1, keepdims=True) / (~low).sum(axis=-1, keepdims=True)
    )


def one_step(u: Any, floor: float) -> Any:
    """Scale what is above the floor, once only."""
    w = u / u.sum(axis=-1, keepdims=True)
    low = w < floor
    rest = np.where(low, 0.0, u)
    return np.where(low, floor, rest * (1 - floor * low.sum(axis=-1, keepdims=True)) / rest.sum(axis=-1, keepdims=True))


def test_the_projection_is_the_nearest_point() -> None:
    assert decide(shares.kl_projection(PROJECTION, 2, SEED)) == "holds"


@pytest.mark.parametrize("mutant", [clipped_and_scaled, euclidean, one_step])
def test_another_point_is_caught(mutant: Any, put: Any) -> None:
    put(shares, "project", mutant)
    assert decide(shares.kl_projection(PROJECTION, 2, SEED)) == "fails"


@pytest.mark.parametrize("mutant", [clipped_and_scaled, euclidean])
def test_the_solver_alone_catches_another_point(mutant: Any, put: Any) -> None:
    put(shares, "project", mutant)
    points = [point for point in shares.kl_projection(PROJECTION, 2, SEED) if point.where["route"] == "solver"]
    assert decide(points) == "fails"


SHARE = {"N": [4], "T": [256], "S": [3], "gap": [1.0], "streams": 3}


class WithoutFloor(FixedShare):
    """Never lets an expert come back."""

    def __init__(self, n: int, horizon: int, switches: int, *rest: Any) -> None:
        super().__init__(n, horizon, 0, *rest)


class SmallSteps(FixedShare):
    """Takes steps of a tenth of what was asked."""

    def __init__(self, n: int, horizon: int, switches: int, eta: float, *rest: Any) -> None:
        super().__init__(n, horizon, switches, eta / 10, *rest)


def test_fixed_share_has_its_regret() -> None:
    assert decide(shares.fixed_share_regret(SHARE, 2, SEED)) == "holds"


@pytest.mark.parametrize("mutant", [WithoutFloor, SmallSteps])
def test_another_share_is_caught(mutant: Any, put: Any) -> None:
    put(shares, "FixedShare", mutant)
    assert decide(shares.fixed_share_regret(SHARE | {"T": [1024]}, 2, SEED)) == "fails"


CONSTANTS = {"N": [2, 10], "T": [100], "epsilon": [1.0], "S": [5]}


def test_the_constants_of_theorem_b2() -> None:
    assert decide(shares.constants(CONSTANTS, 2, SEED)) == "holds"
    assert decide(shares.constants_printed(CONSTANTS, 2, SEED)) == "fails"
    assert decide(shares.constants(CONSTANTS, 2, SEED, quadratic=10.0)) == "fails"
    assert decide(shares.constants(CONSTANTS, 2, SEED, clipping=1.5)) == "fails"
    assert decide(shares.constants(CONSTANTS | {"epsilon": [10.0]}, 2, SEED)) == "fails"  # log(NT) / eps below 1.2


NOISY = {"N": [2], "T": [1000], "S": [2], "epsilon": [8.0], "gap": 0.8}


def test_the_noisy_regret_is_within_both_bounds() -> None:
    assert decide(shares.noisy_regret(NOISY, 30, SEED)) == "holds"


@pytest.mark.parametrize(
    ("name", "mutant"),
    [
        ("regret_bound", lambda *arguments: regret_bound(*arguments) / 40),
        ("sharper_bound", lambda *arguments: 0.3 * sharper_bound(*arguments)),
        ("NoisyFixedShare", lambda n, t, s, eta, scale, *rest: NoisyFixedShare(n, t, s, eta, 1e4 * scale, *rest)),
        ("NoisyFixedShare", lambda n, t, s, eta, scale, *rest: NoisyFixedShare(n, t, s, eta / 30, scale, *rest)),
    ],
    ids=["B.2 over 40", "three tenths of the sharper", "ten thousand times the noise", "a thirtieth of the step"],
)
def test_a_wrong_bound_or_algorithm_is_caught(name: str, mutant: Any, put: Any) -> None:
    put(shares, name, mutant)
    assert decide(shares.noisy_regret(NOISY, 30, SEED)) == "fails"


GROWTH = {"N": 2, "base": {"T": 2500, "S": 1, "epsilon": 1.0}, "gap": [0.1, 0.3, 0.9], "groups": 10}
ALONG = {"T": [250, 2000], "S": [1, 7], "epsilon": [0.5, 1.5]}


def slopes(name: str) -> Any:
    tolerance = 0.5 if name == "epsilon" else 0.35
    return decide(shares.growth(GROWTH | {"along": {name: ALONG[name]}, "tolerance": tolerance}, 40, SEED))


@each("name", ALONG)
def test_the_regret_grows_as_stated(name: str) -> None:
    assert slopes(name) == "holds"


@pytest.mark.parametrize(
    ("along", "name", "mutant"),
    [
        ("epsilon", "private_scale", lambda n, epsilon: float(n)),
        ("T", "private_step", lambda *_: 1e-4),
        ("T", "NoisyFixedShare", lambda n, t, s, *rest: NoisyFixedShare(n, t, 0, *rest)),
    ],
    ids=["the same noise for all levels", "hardly a step", "no floor"],
)
def test_another_growth_is_caught(along: str, name: str, mutant: Any, put: Any) -> None:
    put(shares, name, mutant)
    assert slopes(along) == "fails"


# The privacy of Algorithm 3

PRINTED = {"epsilon": 0.5, "simulated": [[200, 25]], "share": 1.0, "certified": [1000], "N": [2], "levels": [0.5]}
MENDED = {"epsilon": 0.5, "simulated": [[4, 20]], "share": 0.5, "N": [2, 20], "levels": [0.5], "delta": [1e-3]}


def test_printed_noise_tells_more_than_it_says_by_every_route() -> None:
    points = noisy.outputs_printed(PRINTED, 40, SEED)
    assert {point.where["route"]: decide([point]) for point in points} == {
        "noisy vector": "fails",
        "simulated": "fails",
        "certified": "fails",
    }


def test_enough_noise_tells_no_more_than_it_says() -> None:
    assert decide(noisy.outputs(MENDED, 100, SEED)) == "holds"


@pytest.mark.parametrize(
    ("name", "mutant"),
    [
        ("scale_of", lambda n, epsilon: 0.8 * n / epsilon),
        ("scale_of", lambda n, epsilon: math.sqrt(n) / epsilon),
        ("gaussian_scale_of", lambda n, epsilon, delta: math.sqrt(math.log(1.25 / delta)) / epsilon / 2),
    ],
    ids=["0.8 of the noise", "the root of N", "no N"],
)
def test_less_noise_than_enough_is_caught(name: str, mutant: Any, put: Any) -> None:
    put(noisy, name, mutant)
    assert decide(noisy.outputs(MENDED, 100, SEED)) == "fails"


def test_the_simulated_loss_comes_from_the_algorithm(put: Any) -> None:
    loud = lambda n, t, s, eta, scale, *rest: NoisyFixedShare(n, t, s, eta, n * scale, *rest)  # noqa: E731
    put(noisy, "NoisyFixedShare", loud)
    (point,) = [point for point in noisy.outputs_printed(PRINTED, 40, SEED) if point.where["route"] == "simulated"]
    assert decide([point]) != "fails"


def test_the_certified_bound_is_below_what_the_plays_really_tell() -> None:
    n, horizon, epsilon, m = 10_000, 50, 1.0, 37
    proved = max(noisy.certified(n, horizon, epsilon, m, d, low) for d in (0.03, 0.1) for low in (3.0, 4.0, 6.0))
    eta = noisy.printed_step(n, horizon, 1, epsilon)
    rarer, likelier = noisy.conditional(n, horizon, eta, 1 / epsilon, m, 10, SEED, "certified")
    _, low_end, _ = noisy.log_ratio(likelier, rarer, 1)
    assert 0.4 * low_end < proved < low_end
    assert noisy.certified(n, horizon, epsilon, m, 1e-4, 4.0) == -math.inf  # the means stray further: nothing follows


def test_a_walk_leaves_no_more_often_than_is_said() -> None:
    walks = rng_for(SEED, "walks").laplace(size=(20_000, 30)).cumsum(axis=1).max(axis=1)
    for level in (5.0, 10.0, 20.0, 30.0):
        share = (walks > level).mean()
        assert 0.02 * math.exp(noisy.log_exit(level, 1.0, 30)) < share <= math.exp(noisy.log_exit(level, 1.0, 30))
    assert noisy.log_exit(0.0, 1.0, 30) == 0.0


@each("m", [0, 1, 3, 5])
def test_the_chance_of_many_events_is_that_of_trying_all(m: int) -> None:
    p = np.array([0.1, 0.5, 0.7, 0.2, 0.9])
    outcomes = (np.arange(32)[:, None] >> np.arange(5)) & 1
    chances = np.where(outcomes, p, 1 - p).prod(axis=1)
    expected = chances[outcomes.sum(axis=1) >= m].sum()
    assert noisy.exceeding(p[:, None], m)[0] == pytest.approx(expected)


def test_the_interval_of_a_ratio_covers_it() -> None:
    rng = rng_for(SEED, "ratio")
    base = rng.lognormal(sigma=0.5, size=(200, 100))
    up = 2.0 * base * np.exp(0.1 * rng.standard_normal(base.shape)) / math.exp(0.005)
    inside = [
        low < math.log(2.0) < high
        for _, low, high in (noisy.log_ratio(*each, 1) for each in zip(up, base, strict=True))
    ]
    assert np.mean(inside) > 0.97  # at 99.9 %
    assert noisy.log_ratio(np.ones(10), np.eye(10)[0], 1)[1:] == (-math.inf, math.inf)


# Adaptive adversaries

ADAPTIVE = {"T": [64], "S": 3, "times_threshold": [1.0], "at_most": 0.3}


def test_who_is_private_cannot_keep_up() -> None:
    assert decide(adaptive.theorem_5_1(ADAPTIVE, 40, SEED)) == "holds"


def test_an_algorithm_that_is_not_private_is_caught(put: Any) -> None:
    put(adaptive, "PRIVATE", {"fixed share": lambda n, t, s, e, *rest: FixedShare(n, t, s, 5.0, *rest)})
    assert decide(adaptive.theorem_5_1(ADAPTIVE, 40, SEED)) == "fails"


def test_an_adversary_who_forgets_what_was_played_is_caught(put: Any) -> None:
    class Forgetful(PairsAdversary):
        def answer(self, actions: Any) -> None:
            gains = self._gains.copy()
            super().answer(actions)
            if self._round % self._phase:
                self._gains = gains

    put(adaptive, "PairsAdversary", Forgetful)
    assert decide(adaptive.theorem_5_1(ADAPTIVE, 40, SEED)) == "fails"


THRESHOLD = {"T": 512, "S": 3, "times_threshold": [1.0, 100.0], "at_most": 0.3}


def test_learning_begins_above_the_threshold() -> None:
    assert decide(adaptive.adaptive_threshold(THRESHOLD, 10, SEED)) == "holds"


@pytest.mark.parametrize("factor", [1e-3, 1e3])
def test_a_threshold_elsewhere_is_caught(factor: float, put: Any) -> None:
    threshold = adaptive.threshold
    put(adaptive, "threshold", lambda *arguments: factor * threshold(*arguments))
    assert decide(adaptive.adaptive_threshold(THRESHOLD, 10, SEED)) == "fails"
