"""Who plays on the hospitals: one module a player, and nothing else has to know of it.

A module of this folder is a player. It says what it plays in `play`, and in `SHOWN` how each algorithm that it plays
appears in tables and figures. ``play(game)`` returns a list of `Play`; further parameters of `play` are sections of the
config, by name, such as ``learners``.
"""

import ast
import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from private_experts.errors import InputError

FOLDER = Path(__file__).parent
TRUST = {"nobody": "local", "the curator": "central", "everybody": "no privacy"}


@dataclass(frozen=True)
class Contender:
    """How an algorithm appears in tables and figures.

    Parameters
    ----------
    label : str
        Its name, for people.
    paper : str
        Short names of the papers that it comes from.
    trusted : {"nobody", "the curator", "everybody"}
        Who sees true figures.
    promise : str
        What is protected.
    colour, marker, dashes
        For Matplotlib; no two contenders that share a figure have all three in common.
    place : int
        Smaller ones come first in tables and legends.
    compared : bool
        Whether it is one of those whose privacy models are compared.
    """

    label: str
    paper: str
    trusted: Literal["nobody", "the curator", "everybody"]
    promise: str
    colour: str
    marker: str
    dashes: Any
    place: int = 100
    compared: bool = True

    @property
    def model(self) -> str:
        """The privacy model in a word."""
        return TRUST[self.trusted]


def names() -> list[str]:
    """Return the players, as the workflow calls them: ``rw-ftpl`` stands for the module ``rw_ftpl``."""
    return sorted(path.stem.replace("_", "-") for path in FOLDER.glob("[a-z]*.py"))


def entry(player: str, name: str = "play") -> str:
    """Return the entry point of a player, or of another name in its module, for a code fingerprint."""
    return f"{__name__}.{player.replace('-', '_')}:{name}"


def sections(player: str) -> list[str]:
    """Return the sections of the config that a player asks for, read from its source without running it."""
    tree = ast.parse((FOLDER / f"{player.replace('-', '_')}.py").read_text(encoding="utf-8"))
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "play"]
    if not found:
        raise InputError(f"hospital/players/{player.replace('-', '_')}.py: has no function play(game)")
    return [argument.arg for argument in found[0].args.args[1:]]


def module(player: str) -> Any:
    """Return the module of a player; the rule of its games names it as an entry of their fingerprint."""
    if player not in names():
        raise InputError(f"there is no player {player}; write one of {', '.join(names())}")
    return importlib.import_module(f"{__name__}.{player.replace('-', '_')}")


def contenders() -> dict[str, Contender]:
    """Return how every algorithm appears, by its name in the records, in the order of tables and legends."""
    shown: dict[str, Contender] = {}
    for player in names():
        shown |= module(player).SHOWN
    return dict(sorted(shown.items(), key=lambda item: item[1].place))
