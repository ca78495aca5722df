"""Exponentials, turns and logarithms of floats are as near to balls as they say, and hardly nearer."""

from typing import Any

import numpy as np
import pytest

from private_experts.replication.balls.balls import ball, exp, log, precision, upper
from private_experts.replication.balls.elementary import EXP_STEPS, TURNED, exps, logs, turns
from private_experts.replication.balls.sums import gamma
from tests.each import each

RNG = np.random.default_rng(1)
NEAR_0 = RNG.uniform(-0.03, 0.03, 500)
EDGES = [0.0, 1.0, -700.0, 1 / 128, -1 / 128, -3 / 128, 5e-324]
EXPONENTS = np.concatenate([RNG.uniform(-40, 1, 1000), NEAR_0, EDGES])
ANGLES = np.concatenate([RNG.uniform(-TURNED, TURNED, 1000), NEAR_0, [0.0, 16.0, -16.0]])
NEAR_1 = 1 + RNG.uniform(-0.02, 0.02, 500)
NUMBERS = np.concatenate([np.exp(RNG.uniform(-40, 40, 1000)), NEAR_1, [1.0, 0.5, 2.0, 1e-300]])


def of_turn(found: complex, x: float) -> Any:
    return abs(found.real - ball(x).cos()) + abs(found.imag - ball(x).sin())


@each(
    ("function", "given", "error"),
    [(exps, EXPONENTS, lambda found, x: abs(found / exp(ball(x)) - 1)), (turns, ANGLES, of_turn)],
)
def test_exponentials_and_turns_are_within_their_error(function: Any, given: Any, error: Any) -> None:
    with precision():
        errors = [error(found, x) for found, x in zip(function(given).tolist(), given.tolist(), strict=True)]
        assert all(one <= gamma(EXP_STEPS) for one in errors)
        assert max(map(upper, errors)) > 2.0**-53  # so a bound of half a unit would be wrong


@each("given", [NUMBERS, NEAR_1])
def test_logarithms_are_within_their_error(given: Any) -> None:
    found, off = logs(given)
    with precision():
        assert all(abs(one - log(ball(x))) <= off for one, x in zip(found.tolist(), given, strict=True))
    assert given is NUMBERS or off <= 1.2e-15


@each(
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
