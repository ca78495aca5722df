"""The exception for mistakes in the input that a person can correct, and how it is reported."""

import errno
import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

PROGRAM = "private-experts"

_ALIKE = 0.6  # how much of two names has to agree; `difflib` takes it as well

_LONGEST = 1000  # characters of a line that are shown

_P = ParamSpec("_P")
_R = TypeVar("_R")

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)


class InputError(ValueError):
    """A mistake in the input. Its message is one line: what is wrong, where, and what to write instead.

    Examples
    --------
    >>> from private_experts.private_oco import Ball
    >>> from private_experts.errors import InputError
    >>> try:
    ...     Ball(dimension=2, radius=-1.0)
    ... except InputError as error:
    ...     print(error)
    ball: radius = -1.0: write a positive number
    """


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return what a refusal of an unknown name adds: the known name that looks most like it, if one does."""
    from difflib import get_close_matches  # few programs misspell

    # Of two names that differ in capitals alone, `difflib` sees all capitals as wrong.
    names = {word.casefold(): word for word in sorted(known, reverse=True)}
    close = get_close_matches(name.casefold(), names, n=1, cutoff=_ALIKE)
    return f"; did you mean {names[close[0]]!r}?" if close else ""


def check_by_name(who: str, given: int, positional: int, names: Sequence[str]) -> None:
    """Refuse more arguments by their position than are taken so, and name those that have to be named."""
    if unnamed := names[positional:given]:
        raise TypeError(f"{who}(): write {', '.join(f'{name}=...' for name in unnamed)} by name")


def names_what_was_meant(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Let a function say which name was meant by a misspelt one, or by an argument that lacks it."""
    code = function.__code__  # `inspect` would tell as well, and takes long to load
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    @functools.wraps(function)
    def called(*given: _P.args, **named: _P.kwargs) -> _R:
        check_by_name(function.__name__, len(given), code.co_argcount, known)
        for name in named.keys() - {*known}:
            meant = did_you_mean(name, known)
            raise TypeError(f"{function.__name__}() got an unexpected keyword argument {name!r}{meant}")
        return function(*given, **named)

    return called


@contextmanager
def errors_in_one_line() -> Iterator[None]:
    """Turn an `InputError` into one line on standard error and exit code 2, without a traceback.

    A file that cannot be read or written ends in the same way.
    """
    try:
        yield
    except InputError as error:
        message = str(error)
        if len(message) > _LONGEST:  # it quotes what somebody wrote, as a cell; the end says what to write
            message = f"{message[: _LONGEST // 2]} ... {message[-_LONGEST // 2 :]}"
        print(f"{PROGRAM}: {message}", file=sys.stderr)
        raise SystemExit(2) from None
    except BrokenPipeError:  # no file, and nobody is left who reads what was told
        raise
    except OSError as error:  # a file that a stage reads is missing or unreadable
        verb = "written" if error.errno in _NO_ROOM else "read"
        print(
            f"{PROGRAM}: {error.filename or 'a file'}: cannot be {verb} ({error.strerror or error})",
            file=sys.stderr,
        )
        raise SystemExit(2) from None
