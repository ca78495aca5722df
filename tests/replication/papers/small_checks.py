"""Checks on small grids: their verdicts, and which of their points fail."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from private_experts.replication.ledger.checking import points_of
from private_experts.replication.ledger.evidence import Point, decide

SEED = 1


def verdict(check: Callable[..., Sequence[Point]], grid: Mapping[str, Any], repetitions: int = 2) -> str:
    """Return the verdict of a check, for claims without chance or for so many repetitions."""
    return decide(points_of(check, grid, repetitions, SEED))


def failing(points: Sequence[Point], column: str) -> set[Any]:
    """Return what a column has where points fail by themselves."""
    return {point.where[column] for point in points if decide([point]) == "fails"}
