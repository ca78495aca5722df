"""The penalties of Appendix A.10 are within their bounds, and mutants are not."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

from private_experts.algorithms.decorrelation import Decorrelation
from private_experts.games.streams import STREAMS
from private_experts.replication.balls.balls import integral, normal_cdf, normal_density, precision
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


def test_the_potential_of_equal_totals_is_known() -> None:
    mean, law, off = penalties.potential(np.zeros((1, 3)), np.array([2.0]))
    assert abs(mean[0] - 3 / math.sqrt(math.pi)) <= off[0, 0] + 1e-15
    assert np.abs(law[0] - 1 / 3).sum() <= off[0, 1] + 1e-15
    assert off.max() < 1e-10


def test_the_potential_of_any_totals_is_within_its_error() -> None:
    totals, scale = np.array([3.0, 0.0, 2.5]), 0.7
    [mean], [law], [off] = penalties.potential(totals[None], np.array([scale]))
    with precision():

        def below(x: Any) -> Any:
            return math.prod([normal_cdf((x - total) / scale) for total in totals.tolist()], start=1)

        # Beyond 9 standard deviations lies less than 3e-19.
        low, high = integral(below, -4, 3, digits=18), integral(lambda x: 1 - below(x), 3, 10, digits=18)
        assert abs(3 + high - low - float(mean)) <= off[0]
        for i in range(3):
            a, b = ((totals[i] - totals[j]) / scale for j in range(3) if j != i)
            share = integral(
                lambda x, a=a, b=b: normal_density(x) * normal_cdf(x + a) * normal_cdf(x + b),
                -9,
                9,
                digits=18,
            )
            assert abs(share - float(law[i])) <= off[1]


def test_a_point_holds_for_all_rounds_and_not_only_for_the_nearest(put: Any) -> None:
    """An error that grows late makes the verdict uncertain, though the nearest round is another one."""

    def unsure(gains: Any, sigma: Any) -> Any:
        found = right(gains, sigma)
        found.off_divergence[-1] = 100.0
        return found

    put(penalties=unsure)
    assert {decide([point]) for point in penalties.divergence(GRID)} == {"undecided"}
