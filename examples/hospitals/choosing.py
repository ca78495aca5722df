"""The choice of a week: RW-Meta on the reports of the weeks before."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from examples.hospitals.setting import Setting
from private_experts.algorithms import Decorrelation, RWMeta
from private_experts.learners import LinearFilters, trend_weights
from private_experts.privacy import Reports
from private_experts.randomness import rng_for

MISSING = 0.0
"""What stands for a report that did not come: the least density. It is public, so it costs no privacy."""

LEARNERS = [(window, strength) for window in (8, 16, 32, 64) for strength in (0.1, 1.0, 10.0)]
"""Window in weeks and strength of the prior of each learner, as in the hospital study."""


@dataclass(frozen=True)
class Reason:
    """Why a hospital is named for a week: its learner has the best record, after RW-Meta's extra noise."""

    hospital: str
    votes: Mapping[str, int]  # how many learners name each hospital, the most first
    window: int  # in weeks, of the learner with the best record among those that name it


def choose(setting: Setting, weeks: Sequence[Mapping[str, float]]) -> str:
    """Return the hospital to name in the week after `weeks`, the noisy reports by hospital from the first week on."""
    return explain(setting, weeks).hospital


def explain(setting: Setting, weeks: Sequence[Mapping[str, float]]) -> Reason:
    """Return the choice for the week after `weeks`, with its reason.

    The same reports always give the same choice. So they are all that the coordinator has to keep: after a restart it
    plays them again, and the extra noise, which is drawn from a seed, comes out as before.
    """
    hospitals = setting.hospitals
    # Before the first report nothing is known, and noise alone makes the first choice.
    values = rng_for(setting.seed, "first report").standard_normal((1, len(hospitals)))
    first = Reports(values, setting.guarantee, setting.scales)
    learners = LinearFilters(trend_weights, LEARNERS, first)
    rng = rng_for(setting.seed, "extra noise")
    # Without the paper's floor, which would add noise of variance 2t even where reports have little.
    meta = RWMeta([learners], setting.guarantee, rng=rng, decorrelation=Decorrelation(floor=0))
    action = int(meta.predict()[0])
    for reports in weeks:
        values = np.array([[reports.get(hospital, MISSING) for hospital in hospitals]])
        meta.update(Reports(values, setting.guarantee, setting.scales))
        action = int(meta.predict()[0])
    named = learners.predict()[:, 0]
    votes = Counter(hospitals[each] for each in named.tolist()).most_common()
    record = np.where(named == action, meta.totals[0] if weeks else 0.0, -np.inf)
    return Reason(hospitals[action], dict(votes), LEARNERS[int(record.argmax())][0])
