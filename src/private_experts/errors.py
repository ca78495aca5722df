"""The exception for mistakes in the input that a person can correct, and how it is reported."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

PROGRAM = "private-experts"


class InputError(ValueError):
    """A mistake in the input. Its message is one line: what is wrong, where, and what to write instead."""


@contextmanager
def told_in_one_line() -> Iterator[None]:
    """Turn an `InputError` into one line on standard error and exit code 2, without a traceback."""
    try:
        yield
    except InputError as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    except OSError as error:  # a file that a stage reads is missing or unreadable
        print(f"{PROGRAM}: {error.filename or 'a file'}: cannot be read ({error.strerror or error})", file=sys.stderr)
        raise SystemExit(2) from None
