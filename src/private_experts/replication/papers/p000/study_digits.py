"""What the study's players hear in a small game, number by number. [verdicts.md#drawn-noise]

The densities and beds are invented, so that the claim needs no panel.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from private_experts.algorithms.prefix_ftpl import PrefixFTPL
from private_experts.games.play import play
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.privacy.tight_tree import TightTreeSums
from private_experts.randomness import rng_for
from private_experts.replication.study.hospital_game import Game
from private_experts.replication.study.own_counts.own_games import play_covered
from private_experts.replication.study.players import prefix_sums

_LEVEL, _WEEKS, _HOSPITALS, _COPIES = 0.5, 10, 4, 20
_LEARNERS = {"family": "trend", "windows": [2], "strengths": {"weak": 0.01}}


def _game(seed: int) -> Game:
    beds = np.linspace(10.0, 40.0, _HOSPITALS) + np.arange(_WEEKS)[:, None] % 3
    densities = np.add.outer(np.arange(_WEEKS), np.arange(_HOSPITALS)) % 7 / 7
    sensitivity = math.sqrt(2) / beds.min(axis=1)
    reach, covering = 1 / beds, 3 / beds
    return Game("NM", densities, sensitivity, (_LEVEL,), _COPIES, seed, reach=reach, covering=covering)


def players_of_sums(seed: int) -> Iterator[tuple[Any, Any]]:
    """The leader of a tree has the noise of its level for each week, in each copy."""
    match = _game(seed)
    name = "tree-tight"
    (found,) = (one for one in prefix_sums.play(match) if one.algorithm == name)
    sums = TightTreeSums(
        _HOSPITALS,
        GaussianDP(_LEVEL, "central"),
        sensitivity=match.sensitivity,
        noise=SimulatedNoise(rng_for(seed, name, "NM", _LEVEL)),
        repetitions=_COPIES,
    )
    actions = play(PrefixFTPL(sums), match.gains)
    yield found.earned, match.gains[np.arange(_WEEKS)[:, None], actions]


def suppressed_figures(seed: int) -> Iterator[tuple[Any, Any]]:
    """Reports on suppressed figures have noise for what one person moves in the public file."""
    covering = np.asarray(_game(seed).covering)
    widest = math.sqrt(2) / _LEVEL * covering.max(axis=1, keepdims=True)
    stated = {"same": widest + 0 * covering, "own": math.sqrt(2) / _LEVEL * covering}
    heard = {
        record.algorithm.split("/")[1]: record.report_noise
        for record in play_covered(_game(seed), _LEARNERS)
        if record.report_noise is not None
    }
    yield len(heard), len(stated)  # else a study that leaves no noise would pass
    for mechanism, noise in heard.items():
        yield noise.variance, np.square(stated[mechanism])
