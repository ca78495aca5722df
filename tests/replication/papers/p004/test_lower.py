"""Lower bounds for shifting streams: a check gives its verdict, and another one when something is wrong."""

import itertools
from typing import Any

import numpy as np
import pytest

from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p004 import lower
from tests.replication.papers.small_checks import verdict

PHASES = {"N": [1024], "phase": [255], "epsilon": [0.1]}


def test_private_algorithms_lose_what_they_must() -> None:
    assert verdict(lower.shifting_lower_bound, PHASES) == "holds"


@pytest.mark.parametrize(
    ("name", "mutant"),
    [
        ("one_selection", lambda n, phase, epsilon: ONE(n, phase, 4 * epsilon)),
        ("dyadic", lambda n, phase, epsilon, law: DYADIC(n, phase, 8 * epsilon, law)),
    ],
    ids=["four times the level", "eight times the level"],
)
def test_an_algorithm_with_another_level_is_caught(name: str, mutant: Any, put: Any) -> None:
    put(lower, name, mutant)
    points = lower.shifting_lower_bound(PHASES)
    assert decide([point for point in points if "library" not in point.where["algorithm"]]) == "fails"


def test_one_selection_guesses_as_many_rounds_as_cost_the_least() -> None:
    rounds = np.arange(256)
    lost = rounds * 1023 / 1024 + (255 - rounds) * 1023 / (1023 + np.exp(0.05 * rounds))
    assert float(lower.one_selection(1024, 255, 0.1)) == pytest.approx(lost.min(), rel=1e-12)
    assert 0 < lost.argmin() < 255


def test_another_regret_of_the_library_is_caught(put: Any) -> None:
    put(lower, "program", lambda *game: (1 + 2e-6) * PROGRAM(*game))
    points = lower.shifting_lower_bound(PHASES)
    verdicts = {point.where["algorithm"]: decide([point]) for point in points}
    assert {name for name, verdict in verdicts.items() if verdict != "holds"} == {
        "Algorithm 1, library",
        "Algorithm 1, softmax, library",
    }


ONE, DYADIC, PACKING, PROGRAM = lower.one_selection, lower.dyadic, lower.packing_bound, lower.program


def test_the_packing_bound_is_attained_by_the_best_guess() -> None:
    """One round, N experts: no 0.5-DP law gives the data's expert more than e^0.5 / (N - 1 + e^0.5)."""
    epsilon, n = 0.5, 7
    best = np.exp(epsilon) / (n - 1 + np.exp(epsilon))
    assert lower.packing_bound(n, 2, epsilon) < (1 - 1 / n) + (1 - best)
    assert lower.packing_bound(n, 2, epsilon) > 0.97 * ((1 - 1 / n) + (1 - best))


TABLE = {"N": [1000], "T": [1000000], "S": [1, 4], "epsilon": [0.1, 1.0]}


def test_lower_bounds_are_below_upper_ones() -> None:
    assert verdict(lower.table_1, TABLE) == "holds"


def test_a_table_with_its_columns_exchanged_is_caught(put: Any) -> None:
    table = lower.table
    put(lower, "table", lambda *arguments: {row: pair[::-1] for row, pair in table(*arguments).items()})
    assert verdict(lower.table_1, TABLE) == "fails"


COINS = {"N": [2, 16], "rounds_in_phase": [64]}


def test_nobody_beats_coins() -> None:
    assert verdict(lower.coins_lower_bound, COINS) == "holds"
    assert not any(point.vacuous for point in lower.coins_lower_bound(COINS))


def test_a_smaller_loss_on_coins_is_caught(put: Any) -> None:
    bound = lower.coins_bound
    put(lower, "coins_bound", lambda n, phase: bound(n, phase) * 0.85)
    assert verdict(lower.coins_lower_bound, COINS) == "fails"


def test_what_is_lost_on_coins_is_that_of_all_coins() -> None:
    heads = np.array(list(itertools.product([0, 1], repeat=6))).reshape(-1, 2, 3).sum(axis=2)
    assert float(lower.coins_bound(2, 3).mid()) == pytest.approx(heads.max(axis=1).mean() - 1.5)
