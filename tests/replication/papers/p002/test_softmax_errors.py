"""Errors of softmax selections as balls are around those of the library, and of enumeration in fractions."""

from dataclasses import replace

import numpy as np

from private_experts.replication.balls.balls import ball, exp, near, precision
from private_experts.replication.balls.sums import NORMAL
from private_experts.replication.papers.p002 import softmax_errors as exact
from tests.each import each


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
