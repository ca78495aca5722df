"""Each check of regret gives its verdict on a small grid, and another one on something wrong."""

import math
from typing import Any

import numpy as np
import pytest

from private_experts.private_oco.chains import budgeted_laws, marginals
from private_experts.private_oco.losses import random_slopes
from private_experts.private_oco.parameters import lazy_parameters, lazy_regret
from private_experts.private_oco.pcomw import PCOMW
from private_experts.private_oco.regret import gibbs_regret
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p001 import pcomw_regret
from private_experts.replication.papers.p001.draw_rate import draw_chance
from private_experts.replication.papers.p001.exact_regret import gibbs_bound, lotteries
from private_experts.replication.papers.p001.pcomw_regret import lazy_bound, lazy_sides
from tests.replication.papers.caught import caught

REGRET = {
    "set": ["interval", "disc"],
    "losses": ["constant", "against-the-mean"],
    "T": [100],
    "u": [1.0],
    "lam_factor": [1.0],
    "G": 2.0,
    "cells": {"interval": 60, "disc": 12, "ray": 60},
}


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that puts something else in the place of what the checks use."""
    return lambda name, value: monkeypatch.setattr(pcomw_regret, name, value)


def test_the_regret_bound_holds() -> None:
    assert decide(pcomw_regret.regret(REGRET, 2, 1)) == "holds"


def test_the_regret_of_laws_on_the_wrong_side_is_caught(put: Any) -> None:
    put("lotteries", lambda *arguments: (play := lotteries(*arguments))._replace(laws=play.laws[:, ::-1]))
    assert decide(pcomw_regret.regret(REGRET | {"set": ["disc"]}, 2, 1)[:-2]) == "fails"


def test_the_regret_of_a_play_that_learns_nothing_is_caught(put: Any) -> None:
    put(
        "lotteries", lambda *arguments: (play := lotteries(*arguments))._replace(laws=play.laws[:1].repeat(200, axis=0))
    )
    assert decide(pcomw_regret.regret(REGRET | {"set": ["interval"], "T": [200]}, 2, 1)[:-2]) == "fails"


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(lambda *arguments: 0.6 * gibbs_bound(*arguments), id="40 percent too small"),
        pytest.param(lambda horizon, d, beta, lam, g, across: lam * across**2 / 2, id="the regulariser alone"),
        pytest.param(lambda horizon, *rest: gibbs_bound(math.sqrt(horizon), *rest), id="the root of T for T"),
    ],
)
def test_a_regret_bound_that_is_too_small_is_caught(mutant: Any, put: Any) -> None:
    put("gibbs_bound", lambda *arguments: mutant(*arguments) - 12)  # 6 G D is what the bound has for drift
    points = pcomw_regret.regret(REGRET | {"set": ["ray"], "losses": ["linear"], "T": [200]}, 2, 1)[:-2]
    assert all(0 < point.bound < 30 for point in points)
    assert decide(points) == "fails"


@pytest.mark.parametrize(
    ("name", "mutant", "which"),
    [
        ("marginals", lambda *given: (0.9999 * marginals(*given)[0], None), "program's value"),
        ("budgeted_laws", lambda laws, log_phi, p, _: budgeted_laws(laws, log_phi, p, 0), "program's value"),
        ("gibbs_regret", lambda *given: (1 + 1e-9) * gibbs_regret(*given), "program's bound"),
    ],
)
def test_a_program_that_computes_something_else_is_caught(name: str, mutant: Any, which: str, put: Any) -> None:
    put(name, mutant)
    points = pcomw_regret.regret(REGRET | {"set": ["interval"]}, 2, 1)
    assert [point.where["budget"] for point in points if decide([point]) != "holds"] == [which]


def test_a_budget_that_may_be_spent_is_refused(put: Any) -> None:
    put("draw_chance", lambda log_phi, p: draw_chance(log_phi, p) / 10)
    with pytest.raises(ValueError, match="may be spent"):
        pcomw_regret.regret(REGRET | {"set": ["ray"]}, 2, 1)


LAZY = {
    "set": ["interval"],
    "losses": ["constant"],
    "T": [100],
    "S": [30, 100],
    "G": 1.0,
    "all_T": [3, 10**6],
    "all_shares": [1.0, 0.1],
    "cells": {"interval": 40},
}


def scaled(factor: float, power: float = 0.0) -> Any:
    """Return parameters whose log Phi is too large by a factor, and by a power of log T."""

    def mutant(horizon: int, *rest: Any) -> Any:
        exact = lazy_parameters(horizon, *rest)
        return exact._replace(log_phi=exact.log_phi * factor * math.log(horizon) ** power)

    return mutant


def test_the_lazy_theorem_holds() -> None:
    assert decide(pcomw_regret.lazy(LAZY, 2, 1)) == "holds"


@pytest.mark.parametrize("mutant", [scaled(1.4), scaled(1.0, 0.5)], ids=["40 percent", "the root of log T"])
def test_a_scale_that_makes_too_many_draws_is_caught(mutant: Any, put: Any) -> None:
    put("lazy_parameters", mutant)
    points = pcomw_regret.lazy(LAZY, 2, 1)
    assert {point.where["quantity"] for point in points if decide([point]) == "fails"} == {"program's bound"}


def test_a_play_that_draws_twice_as_often_as_it_may_is_caught(put: Any) -> None:
    put("lotteries", lambda laws, log_phi, p: lotteries(laws, 6 * log_phi, p))
    points = pcomw_regret.lazy(LAZY | {"S": [30]}, 2, 1)
    assert [point.where["quantity"] for point in points if decide([point]) == "fails"] == ["draws", "program's value"]


@pytest.mark.parametrize("factor", [1.3, 0.99])
def test_another_bound_on_the_draws_is_caught(factor: float, put: Any) -> None:
    put("lazy_sides", lambda t, share: (factor * lazy_sides(t, share)[0], share))
    points = pcomw_regret.lazy(LAZY, 2, 1)
    fails = {point.where["quantity"] for point in points if decide([point]) == "fails"}
    assert fails == ({"p~", "p~ T", "program's bound"} if factor > 1 else {"program's bound"})


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(lambda *arguments: 0.2 * lazy_bound(*arguments), id="80 percent too small"),
        pytest.param(lambda horizon, d, switches: lazy_bound(horizon, d, horizon) / 4, id="no price"),
    ],
)
def test_a_lazy_regret_bound_that_is_too_small_is_caught(mutant: Any, put: Any) -> None:
    put("lazy_bound", mutant)
    assert decide(pcomw_regret.lazy(LAZY, 2, 1)[:-2]) == "fails"


def test_a_lazy_program_that_computes_something_else_is_caught(put: Any) -> None:
    put("marginals", lambda *given: (marginals(*given)[0], 1.0001 * marginals(*given)[1]))
    put("lazy_regret", lambda *given: (1 + 1e-9) * lazy_regret(*given))
    points = pcomw_regret.lazy(LAZY, 2, 1)
    assert [each.where["quantity"] for each in points if decide([each]) == "fails"] == [
        "program's value",
        "program's bound",
    ]


class Restless(PCOMW):
    """Draws in each round, as if p were 1."""

    def __init__(self, family: Any, *, p: float, **rest: Any) -> None:
        super().__init__(family, p=1.0, **rest)


class Backward(PCOMW):
    """Plays the point on the other side."""

    def predict(self) -> Any:
        return -super().predict()


class Asleep(PCOMW):
    """Keeps its first point."""

    def update(self, loss: Any) -> None:
        pass


PLAY = {"d": [2], "slopes": ["constant"], "T": [200], "S": [150]}


def test_the_algorithm_keeps_both_promises() -> None:
    assert decide(pcomw_regret.lazy_play(PLAY, 40, 1)) == "holds"


@pytest.mark.parametrize("mutant", [Restless, Backward, Asleep])
def test_an_algorithm_that_does_not_is_caught(mutant: Any, put: Any) -> None:
    put("PCOMW", mutant)
    assert caught(lambda: pcomw_regret.lazy_play(PLAY, 40, 1))


SHRUNK = {"d": [1, 4], "T": [2, 50], "instances": 5}


def test_the_shrunk_set_is_as_claimed() -> None:
    assert decide(pcomw_regret.shrunk_set(SHRUNK, 2, 1)) == "holds"


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(lambda corners, t: (1 - 2 / t) * corners[0] + 2 * corners / t, id="twice as large"),
        pytest.param(lambda corners, t: corners[0] - (corners - corners[0]) / t, id="on the other side"),
        pytest.param(lambda corners, t: corners.mean(axis=0) * (1 - 1 / t) + corners / t, id="about the middle"),
    ],
)
def test_another_set_is_caught(mutant: Any, put: Any) -> None:
    put("_shrunk", mutant)
    assert decide(pcomw_regret.shrunk_set(SHRUNK, 2, 1)) == "fails"


def test_steeper_losses_than_stated_cost_more(put: Any) -> None:
    put("random_slopes", lambda pieces, d, lipschitz, rng: random_slopes(pieces, d, 1.3 * lipschitz, rng))
    assert decide(pcomw_regret.shrunk_set(SHRUNK | {"d": [1]}, 2, 1)) == "fails"


def test_gradient_descent_is_drawn_for_linear_losses_alone() -> None:
    notes = [point.notes for point in pcomw_regret.lazy(LAZY | {"losses": ["linear", "absolute"]}, 2, 1)]
    drawn = [np.isfinite(note["gradient_descent"]) for note in notes if "gradient_descent" in note]
    assert drawn == [True, True, False, False]
