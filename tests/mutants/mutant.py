"""What a mutant is, and how a claim and a test are run on it."""

import inspect
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from private_experts.replication.ledger.checking import imported_function, loaded, points_of
from private_experts.replication.ledger.evidence import Grid, Point, gather
from private_experts.replication.ledger.ledger import entry_of
from private_experts.replication.verify.last_run import LastRun
from tests.replication.ledger.ledgers import KNOWN, ROOT
from tests.replication.papers.caught import caught, refuses_equal

Patch = Callable[[pytest.MonkeyPatch], None]


@dataclass(frozen=True)
class Mutant:
    """A change to the library's code, the claim that fails on it, and the fast test (a node id) that does.

    Of the claim the `mechanism`, if any, is looked at first; by default that in brackets after the test.
    """

    patch: Patch
    claim: str
    test: str
    mechanism: str = ""


def edited(function: Any, old: str, new: str) -> Patch:
    """A function of the library with other words in its source, wherever it was imported before.

    In the new words {0} stands for the old ones.
    """
    function, new = inspect.unwrap(function), new.replace("{0}", old)
    body, path = inspect.getsource(function), inspect.getfile(function)
    assert body.count(old) == 1, old

    def codes(code: CodeType) -> Iterator[CodeType]:
        for inner in filter(lambda constant: isinstance(constant, CodeType), code.co_consts):
            yield inner
            yield from codes(inner)

    def patch(put: pytest.MonkeyPatch) -> None:
        whole = compile(Path(path).read_text().replace(body, body.replace(old, new)), path, "exec")
        name = function.__qualname__
        put.setattr(function, "__code__", next(code for code in codes(whole) if code.co_qualname == name))

    return patch


# What every draw can have wrong. {0} stands for the expression for the noise, which has a row for each copy;
# the object of the method keeps what it drew before.
DRAWN_WRONGLY = {
    "no noise": "0 * {0}",
    "half the noise": "{0} / 2",
    "noise in the first round alone": "(x := {0}) * (vars(self).setdefault('kept', x) is x)",
    "noise reused between rounds": "vars(self).setdefault(str((x := {0}).shape), x).copy()",
    "one draw shared by copies": "np.repeat((x := {0})[:1], len(x), axis=0)",
}


def replaced(owner: Any, name: str, made: Callable[[Any], Any]) -> Patch:
    """Something of a class or module is made from what it was."""

    def patch(put: pytest.MonkeyPatch) -> None:
        put.setattr(owner, name, made(getattr(owner, name)))

    return patch


def together(*patches: Patch) -> Patch:
    """All of them."""

    def patch(put: pytest.MonkeyPatch) -> None:
        for each in patches:
            each(put)

    return patch


def failing_claim(claim: str, patch: Patch, *, quick: bool = False, looked_at: str = "") -> bool:
    """Return whether a claim fails on its grid with a mutant in place, by as many repetitions as it takes.

    A claim fails when any of its points does. So rows of the mechanism that is `looked_at` first can decide,
    and a sixteenth of the repetitions where it shows.
    """
    entry = KNOWN.claims[claim]
    experiment = entry.experiment(quick=quick)
    mechanisms = entry.experiment(quick=False).grid.get("mechanism", [])  # a quick grid has some of them
    first = [{**experiment.grid, "mechanism": [name]} for name in mechanisms if name == looked_at]
    run = LastRun(ROOT, ROOT / "results")
    inputs = {key: value for key, value in run.inputs_of(entry).items() if key != "provenance"}
    function, data = imported_function(entry_of(entry)), loaded(**inputs)

    def fails(grid: Grid, repetitions: int) -> bool:
        def check(repetitions: int) -> Sequence[Point]:
            return points_of(function, grid, repetitions, run.seed, **data)

        return caught(lambda: gather(check, repetitions, experiment.cap)[0])

    with pytest.MonkeyPatch.context() as context:
        patch(context)
        return any(fails(grid, experiment.repetitions // 16) for grid in first) or fails(
            experiment.grid, experiment.repetitions
        )


def is_verdict(raised: BaseException) -> bool:
    """Tell whether a test that raised this compared something, and did not end in an error of its own."""
    while isinstance(raised, AssertionError) and raised.__cause__:  # of a table of cases, the first wrong one
        raised = raised.__cause__
    return isinstance(raised, AssertionError | pytest.fail.Exception) or refuses_equal(raised)


class Applied:
    """A pytest plugin that has a mutant in place while tests run, and sees whether one fails."""

    def __init__(self, patch: Patch) -> None:
        self.patch, self.failed = patch, False

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Generator[None, object, object]:
        with pytest.MonkeyPatch.context() as context:
            self.patch(context)
            return (yield)

    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> None:
        if call.when == "call" and call.excinfo is not None:
            self.failed |= is_verdict(call.excinfo.value)


def failing_test(test: str, patch: Patch) -> bool:
    """Return whether a test fails with a mutant in place; an error, also in the test, is no failure."""
    applied = Applied(patch)
    arguments = ["-q", "-x", "--no-header", "--tb=no", "--assert=plain", "-p", "no:cacheprovider", test]
    pytest.main(arguments, plugins=[applied])
    return applied.failed
