"""The pool of draws: its checks give their verdicts, and others for programs and levels that are wrong."""

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
from tests.replication.papers.small_checks import failing, wrong


def experiment(name: str, quick: bool):
    return KNOWN.claims[f"004/{name}"].experiment(quick=quick)


def test_the_play_has_the_law_of_multiplicative_weights() -> None:
    law = experiment("pool-law", quick=False)
    grid = {**law.grid, "noise, S": [["gaussian", 0]]}
    # So few copies need not decide every point, but what is wrong they show.
    assert decide(pool.law_played(grid, law.repetitions // 3, 1)) != "fails"
    with wrong(pooled_draws, "shifts", -1.0):
        assert decide(pool.law_played(grid, law.repetitions // 10, 1)) == "fails"


def test_the_enumerated_law_is_that_of_another_route() -> None:
    losses = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]])
    middles, scales = (np.arange(4000) + 0.5) / 4000, (0.6, 0.9, 1.4)
    for noise, law, unit in (("gaussian", stats.norm, 1.0), ("laplace", stats.laplace, np.sqrt(2))):
        exact = pool.exact_plays(losses, PoolParameters(0.8, 2, scales, 0.3), noise)
        shifts = [0.3 * unit * scale for scale in scales]
        quantiles = [scale * law.ppf(middles) for scale in scales]
        other = play_laws.pool_plays(play_laws.sequences(4, 2, 0), losses, 0.8, shifts, quantiles)
        assert {path: float(chance) for path, chance in exact.items()} == pytest.approx(other, abs=2e-5)


def test_the_level_holds_and_smaller_ones_do_not() -> None:
    grid = experiment("pool-level", quick=True).grid
    assert decide(pool.levels(grid)) == "holds"
    with wrong(pool, "pool_epsilon", 0.75):
        points = pool.levels(grid | {"noise": ["laplace"]})
    assert failing(points, "what") >= {"log-ratio", "program's level"}

    def less_noise(right, fresh, lost, eta, scale, *more):
        return right(fresh, lost, eta, scale / 1.5, *more)

    with wrong(pool, "_slot", less_noise):
        assert failing(pool.levels(grid | {"noise": ["laplace"]}), "game") >= {"counts"}


def test_bounds_cross_where_the_claim_says() -> None:
    grid = experiment("pool-against-batches", quick=True).grid
    assert decide(pool_bounds.pool_against_batches(grid)) == "holds"
    behind = grid | {"epsilon, T, N": [[0.1, 10000000, 10]]}
    swapped = {**behind, "ahead": behind["epsilon, T, N"]}
    assert decide(pool_bounds.pool_against_batches(swapped)) == "fails"
    with wrong(pool_parameters, "_cost", 0.5):
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
    grid = experiment("fixed-batches", quick=False).grid
    assert decide(pool.fixed_batches(grid)) == "holds"
    # with so large a step the three terms are larger
    assert decide(pool.fixed_batches({**grid, "eta B": [0.5]})) == "fails"
