"""The exact privacy of Algorithm 1's vector: by integration for one class, by composition for all."""

import math
from collections.abc import Callable
from functools import reduce
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from private_experts.arrays import Array
from private_experts.distribution_learning.clipping import clip
from private_experts.errors import InputError
from private_experts.validation import checked_number, whole


def delta_bounds(mechanisms: int, shift: float, epsilon: float, steps: int = 2000) -> tuple[float, float]:
    """Return bounds on the delta of K Laplace mechanisms of sensitivity `shift` noise scales, by convolution."""
    mechanisms = whole(mechanisms, "vector privacy", "mechanisms")
    steps = whole(steps, "vector privacy", "steps")
    shift = checked_number("shift", shift, 0, ends=False)
    edges = np.linspace(-shift, shift, steps + 1)
    at_least = 1 - np.exp(-(shift - edges) / 2) / 2  # P(loss >= edge) inside; the atom at -shift is below
    inner = at_least[:-1] - at_least[1:]
    down, up = np.zeros(steps + 1), np.zeros(steps + 1)
    down[:-1], up[1:] = inner, inner
    for masses in (down, up):
        masses[0] += math.exp(-shift) / 2
        masses[-1] += 0.5
    size = mechanisms * steps + 1
    length = 1 << size.bit_length()
    loss = -mechanisms * shift + 2 * shift / steps * np.arange(size)
    gain = np.maximum(-np.expm1(np.minimum(epsilon - loss, 0.0)), 0.0)
    low, high = (
        float(np.fft.irfft(np.fft.rfft(masses, length) ** mechanisms, length)[:size] @ gain) for masses in (down, up)
    )
    return low, high


def coordinates(classes: ArrayLike, horizon: int, noise: float, parts: int) -> tuple[Array, Array]:
    """Return the densities of Algorithm 1's report at nodes of a product quadrature, and the weights of the nodes.

    Between neighbouring log-likelihoods each coordinate has Gauss-Legendre nodes. Beyond the outermost ones all
    densities fall alike, so that one node with the weight of a noise scale integrates the tail exactly. Densities have
    shape (M, nodes), and sums with the weights (nodes,) are integrals. The nodes grow like a power K, so K is at most
    3. [mathematics/003.md#vector-privacy]
    """
    noise = checked_number("noise", noise, 0, ends=False)
    parts = whole(parts, "vector privacy", "parts")
    clipped = clip(classes, horizon)
    centres = np.log(clipped.values)
    if len(centres) > 3:
        raise InputError(f"{len(centres)} distributions: the quadrature is for at most 3")
    used = clipped.sizes > 0
    distinct, number = np.unique(centres[:, used].round(12), axis=1, return_inverse=True)
    owners = clipped.owners[:, used] @ np.equal(number.reshape(-1, 1), np.arange(distinct.shape[1]))
    nodes, weights = np.polynomial.legendre.leggauss(6)
    kernels, products = [], []
    for centre in distinct:
        cuts = np.unique(centre)
        ends = np.concatenate([np.linspace(*pair, parts, endpoint=False) for pair in pairwise(cuts)])
        ends = np.append(ends, cuts[-1])
        half = np.diff(ends)[:, None] / 2
        z = np.concatenate([cuts[:1], (ends[:-1, None] + half * (1 + nodes)).ravel(), cuts[-1:]])
        products.append(np.concatenate([[noise], (half * weights).ravel(), [noise]]))
        kernels.append(np.exp(-np.abs(z[:, None] - centre) / noise) / (2 * noise))
    joint = reduce(lambda left, right: (left[:, None] * right).reshape(-1, right.shape[1]), kernels)
    return owners @ joint.T, reduce(lambda left, right: np.outer(left, right).ravel(), products)


def delta_at(densities: Array, weights: Array, epsilon: float) -> float:
    """Return the largest ``int (q_y - e^epsilon q_y')_+`` over pairs of labels, for what `coordinates` returns."""
    rows = np.unique(densities, axis=0)
    excess = [np.maximum(each - math.exp(epsilon) * rows, 0.0) @ weights for each in rows]
    return float(np.max(excess))


def level_at(delta_of: Callable[[float], float], delta: float, most: float) -> float:
    """Return the least epsilon up to `most` at which ``delta_of(epsilon)`` is at most delta, by bisection."""
    low, high = 0.0, most
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if delta_of(middle) <= delta else (middle, high)
    return high
