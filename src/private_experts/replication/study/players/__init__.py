"""The players of the hospital games. Each module of this folder is one, and is found by its name.

``play(game)`` plays one algorithm or several, and returns a list of `Play`; those in `LEARNING` take the
config's section ``learners`` too. ``SHOWN`` says by name how each algorithm appears in tables and figures.
"""

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from private_experts.errors import InputError

FOLDER = Path(__file__).parent
# Who sees the true figures: the privacy model.
TRUST = {"nobody": "local", "the curator": "central", "everybody": "no privacy"}
# Those whose `play` takes the config's section ``learners``; written here, so that plans import no player.
LEARNING = ("central-learners", "own-counts-local", "rw-meta", "rw-meta-variants")
ON_REPORTS = ("rw-ftpl", *LEARNING)  # those of whom some play on noisy reports, and record the noise


@dataclass(frozen=True)
class Contender:
    """How one algorithm appears in tables and figures."""

    label: str
    paper: str  # short names of the papers that it comes from
    trusted: Literal["nobody", "the curator", "everybody"]  # who sees the true figures
    promise: str  # the guarantee, such as mu-GDP, or what is protected
    colour: str
    marker: str
    dashes: Any
    place: int = 100  # in tables and legends; smaller numbers come first
    tabled: bool = True  # whether it is a row of the table of privacy models

    @property
    def model(self) -> str:
        """The privacy model: local, central, or no privacy."""
        return TRUST[self.trusted]


def names() -> list[str]:
    """Return the names of the players in the workflow: ``rw-ftpl`` is the module ``rw_ftpl``."""
    return sorted(path.stem.replace("_", "-") for path in FOLDER.glob("[a-z]*.py"))


def report_noise_files(results: Path, states: Sequence[str]) -> list[Path]:
    """Return what the study's games of its states tell of the noise in the reports of local players."""
    games = [results / "games" / "study" / "main" / f"{player}.report-noise.csv" for player in ON_REPORTS]
    return [*games, *(results / "own-counts" / f"{state}.report-noise.csv" for state in states)]


def entry(player: str, name: str = "play") -> str:
    """Return where the code fingerprint of a player starts: its `play`, or another name in its module."""
    return f"{__name__}.{player.replace('-', '_')}:{name}"


def sections(player: str) -> list[str]:
    """Return the sections of the config that a player's `play` takes beside the game."""
    return ["learners"] if player in LEARNING else []


def module(player: str) -> Any:
    """Return the module of a player. The rule `games` adds a player's code to its games' fingerprint."""
    if player not in names():
        raise InputError(f"unknown player {player}; write one of {', '.join(names())}")
    return importlib.import_module(f"{__name__}.{player.replace('-', '_')}")


def contenders() -> dict[str, Contender]:
    """Return every contender by its name in the records, in the order of tables and legends."""
    shown: dict[str, Contender] = {}
    for player in names():
        of_player = module(player).SHOWN
        # Records are by name: two players under one would be averaged.
        if both := sorted(shown.keys() & of_player.keys()):
            raise InputError(f"study/players: two players play {both[0]!r}; give one of them another name")
        shown |= of_player
    return dict(sorted(shown.items(), key=lambda item: item[1].place))


def central() -> list[str]:
    """Return the names in the records of all algorithms that see the true figures and keep them secret."""
    return [name for name, shown in contenders().items() if shown.model == "central"]
