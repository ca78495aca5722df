"""The checks of rates reach the expected verdict on a small grid, and another one on a mutant."""

import math

from private_experts.distribution_learning import long_run
from private_experts.distribution_learning.pure import NoisyCoordinate
from private_experts.privacy.guarantees import PureDP
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p003 import risk_growth
from tests.each import each
from tests.replication.papers.caught import caught
from tests.replication.papers.p003.wrong_learners import nothing_learnt
from tests.replication.papers.small_checks import SEED, failing, verdict, wrong

ATTAINED = {"algorithm": ["algorithm 1", "algorithm 2"], "class": ["needle 0.9"], "K": [32], "T": [10**12]}
ATTAINED |= {"eps": [1.0], "share": 0.15}
LABELS = {"K": 4, "amplitude": 0.9, "T": 10**10, "eps": 1.0, "M": [8, 128]}
LABELS |= {"slopes": {"algorithm 2": [-0.15, 0.15], "randomised response": [0.75, 1.25]}}
SIX = {"K": [2], "eps": [1.0], "alpha": [0.4], "amplitude": [0.1, 0.9]}
VARIATION = {"T": {"subset selection": [3000], "Hadamard response": [10**6]}, "K": [8], "eps": [1.0]}
VARIATION |= {"apart": [4.0]}


@each(
    ("check", "grid"),
    [
        (risk_growth.bound_attained, ATTAINED),
        (risk_growth.labels, LABELS),
        (risk_growth.theorem_6, SIX),  # the averaged variation
    ],
)
def test_bounds_are_attained_and_labels_matter_to_randomised_response_alone(check, grid) -> None:
    assert verdict(check, grid, 20) == "holds"


class Faster(NoisyCoordinate):
    """Has four times the learning rate of the bound."""

    @property
    def learning_rate(self) -> float:
        return 4 * super().learning_rate


def faster(right, algorithm, experts, labels, horizon, epsilon):
    return Faster(experts, PureDP(epsilon, "local"), horizon=horizon)


def exchanged(right, algorithm, *game):
    other = {"algorithm 2": "randomised response", "randomised response": "algorithm 2"}
    return right(other[algorithm], *game)


@each(
    ("name", "mutant", "check", "grid", "repetitions"),
    [
        ("mechanism_of", faster, risk_growth.bound_attained, ATTAINED, 20),
        ("mechanism_of", exchanged, risk_growth.labels, LABELS, 20),
        (
            "sample_size",
            lambda right, *game: int(1e-5 * right(*game)),
            risk_growth.theorem_6,
            SIX | {"K": [8]},
            40,
        ),
        (
            "sample_size",
            lambda right, *game: int(1e3 * right(*game)),
            risk_growth.theorem_6,
            SIX | {"K": [8]},
            40,
        ),
    ],
)
def test_other_learners_and_sample_sizes_are_caught(name, mutant, check, grid, repetitions) -> None:
    with wrong(risk_growth, name, mutant):
        assert verdict(check, grid, repetitions) == "fails"


def test_the_sample_size_is_the_least() -> None:
    horizon = risk_growth.sample_size(4, 0.5, 0.2)
    games = [NoisyCoordinate(4, PureDP(0.5, "local"), horizon=int(share * horizon)) for share in (1, 0.99)]
    enough, fewer = (math.sqrt(game.risk_bound / (2 * game.horizon)) for game in games)
    assert enough <= 0.2 < fewer


def test_twice_the_variation_breaks_pinsker_s_inequality() -> None:
    with wrong(long_run, "total_variation", 2.0):
        assert "TV - sqrt(KL / 2)" in failing(risk_growth.theorem_6(SIX, 20, SEED), "quantity")


def test_the_total_variation_of_posteriors_of_sets_and_signs_is_under_its_bound() -> None:
    points = risk_growth.subset_variation(VARIATION, 40, SEED)
    assert decide(points) == "holds"
    assert all(point.lazy_fails and 0.3 < point.notes["share_of_bound"] < 0.8 for point in points)
    with nothing_learnt():
        assert caught(lambda: risk_growth.subset_variation(VARIATION, 20, SEED))
