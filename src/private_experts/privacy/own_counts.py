"""Noise on each expert's own count: scales, the exact level, and allocations that know the other counts.

A person moves the gain of expert i by `reach[i]`, such as one patient over the beds of hospital i, and can be
in `moved` experts' data at once: 2 for a person who may have gone to another hospital, 1 for one who may have
stayed away. Where each expert adds noise of its own, in proportion to its own reach, nobody needs to know
another's. [mathematics/000.md#own-counts]
"""

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from private_experts.arrays import Array
from private_experts.errors import InputError
from private_experts.privacy.guarantees import GaussianDP, check_guarantee
from private_experts.tabular import check_same_labels
from private_experts.validation import check_word, checked_number, checked_range, whole


def own_scales(reach: ArrayLike, guarantee: GaussianDP, moved: int = 2) -> Array:
    """Return the noise that each expert adds if it knows its own count alone: ``sqrt(moved) * reach / mu``.

    Of all rules from the own reach to a scale of Gaussian noise that give the guarantee whatever the others'
    reaches are, this one has the least noise, at every expert; with noise of any law no unbiased report has a
    deviation of less than 1/1.14 of it, for levels up to 1. [mathematics/000.md#own-counts-rule]

    An expert that calls this for itself alone, as a hospital does that knows no other, writes the same
    `moved` as all: the other reports are made elsewhere. Where there is one expert in all, nobody can be in
    two, and ``moved=1`` is enough. A reach must not depend on the figures: where the number that divides them
    follows the persons counted, as beds follow patients, take `fixed_rates`. [threat-model.md#beds]

    Parameters
    ----------
    reach : array_like, shape (..., n)
        The most by which one person moves the gain of each expert; positive, in units of gain.
    guarantee : GaussianDP
        What all reports of a round together are to promise; ``inf`` needs no noise.
    moved : int
        How many experts' gains one person moves.

    Returns
    -------
    ndarray, shape (..., n)
        Standard deviations.

    Raises
    ------
    InputError
        When a reach is not positive and finite, `moved` is no whole number of at least 1, or the level is 0.

    Examples
    --------
    Hospitals of 10, 50 and 200 beds, and a person who may have gone to another of them:

    >>> import numpy as np
    >>> from private_experts.privacy import GaussianDP, own_scales
    >>> own_scales(1 / np.array([10, 50, 200]), GaussianDP(1.0, "local")).round(4).tolist()
    [0.1414, 0.0283, 0.0071]
    """
    # Each of `moved` experts spends 1 / moved of mu^2: nobody knows whether the others are the worst case.
    moved = whole(moved, "own counts", "moved")
    unit = check_guarantee(guarantee, "own counts", GaussianDP).noise_scale(math.sqrt(moved))
    return checked_reach(reach) * unit


def fixed_rates(counts: ArrayLike, sizes: ArrayLike) -> tuple[Array, Array]:
    """Return counts over sizes that no round changes, at most 1, and how far one person moves each of them.

    Sizes of the day, such as staffed beds, follow the persons who are counted, and so do then the rate and
    the noise that is scaled to it. With sizes that were public before the counts, only counts move: noise by
    `own_scales` for the reach that is returned has its level whatever the sizes of the day are.
    [threat-model.md#beds]

    Parameters
    ----------
    counts : array_like, shape (..., n)
        Persons at each expert, at least 0.
    sizes : array_like, shape (n,)
        One positive number for each expert, for all rounds.

    Returns
    -------
    rates : ndarray, shape (..., n)
    reach : ndarray, shape (n,)
        ``1 / sizes``, at most 1.

    Raises
    ------
    InputError
        When sizes are not one positive finite number for each expert, or a count is negative or no number.

    Examples
    --------
    The largest hospital has 250 beds today. Its median of the past year was 160, which nobody of today moves:

    >>> import numpy as np
    >>> from private_experts.privacy import GaussianDP, fixed_rates, own_scales
    >>> rates, reach = fixed_rates(np.array([3, 20, 90]), np.array([10, 50, 160]))
    >>> rates.tolist()
    [0.3, 0.4, 0.5625]
    >>> own_scales(reach, GaussianDP(1.0, "local")).round(4).tolist()
    [0.1414, 0.0283, 0.0088]
    """
    check_same_labels(counts, sizes, "fixed rates: size")
    persons, fixed = np.asarray(counts, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    if persons.ndim == 0 or fixed.shape != persons.shape[-1:]:
        raise InputError(
            f"fixed rates: sizes of shape {fixed.shape} for counts of shape {persons.shape}: write one size "
            "for each expert, which no round changes"
        )
    if not ((fixed > 0) & np.isfinite(fixed)).all():
        raise InputError("fixed rates: every size must be positive and finite")
    checked_range("fixed rates: counts", persons)
    return np.minimum(persons / fixed, 1.0), np.minimum(1 / fixed, 1.0)


def own_level(reach: ArrayLike, scales: ArrayLike, moved: int = 2) -> Array:
    """Return the exact level mu of a round's reports: the root of the `moved` largest ``(reach / scale)^2``.

    [mathematics/000.md#own-counts-level]

    Parameters
    ----------
    reach : array_like, shape (..., n)
        As for `own_scales`.
    scales : array_like, shape (..., n)
        Standard deviation of the independent noise of each expert, at least 0.
    moved : int
        How many experts' gains one person moves, at most. All are taken where there are fewer experts.

    Returns
    -------
    ndarray, shape (...)
        ``inf`` where an expert whose gain can be moved adds no noise.

    Raises
    ------
    InputError
        When a reach or a scale is not allowed, or `moved` is no whole number of at least 1.

    Examples
    --------
    The same noise for all, for the smallest hospital twice, has some to spare; hospitals' own noise has none:

    >>> import numpy as np
    >>> from private_experts.privacy import GaussianDP, own_level, own_scales
    >>> reach = 1 / np.array([10, 50, 200])
    >>> float(own_level(reach, np.full(3, np.sqrt(2) / 10)).round(3))
    0.721
    >>> float(own_level(reach, own_scales(reach, GaussianDP(1.0, "local"))).round(3))
    1.0
    """
    moves, noise = np.broadcast_arrays(checked_reach(reach), np.asarray(scales, dtype=np.float64))
    if not ((noise >= 0) & np.isfinite(noise)).all():
        raise InputError("own counts: every noise scale must be at least 0 and finite")
    # Without noise the level is infinite, which is the answer and no error.
    with np.errstate(divide="ignore"):
        spent = np.sort(moves / noise, axis=-1)[..., -whole(moved, "own counts", "moved") :]
    return np.asarray(np.sqrt(np.square(spent).sum(axis=-1)))[()]


def shared_scale(reach: ArrayLike, guarantee: GaussianDP, moved: int = 2) -> Array:
    """Return the least noise that all experts share: the root of the `moved` largest ``reach^2``, over mu.

    It needs the reaches of those who move most, where ``sqrt(moved) * max(reach) / mu`` needs the largest
    alone. No allocation has a smaller largest scale. [mathematics/000.md#own-counts-minimax]

    Parameters
    ----------
    reach : array_like, shape (..., n)
        As for `own_scales`.
    guarantee : GaussianDP
        As for `own_scales`.
    moved : int
        As for `own_level`.

    Returns
    -------
    ndarray, shape (...)

    Raises
    ------
    InputError
        As for `own_scales`.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.privacy import GaussianDP, shared_scale
    >>> float(shared_scale(1 / np.array([10, 50, 200]), GaussianDP(1.0, "local")).round(4))
    0.102
    """
    unit = check_guarantee(guarantee, "own counts", GaussianDP).noise_scale(1.0)
    return own_level(reach, np.ones(1), moved) * unit


Aim = Literal["largest", "comparison", "total"]


def informed_scales(reach: ArrayLike, guarantee: GaussianDP, aim: Aim) -> Array:
    """Return the best noise of experts that know each other's counts, for a person in two of them.

    What can be gained over `own_scales` is a factor of ``sqrt(2)`` at most, and at a single expert: every
    other one then has more noise than by itself. [mathematics/000.md#own-counts-minimax]

    Parameters
    ----------
    reach : array_like, shape (n,)
        As for `own_scales`; of two experts or more.
    guarantee : GaussianDP
        As for `own_scales`.
    aim : {"largest", "comparison", "total"}
        What is least: the largest scale; the largest noise in the difference of two reports; or the sum of
        variances.

    Returns
    -------
    ndarray, shape (n,)
        Standard deviations.

    Raises
    ------
    InputError
        As for `own_scales`; or when there are fewer than two experts, or the aim is another.

    Examples
    --------
    A small hospital lowers its noise, the others raise theirs; `own_scales` has 0.1414, 0.0283 and 0.0071:

    >>> import numpy as np
    >>> from private_experts.privacy import GaussianDP, informed_scales
    >>> reach, guarantee = 1 / np.array([10, 50, 200]), GaussianDP(1.0, "local")
    >>> informed_scales(reach, guarantee, "comparison").round(4).tolist()
    [0.1095, 0.049, 0.0122]
    """
    check_guarantee(guarantee, "own counts", GaussianDP)
    check_word("own counts: aim", aim, "largest", "comparison", "total")
    moves = checked_reach(reach)
    if moves.ndim != 1 or moves.size < 2:
        raise InputError(
            f"own counts: reaches of shape {moves.shape}; write one for each of two experts or more"
        )
    first = int(moves.argmax())
    others = np.delete(moves, first)
    # The share of mu^2 that the expert of the largest reach spends: at most one can spend more than a half.
    if aim == "total":
        own, rest = float(moves[first]), float(np.sqrt(np.square(others).sum()))
        # Lagrange: squares of reach over share are least in total at shares in proportion to the reaches.
        share = max(0.5, own / (own + rest))
    else:
        # Largest: equal scales mean shares like squared reaches. Comparison: sums of variances, shares like
        # reaches.
        power = 2 if aim == "largest" else 1
        own, rest = (float(move) ** power for move in (moves[first], others.max()))
        share = own / (own + rest)
    spent = np.full(moves.size, 1 - share)
    spent[first] = share
    result: Array = moves * guarantee.noise_scale(1.0) / np.sqrt(spent)
    return result


def checked_reach(reach: ArrayLike) -> Array:
    """Return reaches as floats, once it is certain that all are positive and finite."""
    moves = np.asarray(reach, dtype=np.float64)
    if moves.ndim == 0 or not moves.size:
        raise InputError("own counts: write how far one person moves the gain of each expert, an array")
    wrong = ~((moves > 0) & np.isfinite(moves))
    if wrong.any():
        checked_number("own counts: reach", float(moves[wrong][0]), 0, ends=False)
    return moves
