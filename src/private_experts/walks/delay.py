"""ComputeDelay: for how many rounds the leader may be kept before the totals are looked at again.

[000, Appendix A.6] [mathematics/000.md#compute-delay]
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from private_experts.errors import InputError
from private_experts.walks.leader_change import argument, log_bound, look_up

Array = NDArray[np.float64]
Sizes = NDArray[np.int64]

# How often a guess is refined at most. At tolerances far below 1, each time divides its error by 10 or more. A bad
# guess costs time and not correctness.
_REFINEMENTS = 6


def log_tolerance(n: int, alpha: float, rounds: ArrayLike) -> Array:
    """Return the log of the tolerance ``alpha sqrt(log n / rounds)`` of a batch that ends after `rounds` rounds.

    The tolerance is the largest probability with which the leader may change during the batch. [000, Appendix A.6]

    Parameters
    ----------
    n : int
        Number of experts, at least 2.
    alpha : float
        Tolerance, positive.
    rounds : array_like of int
        Rounds completed at the end of the batch, from 1.

    Returns
    -------
    ndarray
        Of the shape of `rounds`. It is above 0 where every change is tolerated.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.walks.delay import log_tolerance
    >>> np.exp(log_tolerance(10, alpha=0.01, rounds=[100, 10_000])).round(6).tolist()
    [0.001517, 0.000152]
    """
    return math.log(alpha) + 0.5 * np.log(math.log(n) / np.asarray(rounds, dtype=float))


def compute_delay(
    gap: ArrayLike,
    eta: ArrayLike,
    n: int,
    alpha: float,
    completed: ArrayLike,
    rho: float = 1.0,
    exact: bool = False,
    largest: int = 2**31,
) -> Sizes:
    """Return the size of the largest batch in which the leader is unlikely to change.

    That is the largest integer B >= 1 with ``P(beta_B) <= alpha sqrt(log n / (completed + B))``, where P is the bound
    of Theorem 1 and ``beta_B = (gap - rho B) / (eta sqrt(2 B)) - sqrt(log(2n - 2))``. It is 1 if B = 1 already fails.
    As B grows, the left side grows and the right side falls, so there is one crossing. The tolerance is the paper's;
    the drift ``rho B`` mends erratum E000-5. [000, Corollary 1] [mathematics/000.md#compute-delay]

    Parameters
    ----------
    gap : array_like
        Gap of the noisy totals, at least 0, in units of gain.
    eta : array_like
        Standard deviation of the noise of a report, or an upper bound on it over the batch. Without noise (0) the
        leader cannot change as long as ``gap > rho B``.
    n : int
        Number of experts, at least 2.
    alpha : float
        Tolerance, positive.
    completed : array_like of int
        Rounds completed so far.
    rho : float
        The most by which true gains shrink the gap in a round: 1 for gains in [0, 1], 0 without gains.
    exact : bool
        Bisect on the condition, instead of guessing from the tabled inverse of P. The result is the same, because
        every guess is tested by the condition, and replaced by bisection where it fails.
    largest : int
        Upper limit of the search, returned when the condition still holds there.

    Returns
    -------
    ndarray of int
        Of the broadcast shape of `gap`, `eta` and `completed`.

    Raises
    ------
    InputError
        When there are fewer than two experts, or the tolerance is not positive.

    Examples
    --------
    With a lead of 10 the choice stands for one round, with a lead of 100 for many:

    >>> from private_experts.walks import compute_delay
    >>> compute_delay([10.0, 30.0, 100.0], eta=1.0, n=5, alpha=0.01, completed=1000).tolist()
    [1, 8, 46]
    """
    if n < 2:
        raise InputError(f"{n} expert(s): a lead needs at least 2")
    if not alpha > 0:
        raise InputError(f"tolerance alpha = {alpha}: write a positive number")
    shape = np.broadcast(gap, eta, completed).shape
    lead, scale, start = (np.full(shape, each, dtype=float).ravel() for each in (gap, eta, completed))

    def holds(size: int | Sizes, rows: slice | NDArray[np.intp] = slice(None)) -> NDArray[np.bool_]:
        left = log_bound(argument(lead[rows], scale[rows], size, n, rho))
        return left <= log_tolerance(n, alpha, start[rows] + size)

    if largest <= 2:
        sizes = np.where(holds(2) & (largest == 2), np.int64(2), np.int64(1))
        return sizes.reshape(shape)
    if exact:
        sizes = np.zeros(lead.size, dtype=np.int64)
        wrong = np.arange(lead.size)
    else:
        sizes = _guess(lead, scale, n, alpha, start, rho, largest)
        several = np.flatnonzero(sizes > 1)  # a size of 1 need not fit
        rows = np.concatenate([np.arange(lead.size), several])
        held = holds(np.concatenate([sizes + 1, sizes[several]]), rows)
        off = held[: lead.size] & (sizes != largest)
        off[several] |= ~held[lead.size :]
        wrong = np.flatnonzero(off)
    if wrong.size:
        low = np.ones(wrong.size, dtype=np.int64)  # the condition holds, or the size is 1
        high = np.full(wrong.size, largest + 1, dtype=np.int64)  # the condition fails, or the size is out of range
        while np.any(high - low > 1):
            middle = (low + high) // 2
            fits = holds(middle, wrong)
            low, high = np.where(fits, middle, low), np.where(fits, high, middle)
        sizes[wrong] = low
    return sizes.reshape(shape)


def _guess(gap: Array, eta: Array, n: int, alpha: float, completed: Array, rho: float, largest: int) -> Sizes:
    """Return the crossing, up to the errors of the table and of the iteration.

    At a given tolerance the condition is ``rho B + level sqrt(B) <= gap``, which is quadratic in sqrt(B). The
    tolerance hardly depends on B. So solving for B and updating the tolerance in turn converges quickly.
    """
    size = np.ones(gap.shape)
    spread, least, twice = math.sqrt(2) * eta, math.sqrt(math.log(2 * n - 2)), 2 * gap
    with np.errstate(over="ignore"):
        drift = 4 * rho * gap
        for _ in range(_REFINEMENTS):
            before = size
            level = spread * (look_up(log_tolerance(n, alpha, completed + before)) + least)
            root = twice / np.maximum(level + np.sqrt(level**2 + drift), 1e-300)
            size = np.floor(np.minimum(np.maximum(root**2, 1.0), largest))
            if (size == before).all():
                break
    return size.astype(np.int64)
