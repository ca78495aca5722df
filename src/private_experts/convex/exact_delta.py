"""The exact delta of whole plays on a grid, from the moments of their privacy loss. [mathematics/001.md#exact-delta]

The privacy loss of a play is L = log(P / Q) of its path, for the laws P and Q of two neighbouring streams. Its moments
``E_P exp(s L)`` follow from the Markov chain of the play for every complex s, and delta is an integral over them.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from private_experts.convex.chains import keep_probabilities
from private_experts.convex.pcomw import check_lottery
from private_experts.errors import InputError

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]
Moments = Callable[[Complex | Array], Complex]

_ENDS = 1e-12  # the integral stops where its integrand is this small against its peak
_NODES, _MOST_NODES = 64, 20_000
_EVEN = 1e-15  # how far steps may differ, against the largest s, to count as equal: the rounding of s itself


def every_round_moments(laws: Array, others: Array) -> Moments:
    """Return the moments ``E_P exp(s L)`` of independent draws, one from each row of `laws`, as a function of s.

    Parameters
    ----------
    laws, others : ndarray, shape (T, m)
        Log-probabilities under the two streams.

    Returns
    -------
    callable
        From complex s, shape (n,), to moments, shape (n,).

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.convex.exact_delta import every_round_moments
    >>> one, two = np.log([[0.2, 0.8]]), np.log([[0.5, 0.5]])
    >>> moments = every_round_moments(one, two)
    >>> moments(np.array([0.0, 1.0])).real.round(4).tolist(), round(0.2**2 / 0.5 + 0.8**2 / 0.5, 4)
    ([1.0, 1.36], 1.36)
    """

    def moments(s: Complex | Array) -> Complex:
        return np.asarray(_power(s, laws, others).sum(axis=-1).prod(axis=-1))

    return moments


def play_moments(laws: Array, others: Array, log_phi: float, p: float) -> Moments:
    """Return the moments ``E_P exp(s L)`` of the paths of P-COMW without a budget, as a function of s.

    A play with a budget is a function of the path without one, so it gives away no more.

    Parameters
    ----------
    laws, others : ndarray, shape (T, m)
        Log-probabilities under the two streams.
    log_phi, p : float
        As in `PCOMW`, with p in (0, 1).

    Returns
    -------
    callable
        From complex s, shape (n,), to moments, shape (n,).

    Raises
    ------
    InputError
        When a parameter is outside its range.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.convex import Box, GridGibbs
    >>> from private_experts.convex.exact_delta import delta, play_moments
    >>> family = GridGibbs(Box([-0.5], [0.5]).grid(50), beta=1.0, lam=20.0)
    >>> ups = np.tile(family.points[:, 0], (20, 1))
    >>> downs = np.concatenate([-ups[:1], ups[1:]])  # the neighbour: another loss in round 1
    >>> moments = play_moments(family.laws(ups), family.laws(downs), log_phi=0.5, p=0.5)
    >>> [round(delta(moments, epsilon), 6) for epsilon in (0.0, 0.5, 1.0)]
    [0.431057, 0.289548, 0.17037]
    """
    check_lottery(log_phi, p, math.inf)
    if not 0 < p < 1:
        raise InputError(f"moments of P-COMW: p = {p}: write a number between 0 and 1")
    keep, keep_other = (keep_probabilities(each, log_phi, p) for each in (laws, others))

    def moments(s: Complex | Array) -> Complex:
        first, *fresh = _power(s, laws, others).swapaxes(0, 1)
        kept = _power(s, np.log(keep), np.log(keep_other)).swapaxes(0, 1)
        drawn = _power(s, np.log1p(-keep), np.log1p(-keep_other)).swapaxes(0, 1)
        moment = first
        for stays, goes, anew in zip(kept, drawn, fresh, strict=True):
            moment = moment * stays + (moment * goes).sum(axis=1, keepdims=True) * anew
        return np.asarray(moment.sum(axis=1))

    return moments


def delta(moments: Moments, epsilon: float) -> float:
    """Return the least delta for which ``P(A) <= e^epsilon Q(A) + delta`` for every event A.

    Parameters
    ----------
    moments : callable
        ``E_P exp(s L)`` for complex s of positive real part, shape (n,) to shape (n,).
    epsilon : float
        At least 0.

    Returns
    -------
    float
        In [0, 1], up to the error of the rule.

    Raises
    ------
    InputError
        When the moments do not fall off along the line of integration, as for a loss with few values.

    Notes
    -----
    ``delta = E_P (1 - exp(epsilon - L))_+`` is the integral of ``E_P exp(s L) exp(-s epsilon) / (s (s + 1)) / (2 pi
    i)`` along a vertical line through any c > 0. The c taken is near the saddle point. The trapezoidal rule errs by a
    factor of about ``exp(-2 pi c / step)``, as the nearest pole is at 0.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.convex.exact_delta import delta
    >>> from private_experts.privacy import gaussian_mechanism
    >>> moments = lambda s: np.exp(s * (s + 1) / 2)  # of N(0, 1) against N(1, 1)
    >>> round(delta(moments, 1.0), 9), round(float(gaussian_mechanism.delta(1.0, 1.0)), 9)
    (0.126936738, 0.126936738)
    """
    real, logs = _trial(moments)
    return _integral(*_line(moments, float(real[np.nanargmin(logs - real * epsilon)])), epsilon)


def epsilon(moments: Moments, spent: float) -> float:
    """Return the least epsilon of at least 0 at which `delta` is at most `spent`, in (0, 1).

    One line of integration serves all epsilon that are tried.

    Parameters
    ----------
    moments : callable
        As in `delta`.
    spent : float
        The delta that may be spent, in (0, 1).

    Returns
    -------
    float

    Raises
    ------
    InputError
        As `delta` does.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.convex.exact_delta import delta, epsilon
    >>> moments = lambda s: np.exp(s * (s + 1) / 2)  # of N(0, 1) against N(1, 1)
    >>> round(epsilon(moments, delta(moments, 1.0)), 6)
    1.0
    """
    real, logs = _trial(moments)
    least = (logs - math.log(spent)) / real  # at this epsilon the integrand is as large as what may be spent
    line = _line(moments, float(real[np.nanargmin(least)]))
    if _integral(*line, 0.0) <= spent:
        return 0.0
    low, high = 0.0, 2 * max(float(np.nanmin(least)), 1e-12)
    while _integral(*line, high) > spent:
        low, high = high, 2 * high
    while high - low > 1e-10 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _integral(*line, middle) > spent else (low, middle)
    return high


def _power(s: Complex | Array, one: Array, two: Array) -> Complex:
    """Return ``p^(1 + s) q^-s`` for each s and each of two arrays of log-probabilities, shape (s, ...).

    Where s are evenly spaced, as on a line of integration, powers are multiplied up: the exponential of a complex
    number costs as much as dozens of products. Their error grows with the number of s: some 20 units in the last
    place for the 64 that a line is made of at a time, and thousands for 20 000.
    """
    apart, steps = one - two, np.diff(s)
    if s.size < 3 or np.abs(steps - steps[0]).max() > _EVEN * np.abs(s).max():
        return np.asarray(np.exp(one + s.reshape(-1, *[1] * one.ndim) * apart))
    powers = np.empty((s.size, *one.shape), dtype=np.complex128)
    powers[0], ratio, known = np.exp(one + s[0] * apart), np.exp(steps[0] * apart), 1
    while known < s.size:
        more = min(known, s.size - known)
        np.multiply(powers[:more], ratio, out=powers[known : known + more])
        ratio, known = ratio * ratio, known + more
    return powers


def _trial(moments: Moments) -> tuple[Array, Array]:
    """Return real s, and the logarithms of the integrand there but for the factor ``exp(-s epsilon)``."""
    real = np.geomspace(0.05, 5e4, 40)
    with np.errstate(all="ignore"):
        values = moments(real).real  # exponentials of real numbers take a tenth of the time of complex ones
        logs = np.log(values) - np.log(real * (real + 1))
    return real, np.where(np.isfinite(logs), logs, np.nan)


def _line(moments: Moments, c: float) -> tuple[Complex, Complex, float]:
    """Return nodes above c, the integrand there but for the factor ``exp(-s epsilon)``, and the step."""
    step, nodes, values = c / 6, np.empty(0, dtype=np.complex128), np.empty(0, dtype=np.complex128)
    for first in range(0, _MOST_NODES, _NODES):
        s = np.asarray(c + 1j * step * np.arange(first, first + _NODES), dtype=np.complex128)
        nodes, values = np.append(nodes, s), np.append(values, moments(s) / (s * (s + 1)))
        if np.abs(values[-8:]).max() < _ENDS * abs(values[0]):
            values[0] /= 2
            return nodes, values, step
    raise InputError("exact delta: the moments of the privacy loss do not fall off; write a play with more draws")


def _integral(nodes: Complex, values: Complex, step: float, epsilon: float) -> float:
    """Return delta at epsilon, by the trapezoidal rule; the lower half of the line mirrors the upper one."""
    return max(float((values * np.exp(-nodes * epsilon)).real.sum()) * step / math.pi, 0.0)
