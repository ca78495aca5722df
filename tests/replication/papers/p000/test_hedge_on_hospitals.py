"""The check of exponential weights on the hospitals counts as the library does, and tells mutants."""

import math
from typing import Any

import numpy as np
import pytest

from private_experts.algorithms import hedge_meta
from private_experts.algorithms.hedge_bounds import round_cost
from private_experts.algorithms.hedge_meta import HedgeMeta
from private_experts.algorithms.known_advice import KnownAdvice
from private_experts.games import play
from private_experts.learners import Recorded
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import hedge_on_hospitals as hospitals
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.hospital_game import game
from private_experts.replication.study.players.rw_meta import advised, settings_of
from tests.algorithms.independence import independence_bound

SEED, RATE = 1, 0.3
GRID: dict[str, Any] = {
    "rate": ["adaptive", "textbook"],
    "mu": [math.inf, 1.0],
    "learners": {"family": "trend", "windows": [4, 8], "strengths": {"weak": 0.1, "strong": 10.0}},
}


def panel(density: Any, beds: float = 20.0) -> Panel:
    weeks, n = density.shape
    return Panel(tuple(map(str, range(weeks))), tuple(map(str, range(n))), density, np.full(weeks, beds))


@pytest.fixture
def drawn() -> Panel:
    return panel(rng_for(0, "hospitals for weights").random((40, 5)))


def advice_on(some: Panel, mu: float) -> KnownAdvice:
    settings = list(settings_of(GRID["learners"]).values())
    return advised(game(some, "NM", [mu], 30, SEED), mu, "trend", settings)


def meta(advice: KnownAdvice, rule: dict[str, Any]) -> HedgeMeta:
    learners = [Recorded(advice.everyone(30))]
    choice = HedgeMeta(learners, advice.guarantee, rng=rng_for(0, "choice"), **rule)
    play(choice, advice.reports)
    return choice


@pytest.mark.parametrize("mu", [math.inf, 1.0, 0.25])
@pytest.mark.parametrize("rate", [None, RATE])
def test_costs_and_disagreement_are_those_of_the_library(drawn: Panel, mu: float, rate: float | None) -> None:
    advice = advice_on(drawn, mu)
    bound, differences = hospitals.bound_of_game(advice, rate)
    choice = meta(advice, {} if rate is None else {"rate": rate})
    np.testing.assert_allclose(np.broadcast_to(differences, 30), choice.disagreement, rtol=1e-9)
    # the library charges the last cost twice, since its rate is then that of the coming week
    if rate is None:
        assert (bound <= choice.bound).all()
        assert (bound >= 0.9 * choice.bound).all()
    else:
        np.testing.assert_allclose(np.broadcast_to(bound, 30), choice.bound, rtol=1e-9)
        least = [
            independence_bound(float(advice.scales.max()), 5, float(disagreement), rate)
            for disagreement in differences
        ]
        assert (bound <= np.array(least) * (1 + 1e-12)).all()


def test_a_cost_that_is_a_hundredth_off_is_seen(drawn: Panel, monkeypatch: pytest.MonkeyPatch) -> None:
    advice = advice_on(drawn, 1.0)
    monkeypatch.setattr(hedge_meta, "round_cost", lambda *arguments: 0.99 * round_cost(*arguments))
    gap = hospitals.bound_of_game(advice, RATE)[0] - meta(advice, {"rate": RATE}).bound
    assert (gap > 0).all()


def test_the_regret_is_below_the_bound(drawn: Panel) -> None:
    points = hospitals.regret_on_hospitals(GRID, 50, SEED, {"NM": drawn})
    assert decide(points) == "holds"
    assert [(point.where["rate"], point.where["mu"]) for point in points] == [
        (rate, mu) for mu in (math.inf, 1.0) for rate in ("adaptive", "textbook")
    ]


@pytest.fixture
def turning() -> dict[str, Panel]:
    """Gains that come and go: a short window is right nearly always, the leader of the totals is not."""
    phase = np.arange(400)[:, None] // 20 + np.arange(2)
    return {"NM": panel(0.05 + 0.9 * (phase % 2), beds=400.0)}


TURNS = {**GRID, "rate": ["adaptive"]}


def test_where_learners_differ_the_check_tells_a_random_draw(turning: dict[str, Panel]) -> None:
    points = hospitals.regret_on_hospitals(TURNS, 400, SEED, turning)
    assert decide(points) == "holds"
    assert all(point.lazy_fails and not point.vacuous for point in points)


class Backwards(HedgeMeta):
    """Follows the learner with the least credit."""

    def predict(self) -> Any:
        return self._advice()[np.arange(len(self.totals)), self.totals.argmin(axis=-1)]


class Slow(HedgeMeta):
    """Plays at half the rate."""

    @property
    def rates(self) -> Any:
        return super().rates / 2


@pytest.mark.parametrize("mutant", [Backwards, Slow])
def test_a_choice_of_the_worst_learner_or_at_half_the_rate_is_caught(
    mutant: type[HedgeMeta], turning: dict[str, Panel], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hospitals, "HedgeMeta", mutant)
    assert decide(hospitals.regret_on_hospitals(TURNS, 400, SEED, turning)) == "fails"


def test_a_bound_without_the_costs_is_too_small(
    turning: dict[str, Panel], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hospitals, "_cost", lambda r, differ, eta: np.zeros_like(r))
    assert decide(hospitals.regret_on_hospitals(TURNS, 400, SEED, turning)) == "fails"
