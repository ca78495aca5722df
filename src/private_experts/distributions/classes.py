"""Classes of distributions to learn, and sequences of features. [mathematics/003.md#classes]"""

import math
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from private_experts.errors import InputError

Array = NDArray[np.float64]


def hadamard(size: int) -> NDArray[np.int64]:
    """Return Sylvester's Hadamard matrix, whose entries are 1 and -1; `size` is a power of two."""
    if size < 1 or size & (size - 1):
        raise InputError(f"Hadamard matrix of size {size}: write a power of two")
    bits = np.arange(size)
    return 1 - 2 * (np.bitwise_count(bits[:, None] & bits).astype(np.int64) % 2)


def tilted(experts: int, amplitude: float) -> Array:
    """Return K distributions ``(1 - amplitude H_i) / N`` over N labels, where H_i are rows of a Hadamard matrix.

    N is the least power of two above K. Any two of the distributions are equally far apart.

    Parameters
    ----------
    amplitude : float
        From -1 to 1; 1 gives the distributions p_{i,1} of the lower bound.
    """
    if not abs(amplitude) <= 1:
        raise InputError(f"amplitude {amplitude}: write a number from -1 to 1")
    size = 1 << experts.bit_length()
    return (1 - amplitude * hadamard(size)[1 : experts + 1]) / size


def lower_bound_class(pairs: int, gap: float) -> Array:
    """Return the class of the lower bound, shape (2 pairs, N): p_{1,1}, p_{1,2}, p_{2,1}, ... [003, equation 16]

    ``p_{i,1}`` is uniform where ``H_i = -1``, and ``p_{i,2} = p_{i,1} + gap H_i / N``. These are distributions for gaps
    from 0 to 2. [mathematics/003.md#hadamard-class]
    """
    if not 0 <= gap <= 2:
        raise InputError(f"gap {gap}: write a number from 0 to 2")
    return np.stack([tilted(pairs, 1.0), tilted(pairs, 1.0 - gap)], axis=1).reshape(2 * pairs, -1)


def lower_bound_gap(pairs: int, horizon: int, epsilon: float) -> float:
    """Return the gap ``a = sqrt(K / (9 T m e^epsilon))`` for K pairs, with ``m = min((e^epsilon - 1)^2, 1)``.

    [003, equation 16] [mathematics/003.md#lower-bound-chain]
    """
    return math.sqrt(pairs / (9 * horizon * min(math.expm1(epsilon) ** 2, 1.0) * math.exp(epsilon)))


def needle(experts: int, amplitude: float) -> Array:
    """Return K distributions over 2 labels. The first one leans one way and all others the other way."""
    if not abs(amplitude) <= 1:
        raise InputError(f"amplitude {amplitude}: write a number from -1 to 1")
    lean = np.where(np.arange(experts) == 0, amplitude, -amplitude)
    return np.stack([1 + lean, 1 - lean], axis=1) / 2


def packed(experts: int, parts: int, excess: float = 1e-3) -> Array:
    """Return K distributions on disjoint sets of labels, whose clipping takes nearly the largest number of cells.

    Each distribution has `parts` labels. All but one of them are slightly likelier than 1 / `parts`, so rounding up
    costs each of them one more cell. With ``M = K parts`` labels this makes ``(K + 1) M - K`` cells.
    [mathematics/003.md#equation-7]
    """
    if parts < 1 or not 0 < excess * parts < 1:
        raise InputError(f"{parts} parts, excess {excess}: write at least 1 part, and an excess below 1 / parts")
    own = np.full(parts, (1 + excess) / parts)
    own[-1] = 1 - own[:-1].sum()
    return np.kron(np.eye(experts), own)


def dirichlet(experts: int, labels: int, concentration: float, rng: np.random.Generator) -> Array:
    """Return K independent Dirichlet distributions over M labels."""
    return rng.dirichlet(np.full(labels, concentration), size=experts)


def split_labels(classes: Array, parts: int) -> Array:
    """Split each label into equally likely parts: more labels, but nothing new to learn. [mathematics/003.md#labels]"""
    return np.repeat(classes / parts, parts, axis=-1)


def _constant(classes: Array, horizon: int, rng: np.random.Generator) -> Array:
    return np.broadcast_to(classes, (horizon, *classes.shape))


def _permuted(classes: Array, horizon: int, rng: np.random.Generator) -> Array:
    order = rng.random((horizon, classes.shape[-1])).argsort(axis=-1)
    return np.take_along_axis(_constant(classes, horizon, rng), order[:, None, :], axis=-1)


def _late(classes: Array, horizon: int, rng: np.random.Generator) -> Array:
    together = np.broadcast_to(classes[:1], classes.shape)
    return np.where(np.arange(horizon)[:, None, None] < horizon // 2, together, classes)


def _one_by_one(classes: Array, horizon: int, rng: np.random.Generator) -> Array:
    differs = np.arange(len(classes)) == 1 + np.arange(horizon)[:, None] % max(len(classes) - 1, 1)
    return np.where(differs[:, :, None], classes, classes[0])


FEATURES: Mapping[str, Callable[[Array, int, np.random.Generator], Array]] = {
    "constant": _constant,
    "permuted": _permuted,
    "late": _late,
    "one-by-one": _one_by_one,
}
"""Sequences of features. Each maps a class (K, M), whose first row is the truth, to T classes (T, K, M).

``constant``: one feature. ``permuted``: each round permutes the labels. ``late``: in the first half all distributions
agree with the truth. ``one-by-one``: in each round only one distribution differs from the truth.
"""
