"""Trade-off curves and (epsilon, delta) profiles of Gaussian mechanisms and of their mixtures.

A trade-off curve says what the best test between two neighbours can do: the least type II error beta at each type I
error alpha. A profile says the same in the other language: the least delta at each epsilon. Everything here is a
closed form, or the root of one, evaluated in log space; arguments broadcast as in NumPy, and a mixture's components
lie along the last axis of its weights and levels.

Levels run from 0 (neighbours cannot be told apart) to ``inf`` (no privacy), both included.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import erfcx, erfinv, log_ndtr, ndtr, ndtri

from private_experts.errors import InputError

Array = NDArray[np.float64]

_LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)
# Gauss-Legendre on [-1, 1]: 12 nodes integrate the slope of Mills' ratio over a unit length to the last digit.
_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(12)
# Beyond this, 1 - z m(z) loses digits, and twelve terms of its asymptotic series are exact to rounding.
_FAR = 16.0
_SERIES = [math.prod(range(1, 2 * k + 2, 2)) * (-1.0) ** k for k in range(12)]


# Input


def _checked(name: str, values: ArrayLike, high: float = math.inf) -> Array:
    """Return `values` as floats, all in [0, high]."""
    array = np.asarray(values, dtype=np.float64)
    wrong = ~((array >= 0) & (array <= high))
    if wrong.any():
        wanted = f"a number from 0 to {high:g}" if high < math.inf else "a number that is at least 0"
        raise InputError(f"{name} = {array[wrong][0]:g}: write {wanted}")
    return array


def _mixture(weights: ArrayLike, mus: ArrayLike) -> tuple[Array, Array]:
    """Return a mixture's weights and levels, checked and broadcast to one shape (..., components)."""
    w, mu = _checked("weight of a mixture", weights, high=1.0 + 1e-9), _checked("privacy level mu", mus)
    if w.ndim == 0 or w.size == 0:
        raise InputError("weights of a mixture: write a list with one weight a component")
    total = w.sum(axis=-1)
    if np.any(np.abs(total - 1) > 1e-9):
        worst = float(total.flat[np.argmax(np.abs(total - 1))])
        raise InputError(f"weights of a mixture: they sum to {worst:.12g}, write weights that sum to 1")
    w, mu = np.broadcast_arrays(w, mu)
    return w, mu


def _flat(values: Array, weights: Array, mus: Array) -> tuple[Array, NDArray[np.intp], Array, Array, tuple[int, ...]]:
    """Flatten a broadcast of values against mixtures: values, the row of each one's mixture, rows, shape."""
    lead = weights.shape[:-1]
    w, mu = (part.reshape(-1, part.shape[-1]) for part in (weights, mus))
    values, rows = np.broadcast_arrays(values, np.arange(w.shape[0]).reshape(lead))
    return values.ravel(), rows.ravel(), w, mu, values.shape


# Kernels


def _root(function: Callable[..., Array], low: Array, high: Array, *args: NDArray) -> Array:
    """Return the elementwise root of `function`, which changes its sign between `low` and `high`."""
    if low.size == 0:
        return low
    from scipy.optimize.elementwise import find_root

    found = find_root(function, (low, high), args=args)
    if not np.all(found.success):
        raise ArithmeticError("no root between the given ends: this is a defect, please report it with its input")
    return np.asarray(found.x)


def _mills(z: Array) -> Array:
    """Mills' ratio m(z) = Phi(-z) / phi(z)."""
    return math.sqrt(math.pi / 2) * erfcx(z / math.sqrt(2))


def _mills_slope(z: Array) -> Array:
    """Return -m'(z) = 1 - z m(z) for z >= -1/2, without cancellation.

    For large z by the asymptotic series z^-2 - 3 z^-4 + 15 z^-6 - ...
    """
    slope = 1 - z * _mills(z)
    far = z > _FAR
    x = 1 / np.square(z[far])
    series = np.full_like(x, _SERIES[-1])
    for coefficient in reversed(_SERIES[:-1]):
        series *= x
        series += coefficient
    slope[far] = x * series
    return slope


def _split(a: Array) -> tuple[Array, Array]:
    """Split each number into two of half the digits (Veltkamp)."""
    c = 134217729.0 * a  # 2^27 + 1
    high = c - (c - a)
    return high, a - high


def _lower_end(epsilon: Array, mu: Array) -> tuple[Array, Array]:
    """Return z1 = epsilon/mu - mu/2 as the sum of two floats.

    delta is about exp(-z1^2/2), and for a large mu the two terms nearly cancel, so a rounding of epsilon/mu would cost
    digits of delta. Hence the exact remainder of the division (Dekker's product) and of the subtraction (Knuth).
    """
    with np.errstate(over="ignore", invalid="ignore"):
        quotient, half = epsilon / mu, mu / 2
        product = quotient * mu
        (qh, ql), (mh, ml) = _split(quotient), _split(mu)
        error = ((qh * mh - product) + qh * ml + ql * mh) + ql * ml
        remainder = ((epsilon - product) - error) / mu
        z = quotient - half
        back = z - quotient
        rest = ((quotient - (z - back)) - (half + back)) + remainder
        rest = np.where((np.abs(z) < 1e100) & np.isfinite(rest), rest, 0.0)
        end = np.minimum(z + rest, 1e160)
        return end, np.where(np.abs(z) < 1e100, rest - (end - z), 0.0)


def _log_delta(epsilon: Array, mu: Array) -> Array:
    """Return log delta for finite epsilon >= 0 and finite mu > 0, flat arrays.

    e^epsilon phi(z2) = phi(z1), so delta = phi(z1) [m(z1) - m(z2)] with Mills' ratio m. Where the two are close
    (mu <= 1) their difference is the integral of -m' over [z1, z2]; where delta may be near 1 its complement is taken.
    """
    z, low = _lower_end(epsilon, mu)
    with np.errstate(over="ignore", divide="ignore"):
        exponent = -(z * z / 2 + z * low) - _LOG_SQRT_2PI
        result = np.empty_like(z)
        close = mu <= 1
        left = ~close & (z <= 0)
        right = ~close & (z > 0)
        half = mu[close] / 2
        slope = _mills_slope((z[close] + half)[:, None] + half[:, None] * _NODES) @ _NODE_WEIGHTS
        result[close] = exponent[close] + np.log(half) + np.log(slope)
        a, b = z[right], z[right] + mu[right]
        # m(a) - m(b) tends to 1/a - 1/b, which is exact to rounding long before m(a) - m(b) rounds to 0.
        drop = np.where(a < 1e8, _mills(a) - _mills(b), mu[right] / a / b)
        result[right] = exponent[right] + np.log(drop)
        result[left] = np.log1p(-(ndtr(z[left]) + np.exp(exponent[left]) * _mills(z[left] + mu[left])))
    return result


def _log_sum(log_terms: Array, weights: Array) -> Array:
    """Return log sum_b w_b exp(log_terms_b) along the last axis."""
    terms = np.where(weights > 0, log_terms, -np.inf)
    top = terms.max(axis=-1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return np.log((weights * np.exp(terms - top)).sum(axis=-1)) + top[..., 0]


# One Gaussian mechanism


def gaussian(alpha: ArrayLike, mu: ArrayLike) -> Array:
    """Return the trade-off curve of N(0, 1) against N(mu, 1).

    ``G_mu(alpha) = Phi(Phi^{-1}(1 - alpha) - mu)``

    Parameters
    ----------
    alpha : array_like
        Type I error, in [0, 1].
    mu : array_like
        Privacy level, from 0 (the curve is ``1 - alpha``) to ``inf`` (it is 0, also at ``alpha = 0``).

    Returns
    -------
    ndarray
        Least type II error.

    References
    ----------
    Dong, Roth, Su: Gaussian Differential Privacy, Definition 2.6; [000, Section 2.2].
    """
    a, m = np.broadcast_arrays(_checked("type I error alpha", alpha, high=1.0), _checked("privacy level mu", mu))
    curve = ndtr(-ndtri(a) - np.where(np.isfinite(m), m, 0.0))
    return np.select([m == 0, np.isinf(m)], [1 - a, 0.0], curve)[()]


def log_delta(epsilon: ArrayLike, mu: ArrayLike) -> Array:
    """Return the logarithm of `delta`, also where delta itself is too small for a float.

    Parameters
    ----------
    epsilon : array_like
        At least 0; for a negative one use ``delta(-e) = 1 - exp(-e) (1 - delta(e))``, which holds because the
        Gaussian trade-off curve is its own inverse.
    mu : array_like
        Privacy level, from 0 to ``inf``.
    """
    e, m = np.broadcast_arrays(_checked("epsilon", epsilon), _checked("privacy level mu", mu))
    result = np.where(np.isinf(m), 0.0, -np.inf)
    inside = (m > 0) & np.isfinite(m) & np.isfinite(e)
    result[inside] = _log_delta(e[inside], m[inside])
    return result[()]


def delta(epsilon: ArrayLike, mu: ArrayLike) -> Array:
    """Return the least delta for which mu-GDP implies (epsilon, delta)-DP.

    ``delta(epsilon) = Phi(-epsilon/mu + mu/2) - exp(epsilon) Phi(-epsilon/mu - mu/2)``

    Twelve digits are right down to 1e-300, however small `mu` is.

    Parameters
    ----------
    epsilon : array_like
        At least 0; see `log_delta` for negative values.
    mu : array_like
        Privacy level: 0 gives delta 0, ``inf`` gives 1.

    References
    ----------
    Balle, Wang: Improving the Gaussian Mechanism for Differential Privacy, Theorem 8; [000, Corollary 3].
    """
    return np.exp(log_delta(epsilon, mu))


def epsilon(delta: ArrayLike, mu: ArrayLike) -> Array:
    """Return the least epsilon for which mu-GDP implies (epsilon, delta)-DP: the inverse of `delta` in epsilon.

    Parameters
    ----------
    delta : array_like
        In [0, 1]. Above ``delta(0, mu)`` the answer is 0; at 0 it is ``inf``, unless `mu` is 0.
    mu : array_like
        Privacy level, from 0 to ``inf``.
    """
    return mixture_epsilon(delta, [1.0], np.asarray(mu, dtype=np.float64)[..., None])


def calibrate_mu(epsilon: ArrayLike, delta: ArrayLike) -> Array:
    """Return the largest mu for which mu-GDP implies (epsilon, delta)-DP: the inverse of `delta` in mu, to rounding.

    Noise of standard deviation ``sensitivity / mu`` is the least that is (epsilon, delta)-DP.

    Parameters
    ----------
    epsilon : array_like
        At least 0; ``inf`` allows every level.
    delta : array_like
        In [0, 1]; 0 allows only ``mu = 0`` and 1 every level.
    """
    e, d = np.broadcast_arrays(_checked("epsilon", epsilon), _checked("delta", delta, high=1.0))
    # At epsilon = 0: delta = 2 Phi(mu/2) - 1.
    result = np.where(np.isinf(e), np.inf, 2 * math.sqrt(2) * erfinv(d))
    inside = np.isfinite(e) & (e > 0) & (d > 0) & (d < 1)
    e, d = e[inside], d[inside]
    # Below: delta <= Phi(-z1) <= exp(-z1^2/2) / 2, solved for mu; and delta(epsilon) <= delta(0).
    tail = np.sqrt(-2 * np.log(d))
    low = np.maximum(2 * e / (tail + np.sqrt(tail**2 + 2 * e)), result[inside])
    # Above: delta >= P(loss > t) (1 - exp(epsilon - t)) for all t > epsilon; the second factor is made (1 + delta)/2.
    t = e + np.log(2) - np.log1p(-d)
    y = np.where(d < 0.5, -ndtri(2 * d / (1 + d)), ndtri((1 - d) / (1 + d)))
    root = np.sqrt(y**2 + 2 * t)
    high = np.where(y > 0, 2 * t / (np.maximum(y, 0) + root), root - y)

    def excess(mu: Array, e: Array, log_d: Array) -> Array:
        return _log_delta(e, mu) - log_d

    result[inside] = _root(excess, 0.999 * low, 1.001 * high, e, np.log(d))
    return result[()]


def compose(mus: ArrayLike) -> Array:
    """Return the level of Gaussian mechanisms run one after another on the same data: ``sqrt(sum mu_i^2)``.

    The composition is exact, and holds for mechanisms chosen in view of earlier outputs. No mechanism has level 0.

    Parameters
    ----------
    mus : array_like, shape (..., mechanisms)
        Privacy levels, from 0 to ``inf``.

    References
    ----------
    Dong, Roth, Su: Gaussian Differential Privacy, Corollary 3.3.
    """
    m = _checked("privacy level mu", mus)
    top = np.max(m, axis=-1, keepdims=True, initial=0.0)
    scale = np.where((top > 0) & np.isfinite(top), top, 1.0)
    return (scale[..., 0] * np.sqrt(np.square(m / scale).sum(axis=-1)))[()]


# Mixtures of Gaussian mechanisms whose component is seen


def mixture_errors(
    threshold: ArrayLike, weights: ArrayLike, mus: ArrayLike, gamma: ArrayLike = 0.5
) -> tuple[Array, Array]:
    """Return type I and type II error of the likelihood-ratio test between neighbours under a mixture.

    Component b is drawn with probability w_b and shown; the rest is a test of N(0, 1) against N(mu_b, 1). The best
    test compares the log-likelihood ratio with one threshold s for all components:

    ``type I = sum_b w_b Phi(-s/mu_b - mu_b/2)``, ``type II = sum_b w_b Phi(s/mu_b - mu_b/2)``

    Parameters
    ----------
    threshold : array_like
        s, any real number or infinite.
    weights, mus : array_like, shape (..., components)
        Probabilities and privacy levels. In a component of level 0 the ratio is always 1, so it is rejected for
        ``s < 0`` and accepted for ``s > 0``; one of level ``inf`` is always decided rightly.
    gamma : array_like
        Probability of rejection when the ratio equals the threshold; counts only at ``s = 0`` and only for
        components of level 0.

    References
    ----------
    [000, Lemma 2].
    """
    w, mu = _mixture(weights, mus)
    s, g = np.asarray(threshold, dtype=np.float64)[..., None], _checked("gamma", gamma, high=1.0)[..., None]
    if np.isnan(s).any():
        raise InputError("threshold = nan: write a number")
    inside = (mu > 0) & np.isfinite(mu)
    m = np.where(inside, mu, 1.0)
    atom = np.select([s < 0, s > 0], [1.0, 0.0], g)
    zero = mu == 0
    first = np.where(inside, ndtr(-s / m - m / 2), np.where(zero, atom, 0.0))
    second = np.where(inside, ndtr(s / m - m / 2), np.where(zero, 1 - atom, 0.0))
    return (w * first).sum(axis=-1)[()], (w * second).sum(axis=-1)[()]


def mixture_tradeoff(alpha: ArrayLike, weights: ArrayLike, mus: ArrayLike) -> Array:
    """Return the trade-off curve of a mixture of Gaussian mechanisms whose component is seen.

    The curve is ``s -> (type I, type II)`` of `mixture_errors`; a component of level 0 adds a piece of slope -1.

    Parameters
    ----------
    alpha : array_like
        Type I error, in [0, 1].
    weights, mus : array_like, shape (..., components)
        Probabilities and privacy levels, from 0 to ``inf``.

    Returns
    -------
    ndarray
        Least type II error.

    References
    ----------
    [000, Lemma 2]. A larger batch has a smaller level, and a stochastically larger one a higher curve [000, Lemma 1].
    """
    w, mu = _mixture(weights, mus)
    a, rows, w, mu, shape = _flat(_checked("type I error alpha", alpha, high=1.0), w, mu)
    inside = (mu > 0) & np.isfinite(mu)
    m = np.where(inside, mu, 1.0)
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

    def solve(where: NDArray[np.bool_], target: Array, sign: float) -> Array:
        """Return t with sum_b w_b Phi(-t/mu_b + sign mu_b/2) = target."""
        target, row = target[where], rows[where]
        # The mixture's threshold lies between those of its components; a thousandth of mu more, against rounding.
        single = -ndtri(np.minimum(target / mass[where], 1.0 - 2**-53))[:, None] + sign * m[row] / 2
        low = np.where(inside[row], m[row] * (single - 1e-3), np.inf).min(axis=-1)
        high = np.where(inside[row], m[row] * (single + 1e-3), -np.inf).max(axis=-1)

        def excess(t: Array, r: Array, log_target: Array) -> Array:
            r = r.astype(np.intp)
            return _log_sum(log_ndtr(-t[:, None] / m[r] + sign * m[r] / 2), proper[r]) - log_target

        return _root(excess, low, high, row, np.log(target))

    here = steep & (a > 0)
    t = solve(here, a, -1.0)
    result[here] = atom[here] + (proper[rows[here]] * ndtr(t[:, None] / m[rows[here]] - m[rows[here]] / 2)).sum(axis=-1)
    here = flat & ~steep & (rest > 0) & (mass > 0)
    t = solve(here, rest, 1.0)
    result[here] = (proper[rows[here]] * ndtr(-t[:, None] / m[rows[here]] - m[rows[here]] / 2)).sum(axis=-1)
    return np.clip(result, 0.0, 1.0).reshape(shape)[()]


def mixture_log_delta(epsilon: ArrayLike, weights: ArrayLike, mus: ArrayLike) -> Array:
    """Return the logarithm of `mixture_delta`."""
    w, mu = _mixture(weights, mus)
    return _log_sum(log_delta(np.asarray(epsilon, dtype=np.float64)[..., None], mu), w)[()]


def mixture_delta(epsilon: ArrayLike, weights: ArrayLike, mus: ArrayLike) -> Array:
    """Return the least delta at each epsilon for a mixture of Gaussian mechanisms whose component is seen.

    ``delta(epsilon) = sum_b w_b delta_{mu_b}(epsilon)``, because the best test has the threshold ``s = epsilon`` in
    every component.

    Parameters
    ----------
    epsilon : array_like
        At least 0.
    weights, mus : array_like, shape (..., components)
        Probabilities and privacy levels, from 0 to ``inf``.

    References
    ----------
    [000, Lemma 6 and Corollary 3].
    """
    return np.minimum(np.exp(mixture_log_delta(epsilon, weights, mus)), 1.0)


def mixture_epsilon(delta: ArrayLike, weights: ArrayLike, mus: ArrayLike) -> Array:
    """Return the least epsilon at each delta for a mixture: the inverse of `mixture_delta`.

    Parameters
    ----------
    delta : array_like
        In [0, 1].
    weights, mus : array_like, shape (..., components)
        Probabilities and privacy levels, from 0 to ``inf``. When components of level ``inf`` weigh more than
        `delta`, or as much and others of positive level are there, the answer is ``inf``.
    """
    w, mu = _mixture(weights, mus)
    d, rows, w, mu, shape = _flat(_checked("delta", delta, high=1.0), w, mu)
    inside = (mu > 0) & np.isfinite(mu) & (w > 0)
    m = np.where(inside, mu, 1.0)
    proper = np.where(inside, w, 0.0)
    spare = d - np.where(np.isinf(mu), w, 0.0).sum(axis=-1)[rows]
    at_zero = _log_sum(log_delta(0.0, m), proper)[rows]
    with np.errstate(divide="ignore", invalid="ignore"):
        log_spare = np.log(spare)
    empty = proper.sum(axis=-1)[rows] == 0
    within = (spare > 0) & (log_spare >= at_zero) | (spare == 0) & empty
    result = np.where(within, 0.0, np.inf)
    search = (spare > 0) & ~within
    # delta_b <= exp(-z1^2/2) / 2 in each component: at this epsilon they are all below half of what may be spent.
    tail = np.sqrt(-2 * log_spare[search])[:, None]
    high = np.where(inside, m * m / 2, 0.0)[rows[search]] + np.where(inside, m, 0.0)[rows[search]] * tail

    def excess(e: Array, r: Array, log_d: Array) -> Array:
        r = r.astype(np.intp)
        return _log_sum(log_delta(e[:, None], m[r]), proper[r]) - log_d

    ends = np.zeros(int(search.sum())), 1.001 * high.max(axis=-1)
    result[search] = _root(excess, *ends, rows[search], log_spare[search])
    return result.reshape(shape)[()]


# Between curve and profile, the slow way round


def tradeoff_from_deltas(alpha: ArrayLike, epsilons: ArrayLike, deltas: ArrayLike) -> Array:
    """Return the highest trade-off curve that a list of (epsilon, delta) guarantees certifies.

    ``f(alpha) = max_i max(0, 1 - delta_i - exp(epsilon_i) alpha, exp(-epsilon_i) (1 - delta_i - alpha))``

    Parameters
    ----------
    alpha : array_like
        Type I error, in [0, 1].
    epsilons, deltas : array_like, shape (k,)
        The guarantees, with finite epsilon. From finitely many points of a mechanism's profile the result lies on
        or below its true curve.

    References
    ----------
    Dong, Roth, Su: Gaussian Differential Privacy, Propositions 2.4 and 2.12; [000, Lemma 6].
    """
    a = _checked("type I error alpha", alpha, high=1.0)[..., None]
    e = _checked("epsilon", epsilons, high=np.finfo(np.float64).max)
    d = _checked("delta", deltas, high=1.0)
    with np.errstate(divide="ignore", over="ignore"):
        lines = np.maximum(1 - d - np.exp(e + np.log(a)), np.exp(-e) * (1 - d - a))
    return np.max(lines, axis=-1, initial=0.0)[()]


def delta_from_tradeoff(epsilon: ArrayLike, alphas: ArrayLike, betas: ArrayLike) -> Array:
    """Return the least delta at each epsilon for a symmetric trade-off curve given by points.

    ``delta(epsilon) = 1 + f*(-exp(epsilon)) = max_i (1 - exp(epsilon) alpha_i - beta_i)``, with the convex conjugate
    f*, and 0 if that is negative.

    Parameters
    ----------
    epsilon : array_like
        At least 0.
    alphas, betas : array_like, shape (k,)
        Points of the curve. From finitely many points of a curve the result is at most its true delta.

    References
    ----------
    Dong, Roth, Su: Gaussian Differential Privacy, Proposition 2.12; [000, Lemma 6].
    """
    e = _checked("epsilon", epsilon)[..., None]
    a = _checked("type I error alpha", alphas, high=1.0)
    b = _checked("type II error beta", betas, high=1.0)
    with np.errstate(over="ignore"):
        lines = np.where(a > 0, 1 - np.exp(e + np.log(np.where(a > 0, a, 1.0))) - b, 1 - b)
    return np.max(lines, axis=-1, initial=0.0)[()]
