"""Checks on quick grids: what it says, how far balls prove it, and that its fingerprint has all that ran.

`make evidence` runs this. `make test` runs the tests that each check has besides, with small cases and
mutants.
"""

import dis
import functools
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from private_experts.replication.ledger import ledger
from private_experts.replication.ledger.checking import points_of
from private_experts.replication.ledger.evidence import Point, decide
from tests.audit import untracked
from tests.replication.ledger.ledgers import KNOWN, RATIONAL, check_of, is_stochastic
from tests.replication.papers.short_grids import SHORTER, assert_lazy, short_grid

CLAIMS = KNOWN.claims


def watched(claim: ledger.Claim, grid: Mapping[str, Any], repetitions: int) -> list[Point]:
    """Return what a check finds with seed 1; no code of ours that runs escapes its fingerprint."""
    found: list[Point] = []
    check = check_of(claim.check)
    caller = f"{points_of.__module__}:{points_of.__name__}"  # it hands the check what its signature names
    escaped = untracked(
        lambda: found.extend(points_of(check, grid, repetitions, 1)),
        ledger.entry_of(claim),
        frozenset({caller}),
    )
    assert escaped == set()
    if claim.lazy:
        assert_lazy(found)
    return found


def proved(points: Sequence[Point]) -> bool:
    """Tell whether balls prove every point, or all are counts: nothing is rounded, as the code shows."""
    return all(
        point.certified or (point.value == round(point.value) and point.bound == round(point.bound))
        for point in points
    )


SURE = [name for name, claim in CLAIMS.items() if not is_stochastic(claim) and claim.needs is None]


def reads(function: Any, *names: str) -> bool:
    """Tell whether a function does anything with some of its parameters."""
    return any(instruction.argval in names for instruction in dis.get_instructions(inspect.unwrap(function)))


def test_what_a_check_reads_is_seen_through_what_wraps_it_and_in_functions_within() -> None:
    def within(seed: int, repetitions: int) -> Any:
        return lambda: seed + 1

    assert reads(functools.wraps(within)(lambda *given: within(*given)), "seed")
    assert not reads(within, "repetitions")


@pytest.mark.parametrize("name", SURE)
def test_without_chance_even_the_quick_grid_gives_the_expected_verdict(name: str) -> None:
    claim = CLAIMS[name]
    check, grid = check_of(claim.check), claim.experiment(quick=True).grid
    points = watched(claim, grid, claim.repetitions)
    assert points
    assert all(isinstance(point, Point) for point in points)
    assert decide(points) == claim.expected
    if claim.kind in RATIONAL:
        assert proved(points)
    places = [str(dict(point.where)) + point.sense for point in points]
    assert len(places) == len(set(places))  # each point of the grid stands once
    if claim.seconds <= 1 and reads(check, "repetitions", "seed"):  # else it can depend on neither
        more = points_of(check, grid, claim.repetitions + 48, 1)
        first, second = ([(point.value, point.bound) for point in evidence] for evidence in (points, more))
        assert first == second, "it depends on the number of repetitions"


ENUMERATED = [name for name, claim in CLAIMS.items() if claim.enumerated]


def other_seed_differs(claim: ledger.Claim) -> bool:
    """Tell whether a check that shall try all cases finds something else with another seed."""
    check, grid = check_of(claim.check), claim.experiment(quick=True).grid
    first, second = (
        [point.row() for point in points_of(check, grid, claim.repetitions, seed)] for seed in (1, 2)
    )
    return first != second


@pytest.mark.parametrize("name", ENUMERATED)
def test_what_is_enumerated_leaves_nothing_to_chance(name: str) -> None:
    claim = CLAIMS[name]
    assert claim.kind in ("exact", "numerical")
    assert claim.needs is None
    assert not other_seed_differs(claim)


def test_a_check_that_draws_cannot_be_called_an_enumeration() -> None:
    assert other_seed_differs(CLAIMS["003/equation-7"])


CHANCY = [name for name, claim in CLAIMS.items() if is_stochastic(claim) and claim.needs is None]


def test_what_is_shorter_here_is_asked_of_the_quick_grid() -> None:
    for name, changes in SHORTER.items():
        quick = CLAIMS[name].experiment(quick=True).grid
        assert {key: type(value) for key, value in changes.items()} == {
            key: type(quick[key]) for key in changes
        }
        assert [len(quick[key]) for key in changes if isinstance(quick[key], list)] == [
            len(value) for value in changes.values() if isinstance(value, list)
        ]


@pytest.mark.parametrize("name", CHANCY)
def test_more_repetitions_are_a_new_experiment_and_an_interval_surrounds_its_value(name: str) -> None:
    claim = CLAIMS[name]
    check, grid = check_of(claim.check), short_grid(claim)
    runs = [
        watched(claim, grid, 20),
        *(points_of(check, grid, count, seed) for count, seed in ((20, 1), (20, 2), (24, 1))),
    ]
    first, again, other, more = ([(point.value, *point.interval) for point in points] for points in runs)
    assert first == again
    assert [row for row in first if not row[1] <= row[0] <= row[2]] == []
    # something happened, by chance
    if any(low < high and value not in (0.0, 1.0) for value, low, high in first):
        assert first != other
        assert first != more
