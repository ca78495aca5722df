"""Levels count every expert, column, draw and round of large games."""

import math

import numpy as np
import pytest

from private_experts.algorithms import NoisyFixedShare, PoolParameters, SwitchingSoftmax
from private_experts.algorithms.pool_parameters import pool_epsilon
from private_experts.errors import InputError
from private_experts.privacy import GaussianDP, PureDP
from private_experts.privacy.factorization import checked_strategy
from private_experts.privacy.guarantees import of_experts
from private_experts.private_oco.gaussian_levels import Steps, lottery_level


def test_experts_columns_draws_and_rounds_are_counted_however_many_they_are():
    assert of_experts(GaussianDP(0.5, "central"), 400).mu == pytest.approx(10)
    for guarantee, reach in ((PureDP(2.0, "central"), 400.0), (GaussianDP(2.0, "central"), 20.0)):
        share = NoisyFixedShare(400, guarantee, horizon=3, switches=0, eta=0.5, rng=0)
        np.testing.assert_allclose(share._scales, 0.5 * reach / 2)
    softmax = SwitchingSoftmax(2, PureDP(1.0, "central"), horizon=10**5 + 1, switches=1, rng=0)
    assert softmax.rate == pytest.approx(0.5e-5, rel=1e-9)
    parameters = PoolParameters(1e-3, 2, (2.0,) * 40, 1.0)
    assert pool_epsilon(parameters, 20_000) == pytest.approx(2e-3 * 40 * 9999 + 40 / 2)
    few, many = (PoolParameters(1e-3, 2, scales, 1.0, 5) for scales in ((1.0,) * 10, (2.0,) * 40))
    assert pool_epsilon(many, 100, 1e-6) == pytest.approx(
        pool_epsilon(few, 100, 1e-6)
    )  # by squares of scales
    levels = lottery_level(0.3, 0.01)
    level = Steps(0.0, 0.01, 0.0).level(10**6 + 2, 0.0, 0.3, math.inf)
    assert level == pytest.approx(1000 * levels)
    for row in (80, 99):
        late = np.eye(100)
        late[99, row] = 1.0 if row < 99 else 1.1
        with pytest.raises(InputError, match="so a datum would cost more than mu"):
            checked_strategy(late)
        with pytest.raises(InputError, match="past data only"):
            checked_strategy(np.eye(100) + 0.1 * np.eye(100, k=1) * (np.arange(100) == 98)[:, None])
