"""One state's panel as a game, and the record of who played it.

A round is a week. The algorithm names a hospital from the reports of the weeks before. It then receives this week's
densities (noisy ones, if it is local) and gains the true density of the hospital it named. Bed counts, and with
them the noise scales, are taken to be public.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from private_experts.algorithms.interface import Algorithm
from private_experts.errors import InputError
from private_experts.games.play import play
from private_experts.games.regret import earned, switches
from private_experts.replication.hospital.panel import Panel

Array = NDArray[np.float64]
Adjacency = Literal["move", "removal"]

LEARNER = "learner/"  # how the names of RW-Meta's learners begin, among those who play


@dataclass(frozen=True)
class Game:
    """One state's stream under several privacy levels.

    Parameters
    ----------
    state : str
        Names the randomness: the same state, level and seed give the same noise in every scenario.
    gains : ndarray, shape (T, n)
        True densities.
    sensitivity : ndarray, shape (T,)
        L2 distance that one person can make in a week's densities.
    levels : tuple of float
        Privacy levels mu; ``inf`` is none.
    repetitions, seed : int
        Independent copies, and the study's seed.
    moved : int
        How many of a week's densities one person can move, each by the same distance.
    """

    state: str
    gains: Array
    sensitivity: Array
    levels: tuple[float, ...]
    repetitions: int
    seed: int
    moved: int = 2


@dataclass(frozen=True)
class Play:
    """What one algorithm did at one privacy level: gains (T, repetitions) and switches (repetitions,)."""

    algorithm: str
    mu: float
    earned: Array
    switches: NDArray[np.intp]


def game(
    panel: Panel,
    state: str,
    levels: Sequence[float],
    repetitions: int,
    seed: int,
    adjacency: Adjacency = "move",
) -> Game:
    """Turn a panel into a game.

    Parameters
    ----------
    adjacency : {"move", "removal"}
        Whom the privacy is for. ``move``: a person may have gone to another hospital, which changes two densities
        by 1/beds each, so the sensitivity of a week is sqrt(2) / smallest bed count. ``removal``: a person may not
        have been a patient, which changes one: 1 / smallest bed count. [000, Section 4; formula DERIVED]
    """
    for mu in levels:
        if not mu > 0:
            raise InputError(f"privacy level mu = {mu}: write a positive number, or inf for no privacy")
    if repetitions < 1:
        raise InputError(f"repetitions: {repetitions} is not allowed; write 1 or more")
    if seed < 0:
        raise InputError(f"seed: {seed} is not allowed; write 0 or more")
    moved = 2 if adjacency == "move" else 1
    return Game(state, panel.density, math.sqrt(moved) / panel.smallest_beds, tuple(levels), repetitions, seed, moved)


def record(game: Game, algorithm: str, mu: float, actions: NDArray[np.intp]) -> Play:
    """Return what these actions, shape (T, repetitions), gained and how often they switched."""
    return Play(algorithm, mu, earned(game.gains, actions), switches(actions))


def central_plays(game: Game, makers: Mapping[str, Callable[[float], Algorithm]]) -> list[Play]:
    """Play algorithms that see the true gains, each made for every privacy level."""
    return [record(game, name, mu, play(make(mu), game.gains)) for name, make in makers.items() for mu in game.levels]
