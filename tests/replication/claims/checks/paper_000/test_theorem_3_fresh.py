"""The mended RW-Meta keeps its bounds against learners that react; the printed one and weaker noise do not."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from private_experts.algorithms.fresh_meta import FreshMeta
from private_experts.algorithms.rw_meta import Decorrelation, RWMeta
from private_experts.replication.claims.checks.paper_000 import theorem_3_fresh as checks
from private_experts.replication.claims.evidence import decide
from tests.replication.hospital.plays import a_panel

SEED = 1
PLAYED = {"choice": ["horizon", "gumbel"], "learners": ["contrary", "mixed"], "m": [2], "eta": [2.0], "T": [200]}
WORST = {
    "choice": ["horizon", "any-horizon"], "eta": [0.0, 1.0], "T": [100],
    "attained": {"horizon": 0.9, "any-horizon": 0.6},
}  # fmt: skip
HOSPITAL = {"choice": ["horizon", "gumbel"], "mu": [math.inf, 0.5], "windows": [4], "strengths": [0.01, 1.0]}


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that replaces a name in the module of the checks."""
    return lambda name, value: monkeypatch.setattr(checks, name, value)


class Common(FreshMeta):
    """Adds the same noise to all learners."""

    def _extra(self) -> Any:
        return super()._extra()[:, :1]


class SecondBest(FreshMeta):
    """Follows the learner that is last."""

    def predict(self) -> Any:
        advice = self._advice()
        chosen = (self.totals + self._extra()).argmin(axis=-1)
        return np.take_along_axis(advice, chosen[:, None], axis=-1)[:, 0]


def printed(learners: Any, guarantee: Any, scales: Any, rng: Any, gumbel: float) -> RWMeta:
    """The algorithm of the paper: its noise is that of the reports, in every round again."""
    return RWMeta(learners, guarantee, 2.0, rng, Decorrelation(floor=True))


def faint(learners: Any, guarantee: Any, scales: Any, rng: Any, gumbel: float) -> FreshMeta:
    """A tenth of the noise."""
    return FreshMeta(learners, guarantee, 0.1 * scales, rng, 0.1 * gumbel)


def test_the_bounds_hold() -> None:
    points = checks.theorem_3_fresh(PLAYED, 300, SEED)
    assert decide(points) == "holds"
    assert all(point.bound < point.notes["trivial"] for point in points)


@pytest.mark.parametrize("mutant", [printed, Common, faint])
def test_the_bounds_catch_noise_that_learners_foresee(mutant: Any, put: Any) -> None:
    put("FreshMeta", mutant)
    assert decide(checks.theorem_3_fresh(PLAYED | {"learners": ["contrary"]}, 300, SEED)) == "fails"


def test_the_bounds_catch_a_bound_at_half(put: Any) -> None:
    bounds = checks.regret_bound
    put("regret_bound", lambda *arguments: bounds(*arguments) / 2)
    assert decide(checks.theorem_3_fresh(PLAYED | {"choice": ["horizon"]}, 300, SEED)) == "fails"


def test_the_worst_pair_keeps_the_bound_and_comes_close() -> None:
    assert decide(checks.theorem_3_fresh_worst(WORST, 2, SEED)) == "holds"


def test_the_worst_pair_catches_scales_of_0_8(put: Any) -> None:
    solve = checks.worst_pair
    put("worst_pair", lambda scales, *rest: solve(0.8 * scales, *rest))
    assert decide(checks.theorem_3_fresh_worst(WORST, 2, SEED)) == "fails"


def test_the_worst_pair_catches_a_bound_that_is_a_tenth_too_small(put: Any) -> None:
    bound = checks.regret_bound
    put("regret_bound", lambda *arguments: 0.9 * bound(*arguments))
    assert decide(checks.theorem_3_fresh_worst(WORST, 2, SEED)) == "fails"


def test_the_worst_pair_catches_learners_that_do_not_react(put: Any) -> None:
    solve = checks.worst_pair
    put("worst_pair", lambda *arguments: solve(*arguments, choices=((1.0, True),)))
    points = checks.theorem_3_fresh_worst(WORST, 2, SEED)
    assert decide(points) == "fails"
    assert decide([point for point in points if point.sense == "<="]) == "holds"


def test_the_hospital_learners_keep_the_bounds() -> None:
    points = checks.theorem_3_fresh_hospital(HOSPITAL, 30, SEED, {"NM": a_panel(weeks=60)})
    assert decide(points) == "holds"
    assert len(points) == 2 * 2 * 2


def test_the_hospital_learners_catch_a_choice_of_the_last(put: Any) -> None:
    advised = checks.advised

    def apart(here: Any, *arguments: Any) -> Any:
        """Let the first learner name the best hospital of each week, and the others the worst."""
        advice = advised(here, *arguments)
        actions = np.repeat(here.gains.argmin(axis=1), advice.actions[0].size).reshape(advice.actions.shape)
        actions[:, 0] = here.gains.argmax(axis=1)[:, None]
        return replace(advice, actions=actions)

    put("advised", apart)
    grid, panel = HOSPITAL | {"mu": [math.inf, 2.0]}, {"NM": a_panel(weeks=60)}
    assert decide(checks.theorem_3_fresh_hospital(grid, 60, SEED, panel)) == "holds"
    put("FreshMeta", SecondBest)
    assert decide(checks.theorem_3_fresh_hospital(grid, 60, SEED, panel)) == "fails"
