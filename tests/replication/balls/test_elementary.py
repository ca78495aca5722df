"""Exponentials, turns and logarithms of floats are as near to balls as they say, and hardly nearer."""

from typing import Any

import numpy as np
import pytest

from private_experts.replication.balls.balls import ball, exp, log, precision, upper
from private_experts.replication.balls.elementary import EXP_STEPS, TURNED, exps, logs, turns
from private_experts.replication.balls.sums import gamma

RNG = np.random.default_rng(1)
EXPONENTS = np.concatenate(
    [
        RNG.uniform(-40, 1, 1000),
        RNG.uniform(-0.03, 0.03, 500),
        [0.0, 1.0, -700.0, 1 / 128, -1 / 128, -3 / 128, 5e-324],
    ]
)
NUMBERS = np.concatenate(
    [np.exp(RNG.uniform(-40, 40, 1000)), 1 + RNG.uniform(-0.02, 0.02, 500), [1.0, 0.5, 2.0, 1e-300]]
)


def test_exponentials_are_within_their_error() -> None:
    with precision():
        errors = [
            abs(found / exp(ball(x)) - 1)
            for found, x in zip(exps(EXPONENTS).tolist(), EXPONENTS, strict=True)
        ]
        assert all(error <= gamma(EXP_STEPS) for error in errors)
        assert max(map(upper, errors)) > 2.0**-53  # so a bound of half a unit would be wrong


def test_turns_are_within_their_error() -> None:
    angles = np.concatenate(
        [RNG.uniform(-TURNED, TURNED, 1000), RNG.uniform(-0.03, 0.03, 200), [0.0, 16.0, -16.0]]
    )
    with precision():
        true = [(ball(x).cos(), ball(x).sin()) for x in angles.tolist()]
        errors = [
            abs(z.real - c) + abs(z.imag - s) for z, (c, s) in zip(turns(angles).tolist(), true, strict=True)
        ]
        assert all(error <= gamma(EXP_STEPS) for error in errors)
        assert max(map(upper, errors)) > 2.0**-53


def test_logarithms_are_within_their_error() -> None:
    found, off = logs(NUMBERS)
    near_one, less = logs(NUMBERS[1000:1500])
    with precision():
        assert all(abs(one - log(ball(x))) <= off for one, x in zip(found.tolist(), NUMBERS, strict=True))
        assert all(
            abs(one - log(ball(x))) <= less for one, x in zip(near_one.tolist(), NUMBERS[1000:], strict=False)
        )
    assert less <= 1.2e-15


@pytest.mark.parametrize(
    ("function", "beyond", "message"),
    [
        (exps, [1.1, -701.0, np.nan], "exponents from"),
        (turns, [16.1, -17.0, np.nan], "angles from"),
        (logs, [0.0, -1.0, np.inf, np.nan, 1e-305], "positive and normal"),
    ],
)
def test_numbers_beyond_a_table_are_refused(function: Any, beyond: list[float], message: str) -> None:
    for x in beyond:
        with pytest.raises(ValueError, match=message):
            function([1.0, x])
