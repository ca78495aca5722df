"""ComputeDelay: for how many rounds the leader may be kept before the totals are looked at again.

[000, Appendix A.6] [mathematics/000.md#compute-delay]
"""

import functools
import math

import numpy as np
from numpy.typing import ArrayLike

from private_experts.arrays import Array, Bools, Indices, Ints
from private_experts.errors import InputError
from private_experts.validation import whole
from private_experts.walks.leader_change import argument, log_bound, look_up

# How often a guess is refined at most. At tolerances far below 1, each time divides its error by 10 or more.
# A bad guess costs time and not correctness.
_REFINEMENTS = 6
# A crossing this far from a whole number, in parts of itself, is on the side that the table says. The table
# is off by less than 1e-7 between these logs of tolerances, which moves a crossing by less than 3e-7 of
# itself.
_MARGIN = 1e-5
_TABLED = -690.0, -1e-6
_SMALL = np.arange(2, 34)  # sizes for which least gaps are tabled
_BITS = 4  # of a number of rounds: gaps are tabled for those that differ in these


def log_tolerance(n: int, alpha: float, rounds: ArrayLike) -> Array:
    """Return the log of the tolerance ``alpha sqrt(log n / rounds)`` of a batch that ends after `rounds`.

    The tolerance is the largest probability with which the leader may change during the batch. [000, Appendix
    A.6]

    It is above 0 where every change is tolerated. `rounds` are those completed at the end of the batch.
    """
    # In logarithms, as the table of the inverse is: a tolerance may lie far below the smallest float.
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
) -> Ints:
    """Return the size of the largest batch in which the leader is unlikely to change.

    That is the largest integer B >= 1 with ``P(beta_B) <= alpha sqrt(log n / (completed + B))``, where P is
    the bound of Theorem 1 and ``beta_B = (gap - rho B) / (eta sqrt(2 B)) - sqrt(log(2n - 2))``. It is 1 if B
    = 1 already fails. As B grows, the left side grows and the right side falls, so there is one crossing. The
    tolerance is the paper's; the drift ``rho B`` is for gains that move, see E000-5. [000, Corollary 1]
    [mathematics/000.md#compute-delay]

    Parameters
    ----------
    gap : array_like
        Gap of the noisy totals, at least 0, in units of gain.
    eta : array_like
        Standard deviation of the noise of a report, or an upper bound on it over the batch. Without noise (0)
        the leader cannot change as long as ``gap > rho B``.
    n : int
        Number of experts, at least 2.
    alpha : float
        Tolerance, positive.
    completed : array_like of int
        Rounds completed so far.
    rho : float
        The most by which true gains shrink the gap in a round: 1 for gains in [0, 1], 0 without gains.
    exact : bool
        Bisect on the condition, instead of guessing from the tabled inverse of P. The result is the same,
        because every guess that an error of the table could change is tested by the condition, and replaced
        by bisection where it fails.
    largest : int
        Upper limit of the search, at least 1; returned when the condition still holds there.

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
    n = whole(n, "lead", "number of experts", least=2)
    if not alpha > 0:
        raise InputError(f"tolerance alpha = {alpha}: write a positive number")
    largest = max(largest, 1)
    shaped = [np.asarray(numbers, dtype=float) for numbers in (gap, eta, completed)]
    shape = np.broadcast(*shaped).shape
    lead, scale, start = (np.full(shape, numbers).ravel() for numbers in shaped)

    def holds(size: Ints, rows: Indices) -> Bools:
        # The condition itself: whatever is guessed, what is returned has passed it or comes from bisection on
        # it.
        left = log_bound(argument(lead[rows], scale[rows], size, n, rho))
        return left <= log_tolerance(n, alpha, start[rows] + size)

    # Integers from 1 to 2^31: at most 31 steps, and no rounding of a real crossing to be afraid of. The
    # condition holds at `low`, or the size is 1; it fails at `high`, or the size is out of range.
    low, high = np.ones(lead.size, dtype=np.int64), np.full(lead.size, largest + 1, dtype=np.int64)
    sizes, wrong = low.copy(), np.arange(lead.size)
    if not exact:
        sizes, wrong = _guess(lead, scale, n, alpha, start, rho, largest)
        if wrong.size:
            guessed = sizes[wrong]
            # A guess is right if it fits and one more does not: there is one crossing.
            fits, more = holds(np.stack([guessed, guessed + 1]), wrong)
            settled = (fits | (guessed == 1)) & (~more | (guessed == largest))
            wrong, guessed, fits = wrong[~settled], guessed[~settled], fits[~settled]
        if wrong.size:
            # A wrong guess is nearly always off by one.
            low[wrong], high[wrong] = np.where(fits, guessed + 1, 1), np.where(fits, largest + 1, guessed)
            near = np.minimum(np.where(fits, guessed + 2, guessed - 1), largest).clip(1)
            fits = holds(near, wrong)
            low[wrong] = np.where(fits, np.maximum(low[wrong], near), low[wrong])
            high[wrong] = np.where(fits, high[wrong], np.maximum(np.minimum(high[wrong], near), 2))
    if wrong.size:
        low, high = low[wrong], high[wrong]
        while np.any(high - low > 1):
            middle = (low + high) // 2
            fits = holds(middle, wrong)
            low, high = np.where(fits, middle, low), np.where(fits, high, middle)
        sizes[wrong] = low
    return sizes.reshape(shape)


def _guess(
    gap: Array, eta: Array, n: int, alpha: float, completed: Array, rho: float, largest: int
) -> tuple[Ints, Indices]:
    """Return the crossings, up to errors of table and iteration, and the rows where these matter.

    At a given tolerance the condition is ``rho B + level sqrt(B) <= gap``, which is quadratic in sqrt(B). The
    tolerance hardly depends on B. So solving for B and updating the tolerance in turn converges quickly.

    The tolerance falls with B. So if that of a size b is met up to x, the condition holds for all sizes up to
    x and b, and it fails from b on above x. Where x is in [b - 1, b + 1), this leaves one size, and no doubt.
    """
    lead = np.maximum(gap, 0.0)
    highest = math.sqrt(math.log(2 * n - 2))

    def solved(log_p: Array, rows: Indices | slice) -> tuple[Ints, Bools]:
        """Return the whole part of the crossing at a tolerance, and whether table errors cannot change it."""
        level = math.sqrt(2) * eta[rows] * (look_up(log_p) + highest)
        # The root of the quadratic as a quotient: the usual difference cancels where the drift is small.
        divisor = np.maximum(level + np.sqrt(level**2 + 4 * rho * lead[rows]), 1e-300)
        x = (2 * lead[rows] / divisor) ** 2
        size = np.minimum(np.maximum(x, 1.0), largest).astype(np.int64)
        clear = ((1 - _MARGIN) * x >= size) | (size == 1)
        clear &= ((1 + _MARGIN) * x < size + 1) | (size == largest)
        clear &= (level > 1e-150) & (divisor < 1e150)  # their squares are normal numbers
        return size, clear & (_TABLED[0] < log_p) & (log_p < _TABLED[1])

    if gap.size == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.intp)
    with np.errstate(over="ignore"):
        # Most leads serve one round, even at the tolerance of the first batch of all that could end.
        size, clear = solved(log_tolerance(n, alpha, completed.min() + 1), slice(None))
        doubtful = ~(clear & (size == 1))
        rows = np.flatnonzero(doubtful)
        for _ in range(_REFINEMENTS):
            if rows.size == 0:
                break
            before = size[rows]
            now, clear = solved(log_tolerance(n, alpha, completed[rows] + before), rows)
            size[rows] = now
            # At its own tolerance the size `before` fails and `now` holds, as fewer rounds tolerate more: so
            # `now` is the crossing.
            settled = clear & ((now == before) | (now == before - 1))
            doubtful[rows[settled]] = False
            rows = rows[~settled & (now != before)]
    return size, np.flatnonzero(doubtful)


def sizes_now(gap: Array, eta: float, n: int, alpha: float, completed: int, rho: float = 1.0) -> Ints:
    """Return `compute_delay` for gaps (k,) after the same number of rounds, mostly without its search.

    The least gap of a size grows with the rounds. Where those of fewer rounds and of more say the same, it is
    so.
    """
    step = max(0, int(completed).bit_length() - _BITS)
    early = int(completed) >> step << step
    # Fewer rounds tolerate more, so they give the most; more rounds give the fewest. Where both agree, so it
    # is in between.
    most = _least_gaps(eta, n, alpha, early, rho)[0].searchsorted(gap, side="right") + 1
    fewest = _least_gaps(eta, n, alpha, early + (1 << step), rho)[1].searchsorted(gap, side="right") + 1
    unsure = ((fewest != most) | (most == _SMALL[-1])).nonzero()[0]
    if unsure.size:
        fewest[unsure] = compute_delay(gap[unsure], eta, n, alpha, completed, rho)
    return fewest


@functools.lru_cache(maxsize=8)
def _least_gaps(eta: float, n: int, alpha: float, rounds: int, rho: float) -> tuple[Array, Array]:
    """Return gaps from which on a batch after so many rounds is no longer smaller than given sizes."""
    log_p = log_tolerance(n, alpha, rounds + _SMALL)
    level = look_up(log_p) + math.sqrt(math.log(2 * n - 2))
    least = rho * _SMALL + eta * np.sqrt(2 * _SMALL) * level
    # Outside the table: answers that never agree, so that the search is asked.
    if not (_TABLED[0] < log_p[-1] and log_p[0] < _TABLED[1]):
        return np.zeros(_SMALL.size), np.full(_SMALL.size, np.inf)
    return (1 - _MARGIN) * least, (1 + _MARGIN) * least
