"""ComputeDelay: for how many rounds a leader may be kept without asking again. [000, Appendix A.6]"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from private_experts.errors import InputError
from private_experts.walks.leader_change import argument, log_bound, look_up

Array = NDArray[np.float64]
Sizes = NDArray[np.int64]

# Times that a guess is refined at most; each divides its error by 10 and more, at tolerances far below 1. A guess that
# is off costs time, not truth.
_REFINEMENTS = 6


def log_tolerance(n: int, alpha: float, rounds: ArrayLike) -> Array:
    """Return the log of what a batch may fail with that ends after so many rounds: ``alpha sqrt(log n / rounds)``."""
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
    """Return the largest batch in which the leader is unlikely to change.

    That is the largest integer B >= 1 with ``P(beta_B) <= alpha sqrt(log n / (completed + B))``, where P is the bound
    of Theorem 1 and ``beta_B = (gap - rho B) / (eta sqrt(2 B)) - sqrt(log(2n - 2))``; it is 1 if B = 1 already
    fails. As B grows, the left side grows and the right side falls, so there is one crossing.
    [000, Corollary 1; the tolerance is the authors', the drift ``rho B`` DERIVED: E000-5]

    Parameters
    ----------
    gap : array_like
        Lead of the leader in the noisy totals, at least 0.
    eta : array_like
        Standard deviation of the noise of a report, or an upper bound on it over the batch. Without noise (0) the
        leader is safe as long as ``gap > rho B``.
    n : int
        Number of experts, at least 2.
    alpha : float
        Tolerance, positive.
    completed : array_like of int
        Rounds completed so far.
    rho : float
        The most by which true gains shrink the gap in a round: 1 for gains in [0, 1], 0 without gains.
    exact : bool
        Bisect on the condition itself instead of guessing by the tabled inverse of P. The result is the same, since
        each guess is checked by the condition itself, and bisected for where it fails.
    largest : int
        Returned when the condition holds that far.

    Returns
    -------
    ndarray of int
        Of the broadcast shape of `gap`, `eta` and `completed`.

    Raises
    ------
    InputError
        When there are fewer than two experts, or the tolerance is not positive.
    """
    if n < 2:
        raise InputError(f"{n} expert(s): a lead needs at least 2")
    if not alpha > 0:
        raise InputError(f"tolerance alpha = {alpha}: write a positive number")
    shaped = np.broadcast_arrays(*(np.asarray(each, dtype=float) for each in (gap, eta, completed)))
    lead, scale, start = (each.ravel() for each in shaped)

    def holds(size: int | Sizes, rows: slice | NDArray[np.intp] = slice(None)) -> NDArray[np.bool_]:
        left = log_bound(argument(lead[rows], scale[rows], size, n, rho))
        return left <= log_tolerance(n, alpha, start[rows] + size)

    if largest <= 2:
        sizes = np.where(holds(2) & (largest == 2), np.int64(2), np.int64(1))
        return sizes.reshape(shaped[0].shape)
    if exact:
        sizes = np.zeros(lead.size, dtype=np.int64)
        wrong = np.arange(lead.size)
    else:
        sizes = _guess(lead, scale, n, alpha, start, rho, largest)
        fits, more = holds(np.stack([sizes, sizes + 1]))
        wrong = np.flatnonzero(~((fits | (sizes == 1)) & (~more | (sizes == largest))))
    if wrong.size:
        low = np.ones(wrong.size, dtype=np.int64)  # holds, or is returned all the same
        high = np.full(wrong.size, largest + 1, dtype=np.int64)  # does not hold, or is not asked for
        while np.any(high - low > 1):
            middle = (low + high) // 2
            fits = holds(middle, wrong)
            low, high = np.where(fits, middle, low), np.where(fits, high, middle)
        sizes[wrong] = low
    return sizes.reshape(shaped[0].shape)


def _guess(gap: Array, eta: Array, n: int, alpha: float, completed: Array, rho: float, largest: int) -> Sizes:
    """Return the crossing up to the errors of the table and of the iteration.

    At a given tolerance the condition is ``rho B + level sqrt(B) <= gap``, quadratic in sqrt(B); the tolerance hardly
    depends on B, so solving for B and taking the tolerance there settles quickly.
    """
    size = np.ones(gap.shape)
    with np.errstate(over="ignore"):
        for _ in range(_REFINEMENTS):
            before = size
            beta = look_up(log_tolerance(n, alpha, completed + before))
            level = math.sqrt(2) * eta * (beta + math.sqrt(math.log(2 * n - 2)))
            root = 2 * gap / np.maximum(level + np.sqrt(level**2 + 4 * rho * gap), 1e-300)
            size = np.floor(np.minimum(np.maximum(root**2, 1.0), largest))
            if (size == before).all():
                break
    return size.astype(np.int64)
