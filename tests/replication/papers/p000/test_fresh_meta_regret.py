"""The mended RW-Meta keeps its bounds if learners react; the printed one and weaker noise do not."""

import math
from typing import Any

import pytest

from private_experts.algorithms.decorrelation import Decorrelation
from private_experts.algorithms.fresh_meta import FreshMeta
from private_experts.algorithms.rw_meta import RWMeta
from private_experts.replication.balls.balls import Ball, ball, precision
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import fresh_meta_regret as checks
from private_experts.replication.papers.p000.worst_pair import worst_pair
from tests.each import each
from tests.replication.papers.small_checks import found, times, verdict

CHOICES = ["horizon", "any-horizon", "gumbel"]
# A part of the claim's own grid.
KNOWN: dict[str, Any] = {"choice": ["horizon"], "learners": ["contrary", "mixed", "steady"]}
KNOWN |= {"m": [2], "eta": [1.5], "T": [100]}
WORST = {
    "choice": CHOICES[:2],
    "eta": [0.0, 1.0],
    "T": [100],
    "attained": {"horizon": 0.9, "any-horizon": 0.6},
}
AT_HORIZON = WORST | {"choice": ["horizon"]}


class Common(FreshMeta):
    """Adds the same noise to all learners."""

    def _extra(self) -> Any:
        return super()._extra()[:, :1]


def printed(learners: Any, guarantee: Any, scale: Any, rng: Any, gumbel: float) -> RWMeta:
    """The algorithm of the paper: its noise is that of the reports, in every round again."""
    return RWMeta(learners, guarantee, rng=rng, decorrelation=Decorrelation())


def louder(factor: float) -> Any:
    """More noise, or less."""
    return lambda learners, guarantee, scale, rng, gumbel: FreshMeta(
        learners, guarantee, scale=factor * scale, rng=rng, gumbel=factor * gumbel
    )


def steady(scales: Any, eta: float, per_unit: int) -> Ball:
    """Learners that do not react, of whom the first always gains 1 more than the second."""
    behind = [t / math.sqrt(2 * s**2 + 2 * t * eta**2) for t, s in enumerate(scales)]
    return ball(sum(0.5 * math.erfc(lead / math.sqrt(2)) for lead in behind))


def test_the_bounds_hold() -> None:
    points = found(checks.theorem_3_fresh, KNOWN, 2400)
    assert decide(points) == "holds"
    assert all(not point.vacuous for point in points)


@each(
    ("choice", "mutants"),
    [
        *(("horizon", {"FreshMeta": mutant}) for mutant in (printed, Common)),
        *((choice, {"FreshMeta": louder(factor)}) for choice in CHOICES for factor in (0.25, 4.0)),
        ("horizon", {"regret_bound": times(0.5, checks.regret_bound)}),
    ],
)
def test_noise_that_learners_foresee_or_of_another_size_and_half_the_bound_are_caught(
    choice: str, mutants: Any
) -> None:
    assert verdict(checks.theorem_3_fresh, KNOWN | {"choice": [choice]}, 300, **mutants) == "fails"


def test_the_worst_pair_keeps_the_bound_and_comes_close() -> None:
    points = checks.theorem_3_fresh_worst(WORST)
    assert decide(points) == "holds"
    assert all(point.certified for point in points)


def scaled(factor: float) -> Any:
    return lambda scales, *rest: worst_pair([factor * scale for scale in scales], *rest)


@each(
    ("grid", "mutants", "what", "at_most"),
    [
        # other scales for a known horizon
        *(
            (WORST | {"choice": ["horizon"]}, {"worst_pair": scaled(factor)}, None, "fails")
            for factor in (0.8, 2.0)
        ),
        # bounds that are a tenth too small
        (WORST, {"_bound_for_two": times(0.9, checks._bound_for_two)}, "regret", "fails"),
        (WORST, {"regret_bound": times(0.9, checks.regret_bound)}, "library", "fails"),
        (WORST, {"worst_pair": steady}, None, "holds"),  # learners that do not react
    ],
)
def test_the_worst_pair_catches_other_scales_bounds_and_learners(
    grid: Any, mutants: Any, what: str | None, at_most: str
) -> None:
    points = found(checks.theorem_3_fresh_worst, grid, **mutants)
    assert decide(points) == "fails"
    about = [point for point in points if what in (None, point.where["what"]) and point.sense == "<="]
    assert decide(about) == at_most


@pytest.mark.parametrize("choice", ["horizon", "any-horizon"])
def test_the_bound_for_two_is_the_formula_of_the_library(choice: str) -> None:
    scales, *_ = checks.extra_noise(choice, [0.7] * 30, 2)
    # with half the scales they grow by less than the noise, and the last is below it
    for factor in (1.0, 0.5):
        with precision():
            found = checks._bound_for_two((factor * scales).tolist(), 0.7)
        assert float(found) == pytest.approx(checks.regret_bound(factor * scales, [0.7] * 30, 2), rel=1e-12)


def test_a_choice_that_draws_a_learner_at_random_is_caught_and_has_the_regret_that_is_called_lazy() -> None:
    grid = KNOWN | {"learners": ["steady", "contrary"]}
    points = found(checks.theorem_3_fresh, grid, 300, FreshMeta=louder(1e6))
    assert [point.value for point in points] == pytest.approx([point.lazy for point in points], abs=3)
    assert {point.lazy_fails for point in points if decide([point]) == "fails"} == {True}
    assert all(point.lazy_fails for point in points if point.where["learners"] == "steady")
