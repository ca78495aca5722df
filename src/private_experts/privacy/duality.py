"""Duality of trade-off curves and (epsilon, delta) profiles: each determines the other.

These functions take a curve or a profile by its points, so they work for every mechanism. For Gaussian
mechanisms and their mixtures the closed forms of `gaussian_mechanism` and `gaussian_mixtures` are faster and
exact.
"""

import numpy as np
from numpy.typing import ArrayLike

from private_experts.arrays import Array
from private_experts.validation import checked_range


def tradeoff_from_deltas(alpha: ArrayLike, epsilons: ArrayLike, deltas: ArrayLike) -> Array:
    """Return the highest trade-off curve that a list of (epsilon, delta) guarantees certifies.

    ``f(alpha) = max_i max(0, 1 - delta_i - exp(epsilon_i) alpha, exp(-epsilon_i) (1 - delta_i - alpha))``

    Parameters
    ----------
    alpha : array_like
        Type I error, in [0, 1].
    epsilons, deltas : array_like, shape (k,)
        The guarantees, with finite epsilon. Points of a mechanism's profile give a curve on or below its true
        one.

    Returns
    -------
    ndarray
        Type II errors, of the shape of `alpha`.

    Raises
    ------
    InputError
        When an error or delta is not in [0, 1], or an epsilon is negative or infinite.

    References
    ----------
    Dong, Roth, Su: Gaussian Differential Privacy, Propositions 2.4 and 2.12; [000, Lemma 6];
    [mathematics/000.md#lemma-6].

    Examples
    --------
    >>> from private_experts.privacy.duality import tradeoff_from_deltas
    >>> tradeoff_from_deltas([0.0, 0.1, 0.5], epsilons=[1.0], deltas=[0.01]).round(4).tolist()
    [0.99, 0.7182, 0.1803]
    """
    a = checked_range("type I error alpha", alpha, high=1.0)[..., None]
    e = checked_range("epsilon", epsilons, high=np.finfo(np.float64).max)
    d = checked_range("delta", deltas, high=1.0)
    with np.errstate(divide="ignore", over="ignore"):
        # In logarithms: e^epsilon overflows where alpha is small enough for the product to count.
        lines = np.maximum(1 - d - np.exp(e + np.log(a)), np.exp(-e) * (1 - d - a))
    result: Array = np.max(lines, axis=-1, initial=0.0)[()]
    return result


def delta_from_tradeoff(epsilon: ArrayLike, alphas: ArrayLike, betas: ArrayLike) -> Array:
    """Return the least delta at each epsilon for a symmetric trade-off curve given by points.

    ``delta(epsilon) = 1 + f*(-exp(epsilon)) = max_i (1 - exp(epsilon) alpha_i - beta_i)``, where f* is the
    convex conjugate; it is 0 if that is negative.

    Parameters
    ----------
    epsilon : array_like
        At least 0.
    alphas, betas : array_like, shape (k,)
        Points of the curve. The result is at most the true delta.

    Returns
    -------
    ndarray
        In [0, 1], of the shape of `epsilon`.

    Raises
    ------
    InputError
        When an epsilon is negative, or an error is not in [0, 1].

    References
    ----------
    Dong, Roth, Su: Gaussian Differential Privacy, Proposition 2.12; [000, Lemma 6];
    [mathematics/000.md#lemma-6].

    Examples
    --------
    From 1000 points of the curve of 1-GDP to its delta, which is 0.126937 exactly:

    >>> import numpy as np
    >>> from private_experts.privacy.duality import delta_from_tradeoff
    >>> from private_experts.privacy.gaussian_mechanism import tradeoff
    >>> alphas = np.linspace(0, 1, 1000)
    >>> round(float(delta_from_tradeoff(1.0, alphas, tradeoff(alphas, 1.0))), 6)
    0.126936
    """
    e = checked_range("epsilon", epsilon)[..., None]
    a = checked_range("type I error alpha", alphas, high=1.0)
    b = checked_range("type II error beta", betas, high=1.0)
    with np.errstate(over="ignore"):
        # At alpha = 0 the line is 1 - beta for every epsilon; 0 times infinity would not be.
        lines = np.where(a > 0, 1 - np.exp(e + np.log(np.where(a > 0, a, 1.0))) - b, 1 - b)
    result: Array = np.max(lines, axis=-1, initial=0.0)[()]
    return result
