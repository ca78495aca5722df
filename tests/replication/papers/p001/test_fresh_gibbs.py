"""The checks of fresh draws give their verdicts on small grids, and others on something wrong."""

from typing import Any

import pytest

from private_experts.private_oco.every_round import GibbsEveryRound
from private_experts.private_oco.gaussian_accounting import every_round_parameters, every_round_regret
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p001 import fresh_gibbs
from private_experts.replication.papers.p001.exact_regret import fresh_draws
from private_experts.replication.papers.p001.fresh_gibbs import fresh, play, regret
from tests.each import each
from tests.replication.papers.replaced import asleep, put
from tests.replication.papers.small_checks import times, verdict

REGRET = {
    "set": ["ray"],
    "losses": ["constant", "linear"],
    "T": [200],
    "level": [4.0, 20.0],
    "G": 2.0,
    "cells": {"ray": 100},
}
TIGHT = REGRET | {"set": ["interval"], "level": [1.0], "cells": {"interval": 100}, "losses": ["constant"]}
ONE = REGRET | {"losses": ["constant"], "level": [20.0]}
PLAY = {"d": [2], "slopes": ["constant"], "T": [60], "level": [30.0]}


def other_side(laws: Any) -> Any:
    found = fresh_draws(laws)
    return found._replace(laws=found.laws[:, ::-1])


@each(
    ("check", "grid", "mutants", "last", "found"),
    [
        (regret, REGRET, {}, 0, "holds"),
        (regret, TIGHT, {"fresh": times(0.34, fresh)}, 2, "fails"),
        (regret, ONE, {"fresh_draws": other_side}, 2, "fails fails holds"),
        (regret, ONE, {"every_round_regret": times(1 + 1e-9, every_round_regret)}, 2, "holds holds fails"),
        (play, PLAY, {}, 0, "holds"),
        (play, PLAY, {"GibbsEveryRound": asleep(GibbsEveryRound)}, 0, "fails"),
    ],
)
def test_they_hold_and_what_is_wrong_is_caught(
    check: Any, grid: Any, mutants: Any, last: int, found: str
) -> None:
    assert verdict(check, grid, 40, last, **mutants).startswith(found)


def test_points_that_say_nothing_are_vacuous() -> None:
    points = regret(REGRET | {"level": [0.24, 20.0]}, 1)[:-2]
    assert [point.vacuous for point in points] == [True, False, True, False]


def test_uniform_draws_are_caught_and_have_the_regret_that_is_called_lazy() -> None:
    def unmoved(*size: Any) -> Any:
        return every_round_parameters(*size)._replace(beta=1e-12)

    with put(fresh_gibbs, every_round_parameters=unmoved):
        exact, played = regret(ONE, 1)[0], play(PLAY, 100, 1)[0]
    for point, near in ((exact, 1e-6), (played, 0.05)):
        assert point.value == pytest.approx(point.lazy, rel=near)
        assert decide([point]) == "fails"
        assert point.lazy_fails
