"""Small games of the hospital study, for tests."""

import math

import numpy as np

from private_experts.randomness import rng_for
from private_experts.replication.study import hospital_game as room
from private_experts.replication.study import players
from private_experts.replication.study.data.panel import Panel

LEVELS = (math.inf, 1.0, 0.25)
LEARNERS = {"family": "trend", "windows": [2, 4], "strengths": {"weak": 0.01, "strong": 100.0}}
# players that take no settings, without the leaders of other papers
LEAN = ["rw-ftpl", "tree-ftpl", "yardsticks"]
ALL = ["rw-meta", *LEAN]


def a_panel(weeks=12, hospitals=4, seed=1):
    rng = rng_for(seed, "a panel for tests")
    density, smallest = rng.random((weeks, hospitals)), rng.uniform(4, 25, weeks)
    return Panel(
        tuple(f"week {week}" for week in range(weeks)),
        tuple(f"01000{number}" for number in range(hospitals)),
        density,
        smallest,
        np.outer(smallest, 1 + 3 * np.arange(hospitals)),
    )


def a_game(levels=LEVELS, panel=None, state="NM", repetitions=6, seed=5, adjacency="move"):
    return room.game(panel or a_panel(), state, levels, repetitions, seed, adjacency)


def plays(player, game, **changes):
    """Return what a player played, by algorithm and level; `changes` are changes of the learners."""
    given = [LEARNERS | changes] if players.sections(player) else []
    made = players.module(player).play(game, *given)
    by_name = {(play.algorithm, play.mu): play for play in made}
    assert len(by_name) == len(made)
    return by_name


def same(one, other):
    return np.array_equal(one.earned, other.earned) and np.array_equal(one.switches, other.switches)
