"""Online gradient descent keeps its bound, and looks at nothing too early."""

import math

import numpy as np

from private_experts.private_oco.domains import Ball
from private_experts.private_oco.losses import random_slopes
from private_experts.private_oco.online_gradient import online_gradient_descent
from private_experts.randomness import rng_for
from tests.each import each

DISC = Ball(2, 0.5)


@each("kind", ["random", "constant", "alternating"])
def test_its_regret_is_at_most_g_d_sqrt_t(kind):
    slopes = random_slopes(200, 2, 3.0, rng_for(0, "test descent"))
    if kind == "constant":
        slopes[:] = slopes[0]
    elif kind == "alternating":
        slopes = slopes[0] * (-1.0) ** np.arange(200)[:, None]
    points = online_gradient_descent(slopes, DISC, 1.0 / (3.0 * math.sqrt(200)))
    regret = (slopes * points).sum() + 0.5 * np.linalg.norm(slopes.sum(axis=0))
    assert (np.linalg.norm(points, axis=1) <= 0.5 + 1e-12).all()
    assert -1e-9 <= regret <= 3.0 * math.sqrt(200)


def test_a_step_goes_against_the_last_slope():
    slopes = np.array([[1.0, 0.0], [0.0, -2.0], [5.0, 5.0]])
    np.testing.assert_allclose(online_gradient_descent(slopes, DISC, 0.1), [[0, 0], [-0.1, 0], [-0.1, 0.2]])
