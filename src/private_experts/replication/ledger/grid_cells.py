"""The cells of a check's grid."""

from itertools import product
from typing import Any

from private_experts.replication.ledger.evidence import Grid


def cells_of(grid: Grid, *axes: str) -> list[tuple[Any, ...]]:
    """For each combination of the axes' values: where it is, as columns of evidence, then the values.

    An axis such as "kind, K, gap" has three columns, and its values come together.
    """
    columns = [name for axis in axes for name in axis.split(", ")]
    found = []
    for combination in product(*(grid[axis] for axis in axes)):
        values: list[Any] = []
        for axis, value in zip(axes, combination, strict=True):
            values += value if ", " in axis else [value]
        found.append((dict(zip(columns, values, strict=True)), *values))
    return found
