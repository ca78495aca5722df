"""The proxy law: a law of batch sizes that is stochastically smaller than the true one, for all data.

It says how many other data a datum of RW-AdaBatch is hidden among, at least.

Take the batch that holds round t. If it has b rounds or fewer, it began after s completed rounds with max(0,
t - b) <= s <= t - 1. So it is larger than b if the gap of RW-FTPL's totals was large at all these s. A gap is
large if it is at least k_{t,b}; then ComputeDelay allows b + 1 rounds, even at the latest s. With s0 = max(0,
t - b), J = t - 1 - s0 and sigma0 = eta sqrt(s0 + 1),

    S_t(b) = int_{x >= k_{t,b}} f(x / sigma0) / sigma0 [1 - P((x - k_{t,b} - rho J) / (eta sqrt(2J)) -
    sqrt(log(2n-2)))]_+ dx

is a lower bound on the probability of that, for all data fixed in advance. Here f is the density of the gap
at equal means, where the gap is stochastically smallest (Theorem 2). The bracket bounds from below the
probability that a gap x stays large for J more steps (Theorem 1). [000, Section 3.1.2]
[mathematics/000.md#proxy-law]
"""

import functools
import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from private_experts.arrays import Array, Ints
from private_experts.walks.delay import log_tolerance
from private_experts.walks.gap import survival
from private_experts.walks.leader_change import decline, solve

_POINTS = 64
_END = 10.0  # P(10) < 3e-22
# P(gap > e) <= n Phi(-e / sqrt2) < 1e-19 n from here on; to leave it out keeps a lower bound valid
_NEVER = 13.0


def threshold(t: ArrayLike, b: ArrayLike, eta: float, n: int, alpha: float, rho: float = 1.0) -> Array:
    """Return k_{t,b}, elementwise: a gap this large after fewer than t rounds opens a batch larger than b.

    ``k = eta sqrt(2(b+1)) (beta + sqrt(log(2n-2))) + rho (b+1)`` with ``P(beta) = alpha sqrt(log n / (t +
    b))``. This is the smallest tolerance among the decisions in question. Where it is 1 or more, k is 0.
    [mathematics/000.md#proxy-law]

    Gaps are in units of gain, of the broadcast shape of t and b, both from 1.
    """
    size = np.asarray(b, dtype=float) + 1
    # Windows that end in the same round have the same tolerance, which is solved for once.
    ends, window = np.unique(np.asarray(t) - 1 + size, return_inverse=True)
    of_end = log_tolerance(n, alpha, ends)
    log_p, beta = of_end[window], solve(np.minimum(of_end, 0.0))[window]
    k = eta * np.sqrt(2 * size) * (beta + math.sqrt(math.log(2 * n - 2))) + rho * size
    # Where every change is tolerated the inverse is not defined, and no lead at all is needed.
    return np.where(log_p >= 0, 0.0, k)


def windows(
    t: int, eta: float, n: int, alpha: float, largest: int, rho: float = 1.0
) -> tuple[Array, Ints, Ints]:
    """Return for b = 1, ..., `largest` the threshold k_{t,b}, rounds s0 before the first decision, and J."""
    b = np.arange(1, largest + 1)
    first = np.maximum(0, t - b)
    return threshold(t, b, eta, n, alpha, rho), first, t - 1 - first


def gap_exceeds(gap: Array, first: Ints, eta: float, n: int) -> Array:
    """Return P(gap of the totals > `gap`) after `first` rounds without gains; `first` varies on axis 0."""
    # first + 1: the totals start with the noise of z_0.
    level = gap / (eta * np.sqrt(first + 1)).reshape(-1, *([1] * (gap.ndim - 1)))
    probability = np.zeros_like(level)
    probability[level < _NEVER] = survival(level[level < _NEVER], n)
    return probability


def never_rising(larger: Array) -> Array:
    """Return survival probabilities from b = 0 on, never rising: a batch above b + 1 is above b."""
    # Bounds for different b come from different inequalities, so the largest of those further on may be the
    # better.
    probability = np.concatenate([[1.0], np.minimum(larger, 1.0)])
    return np.maximum.accumulate(probability[::-1])[::-1]


def proxy_survival(
    t: int,
    eta: float,
    n: int,
    alpha: float,
    largest: int,
    rho: float = 1.0,
    points: int = _POINTS,
    *,
    drift: float | None = None,
    bound: Literal["theorem 1", "levy"] = "theorem 1",
) -> Array:
    """Return lower bounds on P(datum t's batch is larger than b), b = 0, ..., `largest`, any oblivious data.

    Each is the largest of S_t(b), S_t(b + 1), ..., S_t(largest), since a batch larger than b + 1 is larger
    than b.

    Parameters
    ----------
    t : int
        Round of the datum, from 1.
    eta : float
        Standard deviation of the noise of a report, and of the noise that the totals start with; positive.
    n : int
        Number of experts, at least 2.
    alpha : float
        Tolerance; see `private_experts.walks.compute_delay`.
    largest : int
        The largest b. If the game ends after T rounds, its end cuts the last batch short. The bounds then
        hold up to ``b = T - t`` only, so ask for no more. (A datum in the last batch affects no action at
        all.)
    rho : float
        Drift; see `private_experts.walks.compute_delay`.
    points : int
        Nodes of the outer quadrature. With 64, absolute errors are below 1e-11.
    drift : float, optional
        The most by which the true gains of the data shrink a gap in a round, if that is less than `rho`, for
        which the algorithm allows; the bounds then hold for such data only.
    bound : {"theorem 1", "levy"}
        What bounds the probability that a gap does not stay large. By Levy's inequality, and a union over the
        n - 1 challengers, it is at most ``2 (n - 1) Phi(-(x - k - rho J) / (eta sqrt(2J)))``. DERIVED here.
        [mathematics/000.md#proxy-law-tighter]

    Returns
    -------
    ndarray, shape (largest + 1,)
        Starts at 1 and never rises.

    Notes
    -----
    Integrated by parts, S_t(b) is the mean of P(gap > (k + rho J + eta sqrt(2J) u) / sigma0) over u, a
    variable with the bound as its tail: ``u = beta + sqrt(log(2n-2))`` with the density -P'(beta) of Theorem
    1, or the density 2 (n - 1) phi(u) of Levy's inequality from where the bound is 1. The integrand is
    smooth. The nodes end 10 further on; the rest of the integral is positive and left out, so the bound stays
    valid. [mathematics/000.md#proxy-law]

    Examples
    --------
    The report of round 2000 is in a batch of more than four rounds with probability 0.66 at least:

    >>> from private_experts.walks import proxy_survival
    >>> proxy_survival(2000, eta=1.0, n=2, alpha=0.1, largest=4).round(3).tolist()
    [1.0, 0.863, 0.774, 0.713, 0.661]
    """
    k, first, steps = windows(t, eta, n, alpha, largest, rho)
    nodes, weights = legendre(points)
    beyond, weights = _END / 2 * (1 + nodes), _END / 2 * weights
    if bound == "levy":
        # From where the bound is 1: below, the integrand would be a probability that says nothing.
        u = beyond - float(ndtri(1 / (2 * (n - 1))))
        weights = weights * 2 * (n - 1) * np.exp(-(u**2) / 2) / math.sqrt(2 * math.pi)
    else:
        u, weights = beyond + math.sqrt(math.log(2 * n - 2)), weights * decline(beyond)
    # The walk may fall by u standard deviations of J steps of a difference of two coordinates, and the drift
    # comes on top.
    fall = eta * np.sqrt(2 * steps)[:, None] * u + (rho if drift is None else drift) * steps[:, None]
    return never_rising(gap_exceeds(k[:, None] + fall, first, eta, n) @ weights)


def proxy_pmf(t: int, eta: float, n: int, alpha: float, largest: int, rho: float = 1.0) -> Array:
    """Return the law whose survival is `proxy_survival`: the weights of the sizes 1, ..., `largest` + 1.

    The last size gets the weight of all larger ones. The law is stochastically smaller than the true one. So
    privacy guarantees that follow from it hold for the algorithm. [000, Lemma 1] [mathematics/000.md#lemma-1]

    Parameters
    ----------
    t, eta, n, alpha, largest, rho
        As for `proxy_survival`.

    Returns
    -------
    ndarray, shape (largest + 1,)
        Probabilities that sum to 1.

    Examples
    --------
    The report of a batch of b rounds is mu / sqrt(b)-GDP. The mixture over b is what batching makes of 1-GDP:

    >>> import numpy as np
    >>> from private_experts.privacy.gaussian_mixtures import mixture_delta
    >>> from private_experts.walks import proxy_pmf
    >>> law = proxy_pmf(2000, eta=1.0, n=2, alpha=0.1, largest=9)
    >>> round(float(mixture_delta(1.0, law, 1 / np.sqrt(np.arange(1, 11)))), 4)  # without batching 0.1269
    0.0226
    """
    return -np.diff(proxy_survival(t, eta, n, alpha, largest, rho), append=0.0)


@functools.cache
def legendre(points: int) -> tuple[Array, Array]:
    """Return the nodes and weights on [-1, 1], which take longer to find than some laws to compute."""
    nodes, weights = np.polynomial.legendre.leggauss(points)
    return nodes, weights
