"""Probabilities and privacy losses of steps are as near to balls as they say."""

from typing import Any

import numpy as np
import pytest

from private_experts.private_oco.domains import Box
from private_experts.replication.balls.balls import ball, largest, log, upper
from private_experts.replication.balls.elementary import exps
from private_experts.replication.papers.p001 import loss_steps as module
from private_experts.replication.papers.p001.exact_chains import clipped, gibbs
from private_experts.replication.papers.p001.loss_steps import _outcomes, loss_steps
from tests.each import each
from tests.replication.papers.replaced import put

pytestmark = pytest.mark.usefixtures("in_balls")

POINTS = Box((-0.5,), (0.5,)).grid(8)[:, 0]  # with whole slopes, losses are exact
SLOPES = np.array([[1.0, 0.0, 1.0, -2.0, 1.0], [-1.0, 0.0, 1.0, -2.0, 1.0]])
BETA, LAM, LOG_PHI, P = 3.0, 4.0, 0.2, 0.25


def largest_errors(p: float = P) -> tuple[float, float]:
    """Return the largest relative error of a probability and of a loss, as shares of what a path's may be."""
    steps = loss_steps(POINTS, SLOPES, BETA, LAM, LOG_PHI, p)
    laws, others = (gibbs(POINTS, slopes[:, None] * POINTS, BETA, LAM) for slopes in SLOPES)
    keep, keep_other = (
        [[(1 - ball(p)) * chance for chance in row] for row in clipped(side, LOG_PHI)]
        for side in (laws, others)
    )
    leave, leave_other = ([[1 - chance for chance in row] for row in side] for side in (keep, keep_other))
    chances, losses = [], []
    for (found, lost), one, other, off in (
        (steps.fresh, laws, others, steps.each_off),
        (steps.keep, keep, keep_other, steps.each_off),
        (steps.leave, leave, leave_other, steps.off),
    ):
        for t, i in np.ndindex(found.shape):
            chances.append(abs(ball(float(found[t, i])) / one[t][i] - 1) / off)
            losses.append(abs(ball(float(lost[t, i])) - log(one[t][i] / other[t][i])))
    return upper(largest(chances)), upper(largest(losses) / steps.moved)


def test_steps_are_within_their_errors() -> None:
    assert max(largest_errors()) <= 1
    steps = loss_steps(POINTS, SLOPES, BETA, LAM, LOG_PHI, P)
    assert upper(steps.each_off) < 2e-13
    assert upper(steps.off) < 2e-12
    assert upper(steps.moved) < 2e-12
    assert (steps.keep.losses[2:] == 0).sum() > 8  # some are clipped in both streams, others not
    assert (steps.keep.losses[2:] != 0).any()


def off_below(place: float, off: float) -> Any:
    return lambda x: exps(x) * (1 + off * (np.asarray(x) < place))


@each("sign", [1, -1])
@each("p", [P, 1.0])
def test_exponentials_may_be_off_by_as_much_as_they_say(sign: int, p: float) -> None:
    with put(module, EXP_STEPS=10**5, exps=off_below(-0.1, sign * 1e5 * 2.0**-53)):
        assert 0.02 < max(largest_errors(p)) <= 1


def test_errors_of_a_path_are_those_of_its_steps() -> None:
    """Of 5 rounds four end in a lottery. A path is dearest that leaves and draws each time."""
    errors = [(0.001, 0.0001), (0.03, 0.0002), (0.04, 0.0003)]

    def rough(*given: Any) -> Any:
        pairs = zip(_outcomes(*given), errors, strict=True)
        return [one._replace(logs_off=ball(logs), off=ball(off)) for one, (logs, off) in pairs]

    with put(module, _outcomes=rough):
        steps = loss_steps(POINTS, SLOPES, BETA, LAM, LOG_PHI, P)
    assert float(steps.moved) == pytest.approx(0.002 + 4 * 0.082, rel=1e-9)
    assert float(steps.off) == pytest.approx(1.0003**9 - 1, rel=1e-9)
    assert float(steps.each_off) == 0.0002


def test_probabilities_that_are_known_to_no_digit_are_an_error() -> None:
    with put(module, EXP_STEPS=2**52), pytest.raises(ArithmeticError, match="no digit"):
        loss_steps(POINTS, SLOPES, BETA, LAM, LOG_PHI, P)


def test_fresh_draws_have_no_lotteries() -> None:
    steps = loss_steps(POINTS, SLOPES, BETA, LAM, 0.0, 1.0)
    assert steps.fresh.chances.shape == (5, 8)
    assert steps.keep.chances.shape == steps.leave.losses.shape == (0, 8)
