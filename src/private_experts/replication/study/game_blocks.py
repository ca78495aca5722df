"""The plays of one player on several states, in blocks of repetitions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from private_experts.errors import InputError
from private_experts.randomness import rng_for
from private_experts.replication.study import players
from private_experts.replication.study.choices import Adjacency, Reach
from private_experts.replication.study.hospital_game import Play
from private_experts.replication.study.loading import read_game
from private_experts.replication.study.repetition_blocks import blocks

BLOCK = 100  # repetitions that are played together


def seed_of(seed: int, block: int) -> int:
    """Return the seed under which a block of repetitions is played. The first is under the study's own."""
    # The first block is the study of at most 100 repetitions: more of them leave its numbers as they are.
    return int(rng_for(seed, "block of games", block).integers(2**63)) if block else seed


def plays(
    algorithm: str,
    panels: Sequence[Path],
    privacy_levels: Sequence[float],
    repetitions: int,
    seed: int,
    adjacency: Adjacency,
    reach: Reach,
    settings: Mapping[str, Any],
) -> Iterator[tuple[str, list[Play]]]:
    """Yield each state, and the plays of a player there; none where there is nothing to choose from."""
    play: Callable[..., list[Play]] = players.module(algorithm).play
    sizes = [count for count, _ in blocks(repetitions, BLOCK)] or [repetitions]  # which a game refuses
    for panel in panels:
        made = []
        for block, count in enumerate(sizes):
            game = read_game(panel, panel.stem, privacy_levels, count, seed_of(seed, block), adjacency, reach)
            made.append(play(game, **settings) if game.gains.shape[1] > 1 else [])
        yield panel.stem, [_joined(parts) for parts in zip(*made, strict=True)]


def _joined(parts: Sequence[Play]) -> Play:
    """Return the play of all blocks."""
    earned, switches = ([getattr(part, name) for part in parts] for name in ("earned", "switches"))
    return Play(parts[0].algorithm, parts[0].mu, np.concatenate(earned, axis=1), np.concatenate(switches))


def check(algorithm: str, panels: Sequence[Path], settings: Mapping[str, Any]) -> None:
    """Refuse a panel that is given twice, and other sections of the config than a player asks for."""
    names = [panel.stem for panel in panels]
    if twice := next((panel for panel in panels if names.count(panel.stem) > 1), None):
        raise InputError(
            f"games: --panels: {twice.stem} is given twice; give one file for each state, named after it"
        )
    sections = players.sections(algorithm)
    if settings.keys() != set(sections) or not all(
        isinstance(setting, Mapping) for setting in settings.values()
    ):
        raise InputError(
            f"games: --settings has {sorted(settings)}; this player needs the sections {sorted(sections)}"
        )
