"""Exact laws of P-COMW on a grid, by running its Markov chain of draws and point. [001, Appendix C]

All functions take the log-probabilities (T, m) of the Gibbs measures mu_1 to mu_T, as `GridGibbs.laws` gives them.
They describe rounds 1 to T. Between these lie T - 1 lotteries. [mathematics/001.md#exact-laws]
"""

import math
from collections.abc import Iterator

import numpy as np

from private_experts.arrays import Array
from private_experts.convex.pcomw import check_lottery


def keep_probabilities(laws: Array, log_phi: float, p: float) -> Array:
    """Return the probability that each point is kept at each lottery. [mathematics/001.md#algorithm-1]

    Parameters
    ----------
    laws : ndarray, shape (..., T, m)
        Log-probabilities of the Gibbs measures.
    log_phi : float
        Logarithm of the scale Phi, at least 0.
    p : float
        Probability of a draw whatever the loss, in [0, 1].

    Returns
    -------
    ndarray, shape (..., T - 1, m)

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.convex import Box, GridGibbs
    >>> from private_experts.convex.chains import keep_probabilities
    >>> family = GridGibbs(Box([-0.5], [0.5]).grid(4), beta=4.0, lam=2.0)
    >>> laws = family.laws(np.tile(family.points[:, 0], (3, 1)))  # three times the loss x
    >>> keep_probabilities(laws, log_phi=0.5, p=0.1)[0].round(3).tolist()  # the leftmost point is best
    [0.9, 0.566, 0.331, 0.331]
    """
    ratio = np.diff(laws, axis=-2) - log_phi
    return (1 - p) * np.exp(np.clip(ratio, -2 * log_phi, 0.0))


def joint_laws(laws: Array, log_phi: float, p: float, budget: float = math.inf) -> Array:
    """Return the joint law of the draws so far and the point, in each round. [mathematics/001.md#exact-laws]

    Parameters
    ----------
    laws : ndarray, shape (T, m)
        Log-probabilities of the Gibbs measures.
    log_phi, p, budget : float
        As in `PCOMW`.

    Returns
    -------
    ndarray, shape (T, K + 1, m)
        Probabilities, for at most K draws; K is the budget counted up, or T - 1 if that is less.

    Raises
    ------
    InputError
        When a parameter is outside its range.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.convex import Box, GridGibbs
    >>> from private_experts.convex.chains import joint_laws
    >>> family = GridGibbs(Box([-0.5], [0.5]).grid(4), beta=4.0, lam=2.0)
    >>> laws = family.laws(np.tile(family.points[:, 0], (3, 1)))  # three times the loss x
    >>> law = joint_laws(laws, log_phi=0.5, p=0.1, budget=1)
    >>> law.shape, law[2].sum(axis=1).round(3).tolist()  # in round 3: no draw so far, or one
    ((3, 2, 4), [0.252, 0.748])
    """
    return np.array([law.copy() for law in _rounds(laws, log_phi, p, budget)])


def budgeted_laws(laws: Array, log_phi: float, p: float, budget: float) -> Array:
    """Return the law of the point in each round, whatever the draws so far. [mathematics/001.md#exact-laws]

    It is `joint_laws` summed over the numbers of draws, which are not kept.

    Parameters
    ----------
    laws, log_phi, p, budget
        As for `joint_laws`.

    Returns
    -------
    ndarray, shape (T, m)
        Probabilities.

    Raises
    ------
    InputError
        When a parameter is outside its range.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.convex import Box, GridGibbs
    >>> from private_experts.convex.chains import budgeted_laws
    >>> family = GridGibbs(Box([-0.5], [0.5]).grid(4), beta=4.0, lam=2.0)
    >>> laws = family.laws(np.tile(family.points[:, 0], (3, 1)))  # three times the loss x
    >>> budgeted_laws(laws, log_phi=0.5, p=0.1, budget=1)[2].round(3).tolist()
    [0.605, 0.262, 0.098, 0.034]
    """
    return np.array([law.sum(axis=0) for law in _rounds(laws, log_phi, p, budget)])


def _rounds(laws: Array, log_phi: float, p: float, budget: float) -> Iterator[Array]:
    """Yield the joint law of each round, shape (K + 1, m). It is overwritten in the next round."""
    check_lottery(log_phi, p, budget)
    horizon, m = laws.shape
    most = int(min(np.ceil(budget), horizon - 1))
    law, left = np.zeros((most + 1, m)), np.empty((most + 1, m))
    law[0] = np.exp(laws[0])
    yield law
    for t, keep in enumerate(keep_probabilities(laws, log_phi, p), start=1):
        seen = min(t, most) + 1  # so many numbers of draws are possible
        np.multiply(law[:seen], 1 - keep, out=left[:seen])
        law[:seen] *= keep
        law[1:seen] += np.exp(laws[t]) * left[: seen - 1].sum(axis=1, keepdims=True)
        law[most] += left[most] if seen > most else 0.0  # once the budget is spent, the point stays
        yield law


def marginals(laws: Array, log_phi: float, p: float) -> tuple[Array, Array]:
    """Return the law of the point in each round, and the probability of a draw at each lottery.

    There is no budget, so draws need not be counted. [mathematics/001.md#exact-laws]

    Parameters
    ----------
    laws : ndarray, shape (T, m)
        Log-probabilities of the Gibbs measures.
    log_phi, p : float
        As in `PCOMW`.

    Returns
    -------
    law : ndarray, shape (T, m)
        Probabilities of the points.
    anew : ndarray, shape (T - 1,)
        Probabilities of a draw.

    Raises
    ------
    InputError
        When a parameter is outside its range.

    Examples
    --------
    >>> import math
    >>> import numpy as np
    >>> from private_experts.convex import Box, GridGibbs
    >>> from private_experts.convex.chains import marginals
    >>> family = GridGibbs(Box([-0.5], [0.5]).grid(4), beta=4.0, lam=2.0)
    >>> laws = family.laws(np.tile(family.points[:, 0], (3, 1)))  # three times the loss x
    >>> law, anew = marginals(laws, log_phi=3.0, p=0.0)  # nothing is clipped: the law is the Gibbs measure
    >>> bool(np.allclose(law, np.exp(laws))), anew.round(4).tolist(), round(1 - math.exp(-3.0), 4)
    (True, [0.9502, 0.9502], 0.9502)
    """
    check_lottery(log_phi, p, math.inf)
    law, anew = np.exp(laws), np.zeros(len(laws) - 1)
    for t, keep in enumerate(keep_probabilities(laws, log_phi, p), start=1):
        left = law[t - 1] * (1 - keep)
        anew[t - 1] = left.sum()
        law[t] = law[t - 1] * keep + law[t] * anew[t - 1]
    return law, anew


def closeness(laws: Array, log_phi: float) -> float:
    """Return the least delta for which all consecutive mu_t, mu_{t+1} are (Phi, delta)-close. [001, Definition 3.4]

    Parameters
    ----------
    laws : ndarray, shape (T, m)
        Log-probabilities of the Gibbs measures.
    log_phi : float
        Logarithm of the scale Phi, at least 0.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.convex import Box, GridGibbs
    >>> from private_experts.convex.chains import closeness
    >>> family = GridGibbs(Box([-0.5], [0.5]).grid(4), beta=4.0, lam=2.0)
    >>> laws = family.laws(np.tile(family.points[:, 0], (3, 1)))  # three times the loss x
    >>> [round(closeness(laws, log_phi), 3) for log_phi in (0.5, 1.0, 2.0)]
    [0.689, 0.559, 0.026]
    """
    far = np.abs(np.diff(laws, axis=-2)) > log_phi
    return float(max(np.where(far, np.exp(side), 0.0).sum(axis=-1).max() for side in (laws[:-1], laws[1:])))


def drift(law: Array, laws: Array) -> Array:
    """Return how far the law of the point is from the Gibbs measure in each round. [001, Lemma C.1]

    Parameters
    ----------
    law : ndarray, shape (T, m)
        Probabilities of the points, as `marginals` gives them.
    laws : ndarray, shape (T, m)
        Log-probabilities of the Gibbs measures.

    Returns
    -------
    ndarray, shape (T,)
        Total variation distances, in [0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.convex import Box, GridGibbs
    >>> from private_experts.convex.chains import drift, marginals
    >>> family = GridGibbs(Box([-0.5], [0.5]).grid(4), beta=4.0, lam=2.0)
    >>> laws = family.laws(np.tile(family.points[:, 0], (3, 1)))  # three times the loss x
    >>> drift(marginals(laws, log_phi=0.2, p=0.1)[0], laws).round(3).tolist()  # ratios are clipped
    [0.0, 0.208, 0.265]
    """
    return np.asarray(0.5 * np.abs(law - np.exp(laws)).sum(axis=-1))
