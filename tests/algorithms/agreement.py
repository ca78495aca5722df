"""The variants of RW-Meta, and the covariances of its learners' noise entry by entry."""

import itertools

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from private_experts.algorithms import Decorrelation
from private_experts.privacy import GaussianDP
from private_experts.randomness import rng_for
from tests.each import each

LOCAL = GaussianDP(1.0, "local")
FALSE_ALARM = 1e-6  # of each statistical test; seeds are fixed

PAPER = Decorrelation(floor=True)
NO_FLOOR = Decorrelation(floor=False)
CENTRED = Decorrelation(floor=False, projection="centred")
CENTRED_FLOOR = Decorrelation(floor=True, projection="centred")
VARIANTS = {"paper": PAPER, "no floor": NO_FLOOR, "centred": CENTRED, "centred floor": CENTRED_FLOOR}
every_variant = each("decorrelation", VARIANTS.values())


def rng(*key):
    return rng_for(0, "test rw-meta", *key)


def dense_sigma(actions, scales):
    """sum_t eta_t^2 X_t X_t' from the actions (T, m) of one repetition, entry by entry."""
    m = actions.shape[1]
    sigma = np.zeros((m, m))
    for row, scale in zip(actions, scales, strict=True):
        for i, j in itertools.product(range(m), repeat=2):
            if row[i] == row[j]:
                sigma[i, j] += scale**2
    return sigma


def dense_less_shift(sigma, projection):
    m = len(sigma)
    ones = np.ones((m, 1))
    if projection == "sigma-star":
        return sigma - (ones.T @ sigma @ ones).item() / m**2 * (ones @ ones.T)
    P = np.eye(m) - ones @ ones.T / m
    return P @ sigma @ P


def dense_level(sigma, decorrelation, t):
    top = np.linalg.eigvalsh(dense_less_shift(sigma, decorrelation.projection))[-1]
    return max(top, 2 * t if decorrelation.floor else 0.0)


def cliques(*sizes):
    """Learners that agree within each clique and never across."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return (labels[:, None] == labels).astype(float)


@st.composite
def sigmas(draw):
    """Covariances that can arise: some rounds of actions, each with a scale of its own."""
    shape = draw(hnp.array_shapes(min_dims=2, max_dims=2, max_side=7))
    actions = draw(hnp.arrays(np.int64, shape, elements=st.integers(0, 3)))
    scales = draw(st.lists(st.floats(0.1, 10), min_size=shape[0], max_size=shape[0]))
    return dense_sigma(actions, scales)


NAMED = [cliques(6), cliques(3, 3), cliques(5, 1), cliques(1, 1, 1, 1), cliques(99, 1), cliques(4, 3, 2), cliques(1)]
