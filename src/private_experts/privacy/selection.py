"""Private selection: draws of the expert with the largest noisy score, and the exact law of these draws.

Suppose that one datum moves each score by at most 1, up or down. Then both mechanisms are epsilon-DP with
noise of scale ``2 / epsilon``. `laplace_report_noisy_max` adds Laplace noise. `exponential_mechanism` adds
Gumbel noise; for it this scale is the rate ``epsilon / 2``. [004, Lemma 2.3; 002, Lemma 3] With half that
noise neither is epsilon-DP. [mathematics/002.md#e002-1] [mathematics/002.md#rate-is-largest]
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_softmax

from private_experts.arrays import Array, Indices
from private_experts.errors import InputError
from private_experts.validation import checked_number, generator

_REACH = 37.0  # in units of the noise's scale; e^-37 is below the last bit of 1
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)
_ROOM = 4_000_000  # how many numbers are held at once


def laplace_report_noisy_max(scores: ArrayLike, scale: float, rng: np.random.Generator | int) -> Indices:
    """Return the index of the largest score after fresh Laplace noise is added. [002, Lemma 3]

    Parameters
    ----------
    scores : array_like, shape (..., n)
        Of n experts, in any unit.
    scale : float
        Scale of the noise in that unit, at least 0; ``2 / epsilon`` where one person moves each score by at
        most 1.
    rng : numpy.random.Generator or int
        Source of the noise. Seeded noise is a simulation and protects nobody; see
        `private_experts.privacy.noise`.

    Returns
    -------
    ndarray of int, shape (...)

    Raises
    ------
    InputError
        When `scale` is negative or not a number.

    Examples
    --------
    The expert that leads by 4 is named in 87 of 100 draws:

    >>> import numpy as np
    >>> from private_experts.privacy import laplace_report_noisy_max
    >>> from private_experts.randomness import rng_for
    >>> scores = np.tile([10.0, 6.0], (10_000, 1))
    >>> named = laplace_report_noisy_max(scores, scale=2 / 1.0, rng=rng_for(0, "selection"))
    >>> round(float((named == 0).mean()), 2)
    0.87
    """
    if not scale >= 0:
        raise InputError(f"report-noisy-max: scale = {scale}: write a number of at least 0")
    values = np.asarray(scores, dtype=np.float64)
    rng = generator(rng, "report-noisy-max")
    # Only the index leaves: noisy scores are not released, or the levels of all n would add up.
    result: Indices = (values + rng.laplace(scale=scale, size=values.shape)).argmax(axis=-1)
    return result


def exponential_mechanism(scores: ArrayLike, rate: float, rng: np.random.Generator | int) -> Indices:
    """Return an index drawn with probability proportional to ``exp(rate * score)``. [004, Lemma 2.3]

    It is drawn as the largest score under Gumbel noise. [mathematics/002.md#exponential-mechanism]

    Parameters
    ----------
    scores : array_like, shape (..., n)
        Of n experts.
    rate : float
        At least 0 and finite; ``epsilon / 2`` where one person moves each score by at most 1. The rate 0
        draws uniformly.
    rng : numpy.random.Generator or int
        As for `laplace_report_noisy_max`.

    Returns
    -------
    ndarray of int, shape (...)

    Raises
    ------
    InputError
        When `rate` is negative, infinite or not a number.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.privacy import exponential_mechanism
    >>> from private_experts.randomness import rng_for
    >>> scores = np.tile([10.0, 6.0], (10_000, 1))
    >>> named = exponential_mechanism(scores, rate=1.0 / 2, rng=rng_for(0, "selection"))
    >>> round(float((named == 0).mean()), 2)
    0.88
    """
    exponents = _exponents(scores, rate)
    rng = generator(rng, "exponential mechanism")
    # Minus the logarithm of an exponential variable is a Gumbel variable. This way takes half the time.
    result: Indices = (exponents - np.log(rng.standard_exponential(exponents.shape))).argmax(axis=-1)
    return result


def exponential_law(scores: ArrayLike, rate: float, counts: ArrayLike | None = None) -> Array:
    """Return the law of `exponential_mechanism`, shape (..., n). [mathematics/002.md#exponential-mechanism]

    ``counts[i]`` experts share the score i, each of them with the probability returned.
    """
    return np.exp(log_exponential_law(scores, rate, counts))


def log_exponential_law(scores: ArrayLike, rate: float, counts: ArrayLike | None = None) -> Array:
    """Return the logarithms of `exponential_law`. They are exact even where the probabilities underflow.

    [mathematics/002.md#exponential-mechanism]
    """
    # Experts of one score share a row with their number as weight; subtracted again, it is the chance of each
    # alone.
    many = 0.0 if counts is None else np.log(np.asarray(counts, dtype=np.float64))
    return np.asarray(log_softmax(_exponents(scores, rate) + many, axis=-1) - many)


def report_noisy_max_law(scores: ArrayLike, scale: float, counts: ArrayLike | None = None) -> Array:
    """Return the law of `laplace_report_noisy_max`, by quadrature. [mathematics/002.md#report-noisy-max]

    Index j has the probability ``integral of f(y - s_j) prod_{i != j} F(y - s_i) dy``, where f is the density
    of the noise and F its distribution function. The range is cut at the scores, where F is not smooth, and
    at every unit of the scale. ``counts[i]`` experts share the score i, each with the probability returned.
    Errors are below 1e-10.
    """
    scale = checked_number("report-noisy-max: scale", scale, 0, ends=False)
    values = np.asarray(scores, dtype=np.float64) / scale
    n = values.shape[-1]
    many = np.ones(n) if counts is None else np.asarray(counts, dtype=np.float64)
    # The largest score at 0: cuts and weights are then the same for all rows.
    rows = (values - values.max(axis=-1, keepdims=True)).reshape(-1, n)
    cuts = np.arange(-_REACH, _REACH + np.ceil(np.log(many.sum())) + 1)
    # Cut by memory: nodes times experts of all rows at once would not fit.
    step = max(1, _ROOM // ((n + cuts.size) * _NODES.size * n))
    parts = [_law(rows[start : start + step], many, cuts) for start in range(0, len(rows), step)]
    return np.concatenate(parts).reshape(values.shape)


def _law(rows: Array, counts: Array, cuts: Array) -> Array:
    """Return the law for scores (rows, n) in units of the scale. The largest score of each row is 0."""
    edges = np.concatenate([np.maximum(rows, cuts[0]), np.broadcast_to(cuts, (len(rows), cuts.size))], axis=1)
    edges.sort(axis=1)
    middle, half = (edges[:, 1:] + edges[:, :-1]) / 2, (edges[:, 1:] - edges[:, :-1]) / 2
    y = (middle[..., None] + half[..., None] * _NODES).reshape(len(rows), -1)
    weights = (half[..., None] * _WEIGHTS).reshape(len(rows), -1)
    away = y[..., None] - rows[:, None, :]
    tail = np.exp(-np.abs(away)) / 2  # the density, which is also the probability of lying further out
    # Logarithms, as a product of a thousand factors underflows.
    log_below = np.where(away < 0, np.minimum(away, 0) - np.log(2), np.log1p(-tail))
    together = (log_below * counts).sum(axis=-1)
    # The product is over the other scores, so each score's own factor F is divided out again.
    density = np.exp(together[..., None] - log_below - np.abs(away) - np.log(2))
    result: Array = (weights[..., None] * density).sum(axis=1)
    return result


def _exponents(scores: ArrayLike, rate: float) -> Array:
    rate = checked_number("exponential mechanism: rate", rate, 0)
    return rate * np.asarray(scores, dtype=np.float64)
