"""From log-likelihoods to losses in [0, 1]."""

import math
from typing import Any

import numpy as np
import pytest

from private_experts.distribution_learning.scaling import Scaling
from private_experts.errors import InputError
from private_experts.randomness import rng_for
from tests.each import each


@each("gamma", [None, 2.5])
def test_the_constants_are_those_of_the_paper(gamma: float | None) -> None:
    scaling = Scaling(4, horizon=50, level=0.5, span="printed", gamma=gamma)
    given = math.log(50) if gamma is None else gamma
    noise = math.log(200) / 0.5
    shift = noise * (given + math.log(4) + math.log(50))
    assert scaling.noise == pytest.approx(noise, rel=1e-15)
    assert scaling.shift == pytest.approx(shift, rel=1e-15)
    assert scaling.factor == pytest.approx(1 / (math.log(200) + 2 * shift), rel=1e-15)
    assert scaling.risk_bound(10.0) == pytest.approx(
        10 / scaling.factor + (3 + 50 * math.exp(-given)) * math.log(200), rel=1e-12
    )


def test_the_printed_span_is_too_small_for_its_level() -> None:
    assert Scaling(4, horizon=50, level=0.5).true_level == pytest.approx(0.5, rel=1e-15)
    printed = Scaling(4, horizon=50, level=0.5, span="printed").true_level
    assert printed == pytest.approx(0.5 * math.log(250) / math.log(200), rel=1e-15)


def test_losses_fill_the_unit_interval_just_when_noise_is_within_the_shift() -> None:
    scaling, labels = Scaling(4, horizon=50, level=0.5), 8
    highest, lowest = -math.log(labels), -math.log(labels) - scaling.width
    ends = [highest + scaling.shift, lowest - scaling.shift]
    np.testing.assert_allclose(scaling.losses(ends, labels), [0.0, 1.0], atol=1e-12)


def test_losses_of_many_rounds_are_their_sum() -> None:
    scaling, sums = Scaling(4, horizon=50, level=0.5), np.array([-2.0, -3.5, -1.0])
    assert scaling.losses(sums.sum(), 8, 3) == pytest.approx(scaling.losses(sums, 8).sum(), rel=1e-12)


@each("experts", [1, 100])
@each("span", ["proved", "printed"])
@each(("level", "horizon"), [(0.05, 2), (0.5, 50), (5.0, 10**9)])
def test_noise_has_its_scale_to_the_digit(experts: int, span: Any, level: float, horizon: int) -> None:
    scaling = Scaling(experts, horizon=horizon, level=level, span=span)
    noise, rounds, (one, other) = (
        math.log((experts + (span == "proved")) * horizon) / level,
        np.array([0, 1, 40, 10**6]),
        (rng_for(0, "digits") for _ in range(2)),
    )
    np.testing.assert_allclose(
        scaling.laplace(one, (3, experts)), noise * other.laplace(size=(3, experts)), rtol=1e-12
    )
    sums = other.standard_gamma(rounds) - other.standard_gamma(rounds)
    np.testing.assert_allclose(scaling.total_laplace(one, rounds), noise * sums, rtol=1e-12)


def test_no_privacy_is_no_noise() -> None:
    scaling = Scaling(2, horizon=10, level=math.inf)
    assert scaling.noise == scaling.shift == 0
    assert (scaling.laplace(rng_for(0, "none"), (3,)) == 0).all()


@each(
    ("wrong", "word"),
    [
        ({"experts": 0}, "experts"),
        ({"horizon": 1}, "horizon"),
        ({"level": 0.0}, "epsilon"),
        ({"span": "true"}, "span"),
        ({"gamma": math.nan}, "gamma"),
    ],
)
def test_bad_input_is_named(wrong: dict[str, Any], word: str) -> None:
    with pytest.raises(InputError, match=word):
        Scaling(**{"experts": 2, "horizon": 10, "level": 1.0} | wrong)
