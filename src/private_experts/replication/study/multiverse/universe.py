"""What everybody gains in one universe, and beside it what our algorithms gain there."""

import functools
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from private_experts.arrays import Array
from private_experts.games.regret import earned
from private_experts.privacy.factorization import optimal
from private_experts.replication.study.hospital_game import FRESH, Game
from private_experts.replication.study.multiverse.open_choices import PADDED, WEEKLY
from private_experts.replication.study.players import tree_ftpl
from private_experts.replication.study.players.central_learners import curated, wanted
from private_experts.replication.study.players.prefix_sums import play_leaders
from private_experts.replication.study.players.private_leaders import play_some
from private_experts.replication.study.players.rw_meta import advised, settings_of, variants

PAPERS = "rw-meta"  # the paper's algorithm
OURS = ("rw-meta-no-floor", "rw-meta-centred", FRESH)  # what we play in its place
# Ours, too: the strong central baseline is the strongest of these, of each kind of central algorithm the one with the
# least noise. All are mu-GDP for the same person and adjacency; the leaders of 002 and 004 by way of pure privacy or
# bounded range.
STRONG = ("min-noise", "optimised-sums", "central-learners", "dyadic-softmax", "restarting-leader")


def totals(game: Game, learners: Mapping[str, Any], chosen: Mapping[str, Any]) -> dict[float, dict[str, Array]]:
    """Play all who are asked about, at every privacy level; return the total gain of each repetition by level and name.

    The games are those of the players, with the same noise. Without privacy one copy of the learners stands for all,
    and central algorithms other than the paper's are not asked about.
    """
    family, settings = chosen["family"], settings_of({**learners, "family": chosen["family"]})
    pairs = list(settings.values())
    private = replace(game, levels=tuple(mu for mu in game.levels if mu < math.inf))
    found: dict[float, dict[str, Array]] = {mu: {} for mu in game.levels}
    for mu in game.levels:
        advice = advised(game, mu, family, pairs)
        learned = dict(zip([*settings, "rw-ftpl"], advice.actions.swapaxes(0, 1), strict=True))
        for name, actions in (learned | variants(game, mu, advice, (PAPERS, *OURS))).items():
            found[mu][name] = np.broadcast_to(earned(game.gains, actions).sum(axis=0), game.repetitions)
    plays = tree_ftpl.play_readings(game, chosen["tree_padding"] == PADDED, chosen["tree_sensitivity"] == WEEKLY)
    if private.levels:
        strategy = _strategy(family, tuple(pairs), game.sensitivity.tobytes())
        plays += play_leaders(private, STRONG) + play_some(private, STRONG)
        plays += [curated(private, mu, family, pairs, strategy) for mu in private.levels]
    for play in plays:
        found[play.mu][play.algorithm] = play.earned.sum(axis=0)
    return found


@functools.lru_cache(maxsize=64)
def _strategy(family: str, settings: tuple[tuple[int, float], ...], sensitivity: bytes) -> Array:
    """Return how a curator correlates the noise for these learners. Universes with the same bed counts share it."""
    bounds = np.frombuffer(sensitivity)
    return optimal(wanted(family, list(settings), bounds.size), bounds, tolerance=1e-9).strategy
