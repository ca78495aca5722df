"""Each check of the walks gives the expected verdict on a small grid, and another one for a mutant."""

import math
from typing import Any

import numpy as np
import pytest

from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import walks
from private_experts.walks import compute_delay, delay
from private_experts.walks.gap import distribution, leading_gap, shifted_distribution
from private_experts.walks.leader_change import argument, bound, log_bound
from private_experts.walks.levy_bound import sharper_log_bound

SEED = 1


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that replaces a name in the module of the checks."""
    return lambda name, value: monkeypatch.setattr(walks, name, value)


def scaled_bounds(put: Any, factor: float = 1.0, power: float = 1.0) -> None:
    """Compare every frequency with another bound."""
    frequencies = walks._frequencies
    put("_frequencies", lambda events, places, bounds, k: frequencies(events, places, factor * bounds**power, k))


def noisier(put: Any, factor: float) -> None:
    """Make the steps of walks wider than the bound assumes."""
    drawn = walks._walks
    put("_walks", lambda *key: (factor * walk for walk in drawn(*key)))


# Lemma 3

LEMMA_3 = {"T": [1, 64], "level": [0.25, 1.0]}


def test_lemma_3_holds() -> None:
    assert decide(walks.lemma_3(LEMMA_3, 8000, SEED)) == "holds"


def test_lemma_3_catches_a_bound_20_percent_too_small(put: Any) -> None:
    scaled_bounds(put, 0.8)
    assert decide(walks.lemma_3(LEMMA_3, 8000, SEED)) == "fails"


def test_lemma_3_catches_a_bound_for_the_walks_end_instead_of_its_maximum(put: Any) -> None:
    scaled_bounds(put, 0.5)
    points = walks.lemma_3(LEMMA_3, 8000, SEED)
    assert decide(points) == "fails"
    assert "fails" not in {decide([point]) for point in points if point.where["T"] == 1}  # where the two are one


# Lemma 4

LEMMA_4 = {"T": [2, 16], "n": [2, 10], "level": [0.25, 1.0, 3.0]}


def test_lemma_4_holds() -> None:
    assert decide(walks.lemma_4(LEMMA_4, 8000, SEED)) == "holds"


def test_lemma_4_catches_a_supremum_that_is_not_centred(put: Any) -> None:
    put("mean_of_maximum", lambda n: 0.0)
    assert decide(walks.lemma_4(LEMMA_4, 8000, SEED)) == "fails"


def test_lemma_4_catches_an_exponent_without_its_2(put: Any) -> None:
    scaled_bounds(put, power=2.0)
    lone = {"T": [], "n": [1], "level": [3.0]}  # one Gaussian comes nearest to the bound
    assert decide(walks.lemma_4(lone, 40_000, SEED)) == "fails"


def test_the_mean_of_the_largest_of_few_normals_has_a_closed_form() -> None:
    closed = [0.0, 1 / math.sqrt(math.pi), 1.5 / math.sqrt(math.pi)]
    assert [walks.mean_of_maximum(n) for n in (1, 2, 3)] == pytest.approx(closed, abs=1e-12)


# Theorem 1

THEOREM_1 = {"n": [2, 20], "B": [1, 16], "P": [0.9, 0.5, 0.01]}


@pytest.mark.parametrize(
    ("check", "grid"), [(walks.theorem_1, THEOREM_1), (walks.theorem_1_dip, THEOREM_1 | {"x": 1.5})]
)
class TestTheorem1:
    def test_it_holds(self, check: Any, grid: Any) -> None:
        assert decide(check(grid, 3000, SEED)) == "holds"

    def test_it_catches_a_bound_that_forgets_the_number_of_challengers(self, check: Any, grid: Any, put: Any) -> None:
        put("argument", lambda k, eta, steps, n: argument(k, eta, steps, n) + math.sqrt(math.log(2 * n - 2)))
        assert decide(check(grid, 3000, SEED)) == "fails"

    def test_it_catches_a_bound_that_forgets_the_number_of_steps(self, check: Any, grid: Any, put: Any) -> None:
        put("argument", lambda k, eta, steps, n: argument(k, eta, 1, n))
        assert decide(check(grid, 3000, SEED)) == "fails"

    def test_it_catches_noise_of_twice_the_scale(self, check: Any, grid: Any, put: Any) -> None:
        noisier(put, 2.0)
        assert decide(check(grid, 3000, SEED)) == "fails"

    def test_it_catches_a_bound_cut_to_a_twentieth(self, check: Any, grid: Any, put: Any) -> None:
        put("bound", lambda beta: bound(beta) / 20)  # the truth is an eighth of the bound at most, on the claim's grid
        assert decide(check(grid, 3000, SEED)) == "fails"


def test_near_probability_1_theorem_1_catches_a_bound_cut_to_a_quarter(put: Any) -> None:
    grid = {"n": [2], "B": [64], "P": [0.9999]}  # where the theorem is least loose
    assert decide(walks.theorem_1(grid, 6000, SEED)) == "holds"
    put("bound", lambda beta: bound(beta) / 4)
    assert decide(walks.theorem_1(grid, 6000, SEED)) == "fails"


def test_theorem_1_dip_catches_a_gap_that_starts_lower_by_the_depth_asked_for(put: Any) -> None:
    grid = {"n": [2], "B": [4], "P": [0.5], "x": 6.0}
    assert decide(walks.theorem_1_dip(grid, 2000, SEED)) == "holds"
    dips = walks._dips
    put("_dips", lambda walk, gaps, x: dips(walk, gaps - x, x))
    assert decide(walks.theorem_1_dip(grid, 2000, SEED)) == "fails"


# The sharper bound on the same probability

SHARPER = {"n": [2, 20], "B": [64], "P": [0.5, 0.1]}
REPETITIONS = {2: 8000, 20: 800}  # many challengers take longer, and forgetting them is a large error


def test_the_sharper_bound_holds() -> None:
    assert decide(walks.sharper_leader_change(SHARPER | {"B": [1, 4]}, 8000, SEED)) == "holds"
    for n, repetitions in REPETITIONS.items():
        assert decide(walks.sharper_leader_change(SHARPER | {"n": [n]}, repetitions, SEED)) != "fails"


@pytest.mark.parametrize(
    ("n", "change"),
    [
        pytest.param(2, math.log(0.8), id="20 percent too small"),
        pytest.param(20, -math.log(19), id="for one challenger alone"),
        pytest.param(2, -math.log(2), id="for the walk's end instead of its maximum"),
    ],
)
def test_the_sharper_bound_is_caught_when_it_is(n: int, change: float, put: Any) -> None:
    put("sharper_log_bound", lambda *asked: sharper_log_bound(*asked) + change)
    assert decide(walks.sharper_leader_change(SHARPER | {"n": [n]}, REPETITIONS[n], SEED)) == "fails"


def test_the_sharper_bound_catches_noise_of_five_quarters_of_the_scale(put: Any) -> None:
    noisier(put, 1.25)
    assert decide(walks.sharper_leader_change(SHARPER | {"n": [2]}, REPETITIONS[2], SEED)) == "fails"


# Corollary 1

LARGEST = {
    "eta": [0.5, 5.0],
    "n": [24],
    "alpha": [0.01],
    "completed": [100],
    "rho": [0.0, 1.0],
    "gap": [0.0, 8.0, 13.0, 21.0, 50.0, 100.0],
}


def test_corollary_1_largest_holds() -> None:
    assert decide(walks.corollary_1_largest(LARGEST, 2, SEED)) == "holds"


WRONG_SIZES: dict[str, Any] = {
    "one too many": lambda *a: compute_delay(*a) + 1,
    "one too few": lambda *a: np.maximum(compute_delay(*a) - 1, 1),
    "the tolerance of half the rounds": lambda gap, eta, n, alpha, done, rho: compute_delay(
        gap, eta, n, alpha, done // 2, rho
    ),
    "no drift": lambda gap, eta, n, alpha, done, rho: compute_delay(gap, eta, n, alpha, done, 0.0),
    "0.8 times the noise": lambda gap, eta, n, alpha, done, rho: compute_delay(gap, 0.8 * eta, n, alpha, done, rho),
}


@pytest.mark.parametrize("mutant", WRONG_SIZES)
def test_corollary_1_largest_catches_batches_with(mutant: str, put: Any) -> None:
    put("compute_delay", WRONG_SIZES[mutant])
    assert decide(walks.corollary_1_largest(LARGEST, 2, SEED)) == "fails"


def by_condition(gap: Any, eta: Any, n: int, alpha: float, done: Any, rho: float) -> Any:
    """Return sizes by bisection on the condition alone; a table of the true bound would not know of a wrong one."""
    return compute_delay(gap, eta, n, alpha, done, rho, exact=True)


def test_corollary_1_largest_catches_log_n_in_the_place_of_log_2n_minus_2(
    put: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("compute_delay", by_condition)

    def forgetful(k: Any, eta: Any, steps: Any, n: int, rho: float = 0.0) -> Any:
        return argument(k, eta, steps, n, rho) + math.sqrt(math.log(2 * n - 2)) - math.sqrt(math.log(n))

    monkeypatch.setattr(delay, "argument", forgetful)
    assert decide(walks.corollary_1_largest(LARGEST, 2, SEED)) == "fails"


def test_corollary_1_largest_catches_a_bound_20_percent_too_small(put: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    put("compute_delay", by_condition)
    assert decide(walks.corollary_1_largest(LARGEST, 2, SEED)) == "holds"
    monkeypatch.setattr(delay, "log_bound", lambda beta: log_bound(beta) + math.log(0.8))
    assert decide(walks.corollary_1_largest(LARGEST, 2, SEED)) == "fails"


COROLLARY_1 = {"n": [2], "eta": [1.0], "gap": [60.0], "completed": 100, "alpha": 0.1}


def test_corollary_1_holds() -> None:
    assert decide(walks.corollary_1(COROLLARY_1, 4000, SEED)) == "holds"


def test_corollary_1_catches_batches_of_twice_the_size(put: Any) -> None:
    put("compute_delay", lambda *a: 2 * compute_delay(*a))
    assert decide(walks.corollary_1(COROLLARY_1, 200, SEED)) == "fails"


def test_corollary_1_catches_noise_of_three_times_the_scale(put: Any) -> None:
    noisier(put, 3.0)
    assert decide(walks.corollary_1(COROLLARY_1, 4000, SEED)) == "fails"


def test_corollary_1_without_drift_fails_as_it_should() -> None:
    points = walks.corollary_1_without_drift(COROLLARY_1, 200, SEED)
    assert decide(points) == "fails"
    assert points[0].interval[0] > 0.5  # far from chance


def test_corollary_1_without_drift_would_not_fail_if_the_drift_were_minded(put: Any) -> None:
    put("compute_delay", lambda gap, eta, n, alpha, done, rho: compute_delay(gap, eta, n, alpha, done, 1.0))
    assert decide(walks.corollary_1_without_drift(COROLLARY_1, 4000, SEED)) == "holds"


# Theorem 2 and the law of the gap

THEOREM_2 = {"n": [3], "e": [0.1, 1.0], "instances": 4, "tolerance": 1e-10, "d": [0.0, 5.0]}


def test_theorem_2_holds() -> None:
    assert decide(walks.theorem_2(THEOREM_2, 2, SEED)) == "holds"


def test_theorem_2_catches_a_distribution_1_percent_too_small(put: Any) -> None:
    put("distribution", lambda e, n: 0.99 * distribution(e, n))
    assert decide(walks.theorem_2(THEOREM_2, 2, SEED)) == "fails"


def test_theorem_2_catches_equal_means_a_thousandth_too_small_for_two_experts(put: Any) -> None:
    right = walks.two_apart
    put("two_apart", lambda d, e: (right(d, e)[0], 0.999 * right(d, e)[1]))
    assert decide(walks.theorem_2(THEOREM_2, 2, SEED)[:1]) == "fails"


def test_theorem_2_catches_another_number_of_coordinates(put: Any) -> None:
    put("distribution", lambda e, n: distribution(e, n - 1))
    assert decide(walks.theorem_2(THEOREM_2, 2, SEED)) == "fails"


def test_theorem_2_catches_a_wrong_way_round(put: Any) -> None:
    # As if level means made gaps large: each shifted law in the place of the one at 0, and the other way round.
    put("shifted_distribution", lambda e, v: 2 * distribution(e, v.size) - shifted_distribution(e, v))
    assert decide(walks.theorem_2(THEOREM_2, 2, SEED)) == "fails"


def test_theorem_2_catches_a_law_that_is_wrong_at_irregular_means_alone(put: Any) -> None:
    def wrong(e: Any, v: Any) -> Any:
        return shifted_distribution(e, v) * (1 if np.array_equal(v, v.round(1)) else 1.001)

    put("shifted_distribution", wrong)
    assert decide(walks.theorem_2(THEOREM_2, 2, SEED)) == "fails"


# What the experiments are made of


def test_more_repetitions_are_a_new_experiment() -> None:
    first, second = (next(walks._walks(2, 3, count, SEED, "theorem 1")) for count in (5, 10))
    assert (first != second[..., :5]).all()


def test_walks_are_the_same_in_whatever_blocks_they_are_drawn(put: Any) -> None:
    at_once = next(walks._walks(3, 4, 10, SEED))
    put("_HELD", 4 * 3 * 4)
    blocks = list(walks._walks(3, 4, 10, SEED))
    assert [block.shape for block in blocks] == [(4, 3, 4), (4, 3, 4), (4, 3, 2)]
    np.testing.assert_array_equal(np.concatenate(blocks, axis=2), at_once)


def test_nobody_overtakes_a_leader_that_rises_most() -> None:
    walk = np.array([[[1.0], [0.5]], [[2.0], [2.5]]])  # two steps of one repetition: behind by 0.5, then ahead by 0.5
    assert walks._overtaken(walk) == pytest.approx([0.5])


def test_a_leader_that_sinks_is_overtaken_by_the_best_of_the_others() -> None:
    walk = rng_for(SEED, "overtaken").standard_normal((4, 3, 7)).cumsum(axis=0)
    by_hand = [max(max(step[1], step[2]) - step[0] for step in path) for path in walk.transpose(2, 0, 1).tolist()]
    np.testing.assert_allclose(walks._overtaken(walk), by_hand)


def test_a_gap_dips_when_the_leader_is_closely_followed_whoever_leads() -> None:
    walk = rng_for(SEED, "dips").standard_normal((4, 5, 300)).cumsum(axis=0)
    ahead = walk + np.array([1.75, 0, 0, 0, 0])[:, None]
    by_hand = leading_gap(ahead.swapaxes(1, 2)).min(axis=0) < 0.5
    assert 0 < by_hand.mean() < 1
    np.testing.assert_array_equal(walks._dips(walk, np.array([1.25]), 0.5)[:, 0], by_hand)
