"""The checks of rates reach the expected verdict on a small grid, and another one on a mutant."""

import math
from typing import Any

import pytest

from private_experts.distribution_learning import label_mixture, long_run
from private_experts.distribution_learning.pure import NoisyCoordinate
from private_experts.distribution_learning.risk import total_variation
from private_experts.privacy.guarantees import PureDP
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p003 import risk_growth
from tests.replication.papers.caught import caught
from tests.replication.papers.p003.wrong_learners import Stubborn
from tests.replication.papers.small_checks import SEED, verdict

ATTAINED = {
    "algorithm": ["algorithm 1", "algorithm 2"],
    "class": ["needle 0.9"],
    "K": [32],
    "T": [10**12],
    "eps": [1.0],
    "share": 0.15,
}
LABELS = {
    "K": 4,
    "amplitude": 0.9,
    "T": 10**10,
    "eps": 1.0,
    "M": [8, 128],
    "slopes": {"algorithm 2": [-0.15, 0.15], "randomised response": [0.75, 1.25]},
}
SIX = {"K": [2], "eps": [1.0], "alpha": [0.4], "amplitude": [0.1, 0.9]}


class Faster(NoisyCoordinate):
    """Has four times the learning rate of the bound."""

    @property
    def learning_rate(self) -> float:
        return 4 * super().learning_rate


def test_the_bounds_are_attained_up_to_a_factor() -> None:
    assert verdict(risk_growth.bound_attained, ATTAINED, 20) == "holds"


def test_a_faster_learner_is_told_from_one_that_attains_its_bound(put: Any) -> None:
    def faster(algorithm: str, experts: int, labels: int, horizon: int, epsilon: float) -> Faster:
        return Faster(experts, PureDP(epsilon, "local"), horizon=horizon)

    put(risk_growth, "mechanism_of", faster)
    assert verdict(risk_growth.bound_attained, ATTAINED, 20) == "fails"


def test_labels_matter_to_randomised_response_alone() -> None:
    assert verdict(risk_growth.labels, LABELS, 20) == "holds"


def test_mechanisms_exchanged_are_caught(put: Any) -> None:
    of = risk_growth.mechanism_of
    other = {"algorithm 2": "randomised response", "randomised response": "algorithm 2"}
    put(risk_growth, "mechanism_of", lambda algorithm, *rest: of(other[algorithm], *rest))
    assert verdict(risk_growth.labels, LABELS, 20) == "fails"


def test_the_averaged_variation_is_as_small_as_theorem_6_says() -> None:
    assert verdict(risk_growth.theorem_6, SIX, 20) == "holds"


def test_the_sample_size_is_the_least() -> None:
    horizon = risk_growth.sample_size(4, 0.5, 0.2)
    ratios = [
        NoisyCoordinate(4, PureDP(0.5, "local"), horizon=int(factor * horizon)).risk_bound
        / (2 * factor * horizon)
        for factor in (1, 0.99)
    ]
    assert math.sqrt(ratios[0]) <= 0.2 < math.sqrt(ratios[1])


@pytest.mark.parametrize("factor", [1e-5, 1e3])
def test_other_sample_sizes_are_caught(factor: float, put: Any) -> None:
    size = risk_growth.sample_size
    put(risk_growth, "sample_size", lambda *arguments: int(factor * size(*arguments)))
    assert verdict(risk_growth.theorem_6, SIX | {"K": [8]}, 40) == "fails"


def test_twice_the_variation_breaks_pinsker_s_inequality(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_run, "total_variation", lambda p, q: 2 * total_variation(p, q))
    points = [
        point
        for point in risk_growth.theorem_6(SIX, 20, SEED)
        if point.where["quantity"] == "TV - sqrt(KL / 2)"
    ]
    assert decide(points) == "fails"


VARIATION = {
    "T": {"subset selection": [3000], "Hadamard response": [10**6]},
    "K": [8],
    "eps": [1.0],
    "apart": [4.0],
}


def test_the_total_variation_of_posteriors_of_sets_and_signs_is_under_its_bound() -> None:
    points = risk_growth.subset_variation(VARIATION, 40, SEED)
    assert decide(points) == "holds"
    assert all(point.lazy_fails and 0.3 < point.notes["share_of_bound"] < 0.8 for point in points)


def test_a_total_variation_that_is_not_learnt_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_mixture, "WeightedMajority", Stubborn)
    assert caught(lambda: risk_growth.subset_variation(VARIATION, 20, SEED))
