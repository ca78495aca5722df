"""RW-Meta with the study's learners: as it is made by hand, in any unit, and saved."""

from pathlib import Path

import numpy as np
import pytest
import yaml

from private_experts import (
    GaussianDP,
    InputError,
    LinearFilters,
    RWMeta,
    SimulatedNoise,
    TotalsLeader,
    TrendMeta,
    play,
    privatize,
    trend_weights,
)
from private_experts.games.trend_meta import STUDY
from private_experts.randomness import rng_for
from tests.each import each

LOCAL = GaussianDP(1.0, "local")
GAINS = rng_for(0, "gains").random((40, 3)) * np.linspace(0.5, 1.0, 40)[:, None]


def meta(bounds: tuple[float, float] | None = None, sensitivity: float = 0.2) -> TrendMeta:
    noise = SimulatedNoise(1)
    return TrendMeta(3, LOCAL, sensitivity=sensitivity, noise=noise, rng=2, repetitions=4, bounds=bounds)


def test_its_learners_are_those_of_the_study() -> None:
    config = yaml.safe_load((Path(__file__).parents[2] / "config/study.yaml").read_text(encoding="utf-8"))
    learners = config["learners"]
    assert learners["family"] == "trend"
    assert tuple((w, s) for w in learners["windows"] for s in learners["strengths"].values()) == STUDY
    assert meta().get_params()["settings"] == STUDY


def test_it_plays_as_one_that_is_made_by_hand() -> None:
    noise = SimulatedNoise(1)
    first = privatize(np.zeros(3), LOCAL, 0.2, noise, repetitions=4)
    learners = [LinearFilters(trend_weights, STUDY, first), TotalsLeader(first)]
    expected = play(
        RWMeta(learners, LOCAL, rng=rng_for(2, "RW-Meta")), GAINS, sensitivity=0.2, noise=SimulatedNoise(3)
    )
    np.testing.assert_array_equal(play(meta(), GAINS, noise=SimulatedNoise(3)), expected)


@each("losses", [False, True])
def test_it_plays_alike_in_another_unit_in_which_its_sensitivity_is_stated(losses: bool) -> None:
    expected = play(meta(), GAINS, noise=SimulatedNoise(3))
    other = meta(bounds=(10.0, 60.0), sensitivity=50 * 0.2)
    data = 10 + 50 * (1 - GAINS if losses else GAINS)
    played = play(other, data, noise=SimulatedNoise(3), losses=losses)
    assert (played == expected).mean() > 0.99  # last bits of the data differ
    assert str(other.guarantee) == "1-GDP (local, simulated noise)"


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"^play: bounds = \(0, 2\), and the sensitivity of TrendMeta is for"
    ):
        play(meta(), GAINS, noise=SimulatedNoise(3), bounds=(0, 2))
    with pytest.raises(InputError, match=r"^play: TrendMeta is made for a sensitivity of 0\.2"):
        play(meta(), GAINS, noise=SimulatedNoise(3), sensitivity=0.1)
    with pytest.raises(InputError, match=r"^TrendMeta: 1-GDP \(central\) was asked for; write GaussianDP"):
        TrendMeta(3, GaussianDP(1.0, "central"), sensitivity=0.2, noise=SimulatedNoise(1), rng=2)
    with pytest.raises(InputError, match=r"^TrendMeta: n = 0: write a whole number"):
        TrendMeta(0, LOCAL, sensitivity=0.2, noise=SimulatedNoise(1), rng=2)
