"""Reports for people and for the accountant say what the guarantee implies, and no more."""

import math
import re

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from private_experts.algorithms import RWFTPL, Hedge, PrefixFTPL, RWAdaBatch
from private_experts.distribution_learning import RandomizedResponse
from private_experts.errors import InputError
from private_experts.privacy import (
    ApproximateDP,
    GaussianDP,
    Ledger,
    PureDP,
    SimulatedNoise,
    TightTreeSums,
    compose,
    in_rounds,
    privacy_report,
)
from private_experts.privacy.composition import advanced_epsilon
from private_experts.privacy.guarantee_report import PrivacyReport
from tests.each import each


class Stating:
    def __init__(self, guarantee: GaussianDP | PureDP | ApproximateDP) -> None:
        self.guarantee = guarantee


def of(guarantee: GaussianDP | PureDP | ApproximateDP, delta: float = 1e-6, rounds: int = 1) -> PrivacyReport:
    return privacy_report(Stating(guarantee), delta=delta, rounds=rounds)


@each(("model", "together"), [("local", 1.5), ("central", 4.5)])
def test_gaussian_levels_grow_with_the_root_of_the_rounds_unless_a_curator_is_trusted(
    model, together
) -> None:
    report = of(GaussianDP(0.5, model), rounds=9)
    assert report.together == GaussianDP(together, model)
    assert report.implied.epsilon == pytest.approx(compose(report.together, delta=1e-6).epsilon, rel=1e-9)
    assert report.noticed == pytest.approx(ndtr(ndtri(0.05) + together))


def test_other_kinds_keep_their_kind() -> None:
    local, central = (of(PureDP(0.2, model), delta=0.01, rounds=30) for model in ("local", "central"))
    assert local.together.epsilon == central.together.epsilon == pytest.approx(6.0)
    # Independent reports compose better than they add up.
    assert local.implied.epsilon < advanced_epsilon(epsilon=0.2, count=30, delta=0.01) < 6.0
    assert central.implied.epsilon == pytest.approx(compose(PureDP(6.0, "central"), delta=0.01).epsilon)
    approximate = ApproximateDP(0.2, 1e-9, "central")
    assert of(approximate, rounds=3).together.delta == pytest.approx(in_rounds(approximate, 3).delta)


@each("model", ["local", "central"])
def test_the_accountant_comes_to_the_same_from_the_values(model) -> None:
    report, ledger = of(PureDP(0.3, model), delta=1e-5, rounds=7), Ledger(GaussianDP(math.inf, model))
    ledger.spend(report.use)
    assert ledger.epsilon(1e-5) == report.implied.epsilon


def test_randomised_response_is_noticed_as_often_as_is_said() -> None:
    """Of two labels a report is the likelihood ratio: the best test of size 0.05 sometimes rejects on one."""
    mechanism = RandomizedResponse(2, PureDP(1.5, "local"), labels=2, horizon=10)
    power = 0.05 / mechanism.flip * (1 - mechanism.flip)
    assert privacy_report(mechanism, delta=0).noticed == pytest.approx(power)
    assert of(PureDP(8.0, "local")).noticed == pytest.approx(1 - 0.95 * math.exp(-8.0))
    assert of(ApproximateDP(0.0, 0.1, "central")).noticed == pytest.approx(0.15)
    assert of(PureDP(math.inf, "local")).noticed == of(GaussianDP(math.inf, "local")).noticed == 1.0


def test_words_name_whom_to_trust_and_simulated_noise() -> None:
    local = str(of(GaussianDP(0.5, "local"), rounds=4))
    assert "nobody has to be trusted" in local
    assert "4 rounds has 1-GDP (local), hence (4.88655, 1e-06)-DP (local)" in local
    assert "simulated" not in local
    assert "The noise is simulated: it protects nobody." in str(of(GaussianDP(0.5, "local", simulated=True)))
    assert of(GaussianDP(0.5, "local", simulated=True)).implied.simulated
    assert "A curator sees the true gains" in str(of(PureDP(0.5, "central")))
    found = str(of(ApproximateDP(1, 1e-3, "central")))
    assert "has (1, 0.001)-DP (central), which is no (epsilon, 1e-06)-DP: for that, " in found
    assert "take a delta of at most 9.95e-07 in each round." in found


@each("model", ["local", "central"])
@each(("rounds", "each_round"), [(1, 1.2e-5), (60, 0.01)])
def test_the_delta_that_is_said_to_be_enough_in_each_round_is_enough(model, rounds, each_round) -> None:
    found = re.search(
        r"take a delta of at most (\S+) in", str(of(ApproximateDP(1.145, each_round, model), 1e-6, rounds))
    )
    enough = of(ApproximateDP(1.145, float(found[1]), model), 1e-6, rounds)
    assert 0.98e-6 < enough.together.delta <= 1e-6
    assert math.isfinite(enough.implied.epsilon)
    assert "no (epsilon" not in str(enough)
    never = of(ApproximateDP(1.0, 1e-6, "central"), rounds=10_000)  # the smallest float grows beyond 1
    assert "take a delta of at most 0 in each round" in str(never)


def test_a_bound_that_says_nothing_is_not_no_privacy() -> None:
    for report in (
        of(ApproximateDP(1.0, 0.01, "central"), rounds=20),
        of(GaussianDP(0.5, "local"), delta=1.0),
    ):
        assert "no privacy" not in str(report)
        assert "says nothing" in str(report)
    for guarantee in (GaussianDP(math.inf, "central"), ApproximateDP(1.0, 1.0, "central")):
        assert "has no privacy" in str(of(guarantee))


@each(("t", "nothing"), [(2000, False), (5, True), (3000, True)])
def test_batches_that_gain_nothing_are_told(t, nothing) -> None:
    leader = RWAdaBatch(2, GaussianDP(1.0, "local"), sensitivity=1.0, noise=SimulatedNoise(1), horizon=3000)
    report = privacy_report(leader, delta=1e-6, t=t)
    assert ("batches gain nothing here" in str(report)) == nothing
    assert nothing or report.amplified.epsilon == pytest.approx(4.4739, abs=1e-4)


def test_algorithms_and_sums_are_reported_by_name() -> None:
    local, noise = GaussianDP(0.5, "local"), SimulatedNoise(1)
    assert privacy_report(RWFTPL(2, local, noise_scale=1.0, noise=noise), delta=0.1).name == "RWFTPL"
    assert "one round has no privacy.\n" in str(privacy_report(Hedge(2, rng=1), delta=0.1))
    sums = TightTreeSums(2, GaussianDP(0.5, "central"), sensitivity=np.ones(4), noise=noise)
    assert privacy_report(PrefixFTPL(sums), delta=0.1).together == privacy_report(sums, delta=0.1).together


def test_batches_are_in_it_where_they_are_asked_for() -> None:
    leader = RWAdaBatch(
        2, GaussianDP(1.0, "local"), noise_scale=1.0, noise=SimulatedNoise(1), alpha=0.1, horizon=3000
    )
    report = privacy_report(leader, delta=1e-3, t=2000)
    assert report.amplified == leader.amplified(2000, 1e-3)
    assert report.amplified.epsilon < report.implied.epsilon
    assert str(report).count(str(report.amplified)) == 1
    assert privacy_report(leader, delta=1e-3).amplified is None


@each(
    ("wrong", "message"),
    [
        ({"algorithm": np.zeros(2)}, "ndarray states no guarantee"),
        ({"algorithm": GaussianDP(1.0, "local")}, "or in_rounds of a guarantee$"),
        ({"rounds": 0}, "rounds = 0"),
        ({"delta": 2.0}, "delta = 2"),
        ({"t": 3}, "Stating amplifies nothing; leave t out"),
    ],
)
def test_what_cannot_be_reported_is_refused(wrong, message) -> None:
    with pytest.raises(InputError, match=message):
        privacy_report(**{"algorithm": Stating(PureDP(1.0, "local")), "delta": 0.1, **wrong})
