"""Shards that must hold everything: one whose pieces are not found is no error, only useless."""

from collections.abc import Callable, Iterable
from typing import Any

from private_experts.replication.spreading import Gathered, Piece


class Whole(Gathered):
    """What is gathered where shards hold all pieces: nothing is computed a second time."""

    def __call__(self, function: Callable[..., Any], pieces: Iterable[Piece], /) -> Iterable[Any]:
        def missing(*piece: Any) -> Any:
            raise AssertionError(f"no shard has {piece}")

        return super().__call__(missing, pieces)
