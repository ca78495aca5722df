"""Playing an algorithm of paper 001 on linear losses."""

from collections.abc import Sequence
from itertools import pairwise

from private_experts.arrays import Array
from private_experts.private_oco.every_round import GibbsEveryRound
from private_experts.private_oco.pcomw import PCOMW


def total_loss(learner: PCOMW | GibbsEveryRound, slopes: Sequence[Array] | Array) -> Array:
    """Return the loss of each repetition, shape (repetitions,). Nothing is learnt from the last round."""
    paid = learner.predict() @ slopes[0]
    for before, slope in pairwise(slopes):
        learner.update(before)
        paid += learner.predict() @ slope
    return paid
