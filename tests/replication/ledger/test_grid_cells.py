"""The cells of a grid are named by their columns, in the order of its axes."""

from private_experts.replication.ledger.grid_cells import cells_of


def test_cells_say_where_they_are_and_have_their_values() -> None:
    grid = {"kind, K": [["coins", 2], ["fixed", 3]], "T": [8, 9], "repetitions": 5}
    assert cells_of(grid, "T", "kind, K")[1:3] == [
        ({"T": 8, "kind": "fixed", "K": 3}, 8, "fixed", 3),
        ({"T": 9, "kind": "coins", "K": 2}, 9, "coins", 2),
    ]
    assert len(cells_of(grid, "T", "kind, K")) == 4
