"""Measured risks against the lower bound, and mutants."""

from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p003 import lower_bound_class
from tests.each import each
from tests.replication.papers.small_checks import SEED, wrong

HARD = {"mechanism": ["posterior", "posterior of signs"], "K": [7], "T_over_least": [10**6], "eps": [4.0]}
HARD |= {"multiple": [1.0, 48.0], "level": {"eps": 1.0, "T_over_least": 10**4, "copies": 60_000}}


def by_risk(grid, repetitions: int) -> str:
    """The verdict of the risks alone."""
    points = lower_bound_class.theorem_3(grid, repetitions, SEED)
    return decide([point for point in points if point.where["aspect"] == "risk"])


def by_level(grid) -> str:
    """The verdict of the attack alone."""
    return decide(lower_bound_class._levels(grid, 100, SEED))


def test_nobody_is_below_the_lower_bound() -> None:
    points = lower_bound_class.theorem_3(HARD, 60, SEED)
    assert decide(points) == "holds"
    risks = [point for point in points if point.where["aspect"] == "risk"]
    assert all(20 < point.notes["times_the_bound"] < 400 for point in risks)
    assert not any(point.vacuous for point in points)


def times(factor: float):
    """Return a maker of mechanisms with so many times the level that is asked for."""
    return lambda right, *game: right(*game[:-1], factor * game[-1])


@each("name", HARD["mechanism"])
def test_reports_that_protect_half_as_well_as_they_say_are_caught(name) -> None:
    """The bound alone allows even eight times the level, but 48 times the bound does not."""
    grid = HARD | {"mechanism": [name], "eps": [0.5]}
    with wrong(lower_bound_class, "mechanism_of", times(8)):
        assert by_risk(grid | {"multiple": [1.0]}, 400) == "holds"
    with wrong(lower_bound_class, "mechanism_of", times(2)):
        assert by_risk(grid, 400) == "fails"
        assert by_level(grid) == "fails"


def test_what_is_played_keeps_its_level() -> None:
    assert by_level(HARD | {"mechanism": ["posterior of signs", "centred reports", "algorithm 2"]}) == "holds"
