"""Lower bounds for shifting streams: a check gives its verdict, and another one when something is wrong."""

import itertools

import numpy as np
import pytest

from private_experts.replication.papers.p004 import lower
from tests.each import each
from tests.replication.papers.small_checks import failing, verdict, wrong

PHASES = {"N": [1024], "phase": [255], "epsilon": [0.1]}
TABLE = {"N": [1000], "T": [1000000], "S": [1, 4], "epsilon": [0.1, 1.0]}
BLOCKS = {"Algorithm 1", "Algorithm 1, softmax"}
LIBRARY = {f"{name}, library" for name in BLOCKS}
COINS = {"N": [2, 16], "rounds_in_phase": [64]}


@each(
    ("check", "grid"),
    [(lower.shifting_lower_bound, PHASES), (lower.table_1, TABLE), (lower.coins_lower_bound, COINS)],
)
def test_private_algorithms_and_coins_lose_what_they_must(check, grid) -> None:
    assert verdict(check, grid) == "holds"
    assert not any(point.vacuous for point in check(grid))


@each(
    ("name", "mutant", "caught"),
    [
        # four and eight times the level
        ("one_selection", lambda right, n, phase, level: right(n, phase, 4 * level), {"one selection"}),
        ("dyadic", lambda right, n, phase, level, law: right(n, phase, 8 * level, law), BLOCKS | LIBRARY),
        ("program", 1 + 2e-6, LIBRARY),
    ],
)
def test_an_algorithm_with_another_level_or_regret_is_caught(name, mutant, caught) -> None:
    with wrong(lower, name, mutant):
        assert failing(lower.shifting_lower_bound(PHASES), "algorithm") == caught


def test_one_selection_guesses_as_many_rounds_as_cost_the_least() -> None:
    rounds = np.arange(256)
    lost = rounds * 1023 / 1024 + (255 - rounds) * 1023 / (1023 + np.exp(0.05 * rounds))
    assert float(lower.one_selection(1024, 255, 0.1)) == pytest.approx(lost.min(), rel=1e-12)
    assert 0 < lost.argmin() < 255


def test_the_packing_bound_is_attained_by_the_best_guess() -> None:
    """One round, N experts: no 0.5-DP law gives the data's expert more than e^0.5 / (N - 1 + e^0.5)."""
    epsilon, n = 0.5, 7
    lost = (1 - 1 / n) + (1 - np.exp(epsilon) / (n - 1 + np.exp(epsilon)))
    assert 0.97 * lost < lower.packing_bound(n, 2, epsilon) < lost


def test_a_table_with_its_columns_exchanged_and_a_smaller_loss_on_coins_are_caught() -> None:
    with wrong(lower, "table", lambda right, *game: {row: pair[::-1] for row, pair in right(*game).items()}):
        assert verdict(lower.table_1, TABLE) == "fails"
    with wrong(lower, "coins_bound", 0.85):
        assert verdict(lower.coins_lower_bound, COINS) == "fails"


def test_what_is_lost_on_coins_is_that_of_all_coins() -> None:
    heads = np.array(list(itertools.product([0, 1], repeat=6))).reshape(-1, 2, 3).sum(axis=2)
    assert float(lower.coins_bound(2, 3).mid()) == pytest.approx(heads.max(axis=1).mean() - 1.5)
