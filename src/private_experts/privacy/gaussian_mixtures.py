"""Mixtures of Gaussian mechanisms: trade-off curves and (epsilon, delta) profiles.

A mixture draws one of its components at random and shows which one. Its components lie along the last axis of
the weights and the privacy levels; the other axes broadcast as in NumPy. Levels run from 0 to ``inf``, as for
one mechanism (`gaussian_mechanism`).
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr, ndtr, ndtri

from private_experts.arrays import Array, Bools, Indices
from private_experts.errors import InputError
from private_experts.privacy.gaussian_mechanism import log_delta
from private_experts.privacy.numerics import root
from private_experts.validation import checked_range

# a level whose trade-off curve is 0 to rounding; the search for it needs digits that one of 1e13 lacks
_ENDLESS = 1e12


def mixture_errors(
    threshold: ArrayLike, weights: ArrayLike, mus: ArrayLike, gamma: ArrayLike = 0.5
) -> tuple[Array, Array]:
    """Return type I and type II error of the likelihood-ratio test between neighbours under a mixture.

    Component b is drawn with probability w_b and shown. What is left is a test of N(0, 1) against N(mu_b, 1).
    The best test compares the log-likelihood ratio with one threshold s, the same for all components:

    ``type I = sum_b w_b Phi(-s/mu_b - mu_b/2)``, ``type II = sum_b w_b Phi(s/mu_b - mu_b/2)``

    In a component of level 0 the ratio is always 1: the test rejects for ``s < 0``, accepts for ``s > 0``,
    and rejects with probability `gamma` at ``s = 0``. In one of level ``inf`` it is always right. Components
    are the last axis of `weights` and `mus`. [000, Lemma 2] [mathematics/000.md#lemma-2]
    """
    w, mu = _mixture(weights, mus)
    s, g = (
        np.asarray(threshold, dtype=np.float64)[..., None],
        checked_range("gamma", gamma, high=1.0)[..., None],
    )
    if np.isnan(s).any():
        raise InputError("threshold = nan: write a number")
    inside = (mu > 0) & np.isfinite(mu)
    # A stand-in, so that levels without a formula make no nan.
    m = np.where(inside, mu, 1.0)
    atom = np.select([s < 0, s > 0], [1.0, 0.0], g)
    zero = mu == 0
    first = np.where(inside, ndtr(-s / m - m / 2), np.where(zero, atom, 0.0))
    second = np.where(inside, ndtr(s / m - m / 2), np.where(zero, 1 - atom, 0.0))
    # Weights may sum to a rounding more than 1.
    return np.minimum((w * first).sum(axis=-1), 1.0)[()], np.minimum((w * second).sum(axis=-1), 1.0)[()]


def mixture_tradeoff(alpha: ArrayLike, weights: ArrayLike, mus: ArrayLike) -> Array:
    """Return the trade-off curve of a mixture of Gaussian mechanisms whose component is seen.

    The curve is ``s -> (type I, type II)`` of `mixture_errors`. A component of level 0 adds a piece of slope
    -1.

    Parameters
    ----------
    alpha : array_like
        Type I error, in [0, 1].
    weights, mus : array_like, shape (..., components)
        Probabilities and privacy levels, from 0 to ``inf``.

    Returns
    -------
    ndarray
        Least type II error, of the broadcast shape without the components.

    Raises
    ------
    InputError
        When `alpha` is not in [0, 1], the weights are no probabilities that sum to 1, or a level is negative.

    References
    ----------
    [000, Lemma 2], [mathematics/000.md#lemma-2]. A larger batch has a lower level. A stochastically larger
    law of batch sizes therefore has a higher curve: [000, Lemma 1], [mathematics/000.md#lemma-1].

    Examples
    --------
    >>> from private_experts.privacy.gaussian_mixtures import mixture_tradeoff
    >>> mixture_tradeoff([0.0, 0.05, 0.5], [0.5, 0.5], [1.0, 5**-0.5]).round(4).tolist()
    [1.0, 0.8013, 0.2347]
    """
    w, mu = _mixture(weights, mus)
    a, rows, w, mu, shape = _flat(checked_range("type I error alpha", alpha, high=1.0), w, mu)
    inside = (mu > 0) & np.isfinite(mu)
    m = np.where(inside, mu, 1.0)
    # Level 0 is an atom of the likelihood ratio at s = 0; level inf gives the attacker its weight for
    # nothing.
    proper = np.where(inside, w, 0.0)
    mass = proper.sum(axis=-1)[rows]
    atom = np.where(mu == 0, w, 0.0).sum(axis=-1)[rows]
    corner = (proper * ndtr(-m / 2)).sum(axis=-1)[rows]  # both errors of the proper components at s = 0
    rest = np.where(a < 1, np.maximum(mass + atom - a, 0.0), 0.0)
    # Between the two corners the test is randomised at s = 0.
    result = corner + atom - (a - corner)
    steep = (a <= corner) & (mass > 0)
    flat = (a >= corner + atom) | (rest == 0)
    result[steep & (a == 0)] = (mass + atom)[steep & (a == 0)]
    result[flat] = 0.0

    def solve(where: Bools, target: Array, sign: float) -> Array:
        """Return t with sum_b w_b Phi(-t/mu_b + sign mu_b/2) = target."""
        target, row = target[where], rows[where]
        # The mixture's threshold lies between those of its components; a thousandth of mu more, against
        # rounding. The smallest numbers have few digits, and need more.
        slack = np.where(target < 1e-300, 0.1, 1e-3)[:, None]
        single = -ndtri(np.minimum(target / mass[where], 1.0 - 2**-53))[:, None] + sign * m[row] / 2
        low = np.where(inside[row], m[row] * (single - slack), np.inf).min(axis=-1)
        high = np.where(inside[row], m[row] * (single + slack), -np.inf).max(axis=-1)

        def excess(t: Array, r: Array, log_target: Array) -> Array:
            r = r.astype(np.intp)
            return _log_sum(log_ndtr(-t[:, None] / m[r] + sign * m[r] / 2), proper[r]) - log_target

        return root(excess, low, high, row, np.log(target))

    here = steep & (a > 0)
    t = solve(here, a, -1.0)
    result[here] = atom[here] + (
        proper[rows[here]] * ndtr(t[:, None] / m[rows[here]] - m[rows[here]] / 2)
    ).sum(axis=-1)
    here = flat & ~steep & (rest > 0) & (mass > 0)
    t = solve(here, rest, 1.0)
    result[here] = (proper[rows[here]] * ndtr(-t[:, None] / m[rows[here]] - m[rows[here]] / 2)).sum(axis=-1)
    answer: Array = np.clip(result, 0.0, 1.0).reshape(shape)[()]
    return answer


def mixture_log_delta(epsilon: ArrayLike, weights: ArrayLike, mus: ArrayLike) -> Array:
    """Return log `mixture_delta`, also where that is too small for a float. [000, Corollary 3]"""
    w, mu = _mixture(weights, mus)
    return _log_sum(log_delta(epsilon=np.asarray(epsilon, dtype=np.float64)[..., None], mu=mu), w)[()]


def mixture_delta(epsilon: ArrayLike, weights: ArrayLike, mus: ArrayLike) -> Array:
    """Return the least delta at each epsilon for a mixture of Gaussian mechanisms whose component is seen.

    ``delta(epsilon) = sum_b w_b delta_{mu_b}(epsilon)``, because the best test has the threshold ``s =
    epsilon`` in every component.

    Parameters
    ----------
    epsilon : array_like
        At least 0.
    weights, mus : array_like, shape (..., components)
        Probabilities and privacy levels, from 0 to ``inf``.

    Returns
    -------
    ndarray
        In [0, 1], of the broadcast shape without the components.

    Raises
    ------
    InputError
        When `epsilon` or a level is negative, or the weights are no probabilities that sum to 1.

    References
    ----------
    [000, Lemma 6 and Corollary 3], [mathematics/000.md#corollary-3].

    Examples
    --------
    Hiding among four others in half of the games nearly halves delta:

    >>> from private_experts.privacy.gaussian_mixtures import mixture_delta
    >>> mixture_delta(1.0, [[1.0, 0.0], [0.5, 0.5]], [1.0, 5**-0.5]).round(5).tolist()
    [0.12694, 0.06506]
    """
    return np.minimum(np.exp(mixture_log_delta(epsilon, weights, mus)), 1.0)


def mixture_epsilon(delta: ArrayLike, weights: ArrayLike, mus: ArrayLike) -> Array:
    """Return a mixture's least epsilon at each delta: the inverse of `mixture_delta`. [000, Corollary 3]

    Parameters
    ----------
    delta : array_like
        In [0, 1].
    weights, mus : array_like, shape (..., components)
        Probabilities and privacy levels, from 0 to ``inf``. The answer is ``inf`` when the components of
        level ``inf`` weigh more than `delta`, and also when they weigh as much and others of positive level
        are there.

    Returns
    -------
    ndarray
        Of the broadcast shape without the components.

    Raises
    ------
    InputError
        When `delta` is not in [0, 1], the weights are no probabilities that sum to 1, or a level is negative.

    Examples
    --------
    >>> from private_experts.privacy.gaussian_mixtures import mixture_epsilon
    >>> mixture_epsilon([1e-6, 1e-3], [0.5, 0.5], [1.0, 5**-0.5]).round(3).tolist()
    [4.739, 2.912]
    """
    w, mu = _mixture(weights, mus)
    d, rows, w, mu, shape = _flat(checked_range("delta", delta, high=1.0), w, mu)
    inside = (mu > 0) & np.isfinite(mu) & (w > 0)
    m = np.where(inside, mu, 1.0)
    proper = np.where(inside, w, 0.0)
    # A component without privacy spends its weight at every epsilon.
    spare = d - np.where(np.isinf(mu), w, 0.0).sum(axis=-1)[rows]
    at_zero = _log_sum(log_delta(epsilon=0.0, mu=m), proper)[rows]
    with np.errstate(divide="ignore", invalid="ignore"):
        log_spare = np.log(spare)
    empty = proper.sum(axis=-1)[rows] == 0
    within = (spare > 0) & (log_spare >= at_zero) | (spare == 0) & empty
    result = np.where(within, 0.0, np.inf)
    search = (spare > 0) & ~within
    # delta_b <= exp(-z1^2/2) / 2 in each component: at this epsilon they are all below half of what may be
    # spent.
    tail = np.sqrt(-2 * log_spare[search])[:, None]
    # The largest of these over the components: beyond it no component alone exceeds its share.
    high = np.where(inside, m * m / 2, 0.0)[rows[search]] + np.where(inside, m, 0.0)[rows[search]] * tail

    def excess(e: Array, r: Array, log_d: Array) -> Array:
        r = r.astype(np.intp)
        return _log_sum(log_delta(epsilon=e[:, None], mu=m[r]), proper[r]) - log_d

    ends = np.zeros(int(search.sum())), 1.001 * high.max(axis=-1)
    result[search] = root(excess, *ends, rows[search], log_spare[search])
    return result.reshape(shape)[()]


def _mixture(weights: ArrayLike, mus: ArrayLike) -> tuple[Array, Array]:
    """Return a mixture's weights and levels, checked and broadcast to one shape (..., components).

    A level that hides nothing in floating point counts as infinite, which promises less.
    """
    w, mu = (
        checked_range("weight of a mixture", weights, high=1.0 + 1e-9),
        checked_range("privacy level mu", mus),
    )
    if w.ndim == 0 or w.size == 0:
        raise InputError("weights of a mixture: write a list with one weight a component")
    total = w.sum(axis=-1)
    # Not renormalised: weights that miss 1 by more than rounding are a mistake of whoever made the law.
    if np.any(np.abs(total - 1) > 1e-9):
        worst = float(total.flat[np.argmax(np.abs(total - 1))])
        raise InputError(f"weights of a mixture: they sum to {worst:.12g}, write weights that sum to 1")
    w, mu = np.broadcast_arrays(w, np.where(mu > _ENDLESS, np.inf, mu))
    return w, mu


def _flat(values: Array, weights: Array, mus: Array) -> tuple[Array, Indices, Array, Array, tuple[int, ...]]:
    """Flatten a broadcast of values against mixtures: values, the row of each one's mixture, rows, shape."""
    lead = weights.shape[:-1]
    w, mu = (part.reshape(-1, part.shape[-1]) for part in (weights, mus))
    values, rows = np.broadcast_arrays(values, np.arange(w.shape[0]).reshape(lead))
    return values.ravel(), rows.ravel(), w, mu, values.shape


def _log_sum(log_terms: Array, weights: Array) -> Array:
    """Return log sum_b w_b exp(log_terms_b) along the last axis."""
    terms = np.where(weights > 0, log_terms, -np.inf)
    top = terms.max(axis=-1, keepdims=True)
    # All terms are -inf: without this, -inf - (-inf) is nan.
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log((weights * np.exp(terms - top)).sum(axis=-1)) + top[..., 0])
