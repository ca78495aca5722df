"""The closed form of risks and the flatness of a share, and mutants of both."""

import numpy as np
import pytest

from private_experts.distribution_learning import CentredCoordinate, NoisyCoordinate
from private_experts.distribution_learning.risk import kl
from private_experts.privacy.guarantees import PureDP
from private_experts.replication.papers.p003 import closed_form
from private_experts.replication.papers.p003.classes import needle
from tests.each import each
from tests.replication.papers.small_checks import SEED, failing, verdict, wrong

RATES = {"amplitude": 0.9, "T": {"algorithm 2": [10**16], "centred reports": [10**12]}, "K": [8]}
RATES |= {"eps": [2.0], "strata": 90, "power": 6, "tolerance": 0.02}
FLAT = {"K": [8], "eps": [1.0], "T": [10**10, 10**14], "tolerance": 0.01}


def test_the_closed_form_is_a_sum_over_rounds() -> None:
    mechanism, classes = NoisyCoordinate(4, PureDP(50.0, "local"), horizon=2000), needle(4, 0.5)
    t = np.arange(2000) + 0.5
    weight = 1 / (1 + 3 * np.exp(-closed_form.drift(mechanism, classes) * t))
    mixtures = weight[:, None] * classes[0] + (1 - weight)[:, None] * classes[1]
    exact = kl(classes[0], mixtures).sum()
    assert closed_form.closed_form(mechanism, classes) == pytest.approx(exact, rel=1e-5)


def test_measured_risks_agree_with_the_closed_form_and_not_at_a_rate_a_twentieth_larger() -> None:
    assert verdict(closed_form.rates, RATES, 300) == "holds"
    with wrong(closed_form, "drift", 1.05):
        assert verdict(closed_form.rates, RATES, 300) == "fails"


@each("power", [0.5, -0.05])
def test_a_risk_that_grows_otherwise_with_k_is_caught(power) -> None:
    class Other(NoisyCoordinate):
        @property
        def learning_rate(self) -> float:
            return super().learning_rate * self.experts**power

    def other(right, algorithm, experts, labels, horizon, epsilon):
        return Other(experts, PureDP(epsilon, "local"), horizon=horizon)

    with wrong(closed_form, "mechanism_of", other):
        points = closed_form.rates(RATES | {"T": {"algorithm 2": [10**16]}}, 20, SEED)
    assert failing(points, "side") == {"growth"}


def test_centred_reports_drift_by_log_likelihoods_and_not_by_losses() -> None:
    kinds = [kind(8, PureDP(1.0, "local"), horizon=10**12) for kind in (CentredCoordinate, NoisyCoordinate)]
    ours, theirs = (closed_form.drift(kind, needle(8, 0.9)) / kind.learning_rate for kind in kinds)
    assert theirs / ours == pytest.approx(kinds[1].scaling.factor)


def test_the_share_of_theorem_6_does_not_change_with_the_rounds() -> None:
    assert verdict(closed_form.theorem_6_attained, FLAT, 400) == "holds"


@each("power", [0.03, -0.03])
def test_another_power_of_the_rounds_is_caught(power) -> None:
    class Other(NoisyCoordinate):
        @property
        def risk_bound(self) -> float:
            return super().risk_bound * float(self.horizon) ** (2 * power)

    with wrong(closed_form, "NoisyCoordinate", Other):
        assert verdict(closed_form.theorem_6_attained, FLAT, 200) == "fails"
