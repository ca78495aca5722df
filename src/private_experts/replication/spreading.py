"""Long work in pieces, which may be spread over jobs.

A **piece** is a call of a function that depends on its arguments alone: its random numbers belong to a key that is made
of them. So it does not matter which process computes a piece, and results are the same bytes for any number of jobs.
Cells of a grid are pieces, and so are **blocks**: repetitions of one cell that are drawn together. Blocks have a fixed
size. The number of jobs only says how many pieces each of them gets.

Who does long work calls ``spread(function, pieces)``, which returns one result a piece, in order. What stands behind
that name decides where they are computed:

- `here`: in this process;
- `Shard`: in this process too, but only every so many pieces, and the work ends there;
- `Gathered`: nowhere any more, as far as shards hold them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product, starmap
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from private_experts.errors import InputError
from private_experts.replication.accounts import Account
from private_experts.replication.files import sha256, written_aside

if TYPE_CHECKING:
    from numpy.typing import NDArray

Piece = tuple[Any, ...]


class Spread(Protocol):
    """What computes pieces."""

    def __call__(self, function: Callable[..., Any], pieces: Iterable[Piece], /) -> Iterable[Any]:
        """Return the result of each piece, in order."""


here: Spread = starmap


class Enough(Exception):  # noqa: N818
    """Raised when a shard has its pieces, and the rest of the work is for whoever gathers them."""


class Shard:
    """Computes one share of the first pieces that it is asked for, and ends the work by raising `Enough`.

    Parameters
    ----------
    share : str
        Which share of how many, such as ``2-of-7``. Pieces are dealt out in turn.

    Attributes
    ----------
    found : dict
        Each piece of the share, in words, and its result: numbers, text and arrays, in tuples, lists and dicts.

    Raises
    ------
    InputError
        When there is no such share.
    """

    def __init__(self, share: str) -> None:
        number, _, count = share.partition("-of-")
        if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
            raise InputError(f"share: {share!r} is none; write one such as 2-of-7")
        self._first, self._count = int(number) - 1, int(count)
        self.found: dict[str, Any] = {}

    def __call__(self, function: Callable[..., Any], pieces: Iterable[Piece], /) -> Iterable[Any]:
        """Compute the share's pieces, and raise `Enough`."""
        for piece in list(pieces)[self._first :: self._count]:
            self.found[repr(piece)] = function(*piece)
        raise Enough


class Gathered:
    """Takes the first pieces that it is asked for from shards; what they do not hold is computed here.

    Parameters
    ----------
    found : mapping
        Pieces in words, and their results.
    accounts : sequence of Account
        What they took.
    """

    def __init__(self, found: Mapping[str, Any], accounts: Sequence[Account] = ()) -> None:
        self._found, self.accounts = dict(found), accounts

    def __call__(self, function: Callable[..., Any], pieces: Iterable[Piece], /) -> Iterable[Any]:
        """Return the result of each piece, in order."""
        found, self._found = self._found, {}  # what is asked for later is other work
        return [found[repr(piece)] if repr(piece) in found else function(*piece) for piece in pieces]


def shares(count: int) -> list[str]:
    """Return all shares of so many; none when there is only one, which is the whole work.

    Examples
    --------
    >>> shares(3), shares(1)
    (['1-of-3', '2-of-3', '3-of-3'], [])
    """
    return [f"{number}-of-{count}" for number in range(1, count + 1)] if count > 1 else []


def pattern(folder: Path, made_of: Iterable[str]) -> str:
    """Return the path of a shard, with its share in braces.

    It says what the shard is made of. So a shard that another version of the code left behind is another file.
    """
    import hashlib

    digest = hashlib.sha256("\n".join(made_of).encode()).hexdigest()[:16]
    return (folder / digest / "{share}.shard").as_posix()


def write(path: Path, shard: Shard, account: Account, rests_on: Sequence[Path] = ()) -> None:
    """Keep what a shard computed and took, with the checksums of the files that it rests on.

    The format is that of saved states: numbers, text and arrays with every bit. Others may write to a folder that a
    cluster shares, and reading runs nothing that a file says.

    Raises
    ------
    InputError
        When a result is something else.
    """
    from private_experts.saving import archive

    values = {"account": tuple(account), "found": shard.found}
    with written_aside(path) as aside, aside.open("wb") as file:  # for all who may read the folder, unlike a state
        archive.write_to(file, {"rests_on": _sums(rests_on)}, values)


def read(paths: Iterable[Path], rests_on: Sequence[Path] = ()) -> Gathered:
    """Return what shards computed; those that rest on other files than these count for nothing.

    Raises
    ------
    InputError
        When one cannot be read.
    """
    from private_experts.saving import archive

    found: dict[str, Any] = {}
    accounts, sums = [], _sums(rests_on)
    for path in map(Path, paths):
        try:
            header, values = archive.read(path)
            if header["rests_on"] == sums:
                found |= values["found"]
                accounts.append(Account(*values["account"]))
        except Exception as error:  # of what somebody else wrote, anything may be missing
            why = str(error).removeprefix(f"{path}: ").partition(": take another copy")[0]
            raise InputError(f"{path}: this shard cannot be read ({why}); remove it, and it is made again") from error
    return Gathered(found, accounts)


def _sums(files: Sequence[Path]) -> list[str]:
    return [sha256(path) for path in files]


def blocks(repetitions: int, size: int) -> list[tuple[int, tuple[int, ...]]]:
    """Return how many repetitions each block has, and the end of its key.

    The key ends with the number of all repetitions, so that more of them are a new experiment, and with the number of
    the block. The first block leaves its number out: where it is the only one, the key does not know of blocks.

    Examples
    --------
    >>> blocks(50, 100), blocks(250, 100)
    ([(50, (50,))], [(100, (250,)), (100, (250, 1)), (50, (250, 2))])
    """
    counts = [min(size, repetitions - start) for start in range(0, repetitions, size)]
    return [(count, (repetitions, *[number] * (number > 0))) for number, count in enumerate(counts)]


def repeated(
    play: Callable[..., "Sequence[NDArray[Any]]"],
    cells: Iterable[Piece],
    repetitions: int,
    block: int,
    spread: Spread = here,
) -> "list[list[NDArray[Any]]]":
    """Repeat what is played in each cell, in blocks, and return what came out.

    Parameters
    ----------
    play : callable
        ``play(*cell, count, key)`` plays so many repetitions. It returns arrays whose last axis is the repetition. Its
        random numbers belong to the cell and to the key, see `blocks`.
    cells : iterable of tuples
        They may hold whatever has the same ``repr`` in every process.
    repetitions, block : int
        How many repetitions a cell has, and a block at most.
    spread : Spread
        What computes the pieces.

    Returns
    -------
    list
        For each cell the arrays of all its repetitions.
    """
    import numpy as np  # here, because every command loads this module

    dealt = blocks(repetitions, block)
    found = list(spread(play, [(*cell, count, key) for cell, (count, key) in product(cells, dealt)]))
    by_cell = [found[first : first + len(dealt)] for first in range(0, len(found), len(dealt))]
    return [[np.concatenate(parts, axis=-1) for parts in zip(*cell, strict=True)] for cell in by_cell]
