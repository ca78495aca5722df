"""What users send has its stated law, computed by a second route; `tests.mutants` breaks the programs."""

import math

import numpy as np
import pytest

from private_experts.distribution_learning import (
    HadamardResponse,
    NoisyVector,
    RandomizedResponse,
    SubsetSelection,
)
from private_experts.distribution_learning.scaling import Scaling
from private_experts.privacy.guarantees import PureDP
from private_experts.replication.ledger.evidence import decide, gather
from private_experts.replication.papers.p003 import noise_003
from private_experts.replication.papers.p003.report_laws import (
    LaplaceReports,
    evidence_law,
    evidence_of_a_set,
    label_channel,
    laplace_sums,
    sure,
)
from tests.each import each
from tests.replication.ledger.ledgers import KNOWN

CLAIM = KNOWN.claims["003/drawn-noise"]
EXPERIMENT, EVERY = CLAIM.experiment(quick=True), CLAIM.experiment(quick=False).grid["mechanism"]


@pytest.mark.parametrize("name", EVERY)
def test_what_is_drawn_has_its_stated_law(name: str):
    def check(repetitions: int):
        return list(noise_003.MECHANISMS[name](EXPERIMENT.grid, repetitions, 0))

    _, verdict, _ = gather(check, EXPERIMENT.repetitions, EXPERIMENT.cap)
    assert verdict == "holds"


def test_the_claim_is_about_all_mechanisms():
    assert {*EVERY} <= noise_003.MECHANISMS.keys()
    assert len(EVERY) == 9


def test_a_learner_that_learns_otherwise_is_noticed():
    losses = np.array([[[1.0, 0.0]], [[0.0, 0.5]]])
    even, learnt = np.array([[0.5, 0.5]]), np.array([[1 / (1 + math.e), math.e / (1 + math.e)]])
    for second, verdict in ((learnt, "holds"), (even, "fails")):
        assert (
            decide([noise_003._prediction({"drawn": "reports"}, losses, [even, second], 1.0, sure(2))])
            == verdict
        )


@each("label", [0, 1])
def test_sets_that_are_counted_say_what_sets_that_are_listed_do(label):
    listed = evidence_law(label_channel("SubsetSelection", 9, 0.7), label, 1)
    assert evidence_of_a_set(9, 0.7, label) == pytest.approx(listed)


@each("count", [1, 2, 5])
def test_sums_of_laplace_variables(count):
    x = np.linspace(0, 60, 60_001)
    beyond = 1 - laplace_sums(x, np.full(x.size, count))
    known = {1: np.exp(-x) / 2, 2: np.exp(-x) * (2 + x) / 4}
    np.testing.assert_allclose(beyond, known.get(count, beyond), atol=1e-12)
    np.testing.assert_allclose(laplace_sums(-x, np.full(x.size, count)), beyond, atol=1e-12)
    # The variance is 2 a variable.
    assert np.trapezoid(4 * x * beyond, x) == pytest.approx(2 * count, rel=1e-4)


def test_laws_are_laws_and_speak_for_the_true_label():
    for vector in (True, False):
        first, second = (LaplaceReports(10, 1.0, vector=vector).law(label) for label in (0, 1))
        assert sum(first.values()) == pytest.approx(1) == sum(second.values())
        assert first != second
    for name in ("RandomizedResponse", "HadamardResponse", "SubsetSelection", "SignDesign"):
        channel = label_channel(name, 5, 1.2)
        assert sum(channel.values()) == pytest.approx(np.ones(5))
        balance = evidence_law(channel, 1, 3)
        assert sum(balance.values()) == pytest.approx(1)
        assert balance[3] > balance[-3]


@each("experts", [2, 3])
def test_constants_of_noise_are_those_of_the_library(experts):
    stated = LaplaceReports(10, 0.5, vector=False, experts=experts)
    scaling = Scaling(experts, horizon=10, level=0.5)
    constants = (scaling.noise, scaling.shift, scaling.factor)
    assert (stated.scale, stated.shift, stated.factor) == pytest.approx(constants)
    vector = noise_003._noisy_mechanism("NoisyVector", 10.0, 10, experts)
    assert isinstance(vector, NoisyVector)
    sums = noise_003._stated("NoisyVector", 10.0, 10, experts)["sums"]
    assert sums.level == pytest.approx(vector.scaling.level)


def test_channels_are_those_of_the_library():
    guarantee = PureDP(1.2, "local")
    for kind in (RandomizedResponse, HadamardResponse):
        channel = label_channel(kind.__name__, 5, 1.2)
        listed = np.array([channel[report] for report in sorted(channel)]).T
        assert listed == pytest.approx(kind(2, guarantee, labels=5, horizon=10).channel)
    sets = SubsetSelection(2, guarantee, labels=7, horizon=10)
    inside = sum(chances[0] for code, chances in label_channel("SubsetSelection", 7, 1.2).items() if code & 1)
    assert inside == pytest.approx(sets.inclusion)
