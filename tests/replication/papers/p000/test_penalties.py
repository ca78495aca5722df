"""The penalties of Appendix A.10 are within their bounds, and mutants are not."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

from private_experts.algorithms.decorrelation import Decorrelation
from private_experts.games.streams import STREAMS
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import penalties
from tests.each import each
from tests.replication.papers.p000.mutants import floored
from tests.replication.papers.small_checks import verdict

CHECKED = penalties
GRID: dict[str, Any] = {
    "structure": ["orthogonal"],
    "m": [2, 13],
    "eta": [0.5, 3.0],
    "stream": ["zero", "alternating"],
}
GRID |= {"T": 40}
alternating, right = penalties.STREAMS["alternating"], penalties.penalties


class Loud(Decorrelation):
    """Has twice the variance."""

    def level(self, covariance: Any, t: int) -> Any:
        return 2 * super().level(covariance, t)


def test_they_hold_and_more_noise_and_larger_gains_are_caught(put: Any) -> None:
    for check in (penalties.overestimation, penalties.divergence):
        assert verdict(check, GRID) == "holds"
    put(Decorrelation=Loud)
    assert verdict(penalties.overestimation, GRID) == "fails"
    put(Decorrelation=Decorrelation, STREAMS={"alternating": lambda *game: 4 * alternating(*game)})
    assert verdict(penalties.divergence, GRID | {"stream": ["alternating"]}) == "fails"


def test_divergence_catches_a_floor_that_is_nearly_absent(put: Any) -> None:
    put(Decorrelation=floored(0.001))
    failed = [p for p in penalties.divergence(GRID | {"eta": [0.01], "T": 100}) if decide([p]) == "fails"]
    assert {point.where["what"] for point in failed} == {"all rounds"}


@each("stream", ["zero", "alternating", "turncoat", "coin-flips"])
@each("eta", [0.5, 3.0])
def test_the_regret_is_the_sum_of_the_penalties_of_which_the_last_is_never_positive(
    stream: str, eta: float
) -> None:
    """For two learners the regret follows from the closed form of the leader's law. [000, Appendix A.10]"""
    gains = STREAMS[stream](40, 2)
    for agree in (np.eye(2), np.ones((2, 2))):
        parts = penalties.penalties(gains, eta**2 * agree * np.arange(40)[:, None, None])
        assert parts.under <= 0
        before = gains.cumsum(axis=0) - gains
        first = ndtr((before[:, 0] - before[:, 1]) / (math.sqrt(2) * parts.scales))
        regret = gains.sum(axis=0).max() - (first * gains[:, 0] + (1 - first) * gains[:, 1]).sum()
        assert parts.over.sum() + parts.divergence.sum() + parts.under == pytest.approx(regret, abs=1e-8)


def test_a_point_holds_for_all_rounds_and_not_only_for_the_nearest(put: Any) -> None:
    """An error that grows late makes the verdict uncertain, though the nearest round is another one."""

    def unsure(gains: Any, sigma: Any) -> Any:
        found = right(gains, sigma)
        found.off_divergence[-1] = 100.0
        return found

    put(penalties=unsure)
    assert {decide([point]) for point in penalties.divergence(GRID)} == {"undecided"}
