"""The exception for mistakes in the input that a person can correct, and how it is reported."""

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager

PROGRAM = "private-experts"

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


@contextmanager
def told_in_one_line() -> Iterator[None]:
    """Turn an `InputError` into one line on standard error and exit code 2, without a traceback.

    A file that cannot be read or written ends in the same way.
    """
    try:
        yield
    except InputError as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    except BrokenPipeError:  # no file, and nobody is left who reads what was told
        raise
    except OSError as error:  # a file that a stage reads is missing or unreadable
        done = "written" if error.errno in _NO_ROOM else "read"
        print(
            f"{PROGRAM}: {error.filename or 'a file'}: cannot be {done} ({error.strerror or error})",
            file=sys.stderr,
        )
        raise SystemExit(2) from None
