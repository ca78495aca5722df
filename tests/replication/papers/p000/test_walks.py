"""Each check of the walks gives the expected verdict on a small grid, and another one for a mutant."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import walks
from private_experts.walks import compute_delay
from private_experts.walks.gap import distribution, leading_gap, shifted_distribution
from private_experts.walks.leader_change import bound
from private_experts.walks.levy_bound import sharper_log_bound
from tests.each import each
from tests.replication.papers.small_checks import SEED, found, times, verdict

CHECKED = walks
THEOREM_1 = {"n": [2, 20], "B": [1, 16], "P": [0.9, 0.5, 0.01]}
SHARPER = {"n": [2, 20], "B": [64], "P": [0.5, 0.1]}
LARGEST = {"eta": [0.5, 5.0], "n": [24], "alpha": [0.01], "completed": [100], "rho": [0.0, 1.0]}
LARGEST["gap"] = [0.0, 8.0, 13.0, 21.0, 50.0, 100.0]
COROLLARY_1 = {"n": [2], "eta": [1.0], "gap": [60.0], "completed": 100, "alpha": 0.1}


THEOREM_2 = {"n": [3], "e": [0.1, 1.0], "instances": 4, "tolerance": 1e-10, "d": [0.0, 5.0]}
frequencies, dips, two_apart = walks._frequencies, walks._dips, walks.two_apart


def other_bounds(factor: float = 1.0, power: float = 1.0) -> dict[str, Any]:
    """Compare every frequency with another bound."""
    return {
        "_frequencies": lambda events, places, most, k: frequencies(events, places, factor * most**power, k)
    }


def sharper(change: float) -> dict[str, Any]:
    return {"sharper_log_bound": lambda *arguments: sharper_log_bound(*arguments) + change}


def one_more(change: int) -> dict[str, Any]:
    return {"compute_delay": lambda *given: np.maximum(compute_delay(*given) + change, 1)}


def shifted(change: Callable[[Any, Any], Any]) -> dict[str, Any]:
    return {"shifted_distribution": change}


SURE, UNSURE = ("holds",), ("holds", "undecided")  # by so few repetitions, which show what is wrong


@each(
    ("check", "grid", "repetitions", "expected", "mutants"),
    [
        (walks.lemma_3, {"T": [1, 64], "level": [0.25, 1.0]}, 8000, SURE, [other_bounds(0.8)]),
        # a supremum that is not centred
        (
            walks.lemma_4,
            {"T": [2, 16], "n": [2, 10], "level": [0.25, 1.0, 3.0]},
            8000,
            SURE,
            [{"mean_of_maximum": lambda n: 0.0}],
        ),
        # an exponent without its 2, where a lone Gaussian is nearest to the bound
        (walks.lemma_4, {"T": [], "n": [1], "level": [3.0]}, 40_000, UNSURE, [other_bounds(power=2.0)]),
        # The truth is an eighth of the bound at most, on the claim's grid; least loose near probability 1.
        (walks.theorem_1, THEOREM_1, 3000, SURE, [{"bound": times(1 / 20, bound)}]),
        (walks.theorem_1, {"n": [2], "B": [64], "P": [0.9999]}, 6000, SURE, [{"bound": times(0.25, bound)}]),
        (walks.theorem_1_dip, THEOREM_1 | {"x": 1.5}, 3000, SURE, [{"bound": times(1 / 20, bound)}]),
        # a gap that starts lower by the depth of a deep dip
        (
            walks.theorem_1_dip,
            {"n": [2], "B": [4], "P": [0.5], "x": 6.0},
            2000,
            SURE,
            [{"_dips": lambda walk, gaps, x: dips(walk, gaps - x, x)}],
        ),
        (walks.sharper_leader_change, SHARPER | {"B": [1, 4]}, 8000, SURE, []),
        (walks.sharper_leader_change, SHARPER | {"n": [2]}, 8000, UNSURE, [sharper(math.log(0.8))]),
        # for one challenger alone; many take longer, for a large error
        (walks.sharper_leader_change, SHARPER | {"n": [20]}, 800, UNSURE, [sharper(-math.log(19))]),
        (walks.corollary_1_largest, LARGEST, 2, SURE, [one_more(1), one_more(-1)]),
        (walks.corollary_1, COROLLARY_1, 4000, SURE, []),
        # batches of twice the size
        (
            walks.corollary_1,
            COROLLARY_1,
            200,
            UNSURE,
            [{"compute_delay": lambda *of, rho: 2 * compute_delay(*of, rho)}],
        ),
        # a law 1 percent too small; each shifted law in the place of the one at 0, and vice versa, as
        # if level means made gaps large; and one that is wrong at irregular means alone
        (
            walks.theorem_2,
            THEOREM_2,
            2,
            SURE,
            [
                {"distribution": times(0.99, distribution)},
                shifted(lambda e, v: 2 * distribution(e, v.size) - shifted_distribution(e, v)),
                shifted(lambda e, v: shifted_distribution(e, v) * (1 + 0.001 * (v != v.round(1)).any())),
            ],
        ),
    ],
)
def test_it_holds_and_what_is_wrong_is_caught(
    check: Any, grid: Any, repetitions: int, expected: tuple[str, ...], mutants: Any
) -> None:
    assert verdict(check, grid, repetitions) in expected
    for number, mutant in enumerate(mutants):
        assert verdict(check, grid, repetitions, **mutant) == "fails", number


def test_theorem_2_catches_equal_means_a_thousandth_too_small_for_two_experts() -> None:
    mutant = {"two_apart": lambda d, e: (two_apart(d, e)[0], 0.999 * two_apart(d, e)[1])}
    assert decide(found(walks.theorem_2, THEOREM_2, **mutant)[:1]) == "fails"


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
