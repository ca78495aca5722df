"""Lower bounds for shifting streams: a check gives its verdict, and another one when something is wrong."""

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


def test_a_table_with_its_columns_exchanged_and_a_smaller_loss_on_coins_are_caught() -> None:
    with wrong(lower, "table", lambda right, *game: {row: pair[::-1] for row, pair in right(*game).items()}):
        assert verdict(lower.table_1, TABLE) == "fails"
    with wrong(lower, "coins_bound", 0.85):
        assert verdict(lower.coins_lower_bound, COINS) == "fails"
