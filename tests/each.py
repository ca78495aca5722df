"""One test over a table of cases, which tells of every case that is wrong and not of the first alone."""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest


def each(
    names: str | tuple[str, ...], cases: Iterable[Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test on every case of a table: `pytest.mark.parametrize`, but one test.

    For tables whose lines need no name of their own. Fixtures are shared by all cases, so a test that leaves
    something behind (a patched module, a folder that must not exist) keeps `parametrize`. Stacked, it runs
    all combinations.
    """
    split = tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else tuple(names)
    single = isinstance(names, str) and len(split) == 1
    table = [(case,) if single else tuple(case) for case in cases]
    assert table, "a test over no case shows nothing"
    assert all(len(case) == len(split) for case in table)

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)
        assert set(split) <= set(signature.parameters)

        @functools.wraps(test)
        def whole(*args: Any, **given: Any) -> None:
            wrong = []
            for case in table:
                try:
                    test(*args, **given, **dict(zip(split, case, strict=True)))
                except (Exception, pytest.fail.Exception) as error:
                    wrong.append((case, error))
            if wrong:
                lines = [f"{_short(case)}: {type(error).__name__}: {error}" for case, error in wrong]
                raise AssertionError(
                    "\n".join([f"{len(wrong)} of {len(table)} cases of {', '.join(split)} are wrong", *lines])
                ) from wrong[0][1]

        kept = [parameter for name, parameter in signature.parameters.items() if name not in split]
        whole.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return whole

    return decorate


def _short(case: tuple[Any, ...]) -> str:
    return ", ".join(repr(value)[:80] for value in case)
