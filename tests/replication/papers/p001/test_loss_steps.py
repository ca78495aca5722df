"""Probabilities and privacy losses of steps are as near to balls as they say."""

import numpy as np
import pytest

from private_experts.private_oco.domains import Box
from private_experts.replication.balls.balls import ball, largest, log, upper
from private_experts.replication.papers.p001.exact_chains import clipped, gibbs
from private_experts.replication.papers.p001.loss_steps import loss_steps

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
