"""Local algorithms on own counts, at the same level; and knowing the noise, with both.

The paper gives every hospital the noise of the smallest one of the week. [mathematics/000.md#own-counts]
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from private_experts.replication.plotting.palette import GREEN, ORANGE, PURPLE, SKY, VERMILION
from private_experts.replication.study.hospital_game import Game, Play
from private_experts.replication.study.own_counts import own_games
from private_experts.replication.study.players import Contender

# By the name in the records: the mechanism and the contender; and how each is shown.
PLAYED = {
    "own-counts-rw-ftpl": ("own", own_games.LEADER),
    "own-counts-rw-meta": ("own", own_games.META),
    "own-counts-learners": ("own", own_games.LEARNERS),
    "own-counts-posterior-means": ("own", own_games.POSTERIOR),
    "posterior-means": ("same", own_games.POSTERIOR),
}
_LOOKS = {
    "own-counts-rw-ftpl": ("RW-FTPL, own counts", VERMILION, "^"),
    "own-counts-rw-meta": ("RW-Meta, own counts", SKY, "o"),
    "own-counts-learners": ("learners by credit, own counts", PURPLE, "s"),
    "own-counts-posterior-means": ("posterior means, own counts", GREEN, "D"),
    "posterior-means": ("posterior means, paper's noise", ORANGE, "v"),
}
_TABLED = {"own-counts-rw-ftpl", "own-counts-rw-meta", "own-counts-posterior-means"}
SHOWN = {
    name: Contender(label, "", "nobody", "mu-GDP", colour, marker, "-", place=30, tabled=name in _TABLED)
    for name, (label, colour, marker) in _LOOKS.items()
}


def play(game: Game, learners: Mapping[str, Any]) -> list[Play]:
    """Play all of them at every privacy level; `learners` is the config's section, as for RW-Meta."""
    names = {own_games.name_of(mechanism, who): name for name, (mechanism, who) in PLAYED.items()}
    return [
        replace(record, algorithm=names[record.algorithm]) for record in own_games.play(game, learners, names)
    ]
