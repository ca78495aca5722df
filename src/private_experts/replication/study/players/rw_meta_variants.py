"""RW-Meta's variants for the paper's states alone: with no floor, centred, or fresh Gumbel noise."""

from collections.abc import Mapping
from typing import Any

from private_experts.replication.study.hospital_game import LEARNER, Game, Play
from private_experts.replication.study.players import rw_meta

NAMES = tuple(name for name in rw_meta.VARIANTS if name not in rw_meta.IN_TABLE_2)
SHOWN = rw_meta.contenders_of(NAMES)


def play(game: Game, learners: Mapping[str, Any]) -> list[Play]:
    """Play them at every privacy level, among the learners that `rw_meta` records."""
    plays = rw_meta.play_variants(game, learners, NAMES)
    return [record for record in plays if not record.algorithm.startswith(LEARNER)]
