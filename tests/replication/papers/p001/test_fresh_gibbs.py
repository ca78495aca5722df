"""The checks of fresh draws give their verdicts on small grids, and others on something wrong."""

from typing import Any

import pytest

from private_experts.private_oco.every_round import GibbsEveryRound
from private_experts.private_oco.gaussian_accounting import every_round_parameters, every_round_regret
from private_experts.private_oco.predecessors import private_leader_regret
from private_experts.replication.balls.balls import exp, square
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p001 import fresh_gibbs
from private_experts.replication.papers.p001.exact_regret import fresh_draws
from private_experts.replication.papers.p001.fresh_gibbs import fresh, leader

REGRET = {
    "set": ["ray"],
    "losses": ["constant", "linear"],
    "T": [200],
    "level": [4.0, 20.0],
    "G": 2.0,
    "cells": {"ray": 100},
}
PLAY = {"d": [2], "slopes": ["constant"], "T": [60], "level": [30.0]}
BEST = {"d": [1, 10], "epsilon": [1.0], "log10_T": [3, 6, 9], "delta": 1e-6, "tolerance": 1e-9}
OVERTAKES = {
    "epsilon": 1.0,
    "delta": 1e-6,
    "log10_T": [2, 30],
    "stated": [["every round", "gaussian", 1, 3.3, 3.4], ["private leader", "closed", 1, 22.1, 22.2]],
}


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that puts something else in the place of what the checks use."""
    return lambda name, value: monkeypatch.setattr(fresh_gibbs, name, value)


def test_they_hold() -> None:
    assert decide(fresh_gibbs.regret(REGRET, 2, 1)) == "holds"
    assert decide(fresh_gibbs.play(PLAY, 40, 1)) == "holds"
    assert decide(fresh_gibbs.best_bound(BEST, 2, 1)) == "holds"
    assert decide(fresh_gibbs.overtakes(OVERTAKES, 2, 1)) == "holds"


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(lambda t, d, level: fresh(t, d, 1e9), id="no entropy"),
        pytest.param(lambda *arguments: 0.34 * fresh(*arguments), id="66 percent too small"),
    ],
)
def test_a_bound_that_is_too_small_is_caught(mutant: Any, put: Any) -> None:
    put("fresh", mutant)
    grid = REGRET | {"set": ["interval"], "level": [1.0], "cells": {"interval": 100}, "losses": ["constant"]}
    assert decide(fresh_gibbs.regret(grid, 2, 1)[:-2]) == "fails"


def test_laws_of_the_other_side_and_a_program_that_computes_something_else_are_caught(put: Any) -> None:
    put("fresh_draws", lambda laws: (play := fresh_draws(laws))._replace(laws=play.laws[:, ::-1]))
    put("every_round_regret", lambda *arguments: (1 + 1e-9) * every_round_regret(*arguments))
    points = fresh_gibbs.regret(REGRET | {"losses": ["constant"], "level": [20.0]}, 2, 1)
    assert [decide([point]) for point in points] == ["fails"] * 3


def test_points_at_a_level_that_says_nothing_are_vacuous() -> None:
    points = fresh_gibbs.regret(REGRET | {"level": [0.24, 20.0]}, 2, 1)[:-2]
    assert [point.vacuous for point in points] == [True, False, True, False]


class Backward(GibbsEveryRound):
    """Plays the point on the other side."""

    def predict(self) -> Any:
        return -super().predict()


class Asleep(GibbsEveryRound):
    """Draws from the first measure for ever."""

    def update(self, loss: Any) -> None:
        super().update(0 * loss)


@pytest.mark.parametrize("mutant", [Backward, Asleep])
def test_an_algorithm_that_does_not_learn_is_caught(mutant: Any, put: Any) -> None:
    put("GibbsEveryRound", mutant)
    assert decide(fresh_gibbs.play(PLAY, 40, 1)) == "fails"


def test_a_leader_with_more_noise_would_be_outdone(put: Any) -> None:
    put("private_leader_regret", lambda t, d, level: private_leader_regret(t, d, level / 18))
    assert decide(fresh_gibbs.best_bound(BEST, 2, 1)) == "fails"


def test_the_least_of_bounds_that_say_nothing_is_vacuous() -> None:
    points = fresh_gibbs.best_bound(BEST | {"d": [1], "log10_T": [1.5, 3]}, 2, 1)
    assert [point.vacuous for point in points if point.where["what"] == "ratio"] == [True, False]


def test_a_leader_that_is_outdone_somewhere_in_the_box_alone_is_caught(put: Any) -> None:
    put("leader", lambda *at: leader(*at) * (1 + 40 * exp(-square(at[0] - 10.4))))  # between two T of the grid
    assert decide(fresh_gibbs.best_bound(BEST, 2, 1)) == "fails"
    box, *others = fresh_gibbs.best_bound(BEST, 2, 1)
    assert decide([box]) == "fails"
    assert decide(others) == "holds"


@pytest.mark.parametrize("factor", [0.9, 1.1])
def test_a_level_ten_percent_off_overtakes_elsewhere(factor: float, put: Any) -> None:
    put("every_round_regret", lambda t, d, level: every_round_regret(t, d, factor * level))
    grid = OVERTAKES | {"stated": OVERTAKES["stated"][:1]}  # type: ignore[index]
    assert decide(fresh_gibbs.overtakes(grid, 2, 1)) == "fails"


def test_the_parameters_have_the_bounds_least_value() -> None:
    beta, lam = every_round_parameters(200, 1, 4.0)
    assert beta / lam == pytest.approx((4.0 / 2) ** 2 / 199)
