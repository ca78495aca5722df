"""Classes of distributions to learn. [mathematics/003.md#classes]"""

import math

import numpy as np

from private_experts.arrays import Array
from private_experts.distribution_learning.hadamard_response import hadamard
from private_experts.validation import checked_number, plain_numbers, whole


def tilted(experts: int, amplitude: float) -> Array:
    """Return K distributions ``(1 - amplitude H_i) / N`` over N labels, with Hadamard rows H_i."""
    experts = whole(experts, "class", "experts")
    amplitude = checked_number("amplitude", amplitude, -1, 1)
    size = 1 << int(experts).bit_length()
    # The first row is constant, and would make no distribution but the uniform one.
    return (1 - amplitude * hadamard(size)[1 : experts + 1]) / size


def lower_bound_class(pairs: int, gap: float) -> Array:
    """Return the class of the lower bound: p_{1,1}, p_{1,2}, p_{2,1}, ... [003, equation 16]"""
    pairs = whole(pairs, "class", "pairs")
    gap = checked_number("gap", gap, 0, 2)
    return np.stack([tilted(pairs, 1.0), tilted(pairs, 1.0 - gap)], axis=1).reshape(2 * pairs, -1)


def lower_bound_gap(pairs: int, horizon: float, epsilon: float) -> float:
    """Return the gap ``a = sqrt(K / (9 T m e^epsilon))`` of K pairs; ``m = min((e^epsilon - 1)^2, 1)``."""
    pairs = whole(pairs, "class", "pairs")
    horizon = checked_number("horizon", horizon, 0, ends=False)
    epsilon = checked_number("privacy level epsilon", epsilon, 0, ends=False)
    return math.sqrt(pairs / (9 * horizon * min(math.expm1(epsilon) ** 2, 1.0) * math.exp(epsilon)))


def needle(experts: int, amplitude: float) -> Array:
    """Return K distributions over 2 labels. The first one leans one way and all others the other way."""
    experts = whole(experts, "class", "experts")
    amplitude = checked_number("amplitude", amplitude, -1, 1)
    lean = np.where(np.arange(experts) == 0, amplitude, -amplitude)
    return np.stack([1 + lean, 1 - lean], axis=1) / 2


@plain_numbers
def packed(experts: int, parts: int) -> Array:
    """Return K distributions on disjoint sets of labels, clipped to nearly the most cells: (K + 1) M - K."""
    experts = whole(experts, "class", "experts")
    parts = whole(parts, "class", "parts", most=999)
    # A little above 1 / parts, so that the ceiling gives one more cell to nearly every label.
    own = np.full(parts, (1 + 1e-3) / parts)
    own[-1] = 1 - own[:-1].sum()
    return np.kron(np.eye(experts), own)


def dirichlet(experts: int, labels: int, concentration: float, rng: np.random.Generator) -> Array:
    """Return K independent Dirichlet distributions over M labels. [mathematics/003.md#classes]"""
    experts = whole(experts, "class", "experts", least=0)
    labels = whole(labels, "class", "labels")
    concentration = checked_number("concentration", concentration, 0, ends=False)
    return rng.dirichlet(np.full(labels, concentration), size=experts)


def split_labels(classes: Array, parts: int) -> Array:
    """Split labels into equal parts: more labels, nothing new to learn. [mathematics/003.md#labels]"""
    parts = whole(parts, "class", "parts")
    return np.repeat(classes / parts, parts, axis=-1)
