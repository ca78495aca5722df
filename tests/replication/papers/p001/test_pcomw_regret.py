"""Each check of regret gives its verdict on a small grid, and another one on something wrong."""

from typing import Any

import numpy as np
import pytest

from private_experts.private_oco.convex_regret import gibbs_regret
from private_experts.private_oco.parameters import lazy_regret
from private_experts.private_oco.pcomw import PCOMW
from private_experts.replication.balls.balls import Ball, exp, square
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p001 import pcomw_regret
from private_experts.replication.papers.p001.chains import budgeted_laws, marginals
from private_experts.replication.papers.p001.draw_rate import draw_chance
from private_experts.replication.papers.p001.exact_regret import gibbs_bound, lotteries
from private_experts.replication.papers.p001.pcomw_regret import lazy, lazy_bound, lazy_sides, regret
from tests.each import each
from tests.replication.papers.caught import caught
from tests.replication.papers.replaced import asleep, put
from tests.replication.papers.small_checks import failing, times, verdict

REGRET = {
    "set": ["interval"],
    "losses": ["constant", "against-the-mean"],
    "T": [100],
    "u": [1.0],
    "lam_factor": [1.0],
    "G": 2.0,
    "cells": {"interval": 60, "disc": 12, "ray": 60},
}
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
PLAY = {"d": [2], "slopes": ["constant"], "T": [200], "S": [150]}


def learns_nothing(*given: Any) -> Any:
    play = lotteries(*given)
    return play._replace(laws=play.laws[:1].repeat(len(play.laws), axis=0))


def no_budget(laws: Any, log_phi: float, p: float, _: float) -> Any:
    return budgeted_laws(laws, log_phi, p, 0)


@each(
    ("changed", "mutants", "found"),
    [
        ({"set": ["interval", "disc"]}, {}, "holds holds holds"),
        ({"T": [200]}, {"lotteries": learns_nothing}, "fails"),
        ({}, {"marginals": lambda *given: (0.9999 * marginals(*given)[0], None)}, "holds fails holds"),
        ({}, {"budgeted_laws": no_budget}, "holds fails holds"),
        ({}, {"gibbs_regret": times(1 + 1e-9, gibbs_regret)}, "holds holds fails"),
    ],
)
def test_the_regret_bound_holds_and_other_laws_and_programs_are_caught(
    changed: Any, mutants: Any, found: str
) -> None:
    assert verdict(regret, REGRET | changed, last=2, **mutants).startswith(found)


def test_a_regret_bound_that_is_too_small_is_caught() -> None:
    # 6 G D is what the bound has for drift
    with put(pcomw_regret, gibbs_bound=lambda *given: 0.6 * gibbs_bound(*given) - 12):
        points = regret(REGRET | {"set": ["ray"], "losses": ["linear"], "T": [200]}, 1)[:-2]
    assert all(0 < point.bound < 30 for point in points)
    assert decide(points) == "fails"


def test_a_budget_that_may_be_spent_is_refused() -> None:
    with pytest.raises(ValueError, match="may be spent"):
        verdict(regret, REGRET | {"set": ["ray"]}, draw_chance=times(0.1, draw_chance))


def other_draws(*given: Any) -> Any:
    law, draws = marginals(*given)
    return law, 1.0001 * draws


def other_scale(laws: Any, log_phi: float, p: float) -> Any:
    return lotteries(laws, 6 * log_phi, p)


def more_draws(factor: float) -> Any:
    return lambda t, share: (factor * lazy_sides(t, share)[0], share)


def too_many_between(t: Ball, share: Ball) -> tuple[Ball, Ball]:
    """More draws for numbers of rounds that lie between those of the grid."""
    return lazy_sides(t, share)[0] + exp(-40 * square(t - 7)), share


@each(
    ("mutants", "switches", "fails"),
    [
        ({}, [30, 100], set()),
        ({"marginals": other_draws}, [30, 100], {"program's value"}),
        ({"lazy_regret": times(1 + 1e-9, lazy_regret)}, [30, 100], {"program's bound"}),
        ({"lotteries": other_scale}, [30], {"draws", "program's value"}),
        ({"lazy_sides": too_many_between}, [30, 100], {"p~"}),
        ({"lazy_sides": more_draws(1.3)}, [30, 100], {"p~", "p~ T", "program's bound"}),
        ({"lazy_bound": times(0.2, lazy_bound)}, [30, 100], {"regret", "program's bound"}),
    ],
)
def test_the_lazy_theorem_holds_and_what_is_wrong_in_it_is_caught(
    mutants: Any, switches: Any, fails: Any
) -> None:
    with put(pcomw_regret, **mutants):
        points = lazy(LAZY | {"S": switches}, 1)
    assert failing(points, "quantity") == fails
    assert decide(points) == ("fails" if fails else "holds")


class Restless(PCOMW):
    """Draws in each round, as if p were 1."""

    def __init__(self, family: Any, *, p: float, **rest: Any) -> None:
        super().__init__(family, p=1.0, **rest)


@each("player", [PCOMW, Restless, asleep(PCOMW)])
def test_the_algorithm_keeps_both_promises_and_one_that_does_not_is_caught(player: type[PCOMW]) -> None:
    with put(pcomw_regret, PCOMW=player):
        if player is PCOMW:
            assert decide(pcomw_regret.lazy_play(PLAY, 40, 1)) == "holds"
        else:
            assert caught(lambda: pcomw_regret.lazy_play(PLAY, 40, 1))


def test_gradient_descent_is_drawn_for_linear_losses_alone() -> None:
    notes = [point.notes for point in lazy(LAZY | {"losses": ["linear", "absolute"]}, 1)]
    drawn = [np.isfinite(note["gradient_descent"]) for note in notes if "gradient_descent" in note]
    assert drawn == [True, True, False, False]
