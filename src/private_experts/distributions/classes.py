"""Classes of distributions to learn. [mathematics/003.md#classes]"""

import math

import numpy as np

from private_experts.arrays import Array, Ints
from private_experts.errors import InputError
from private_experts.validation import check_number, whole


def hadamard(size: int) -> Ints:
    """Return Sylvester's Hadamard matrix. [003, Appendix A] [mathematics/003.md#hadamard-class]

    Parameters
    ----------
    size : int
        A power of two.

    Returns
    -------
    ndarray of int, shape (size, size)
        Its entries are 1 and -1, and its rows are orthogonal.

    Raises
    ------
    InputError
        When `size` is not a power of two.

    Examples
    --------
    >>> from private_experts.distributions.classes import hadamard
    >>> hadamard(4).tolist()
    [[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]]
    """
    whole(size, "class", "size of a Hadamard matrix")
    if size & (size - 1):
        raise InputError(f"Hadamard matrix of size {size}: write a power of two")
    bits = np.arange(size)
    return np.asarray(1 - 2 * (np.bitwise_count(bits[:, None] & bits).astype(np.int64) % 2))


def tilted(experts: int, amplitude: float) -> Array:
    """Return K distributions ``(1 - amplitude H_i) / N`` over N labels, where H_i are rows of a Hadamard matrix.

    N is the least power of two above K. Any two of the distributions are equally far apart.
    [mathematics/003.md#classes]

    Parameters
    ----------
    experts : int
        Number of distributions K, at least 1.
    amplitude : float
        From -1 to 1; 1 gives the distributions p_{i,1} of the lower bound.

    Returns
    -------
    ndarray, shape (K, N)
        The distributions, one a row.

    Raises
    ------
    InputError
        When a number is out of its range.

    Examples
    --------
    >>> from private_experts.distributions.classes import tilted
    >>> tilted(2, 0.6).round(4).tolist()
    [[0.1, 0.4, 0.1, 0.4], [0.1, 0.1, 0.4, 0.4]]
    """
    whole(experts, "class", "experts")
    _amplitude(amplitude)
    size = 1 << int(experts).bit_length()
    return (1 - amplitude * hadamard(size)[1 : experts + 1]) / size


def lower_bound_class(pairs: int, gap: float) -> Array:
    """Return the class of the lower bound: p_{1,1}, p_{1,2}, p_{2,1}, ... [003, equation 16]

    ``p_{i,1}`` is uniform where ``H_i = -1``, and ``p_{i,2} = p_{i,1} + gap H_i / N``. These are distributions for gaps
    from 0 to 2. [mathematics/003.md#hadamard-class]

    Parameters
    ----------
    pairs : int
        Number K of pairs, at least 1. N is the least power of two above it.
    gap : float
        From 0 to 2.

    Returns
    -------
    ndarray, shape (2 pairs, N)
        The distributions, one a row.

    Raises
    ------
    InputError
        When a number is out of its range.

    Examples
    --------
    >>> from private_experts.distributions.classes import lower_bound_class
    >>> lower_bound_class(1, 0.5).tolist()
    [[0.0, 1.0], [0.25, 0.75]]
    """
    whole(pairs, "class", "pairs")
    check_number("gap", gap, 0, 2)
    return np.stack([tilted(pairs, 1.0), tilted(pairs, 1.0 - gap)], axis=1).reshape(2 * pairs, -1)


def lower_bound_gap(pairs: int, horizon: float, epsilon: float) -> float:
    """Return the gap ``a = sqrt(K / (9 T m e^epsilon))`` for K pairs, with ``m = min((e^epsilon - 1)^2, 1)``.

    [003, equation 16] [mathematics/003.md#lower-bound-chain]

    Parameters
    ----------
    pairs : int
        Number K of pairs, at least 1.
    horizon : float
        Number of rounds T, above 0.
    epsilon : float
        Privacy level, above 0 and finite.

    Returns
    -------
    float
        The gap; at most 1 where the theorem holds.

    Raises
    ------
    InputError
        When a number is out of its range.

    Examples
    --------
    >>> from private_experts.distributions.classes import lower_bound_gap
    >>> round(lower_bound_gap(7, 10_000, 1.0), 4)
    0.0053
    """
    whole(pairs, "class", "pairs")
    check_number("horizon", horizon, 0, ends=False)
    check_number("privacy level epsilon", epsilon, 0, ends=False)
    return math.sqrt(pairs / (9 * horizon * min(math.expm1(epsilon) ** 2, 1.0) * math.exp(epsilon)))


def needle(experts: int, amplitude: float) -> Array:
    """Return K distributions over 2 labels. The first one leans one way and all others the other way.

    [mathematics/003.md#classes]

    Parameters
    ----------
    experts : int
        Number of distributions K, at least 1.
    amplitude : float
        How far they lean, from -1 to 1.

    Returns
    -------
    ndarray, shape (K, 2)
        The distributions, one a row.

    Raises
    ------
    InputError
        When a number is out of its range.

    Examples
    --------
    >>> from private_experts.distributions.classes import needle
    >>> needle(3, 0.5).tolist()
    [[0.75, 0.25], [0.25, 0.75], [0.25, 0.75]]
    """
    whole(experts, "class", "experts")
    _amplitude(amplitude)
    lean = np.where(np.arange(experts) == 0, amplitude, -amplitude)
    return np.stack([1 + lean, 1 - lean], axis=1) / 2


def packed(experts: int, parts: int, excess: float = 1e-3) -> Array:
    """Return K distributions on disjoint sets of labels, whose clipping takes nearly the largest number of cells.

    Each distribution has `parts` labels. All but one of them are slightly likelier than 1 / `parts`, so rounding up
    costs each of them one more cell. With ``M = K parts`` labels this makes ``(K + 1) M - K`` cells.
    [mathematics/003.md#equation-7]

    Parameters
    ----------
    experts : int
        Number of distributions K, at least 1.
    parts : int
        Labels of each distribution, at least 1.
    excess : float
        By what share most labels are likelier than 1 / `parts`; above 0 and below 1 / `parts`.

    Returns
    -------
    ndarray, shape (K, K parts)
        The distributions, one a row.

    Raises
    ------
    InputError
        When a number is out of its range.

    Examples
    --------
    >>> from private_experts.distributions.classes import packed
    >>> from private_experts.distributions.clipping import clip
    >>> int(clip(packed(2, 5), 10).total)  # of at most (2 + 1) 10
    28
    """
    whole(experts, "class", "experts")
    whole(parts, "class", "parts")
    if not 0 < excess * parts < 1:
        raise InputError(f"{parts} parts, excess {excess}: write an excess above 0 and below 1 / parts")
    own = np.full(parts, (1 + excess) / parts)
    own[-1] = 1 - own[:-1].sum()
    return np.kron(np.eye(experts), own)


def dirichlet(experts: int, labels: int, concentration: float, rng: np.random.Generator) -> Array:
    """Return K independent Dirichlet distributions over M labels. [mathematics/003.md#classes]

    Parameters
    ----------
    experts, labels : int
        Number of distributions K, at least 0, and of labels M, at least 1.
    concentration : float
        Parameter of the Dirichlet law, above 0. Small ones give distributions with few likely labels.
    rng : numpy.random.Generator
        Source of the draws.

    Returns
    -------
    ndarray, shape (K, M)
        The distributions, one a row.

    Raises
    ------
    InputError
        When a number is out of its range.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.distributions.classes import dirichlet
    >>> dirichlet(2, 3, 1.0, np.random.default_rng(1)).round(2).tolist()
    [[0.16, 0.05, 0.8], [0.16, 0.05, 0.79]]
    """
    whole(experts, "class", "experts", least=0)
    whole(labels, "class", "labels")
    check_number("concentration", concentration, 0, ends=False)
    return rng.dirichlet(np.full(labels, concentration), size=experts)


def split_labels(classes: Array, parts: int) -> Array:
    """Split each label into equally likely parts: more labels, but nothing new to learn. [mathematics/003.md#labels]

    Parameters
    ----------
    classes : ndarray, shape (..., M)
        Distributions along the last axis.
    parts : int
        Into how many parts, at least 1.

    Returns
    -------
    ndarray, shape (..., M parts)
        The distributions of the parts.

    Raises
    ------
    InputError
        When `parts` is below 1.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.distributions.classes import split_labels
    >>> split_labels(np.array([[0.5, 0.5], [1.0, 0.0]]), 2).tolist()
    [[0.25, 0.25, 0.25, 0.25], [0.5, 0.5, 0.0, 0.0]]
    """
    whole(parts, "class", "parts")
    return np.repeat(classes / parts, parts, axis=-1)


def _amplitude(amplitude: float) -> None:
    check_number("amplitude", amplitude, -1, 1)
