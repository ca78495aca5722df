"""The pool of draws: its checks give their verdicts, and others for programs and levels that are wrong."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from private_experts.algorithms import pool_parameters, pooled_draws
from private_experts.algorithms.pool_parameters import PoolParameters
from private_experts.privacy.conversions import concentrated_within
from private_experts.replication.balls.balls import upper
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p004 import play_laws, pool, pool_bounds
from tests.replication.ledger.ledgers import KNOWN
from tests.replication.papers.small_checks import failing

LAW, LEVEL, BOUNDS, BATCHES = (
    KNOWN.claims[f"004/{name}"].experiment(quick=quick)
    for name, quick in {
        "pool-law": False,
        "pool-level": True,
        "pool-against-batches": True,
        "fixed-batches": False,
    }.items()
)


def test_the_play_has_the_law_of_multiplicative_weights(put: Any) -> None:
    grid = {**LAW.grid, "noise, S": [["gaussian", 0]]}
    # So few copies need not decide every point, but what is wrong they show.
    assert decide(pool.law_played(grid, LAW.repetitions // 3, 1)) != "fails"
    honest = pooled_draws.shifts
    put(pooled_draws, "shifts", lambda *given: -honest(*given))
    assert decide(pool.law_played(grid, LAW.repetitions // 10, 1)) == "fails"


def test_the_enumerated_law_is_that_of_another_route() -> None:
    losses = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]])
    middles = (np.arange(4000) + 0.5) / 4000
    for noise, law, unit in (("gaussian", "norm", 1.0), ("laplace", "laplace", np.sqrt(2))):
        parameters = PoolParameters(0.8, 2, (0.6, 0.9, 1.4), 0.3)
        exact = pool.exact_plays(losses, parameters, noise)
        other = play_laws.pool_plays(
            play_laws.sequences(4, 2, 0),
            losses,
            0.8,
            [0.3 * unit * scale for scale in parameters.scales],
            [scale * getattr(stats, law).ppf(middles) for scale in parameters.scales],
        )
        assert exact.keys() == other.keys()
        for path, chance in exact.items():
            assert float(chance) == pytest.approx(other[path], abs=2e-5)


def test_the_level_holds_and_smaller_ones_do_not(put: Any) -> None:
    assert decide(pool.levels(LEVEL.grid)) == "holds"
    honest = pool.pool_epsilon
    put(pool, "pool_epsilon", lambda *given: 0.75 * honest(*given))
    assert failing(pool.levels(LEVEL.grid | {"noise": ["laplace"]}), "what") >= {
        "log-ratio",
        "program's level",
    }
    put(pool, "pool_epsilon", honest)
    # noise in counts that is two thirds of what is stated
    slot = pool._slot
    put(pool, "_slot", lambda fresh, lost, eta, scale, *more: slot(fresh, lost, eta, scale / 1.5, *more))
    assert failing(pool.levels(LEVEL.grid | {"noise": ["laplace"]}), "game") >= {"counts"}


def test_bounds_cross_where_the_claim_says(put: Any) -> None:
    assert decide(pool_bounds.pool_against_batches(BOUNDS.grid)) == "holds"
    behind = BOUNDS.grid | {"epsilon, T, N": [[0.1, 10000000, 10]]}
    swapped = {**behind, "ahead": behind["epsilon, T, N"]}
    assert decide(pool_bounds.pool_against_batches(swapped)) == "fails"
    honest = pool_parameters._cost
    put(pool_parameters, "_cost", lambda *given: honest(*given) / 2)
    assert decide(pool_bounds.pool_against_batches(behind)) == "fails"


def test_the_dartboards_parameters_are_better_than_those_beside_them() -> None:
    rho = concentrated_within(0.1, 1e-6)
    board = pool_bounds.best_dartboard(10, 10**7, rho)
    least = pool_bounds.dartboard_bound(board, 10, 10**7)
    assert upper(pool_bounds._spent(board)) <= rho * (1 + 1e-9)
    for factor in (0.7, 0.9):
        slower = board._replace(rate=factor * board.rate)
        assert pool_bounds.dartboard_bound(slower, 10, 10**7) > least


def test_fixed_batches_cost_what_is_said() -> None:
    assert decide(pool.fixed_batches(BATCHES.grid)) == "holds"
    # with so large a step the three terms are larger
    assert decide(pool.fixed_batches({**BATCHES.grid, "eta B": [0.5]})) == "fails"
