"""Each check of the walks gives the expected verdict on a small grid, and another one for a mutant."""

import math
from typing import Any

import numpy as np
import pytest

from private_experts.randomness import rng_for
from private_experts.replication.ledger.checking import points_of
from private_experts.replication.ledger.evidence import Point, decide
from private_experts.replication.papers.p000 import walks
from private_experts.walks import compute_delay
from private_experts.walks.gap import distribution, leading_gap, shifted_distribution
from private_experts.walks.leader_change import bound
from private_experts.walks.levy_bound import sharper_log_bound
from tests.each import each

CHECKED = walks
SEED = 1
THEOREM_1 = {"n": [2, 20], "B": [1, 16], "P": [0.9, 0.5, 0.01]}
SHARPER = {"n": [2, 20], "B": [64], "P": [0.5, 0.1]}
LARGEST = {"eta": [0.5, 5.0], "n": [24], "alpha": [0.01], "completed": [100], "rho": [0.0, 1.0]}
LARGEST["gap"] = [0.0, 8.0, 13.0, 21.0, 50.0, 100.0]
COROLLARY_1 = {"n": [2], "eta": [1.0], "gap": [60.0], "completed": 100, "alpha": 0.1}


def lemma_4(grid: dict[str, Any], repetitions: int, seed: int) -> list[Point]:
    return walks.lemma_4(grid, repetitions, seed)  # cells of a claim


CHECKS: dict[str, tuple[Any, dict[str, Any], int]] = {
    "lemma 3": (walks.lemma_3, {"T": [1, 64], "level": [0.25, 1.0]}, 8000),
    "lemma 4": (lemma_4, {"T": [2, 16], "n": [2, 10], "level": [0.25, 1.0, 3.0]}, 8000),
    # nearest to the bound
    "lemma 4, a lone Gaussian": (lemma_4, {"T": [], "n": [1], "level": [3.0]}, 40_000),
    "theorem 1": (walks.theorem_1, THEOREM_1, 3000),
    # least loose
    "theorem 1, near probability 1": (walks.theorem_1, {"n": [2], "B": [64], "P": [0.9999]}, 6000),
    "dip": (walks.theorem_1_dip, THEOREM_1 | {"x": 1.5}, 3000),
    "a deep dip": (walks.theorem_1_dip, {"n": [2], "B": [4], "P": [0.5], "x": 6.0}, 2000),
    "sharper": (walks.sharper_leader_change, SHARPER | {"B": [1, 4]}, 8000),
    "sharper for two": (walks.sharper_leader_change, SHARPER | {"n": [2]}, 8000),
    # it takes longer, for a large error
    "sharper for many": (walks.sharper_leader_change, SHARPER | {"n": [20]}, 800),
    "largest": (walks.corollary_1_largest, LARGEST, 2),
    "corollary 1": (walks.corollary_1, COROLLARY_1, 4000),
    "corollary 1, few": (walks.corollary_1, COROLLARY_1, 200),
    "theorem 2": (
        walks.theorem_2,
        {"n": [3], "e": [0.1, 1.0], "instances": 4, "tolerance": 1e-10, "d": [0.0, 5.0]},
        2,
    ),
}
UNDECIDED = {"lemma 4, a lone Gaussian", "sharper for two", "sharper for many", "corollary 1, few"}


def verdict(name: str) -> str:
    check, grid, repetitions = CHECKS[name]
    return decide(points_of(check, grid, repetitions, SEED))


@each("name", [name for name in CHECKS if name not in UNDECIDED])
def test_it_holds(name: str) -> None:
    assert verdict(name) == "holds"


@each("name", ["sharper for two", "sharper for many"])
def test_it_does_not_fail(name: str) -> None:
    assert verdict(name) != "fails"


frequencies, dips, two_apart = walks._frequencies, walks._dips, walks.two_apart


def other_bounds(factor: float = 1.0, power: float = 1.0) -> dict[str, Any]:
    """Compare every frequency with another bound."""
    return {
        "_frequencies": lambda events, places, most, k: frequencies(events, places, factor * most**power, k)
    }


def sharper(change: float) -> dict[str, Any]:
    return {"sharper_log_bound": lambda *arguments: sharper_log_bound(*arguments) + change}


def wrong_if_irregular(e: Any, v: Any) -> Any:
    return shifted_distribution(e, v) * (1 if np.array_equal(v, v.round(1)) else 1.001)


MUTANTS: dict[tuple[str, str], dict[str, Any]] = {
    ("lemma 3", "a bound 20 percent too small"): other_bounds(0.8),
    ("lemma 4", "a supremum that is not centred"): {"mean_of_maximum": lambda n: 0.0},
    ("lemma 4, a lone Gaussian", "an exponent without its 2"): other_bounds(power=2.0),
    # The truth is an eighth of the bound at most, on the claim's grid.
    ("theorem 1", "a bound cut to a twentieth"): {"bound": lambda beta: bound(beta) / 20},
    ("dip", "a bound cut to a twentieth"): {"bound": lambda beta: bound(beta) / 20},
    ("theorem 1, near probability 1", "a bound cut to a quarter"): {"bound": lambda beta: bound(beta) / 4},
    ("a deep dip", "a gap that starts lower by the depth"): {
        "_dips": lambda walk, gaps, x: dips(walk, gaps - x, x)
    },
    ("sharper for two", "20 percent too small"): sharper(math.log(0.8)),
    ("sharper for many", "for one challenger alone"): sharper(-math.log(19)),
    ("largest", "one too many"): {"compute_delay": lambda *a: compute_delay(*a) + 1},
    ("largest", "one too few"): {"compute_delay": lambda *a: np.maximum(compute_delay(*a) - 1, 1)},
    ("corollary 1, few", "batches of twice the size"): {
        "compute_delay": lambda *of, rho: 2 * compute_delay(*of, rho)
    },
    ("theorem 2", "a distribution 1 percent too small"): {
        "distribution": lambda e, n: 0.99 * distribution(e, n)
    },
    # As if level means made gaps large: each shifted law in the place of the one at 0, and the other way
    # round.
    ("theorem 2", "a wrong way round"): {
        "shifted_distribution": lambda e, v: 2 * distribution(e, v.size) - shifted_distribution(e, v)
    },
    ("theorem 2", "wrong at irregular means alone"): {"shifted_distribution": wrong_if_irregular},
}


@pytest.mark.parametrize(("name", "mutant"), MUTANTS)
def test_it_is_caught(name: str, mutant: str, put: Any) -> None:
    put(**MUTANTS[name, mutant])
    assert verdict(name) == "fails"


def test_theorem_2_catches_equal_means_a_thousandth_too_small_for_two_experts(put: Any) -> None:
    put(two_apart=lambda d, e: (two_apart(d, e)[0], 0.999 * two_apart(d, e)[1]))
    check, grid, repetitions = CHECKS["theorem 2"]
    assert decide(points_of(check, grid, repetitions, SEED)[:1]) == "fails"


def test_the_mean_of_the_largest_of_few_normals_has_a_closed_form() -> None:
    closed = [0.0, 1 / math.sqrt(math.pi), 1.5 / math.sqrt(math.pi)]
    assert [walks.mean_of_maximum(n) for n in (1, 2, 3)] == pytest.approx(closed, abs=1e-12)


def test_more_repetitions_are_a_new_experiment() -> None:
    first, second = (next(walks._walks(2, 3, count, SEED, "theorem 1")) for count in (5, 10))
    assert (first != second[..., :5]).all()


def test_walks_are_the_same_in_whatever_blocks_they_are_drawn(put: Any) -> None:
    at_once = next(walks._walks(3, 4, 10, SEED))
    put(_HELD=4 * 3 * 4)
    blocks = list(walks._walks(3, 4, 10, SEED))
    assert [block.shape for block in blocks] == [(4, 3, 4), (4, 3, 4), (4, 3, 2)]
    np.testing.assert_array_equal(np.concatenate(blocks, axis=2), at_once)


def test_a_leader_is_overtaken_by_the_best_of_the_others() -> None:
    walk = rng_for(SEED, "overtaken").standard_normal((4, 3, 7)).cumsum(axis=0)
    by_hand = [
        max(max(step[1], step[2]) - step[0] for step in path) for path in walk.transpose(2, 0, 1).tolist()
    ]
    np.testing.assert_allclose(walks._overtaken(walk), by_hand)


def test_a_gap_dips_when_the_leader_is_closely_followed_whoever_leads() -> None:
    walk = rng_for(SEED, "dips").standard_normal((4, 5, 300)).cumsum(axis=0)
    ahead = walk + np.array([1.75, 0, 0, 0, 0])[:, None]
    by_hand = leading_gap(ahead.swapaxes(1, 2)).min(axis=0) < 0.5
    assert 0 < by_hand.mean() < 1
    np.testing.assert_array_equal(walks._dips(walk, np.array([1.25]), 0.5)[:, 0], by_hand)
