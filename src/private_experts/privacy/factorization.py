"""Strategies: what to release in place of raw data, so that many linear answers have little noise.

Data are T vectors, of which one person can change the t-th by at most ``sensitivity[t]`` in L2. Divide each
by its sensitivity. A *strategy* is a lower triangular matrix C; row t of C times the divided data is released
in round t, with independent N(0, 1/mu^2) noise. That is mu-GDP if no column of C is longer than 1. A
*workload* W lists the answers that are wanted, one a row. Their noise has the standard deviations ``|rows of
W D C^-1| / mu``, D = diag(sensitivity). [mathematics/000.md#factorization]
"""

from dataclasses import dataclass
from numbers import Real

import numpy as np

from private_experts.arrays import Array, Ints
from private_experts.errors import InputError
from private_experts.validation import checked_number, whole

_MOST_ITERATIONS = 2000
_MOST_ROUNDS = 2**14  # of a matrix, which is then 2 GiB; some of its size are made on the way


@dataclass(frozen=True)
class Optimum:
    """A strategy and how far it is from the best one. [mathematics/000.md#optimal-strategy]

    No strategy has a total squared noise below ``1 / (1 + gap)`` times this one's: proved by duality, up to
    rounding.
    """

    strategy: Array  # lower triangular (T, T), with columns of length 1
    gap: float


def prefix_sums(rounds: int) -> Array:
    """Return the workload of prefix sums: ones on and below the diagonal. [mathematics/000.md#factorization]

    Parameters
    ----------
    rounds : int
        From 1 to 16384.

    Returns
    -------
    ndarray, shape (rounds, rounds)

    Examples
    --------
    >>> from private_experts.privacy.factorization import prefix_sums
    >>> prefix_sums(3).tolist()
    [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]
    """
    return (_lags("prefix_sums", rounds) >= 0).astype(np.float64)


def _lags(who: str, rounds: int) -> Ints:
    """Return how many rounds each column is before each row, (rounds, rounds)."""
    rounds = whole(rounds, who, "rounds")
    if rounds > _MOST_ROUNDS:
        raise InputError(
            f"{who}: {rounds} rounds make a matrix of {8 * rounds**2 / 2**30:.3g} GiB: write "
            "BandedSums(..., coefficients=root_band(64)), whose memory does not grow with the rounds, or "
            f"at most {_MOST_ROUNDS} rounds"
        )
    lags: Ints = np.subtract.outer(np.arange(rounds), np.arange(rounds))
    return lags


def noise_deviation(workload: Array, strategy: Array, sensitivity: Array) -> Array:
    """Return the standard deviation of each answer's noise at mu = 1. [mathematics/000.md#factorization]

    Parameters
    ----------
    workload : ndarray, shape (answers, T)
        The weights of the data in each answer.
    strategy : ndarray, shape (T, T)
        Lower triangular, with a positive diagonal.
    sensitivity : ndarray, shape (T,)
        How far one person can move each datum, in L2; positive.

    Returns
    -------
    ndarray, shape (answers,)

    Examples
    --------
    The sum of 64 local reports has the noise 8. A curator does with a quarter:

    >>> import numpy as np
    >>> from private_experts.privacy.factorization import noise_deviation, prefix_sums, square_root
    >>> sums, one = prefix_sums(64), np.ones(64)
    >>> strategies = np.eye(64), square_root(64)
    >>> [round(float(noise_deviation(sums, strategy, one)[-1]), 2) for strategy in strategies]
    [8.0, 1.99]
    """
    from scipy.linalg import solve_triangular  # few who import this room need it

    # W D C^-1 is the transpose of the solution Y of C' Y = D W'.
    answered = solve_triangular(strategy, (workload * sensitivity).T, trans="T", lower=True)
    result: Array = np.sqrt((answered**2).sum(axis=0))
    return result


def square_root(rounds: int) -> Array:
    """Return the square root of the prefix sums, with columns of length 1. [mathematics/000.md#square-root]

    The ones on and below the diagonal are the square of a matrix with entries ``binom(2k, k) / 4^k``, k
    places below the diagonal. Its later columns are shorter. With all of length 1, every datum spends all of
    its privacy level. (Henzinger, Kalinin, Upadhyay: Normalized Square Root, 2025.)

    Parameters
    ----------
    rounds : int
        From 1 to 16384.

    Returns
    -------
    ndarray, shape (rounds, rounds)
        A strategy.

    Examples
    --------
    >>> from private_experts.privacy.factorization import square_root
    >>> square_root(3).round(3).tolist()
    [[0.848, 0.0, 0.0], [0.424, 0.894, 0.0], [0.318, 0.447, 1.0]]
    """
    lag, k = _lags("square_root", rounds), np.arange(1, rounds)
    # binom(2k, k) / 4^k by the ratio of neighbours, without factorials.
    entries = np.concatenate([[1.0], np.cumprod((2 * k - 1) / (2 * k))])[:rounds]
    root = np.where(lag >= 0, entries[np.abs(lag)], 0.0)
    result: Array = root / np.sqrt((root**2).sum(axis=0))
    return result


def geometric(rounds: int, takes_back: float) -> Array:
    """Return the strategy with which a report takes back a part of the noise of the one before.

    Its inverse has a constant c on the diagonal and ``-c takes_back`` below it: the noise of report t is ``c
    (w_t - takes_back w_{t-1})`` with independent w. The columns of the strategy are ``takes_back^k / c``.
    With ``c = (1 - takes_back^2)^(-1/2)`` they have lengths of at most 1, whatever the number of rounds.
    [mathematics/000.md#geometric]

    Parameters
    ----------
    rounds : int
        From 1 to 16384.
    takes_back : float
        The part, at least 0 and below 1. With 0 the reports are local ones.

    Returns
    -------
    ndarray, shape (rounds, rounds)
        A strategy. A datum k rounds before the last one spends ``1 - takes_back^(2 k + 2)`` of the squared
        level.

    Raises
    ------
    InputError
        When the part is not at least 0 and below 1.

    Examples
    --------
    >>> from private_experts.privacy.factorization import geometric
    >>> geometric(3, 0.5).round(3).tolist()
    [[0.866, 0.0, 0.0], [0.433, 0.866, 0.0], [0.217, 0.433, 0.866]]
    """
    # At 1 the noise of a report, w over sqrt(1 - takes_back^2), would be infinite.
    takes_back = checked_number("strategy: takes_back", takes_back, 0, 1 - 1e-9)
    lag = _lags("geometric", rounds)
    powers = np.where(lag >= 0, float(takes_back) ** np.maximum(lag, 0), 0.0)
    result: Array = powers * np.sqrt(1 - takes_back**2)
    return result


def optimal(workload: Array, sensitivity: Array, tolerance: float = 1e-4) -> Optimum:
    """Return the strategy with the least squared noise over a workload. [mathematics/000.md#optimal-strategy]

    With ``X = C'C`` and ``M = D W'W D`` this minimises ``tr(M X^-1)`` over positive definite X with ones on
    the diagonal, a convex problem. The multipliers v of the diagonal solve ``v = diag((V^1/2 M V^1/2)^1/2)``,
    which is iterated. (Denisov, McMahan, Rush, Smith, Thakurta, 2022.)

    Parameters
    ----------
    workload : ndarray, shape (answers, T)
        Every datum must matter: no combination of data may be missing from all answers.
    sensitivity : ndarray, shape (T,)
        How far one person can move each datum, in L2; positive.
    tolerance : float
        The duality gap at which the iteration stops, relative. With 1e-4 the root mean square noise is within
        a 20000th of the least one, in a fifth of the time of 1e-9.

    Returns
    -------
    Optimum

    Raises
    ------
    InputError
        When the sensitivities do not fit the workload, or the workload does not determine the data.

    Examples
    --------
    The mean square noise of 16 prefix sums, for the best strategy and for local reports:

    >>> import numpy as np
    >>> from private_experts.privacy.factorization import noise_deviation, optimal, prefix_sums
    >>> sums, one = prefix_sums(16), np.ones(16)
    >>> best = optimal(sums, one).strategy
    >>> deviations = [noise_deviation(sums, strategy, one) for strategy in (best, np.eye(16))]
    >>> [round(float((deviation**2).mean()), 3) for deviation in deviations]
    [2.854, 8.5]
    """
    scaled = workload * checked_sensitivity(sensitivity, workload.shape[1])
    wanted = scaled.T @ scaled
    # The scale does not change the best strategy, and the gap below is relative then.
    wanted /= np.trace(wanted)
    # Otherwise the best X may be singular, and no strategy attains it.
    if np.linalg.matrix_rank(wanted, hermitian=True) < len(wanted):
        raise InputError("workload: some combination of the data is in no answer; leave it out or ask for it")
    multipliers = np.sqrt(np.diag(wanted))
    for _ in range(_MOST_ITERATIONS):
        roots = np.sqrt(multipliers)
        values, vectors = np.linalg.eigh(roots[:, None] * wanted * roots)
        # Rounding can make the smallest eigenvalues negative by a last bit.
        singular = np.sqrt(np.maximum(values, 0.0))
        middle = (vectors * singular) @ vectors.T
        lengths = np.sqrt(np.diag(middle))
        gram = middle / np.outer(lengths, lengths)  # the roots cancel when the diagonal is scaled to 1
        # Duality: for any v, tr(M X^-1) is at least (tr (V^1/2 M V^1/2)^1/2)^2 / sum v.
        gap = float(np.trace(np.linalg.solve(gram, wanted)) * multipliers.sum() / singular.sum() ** 2 - 1)
        if gap <= tolerance:
            return Optimum(lower_factor(gram), gap)
        multipliers = np.diag(middle).copy()
    raise InputError(
        f"workload: its best strategy was not found to {tolerance:g}, a gap of {gap:.1e} is left"
    )


def lower_factor(gram: Array) -> Array:
    """Return the lower triangular C of ``C'C = gram``, diagonal > 0. [mathematics/000.md#factorization]"""
    # Cholesky gives L L'; reversed rows and columns turn it into C'C with C lower triangular.
    return np.asarray(np.linalg.cholesky(gram[::-1, ::-1])[::-1, ::-1].T, dtype=np.float64)


def checked_strategy(strategy: Array) -> Array:
    """Return a strategy as floats: lower triangular (T, T), positive diagonal, columns of at most 1.

    Others would promise more privacy than the strategy gives.
    """
    if not isinstance(strategy, np.ndarray):
        raise InputError(f"strategy: a {type(strategy).__name__} was given; write an array of shape (T, T)")
    if strategy.ndim != 2 or strategy.shape[0] != strategy.shape[1] or (strategy != np.tril(strategy)).any():
        raise InputError("strategy: a release may use past data only; give a square lower triangular matrix")
    strategy = np.asarray(strategy, dtype=np.float64)
    if not (np.diag(strategy) > 0).all():
        raise InputError("strategy: the diagonal must be positive, or a datum is never seen in its round")
    longest = float(np.sqrt((strategy**2).sum(axis=0)).max(initial=0.0))
    # `not <=` refuses nan as well.
    if not longest <= 1 + 1e-9:
        raise InputError(
            f"strategy: a column has length {longest:g}, so a datum would cost more than mu; divide by it"
        )
    return strategy


def checked_sensitivity(sensitivity: Array, rounds: int | None = None, n: int | None = None) -> Array:
    """Return sensitivities as floats: a positive finite number for each of T rounds, or of any number but 0.

    With `n` there may also be one for each round and each of n experts.
    """
    shape = np.shape(sensitivity)
    fits = len(shape) == 1 or (len(shape) == 2 and shape[1] == n)
    if not isinstance(sensitivity, np.ndarray) or not fits or shape[0] != (rounds or max(shape[0], 1)):
        given = f"shape {shape}" if isinstance(sensitivity, np.ndarray) else f"a {type(sensitivity).__name__}"
        such = (
            f", such as np.full({rounds or 'rounds'}, {sensitivity:g})"
            if isinstance(sensitivity, Real)
            else ""
        )
        raise InputError(
            f"sensitivity: {given}; give an array with one number for each of {rounds or 'the'} rounds{such}"
        )
    if not ((sensitivity > 0) & np.isfinite(sensitivity)).all():
        raise InputError("sensitivity: every one must be positive and finite")
    return np.asarray(sensitivity, dtype=np.float64)
