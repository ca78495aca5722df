"""The integral for delta, against Gaussians and against enumerated paths."""

import numpy as np
import pytest

from private_experts.convex.domains import Box
from private_experts.convex.exact_delta import delta, epsilon, every_round_moments, play_moments
from private_experts.convex.gibbs import GridGibbs
from private_experts.convex.losses import LOSSES
from private_experts.convex.paths import path_laws
from private_experts.errors import InputError
from private_experts.privacy import gaussian_mechanism
from private_experts.randomness import rng_for
from tests.each import each

FAMILY = GridGibbs(Box((-0.5,), (0.5,)).grid(4), beta=3.0, lam=4.0)
LOSS = LOSSES["linear"](FAMILY, 5, 1.0, rng_for(0, "exact delta"))
LAWS, OTHERS = FAMILY.laws(LOSS), FAMILY.laws(np.concatenate([-LOSS[:1], LOSS[1:]]))


@each("mu", [1e-3, 0.2, 2.0, 8.0])
def test_a_gaussian_has_its_own_delta_and_epsilon(mu):
    def moments(s):
        return np.exp(s * (s + 1) * mu**2 / 2)

    for level in (0.0, mu, 3 * mu):
        assert delta(moments, level) == pytest.approx(float(gaussian_mechanism.delta(level, mu)), rel=1e-6)
    assert epsilon(moments, 1e-6) == pytest.approx(float(gaussian_mechanism.epsilon(1e-6, mu)), rel=1e-5)


@each(("log_phi", "p"), [(0.2, 0.1), (0.05, 0.5)])
def test_moments_of_plays_are_those_of_the_enumerated_paths(log_phi, p):
    one, two = path_laws(np.stack([LAWS, OTHERS]), log_phi, p)[0]
    s = np.array([0.3, 2.0, 1.0 + 5.0j])
    expected = [(one ** (1 + each) * two**-each).sum() for each in s]
    np.testing.assert_allclose(play_moments(LAWS, OTHERS, log_phi, p)(s), expected, rtol=1e-10)


def test_moments_of_fresh_draws_are_products():
    s = np.array([0.3, 2.0, 1.0 + 5.0j])
    expected = np.prod(
        [[(np.exp(a) ** (1 + x) * np.exp(b) ** -x).sum() for a, b in zip(LAWS, OTHERS, strict=True)] for x in s], axis=1
    )
    np.testing.assert_allclose(every_round_moments(LAWS, OTHERS)(s), expected, rtol=1e-12)
    np.testing.assert_allclose(play_moments(LAWS, OTHERS, 0.1, 1 - 1e-12)(s), expected, rtol=1e-9)


def test_a_loss_with_few_values_and_p_at_its_ends_are_refused():
    with pytest.raises(InputError, match="do not fall off"):
        delta(lambda s: np.exp(0.3 * s), 0.1)
    for p in (0.0, 1.0):
        with pytest.raises(InputError, match="between 0 and 1"):
            play_moments(LAWS, OTHERS, 0.2, p)
