"""Errors of softmax selections as balls are around those of the library, and of enumeration in fractions."""

from dataclasses import replace

import numpy as np
import pytest

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.algorithms.randomized_prefix import RandomizedPrefix
from private_experts.games.streams import KINDS, equal_gaps
from private_experts.privacy.guarantees import PureDP
from private_experts.replication.balls.balls import ball, exp, near, precision
from private_experts.replication.balls.sums import NORMAL
from private_experts.replication.papers import blocks
from private_experts.replication.papers.p002 import softmax_errors as exact
from tests.each import each
from tests.replication.papers.replaced import put
from tests.replication.papers.small_checks import times


@each(("kind", "gap"), [("opposed", 0.3), ("independent", 0.3), ("alike", 0.25), ("opposed", 1.0)])
def test_balls_contain_the_sum_over_all_walks(kind: str, gap: float) -> None:
    """The walk of 12 rounds in 500 bits, from chances that are no floats."""
    with precision(500):
        up, stay, down = exact.steps(kind, ball(gap))
        assert abs(up + stay + down - 1) < 1e-100
        assert abs(up - down - gap) < 1e-100
        law = {0: ball(1)}
        for _ in range(12):
            new = dict.fromkeys(range(min(law) - 1, max(law) + 2), ball(0))
            for place, chance in law.items():
                for step, share in ((1, up), (0, stay), (-1, down)):
                    new[place + step] += chance * share
            law = new
        shares = (chance / (1 + exp(ball(0.1) * place)) for place, chance in law.items())
        true = ball(gap) * sum(shares, ball(0))
    with precision():
        found = exact.softmax_errors(kind, 2, gap, 0.1, 12)[-1]
        assert found.contains(true)
        assert found.rad() < 1e-13


def test_a_walk_counts_what_rounding_may_do() -> None:
    """In each round a product and two sums, a chance that was rounded, and two numbers that are left out."""
    with precision():
        found = exact.walk("independent", ball(0.3), 0.1, np.arange(1, 101))
        chances = exact.steps("independent", ball(0.3))
        of_step = max(float(abs(near(chance) / chance - 1).lower()) for chance in chances)
        assert found.steps >= 3 * 100 + 2 * 100 + 1
        assert found.inputs > 100 * of_step > 0
        assert found.lost >= 2 * 100 * exact.CUT + NORMAL
        for of_rounds in ({"steps": 0}, {"inputs": ball(0)}, {"lost": ball(0)}):
            assert replace(found, **of_rounds).balls(ball(0.3))[-1].rad() < found.balls(ball(0.3))[-1].rad()


@each(("kind", "n", "gap"), [("opposed", 2, 0.2), ("deterministic", 10, 0.3), ("alike", 2, 0.5)])
def test_regrets_are_those_of_the_library(kind: str, n: int, gap: float) -> None:
    stream, guarantee = KINDS[kind](equal_gaps(n, gap)), PureDP(0.4, "central")
    for algorithm, shortest in ((RandomizedPrefix, exact.prefix), (DyadicLeader, exact.whole)):
        rest = {} if algorithm is RandomizedPrefix else {"selection": "gumbel"}
        leader = algorithm(2, guarantee, rng=np.random.default_rng(0), **rest)
        expected = blocks.block_regret(blocks.exact_errors(leader, stream, 7), [100, 127])
        with precision():
            errors = exact.softmax_errors(kind, n, gap, 0.2, 32)
            of_blocks = exact.by_block(ball(gap) * (n - 1) / n, errors, 7, shortest)
            found = [near(exact.regret(of_blocks, horizon)) for horizon in (100, 127)]
        assert found == pytest.approx(expected.tolist(), rel=1e-13)


def test_a_wrong_chance_is_not_in_the_ball_and_no_more_is_left_out_than_is_allowed_for() -> None:
    """The balls are so narrow that a millionth of a millionth more is outside."""
    assert exact.CUT == blocks._NEGLIGIBLE
    with precision():
        before = exact.softmax_errors("opposed", 2, 0.3, 0.1, 12)[-1]
        with put(exact, prefix_errors=times(1 + 1e-12, blocks.prefix_errors)):
            after = exact.softmax_errors("opposed", 2, 0.3, 0.1, 12)[-1]
        assert not before.overlaps(after)
