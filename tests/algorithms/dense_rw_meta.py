"""The variants of RW-Meta, and its matrices computed entry by entry."""

import itertools

import numpy as np

from private_experts.algorithms import Decorrelation
from private_experts.privacy import GaussianDP
from private_experts.randomness import rng_for
from tests.each import each

LOCAL = GaussianDP(1.0, "local")
FALSE_ALARM = 1e-6  # of each statistical test; seeds are fixed

PAPER = Decorrelation()
NO_FLOOR = Decorrelation(floor=0)
CENTRED = Decorrelation(floor=0, projection="centred")
CENTRED_FLOOR = Decorrelation(projection="centred")
VARIANTS = {"paper": PAPER, "no floor": NO_FLOOR, "centred": CENTRED, "centred floor": CENTRED_FLOOR}
every_variant = each("decorrelation", VARIANTS.values())


def rng(*key):
    return rng_for(0, "test rw-meta", *key)


def dense_sigma(actions, scales):
    """sum_t eta_t^2 X_t X_t' from a repetition's actions (T, m), by entry; a round has a scale or many."""
    m = actions.shape[1]
    sigma = np.zeros((m, m))
    for row, scale in zip(actions, scales, strict=True):
        variances = np.broadcast_to(np.square(scale), (max(np.size(scale), np.max(actions) + 1),))
        for i, j in itertools.product(range(m), repeat=2):
            if row[i] == row[j]:
                sigma[i, j] += variances[row[i]]
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
