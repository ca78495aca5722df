"""The closed form of risks and the flatness of a share, and mutants of both."""

from typing import Any

import numpy as np
import pytest

from private_experts.distribution_learning import CentredCoordinate, NoisyCoordinate
from private_experts.distribution_learning.risk import kl
from private_experts.privacy.guarantees import PureDP
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p003 import closed_form
from private_experts.replication.papers.p003.classes import needle
from tests.each import each
from tests.replication.papers.small_checks import SEED, verdict

RATES: dict[str, Any] = {
    "amplitude": 0.9,
    "T": {"algorithm 2": [10**16], "centred reports": [10**12]},
    "K": [8],
    "eps": [2.0],
    "strata": 90,
    "power": 6,
    "tolerance": 0.02,
}
FLAT: dict[str, Any] = {"K": [8], "eps": [1.0], "T": [10**10, 10**14], "tolerance": 0.01}


def test_the_closed_form_is_a_sum_over_rounds() -> None:
    mechanism, classes = NoisyCoordinate(4, PureDP(50.0, "local"), horizon=2000), needle(4, 0.5)
    t = np.arange(2000) + 0.5
    weight = 1 / (1 + 3 * np.exp(-closed_form.drift(mechanism, classes) * t))
    mixtures = weight[:, None] * classes[0] + (1 - weight)[:, None] * classes[1]
    assert closed_form.closed_form(mechanism, classes) == pytest.approx(
        kl(classes[0], mixtures).sum(), rel=1e-5
    )


def test_measured_risks_agree_with_the_closed_form() -> None:
    assert verdict(closed_form.rates, RATES, 300) == "holds"


def test_a_rate_that_is_a_twentieth_larger_is_caught(put: Any) -> None:
    drift = closed_form.drift
    put(closed_form, "drift", lambda *given: 1.05 * drift(*given))
    assert verdict(closed_form.rates, RATES, 300) == "fails"


@each("power", [0.5, -0.05])
def test_a_risk_that_grows_otherwise_with_k_is_caught(power: float, put: Any) -> None:
    class Other(NoisyCoordinate):
        @property
        def learning_rate(self) -> float:
            return super().learning_rate * self.experts**power

    def other(algorithm: str, experts: int, labels: int, horizon: int, epsilon: float) -> Other:
        return Other(experts, PureDP(epsilon, "local"), horizon=horizon)

    put(closed_form, "mechanism_of", other)
    points = closed_form.rates(RATES | {"T": {"algorithm 2": [10**16]}}, 20, SEED)
    assert [point.where["side"] for point in points if decide([point]) == "fails"] == ["growth"]


def test_centred_reports_drift_by_log_likelihoods_and_not_by_losses() -> None:
    kinds = [kind(8, PureDP(1.0, "local"), horizon=10**12) for kind in (CentredCoordinate, NoisyCoordinate)]
    ours, theirs = (
        closed_form.drift(mechanism, needle(8, 0.9)) / mechanism.learning_rate for mechanism in kinds
    )
    assert theirs / ours == pytest.approx(kinds[1].scaling.factor)


def test_the_share_of_theorem_6_does_not_change_with_the_rounds() -> None:
    assert verdict(closed_form.theorem_6_attained, FLAT, 400) == "holds"


@pytest.mark.parametrize("power", [0.03, -0.03])
def test_another_power_of_the_rounds_is_caught(power: float, put: Any) -> None:
    class Other(NoisyCoordinate):
        @property
        def risk_bound(self) -> float:
            return super().risk_bound * float(self.horizon) ** (2 * power)

    put(closed_form, "NoisyCoordinate", Other)
    assert verdict(closed_form.theorem_6_attained, FLAT, 200) == "fails"
