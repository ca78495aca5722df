"""The certified counterexample to equal means agrees with the program's law, and its pieces with each other."""

import functools
from typing import Any

import numpy as np
import pytest

from private_experts.replication.claims.certified.balls import ball, integral, lower, near, precision, sqrt, upper
from private_experts.replication.claims.checks.paper_000 import equal_means, exact_batches
from private_experts.replication.claims.evidence import decide
from private_experts.walks.batch_rules import paper_rule

GRID = {
    **{"stream": [], "eta": [], "alpha": [], "t": [], "after": 6, "height": [], "crossing": []},
    **{"pursued": [], "steps": 0, "spacing": 0.7, "tolerance": 1e-6, "certified": [[1.0, 1.0]], "within": 2e-5},
}


COMPUTED = functools.cache(equal_means.certain_excess)  # once for all tests


def test_balls_prove_the_counterexample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact_batches, "certain_excess", COMPUTED)
    excess, agreement = exact_batches.equal_means_worst(GRID, 2, 1)
    assert decide([excess]) == "fails"
    assert excess.certified
    assert decide([agreement]) == "holds"
    assert excess.value == pytest.approx(1.368e-4, abs=1e-5)


@pytest.mark.parametrize("shift", [-1.0, 2.0])
def test_another_stream_does_not_agree(shift: float, monkeypatch: pytest.MonkeyPatch) -> None:
    def moved(name: str, horizon: int) -> Any:
        return np.zeros(horizon) if name == "zero" else shift * np.eye(1, horizon)[0] - shift * np.eye(1, horizon, 2)[0]

    monkeypatch.setattr(exact_batches, "certain_excess", COMPUTED)
    monkeypatch.setattr(exact_batches, "leads_of", moved)  # round 3 takes back what round 1 gave
    assert decide(exact_batches.equal_means_worst(GRID, 2, 1)[1:]) == "fails"


def test_a_least_gap_that_is_not_the_condition_s_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def other(horizon: int, eta: float, n: int, alpha: float) -> Any:
        return [1.000001 * gaps for gaps in paper_rule(horizon, eta, n, alpha)]

    monkeypatch.setattr(equal_means, "paper_rule", other)
    assert decide(exact_batches.equal_means_worst(GRID, 2, 1)[:1]) == "undecided"


def test_a_walk_that_may_be_anywhere_in_between_lands_with_one_step_of_both() -> None:
    with precision(80):
        unit, a0, a3 = sqrt(ball(2)), ball(4), ball(5)
        for w in (0.5, 3.0, 6.0):
            leaving = equal_means._leaving(ball(w), unit, a0, ball(0), a3)
            landing = equal_means._landing(ball(w), unit, a0, a3)
            assert lower(leaving) <= near(landing) <= upper(leaving)
            assert upper(leaving) - lower(leaving) < 1e-10


def test_the_midpoint_rule_is_off_by_no_more_than_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    def landing(w: Any) -> Any:
        return equal_means._landing(w, sqrt(ball(2)), ball(4), ball(5))

    with precision(80):
        exact = near(integral(landing, 2, 3))
        for panels in (1, 3):
            monkeypatch.setattr(equal_means, "_PANELS", panels)
            found = equal_means._integral_of_leaving(landing, sqrt(ball(2)), ball(2), ball(3))
            assert lower(found) <= exact <= upper(found)
            assert abs(near(found) - exact) > (upper(found) - lower(found)) / 1000  # and not by a hundredth of it
