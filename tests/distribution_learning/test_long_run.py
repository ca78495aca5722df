"""Games simulated without playing each round have the same risk as games played round by round."""

import numpy as np
import pytest

from private_experts.distribution_learning import (
    CentredCoordinate,
    HadamardResponse,
    NoisyCoordinate,
    NoisyVector,
    RandomizedResponse,
    ResponsePosterior,
    SignDesign,
    SubsetSelection,
    label_sets,
    play_labels,
    play_long,
)
from private_experts.distribution_learning.clipping import clip
from private_experts.distribution_learning.risk import kl
from private_experts.privacy.guarantees import ApproximateDP, PureDP
from private_experts.randomness import rng_for
from private_experts.replication.papers.p003.classes import needle, tilted
from tests.each import each

HORIZON, REPETITIONS = 150, 1600
MECHANISMS = {
    "algorithm 1": NoisyVector(3, ApproximateDP(3000.0, 1e-5, "local"), horizon=HORIZON),
    "algorithm 2": NoisyCoordinate(3, PureDP(100.0, "local"), horizon=HORIZON),
    "centred reports": CentredCoordinate(3, PureDP(20.0, "local"), horizon=HORIZON),
    "randomised response": RandomizedResponse(3, PureDP(2.0, "local"), labels=4, horizon=HORIZON),
    "posterior": ResponsePosterior(3, PureDP(0.6, "local"), labels=4, horizon=HORIZON),
    "subset selection": SubsetSelection(3, PureDP(0.6, "local"), labels=4, horizon=HORIZON),
    "Hadamard response": HadamardResponse(3, PureDP(0.6, "local"), labels=4, horizon=HORIZON),
    "sign design": SignDesign(3, PureDP(0.6, "local"), labels=4, horizon=HORIZON),
}


@each("name", MECHANISMS)
def test_the_risk_is_that_of_playing_all_rounds(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_sets, "_AT_ONCE", 2**16)  # many parts of a large run
    mechanism, f = MECHANISMS[name], tilted(3, 0.8)
    rng = rng_for(0, "long run", name)
    rounds = play_labels(
        mechanism, np.broadcast_to(f, (HORIZON, *f.shape)), truth=0, repetitions=REPETITIONS, rng=rng
    )
    at_once = play_long(mechanism, f, truth=0, repetitions=REPETITIONS, rng=rng, strata=12)
    never = HORIZON * float(kl(f[0], clip(f, HORIZON).predict(np.full((1, 3), 1 / 3))[0]))
    for played, drawn in zip(rounds, at_once, strict=True):
        error = np.sqrt((played.var() + drawn.var()) / REPETITIONS)
        assert abs(played.mean() - drawn.mean()) < 5 * error  # a false alarm below 1e-5 in all
        assert error < 0.03 * played.mean()
    assert rounds.kl.mean() < 0.8 * never  # something is learnt, so the comparison is not trivial


def test_every_round_in_a_stratum_of_its_own_leaves_no_choice() -> None:
    mechanism, f = NoisyCoordinate(2, PureDP(1.0, "local"), horizon=8), needle(2, 0.5)
    risk = play_long(mechanism, f, truth=0, repetitions=3, rng=rng_for(0, "strata"), strata=1000)
    assert risk.kl.shape == risk.variation.shape == (3,)
    assert (risk.kl > 0).all()


def test_where_all_agree_the_risk_is_the_cost_of_clipping_whatever_is_reported() -> None:
    mechanism, f = NoisyCoordinate(3, PureDP(0.1, "local"), horizon=20), needle(3, 0.0)
    clipped = clip(f, 20).predict(np.full((1, 3), 1 / 3))[0]
    risk = play_long(mechanism, f, truth=0, repetitions=5, rng=rng_for(0, "agree"))
    np.testing.assert_allclose(risk.kl, 20 * kl(f[0], clipped), rtol=1e-9, atol=1e-12)


def test_another_power_of_the_strata_has_the_same_mean() -> None:
    mechanism, f = NoisyCoordinate(3, PureDP(100.0, "local"), horizon=HORIZON), tilted(3, 0.8)
    many = {"repetitions": REPETITIONS, "strata": 12}
    three, six = (
        play_long(mechanism, f, truth=0, rng=rng_for(0, "power", power), power=power, **many).kl
        for power in (3, 6)
    )
    # Five standard errors: a false alarm below 1e-6.
    assert abs(three.mean() - six.mean()) < 5 * np.sqrt((three.var() + six.var()) / REPETITIONS)
