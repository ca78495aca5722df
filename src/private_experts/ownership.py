"""Parts that keep state, such as private sums and learners, are played by one object and in one game."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import ReferenceType, WeakKeyDictionary, ref

from private_experts.errors import InputError

# Of each part what first played with it, which may be gone by now.
_PLAYERS: WeakKeyDictionary[Any, ReferenceType[Any]] = WeakKeyDictionary()
_NOW: dict[int, object] = {}  # what is played at this moment, by its identity, and for which call


def bind(part: Any, player: Any) -> None:
    """Bind a part to the object that plays with it, or refuse a part with which another one has played.

    Two that play with the same sums would each add a person's data to them, and two with one learner would
    tell it each round twice.
    """
    try:
        owner = _PLAYERS.setdefault(part, ref(player))
    except TypeError:  # without a hash or weak references it is not known again
        return
    if owner() is not player:
        what = "it" if player is part else f"its {type(part).__name__}"
        before = "by itself" if owner() is part else "for another algorithm"
        raise InputError(f"{type(player).__name__}: {what} has played {before}: make a new one for each")


@contextmanager
def alone(player: Any) -> Iterator[None]:
    """Refuse an object that another call plays at the same time, in a thread or inside this one."""
    mine = object()
    # By identity, which is that of this object while it is played; to set a default is one step for threads.
    if _NOW.setdefault(id(player), mine) is not mine:
        raise InputError(
            f"{type(player).__name__}: another call is playing it: make a new one for each thread or game"
        )
    try:
        yield
    finally:
        del _NOW[id(player)]


def is_played(part: Any) -> bool:
    """Return whether anything has played with a part."""
    try:
        return part in _PLAYERS
    except TypeError:
        return False


def begin_again(part: Any) -> None:
    """Forget who has played with a part whose state begins again."""
    try:
        _PLAYERS.pop(part, None)
    except TypeError:
        return
