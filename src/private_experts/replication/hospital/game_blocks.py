"""The plays of one player on several states, in pieces that jobs may share: a state, and a block of repetitions."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from private_experts.errors import InputError
from private_experts.randomness import rng_for
from private_experts.replication.choices import Adjacency
from private_experts.replication.hospital import players
from private_experts.replication.hospital.hospital_game import Play
from private_experts.replication.hospital.loading import read_game
from private_experts.replication.hospital.sharing import blocks_of
from private_experts.replication.spreading import Spread, here

Part = tuple[str, float, NDArray[np.float64], NDArray[np.intp]]  # a play, in plain words: of an algorithm, at a level


def seed_of(seed: int, block: int) -> int:
    """Return the seed under which a block of repetitions is played. The first is played under the study's own.

    Examples
    --------
    >>> seed_of(2026, 0), seed_of(2026, 1)
    (2026, 3317763013717081237)
    """
    return int(rng_for(seed, "block of games", block).integers(2**63)) if block else seed


def plays(
    algorithm: str,
    panels: Sequence[Path],
    privacy_levels: Sequence[float],
    repetitions: int,
    seed: int,
    adjacency: Adjacency,
    reach: float,
    settings: Mapping[str, Any],
    spread: Spread = here,
) -> Iterator[tuple[str, list[Play]]]:
    """Yield each state, and the plays of a player there; none where there is nothing to choose from.

    - `algorithm`: A module of hospital/players, such as rw-meta.
    - `panels`: A file for each state, of its name.
    - `privacy_levels`, `repetitions`, `seed`, `adjacency`, `reach`: As in `hospital_game.game`.
    - `settings`: The sections of the config that the player asks for.
    - `spread`: What computes the pieces.
    """
    play: Callable[..., list[Play]] = players.module(algorithm).play
    sizes = blocks_of(repetitions) or [repetitions]  # which a game refuses

    def piece(state: str, block: int, count: int) -> list[Part]:
        panel = next(each for each in panels if each.stem == state)
        game = read_game(panel, state, privacy_levels, count, seed_of(seed, block), adjacency, reach)
        made = play(game, **settings) if game.gains.shape[1] > 1 else []
        return [(each.algorithm, each.mu, each.earned, each.switches) for each in made]

    pieces = [(panel.stem, block, count) for panel in panels for block, count in enumerate(sizes)]
    found = iter(spread(piece, pieces))
    for panel in panels:
        yield panel.stem, [_joined(parts) for parts in zip(*[next(found) for _ in sizes], strict=True)]


def _joined(parts: Sequence[Part]) -> Play:
    """Return the play of all blocks; with one block, that."""
    algorithm, mu, _, _ = parts[0]
    earned, switches = zip(*[each[2:] for each in parts], strict=True)
    return Play(algorithm, mu, np.concatenate(earned, axis=1), np.concatenate(switches))


def asked_of(algorithm: str, panels: Sequence[Path], settings: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the sections of the config that a player asks for, from JSON.

    - raises `InputError`: When there are other sections, or a panel is given twice.
    """
    names = [panel.stem for panel in panels]
    if twice := next((panel for panel in panels if names.count(panel.stem) > 1), None):
        raise InputError(
            f"games: --panels: {twice.stem} is given twice; a file is named after its state, so give one each"
        )
    sections = players.sections(algorithm)
    try:
        found = json.loads(settings)
    except ValueError as error:
        raise InputError(f"games: --settings is not JSON ({error})") from error
    if not isinstance(found, dict) or not all(isinstance(each, dict) for each in found.values()):
        raise InputError("games: --settings is not a JSON object of sections of the config")
    if found.keys() != set(sections):
        raise InputError(f"games: --settings has sections {sorted(found)}; this player asks for {sorted(sections)}")
    return found
