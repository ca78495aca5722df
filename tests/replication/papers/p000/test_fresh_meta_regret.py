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

CHECKED = checks
SEED = 1
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
bounds = checks.regret_bound


class Common(FreshMeta):
    """Adds the same noise to all learners."""

    def _extra(self) -> Any:
        return super()._extra()[:, :1]


def printed(learners: Any, guarantee: Any, scale: Any, rng: Any, gumbel: float) -> RWMeta:
    """The algorithm of the paper: its noise is that of the reports, in every round again."""
    return RWMeta(learners, guarantee, rng=rng, decorrelation=Decorrelation())


def times(factor: float) -> Any:
    """More noise, or less."""
    return lambda learners, guarantee, scale, rng, gumbel: FreshMeta(
        learners, guarantee, scale=factor * scale, rng=rng, gumbel=factor * gumbel
    )


def steady(scales: Any, eta: float, per_unit: int) -> Ball:
    """Learners that do not react, of whom the first always gains 1 more than the second."""
    behind = [t / math.sqrt(2 * s**2 + 2 * t * eta**2) for t, s in enumerate(scales)]
    return ball(sum(0.5 * math.erfc(lead / math.sqrt(2)) for lead in behind))


def test_the_bounds_hold() -> None:
    points = checks.theorem_3_fresh(KNOWN, 2400, SEED)
    assert decide(points) == "holds"
    assert all(not point.vacuous for point in points)


@pytest.mark.parametrize(
    ("choice", "name", "mutant"),
    [
        *(("horizon", "FreshMeta", mutant) for mutant in (printed, Common)),
        *((choice, "FreshMeta", times(factor)) for choice in CHOICES for factor in (0.25, 4.0)),
        ("horizon", "regret_bound", lambda *arguments: bounds(*arguments) / 2),
    ],
)
def test_noise_that_learners_foresee_or_of_another_size_and_half_the_bound_are_caught(
    choice: str, name: str, mutant: Any, put: Any
) -> None:
    put(**{name: mutant})
    assert decide(checks.theorem_3_fresh(KNOWN | {"choice": [choice]}, 300, SEED)) == "fails"


def test_the_worst_pair_keeps_the_bound_and_comes_close() -> None:
    points = checks.theorem_3_fresh_worst(WORST)
    assert decide(points) == "holds"
    assert all(point.certified for point in points)


@pytest.mark.parametrize("factor", [0.8, 2.0])
def test_the_worst_pair_catches_other_scales_for_a_known_horizon(factor: float, put: Any) -> None:
    put(worst_pair=lambda scales, *rest: worst_pair([factor * scale for scale in scales], *rest))
    points = checks.theorem_3_fresh_worst(WORST | {"choice": ["horizon"]})
    assert decide([point for point in points if point.sense == "<="]) == "fails"


@pytest.mark.parametrize("name", ["regret_bound", "_bound_for_two"])
def test_the_worst_pair_catches_a_bound_that_is_a_tenth_too_small(name: str, put: Any) -> None:
    bound = getattr(checks, name)
    put(**{name: lambda *arguments: 0.9 * bound(*arguments)})
    points = checks.theorem_3_fresh_worst(WORST)
    assert decide(points) == "fails"
    about = [point for point in points if (point.where["what"] == "regret") == (name == "_bound_for_two")]
    assert decide([point for point in about if point.sense == "<="]) == "fails"


def test_the_worst_pair_catches_learners_that_do_not_react(put: Any) -> None:
    put(worst_pair=steady)
    points = checks.theorem_3_fresh_worst(WORST)
    assert decide(points) == "fails"
    assert decide([point for point in points if point.sense == "<="]) == "holds"


@pytest.mark.parametrize("choice", ["horizon", "any-horizon"])
def test_the_bound_for_two_is_the_formula_of_the_library(choice: str) -> None:
    scales, *_ = checks.extra_noise(choice, [0.7] * 30, 2)
    # with half the scales they grow by less than the noise, and the last is below it
    for factor in (1.0, 0.5):
        with precision():
            found = checks._bound_for_two((factor * scales).tolist(), 0.7)
        assert float(found) == pytest.approx(checks.regret_bound(factor * scales, [0.7] * 30, 2), rel=1e-12)


def test_a_choice_that_draws_a_learner_at_random_is_caught_and_has_the_regret_that_is_called_lazy(
    put: Any,
) -> None:
    put(FreshMeta=times(1e6))
    points = checks.theorem_3_fresh(KNOWN | {"learners": ["steady", "contrary"]}, 300, SEED)
    assert [point.value for point in points] == pytest.approx([point.lazy for point in points], abs=3)
    assert {point.lazy_fails for point in points if decide([point]) == "fails"} == {True}
    assert all(point.lazy_fails for point in points if point.where["learners"] == "steady")
