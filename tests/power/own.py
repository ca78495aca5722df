"""How many mutants of its own each check catches: a plugin of pytest that looks on while the tests of the checks run.

A check that fails in a test has caught something, if the test had replaced a part of the package, or if no claim
expects that check to fail. So has one that every claim expects to fail, when it holds after such a replacement. Where
the results go is named in `PLACE`.
"""

import functools
import importlib
import json
import os
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from private_experts.replication.ledger.evidence import Point, decide
from tests.power.measure import caught
from tests.replication.ledger.ledgers import KNOWN

PLACE = "PRIVATE_EXPERTS_POWER"
CLAIMED = {claim.check for claim in KNOWN.claims.values()}
FAILING = {claim.check for claim in KNOWN.claims.values() if claim.expected == "fails"}
ALWAYS = FAILING - {claim.check for claim in KNOWN.claims.values() if claim.expected != "fails"}

_found: Counter[str] = Counter()
_now = {"replaced": False, "within": False}


def pytest_configure() -> None:
    """Watch every check, and every replacement, before the tests are loaded."""
    for check in CLAIMED:
        module, _, name = check.partition(":")
        room = importlib.import_module(f"private_experts.replication.papers.{module}")
        setattr(room, name, _watched(check, getattr(room, name)))
    set_it = pytest.MonkeyPatch.setattr

    def noted(self: pytest.MonkeyPatch, target: Any, *words: Any, **more: Any) -> None:
        home = target if isinstance(target, str) else getattr(target, "__module__", None) or target.__name__
        _now["replaced"] |= str(home).startswith("private_experts.")
        set_it(self, target, *words, **more)

    pytest.MonkeyPatch.setattr = noted  # type: ignore[method-assign, assignment]


def _watched(name: str, check: Callable[..., Sequence[Point]]) -> Any:
    @functools.wraps(check)
    def look(*words: Any, **more: Any) -> Sequence[Point]:
        if _now["within"]:  # one check calls another
            return check(*words, **more)
        _now["within"] = True
        points: list[Sequence[Point]] = []

        def run() -> Sequence[Point]:
            points.append(check(*words, **more))
            # What a test puts in the place of points decides nothing.
            return [each for each in points[-1] if isinstance(each, Point)] or [Point({}, 0.0, 1.0)]

        try:
            fails = caught(run)
            turned = name in ALWAYS and bool(points) and decide(points[0]) == "holds"
            if (fails and (_now["replaced"] or name not in FAILING)) or (turned and _now["replaced"]):
                _found[name] += 1
        finally:
            _now["within"] = False
        return points[0] if points else check(*words, **more)

    return look


def pytest_runtest_setup() -> None:
    """Forget the replacements of the test before."""
    _now["replaced"] = False


def pytest_unconfigure() -> None:
    """Write what was found in this process."""
    if place := os.environ.get(PLACE):
        (Path(place) / f"{os.getpid()}.json").write_text(json.dumps(_found))
