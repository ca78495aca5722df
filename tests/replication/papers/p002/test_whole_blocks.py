"""The softmax of whole blocks: its bound, the steps of the proof on drawn totals, and its constants."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp, softmax

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.papers.p002 import gap_regret, whole_blocks
from tests.replication.papers.small_checks import SEED, verdict

GAME = {
    "kind": ["opposed"], "K": [10], "gap": [0.3], "doubling": [False], "epsilon": [0.1], "T": [2**20],
    "constants": {"derived": [540, 72]},
}  # fmt: skip


def test_whole_blocks_are_under_their_bound() -> None:
    assert verdict(whole_blocks.whole_blocks, GAME, 20) == "holds"
    assert all(point.lazy_fails for point in whole_blocks.whole_blocks(GAME, 2, SEED))


def test_selections_that_ignore_the_losses_are_caught(put: Any) -> None:
    def dull(name: str, n: int, epsilon: float, rng: Any, repetitions: int = 1) -> DyadicLeader:
        return DyadicLeader(n, PureDP(epsilon / 1e6, "central"), rng=rng, repetitions=repetitions, selection="gumbel")

    put(gap_regret, "algorithm_of", dull)
    assert verdict(whole_blocks.whole_blocks, GAME, 20) == "fails"


def test_whole_blocks_are_played_and_not_prefixes(put: Any) -> None:
    names, algorithm_of = [], gap_regret.algorithm_of
    put(gap_regret, "algorithm_of", lambda name, *rest: names.append(name) or algorithm_of(name, *rest))
    whole_blocks.whole_blocks(GAME, 2, SEED)
    assert set(names) == {"whole block"}


CONSTANTS = {"log_K": [np.log(2), 60.0]}


def test_the_constants_are_those_of_the_proof() -> None:
    assert verdict(whole_blocks.whole_blocks_constants, CONSTANTS) == "holds"
    two = [float(each(whole_blocks.ball(2).log())[0].mid()) for each in (whole_blocks.per_gap, whole_blocks.per_level)]
    assert two == [pytest.approx(537, abs=1), pytest.approx(69.5, abs=0.1)]


@pytest.mark.parametrize(("name", "value"), [("FAR", 66), ("FAR", 56), ("LATE", 5)])
def test_other_cuts_of_the_proof_are_caught(name: str, value: int, put: Any) -> None:
    put(whole_blocks, name, value)
    assert verdict(whole_blocks.whole_blocks_constants, CONSTANTS) == "fails"


def phi(rate: float, gaps: Any) -> float:
    return float(np.logaddexp(0.0, logsumexp(-rate * gaps)) if gaps.size else 0.0)


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 9), beta=st.floats(0.01, 3), r=st.sampled_from([1, 2, 8, 64]))
def test_good_actions_cost_what_the_potential_loses(seed: int, n: int, beta: float, r: int) -> None:
    """The step of the proof for late blocks: good actions deviate by a quarter, others by any amount."""
    rng = rng_for(seed, "good actions")
    gaps = np.r_[0.0, rng.random(n - 1)]
    good = np.r_[False, rng.random(n - 1) < 0.6]
    off = np.where(good, rng.uniform(-0.25, 0.25, n) * r * gaps, rng.normal(size=n) * r)
    off[0] = 0.0
    law = softmax(-beta * (r * gaps + off))
    spent = beta / 8 * r * float(law[good] @ gaps[good])
    rate = 1.25 * beta * r
    assert spent <= phi(rate / 2, gaps[good]) - phi(rate, gaps[good]) + 1e-12


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 9), beta=st.floats(0.01, 3), r=st.sampled_from([1, 2, 8, 64]))
def test_an_early_block_costs_what_the_potential_loses_and_the_spread_of_deviations(
    seed: int, n: int, beta: float, r: int
) -> None:
    rng = rng_for(seed, "early blocks")
    gaps, off = np.r_[0.0, rng.random(n - 1)], rng.normal(size=n) * np.sqrt(r)
    law = softmax(-beta * (r * gaps + off))
    loses = logsumexp(-beta * r / 2 * gaps) - logsumexp(-beta * r * gaps)
    assert beta / 2 * r * float(law @ gaps) <= loses + beta * (off.max() - off.min()) + 1e-12
