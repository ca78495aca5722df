"""The choice of a week: RW-Meta on the reports of the weeks before."""

from collections.abc import Mapping, Sequence

import numpy as np

from examples.hospitals.agreement import Terms
from private_experts.algorithms import Decorrelation, RWMeta
from private_experts.learners import LinearFilters, trend_weights
from private_experts.privacy import Reports
from private_experts.randomness import rng_for

MISSING = 0.0
"""What stands for a report that did not come: the lower bound. It is public, so it costs no privacy."""

LEARNERS = [(window, strength) for window in (8, 16, 32, 64) for strength in (0.1, 1.0, 10.0)]
"""Window in weeks and strength of the prior of each learner, as in the hospital study."""


def choose(terms: Mapping[str, Terms], seed: int, weeks: Sequence[Mapping[str, float]]) -> str:
    """Return the hospital to name in the week after `weeks`, the noisy reports by hospital from week one.

    The same reports always give the same choice. So they are all that the coordinator has to keep: the extra
    noise of RW-Meta is drawn from a seed, and comes out the same when the reports are played again. It
    protects nothing.
    """
    hospitals = sorted(terms)
    guarantee, scales = (
        terms[hospitals[0]].guarantee,
        np.array([terms[hospital].scale for hospital in hospitals]),
    )
    # Before the first report nothing is known, and noise alone makes the first choice.
    values = rng_for(seed, "first report").standard_normal((1, len(hospitals)))
    learners = LinearFilters(trend_weights, LEARNERS, Reports(values, guarantee, scales))
    rng = rng_for(seed, "extra noise")
    # Without the paper's floor, which would add noise of variance 2t even where reports have little.
    meta = RWMeta([learners], guarantee, rng=rng, decorrelation=Decorrelation(floor=0))
    action = int(meta.predict()[0])
    for reports in weeks:
        values = np.array([[reports.get(hospital, MISSING) for hospital in hospitals]])
        meta.update(Reports(values, guarantee, scales))
        action = int(meta.predict()[0])
    return hospitals[action]
