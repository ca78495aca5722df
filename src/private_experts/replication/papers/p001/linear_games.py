"""Playing an algorithm of paper 001 on linear losses."""

from collections.abc import Sequence

import numpy as np

from private_experts.arrays import Array
from private_experts.private_oco.dp_ftrl import DPFTRL
from private_experts.private_oco.every_round import GibbsEveryRound
from private_experts.private_oco.losses import random_slopes
from private_experts.private_oco.pcomw import PCOMW


def total_loss(learner: PCOMW | GibbsEveryRound | DPFTRL, slopes: Sequence[Array] | Array) -> Array:
    """Return the loss of each repetition, shape (repetitions,). Nothing is learnt from the last round."""
    paid = learner.predict() @ slopes[0]
    past = slopes[:-1]
    updates = map(learner.update, past) if isinstance(learner, DPFTRL) else learner.updates(past)
    for slope, _ in zip(slopes[1:], updates, strict=True):
        paid += learner.predict() @ slope
    return paid


def unit_slopes(kind: str, horizon: int, dimension: int, rng: np.random.Generator) -> Array:
    """Return random slopes of length 1, which are all the first one when they are to be "constant"."""
    slopes = random_slopes(horizon, dimension, 1.0, rng)
    return slopes[:1].repeat(horizon, axis=0) if kind == "constant" else slopes


def unit_ball_regret(learner: PCOMW | GibbsEveryRound | DPFTRL, slopes: Array) -> Array:
    """Return the regret of each repetition on a ball of diameter 1."""
    return total_loss(learner, slopes) + of_best(slopes)


def of_best(slopes: Array) -> float:
    """Return what the best point of that ball gains, which is the mean regret of uniform draws."""
    return 0.5 * float(np.linalg.norm(slopes.sum(axis=0)))
