"""What players and Gibbs measures refuse: numbers out of range, losses of another shape, and losses too steep."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from private_experts.errors import InputError
from private_experts.refusals import generator, is_array, whole

Array = NDArray[np.float64]

_ROUNDING = 1e-9  # a slope may exceed its limit by this share


def check_positive(**values: float) -> None:
    """Refuse numbers that are not positive and finite.

    Parameters
    ----------
    **values : float
        The numbers, by the names under which a message tells of them.

    Raises
    ------
    InputError
        When a number is not positive, or infinite.

    Examples
    --------
    >>> from private_experts.convex.refusals import check_positive
    >>> check_positive(beta=2.0, lam=-1.0)
    Traceback (most recent call last):
        ...
    private_experts.errors.InputError: Gibbs measure: lam = -1.0: write a positive number
    """
    for name, value in values.items():
        if not 0 < value < math.inf:
            raise InputError(f"Gibbs measure: {name} = {value}: write a positive number")


def check_player(rng: np.random.Generator, repetitions: int) -> None:
    """Refuse what is no random generator, and fewer than one copy.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of draws.
    repetitions : int
        Number of independent copies, at least 1.

    Raises
    ------
    InputError
        When one of them is something else.

    Examples
    --------
    >>> from private_experts.convex.refusals import check_player
    >>> check_player(2026, repetitions=1)
    Traceback (most recent call last):
        ...
    private_experts.errors.InputError: player: rng of type int: write rng_for(0, "my draws") or another Generator
    """
    generator(rng, "player")
    whole(repetitions, "player", "repetitions")


def check_going_on(played: int, horizon: float) -> None:
    """Refuse a round after the last one, for which no guarantee is stated.

    Parameters
    ----------
    played : int
        Rounds that are over.
    horizon : float
        The number of rounds of the game; ``inf`` for a game without an end.

    Raises
    ------
    InputError
        When all rounds are over.

    Examples
    --------
    >>> from private_experts.convex.refusals import check_going_on
    >>> check_going_on(3, horizon=4)
    >>> check_going_on(4, horizon=4)
    Traceback (most recent call last):
        ...
    private_experts.errors.InputError: the game was to end after 4 rounds: write the true number of rounds as horizon
    """
    if played >= horizon:
        raise InputError(f"the game was to end after {horizon} rounds: write the true number of rounds as horizon")


def finite_vector(values: ArrayLike, size: int, meaning: str) -> Array:
    """Return a loss as an array of floats, when it is one.

    Parameters
    ----------
    values : ndarray, shape (size,)
        The loss.
    size : int
        How many numbers it has.
    meaning : str
        What its numbers are, for the message.

    Returns
    -------
    ndarray, shape (size,)

    Raises
    ------
    InputError
        When it is no array of numbers, has another shape, or a number that is not finite.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.convex.refusals import finite_vector
    >>> finite_vector(np.array([1, 0]), 2, "the slope").tolist()
    [1.0, 0.0]
    >>> finite_vector(np.array([1.0, np.nan]), 2, "the slope")
    Traceback (most recent call last):
        ...
    private_experts.errors.InputError: loss: number 2 of 2 is nan: write the slope with finite numbers
    """
    if type(values) is np.ndarray and values.dtype.char == "d" and values.shape == (size,):
        if math.isfinite(values.dot(values)):  # one fast look at all of them
            return values
    elif not (is_array(values) and values.dtype.kind in "fiu"):
        raise InputError(f"loss: {type(values).__name__}: write {meaning} as an array of numbers, shape ({size},)")
    elif values.shape != (size,):
        raise InputError(f"loss: shape {values.shape}: write {meaning}, shape ({size},)")
    numbers = np.asarray(values, dtype=np.float64)
    wrong = np.flatnonzero(~np.isfinite(numbers))
    if wrong.size:
        raise InputError(
            f"loss: number {wrong[0] + 1} of {size} is {numbers[wrong[0]]}: write {meaning} with finite numbers"
        )
    return numbers


def check_steepness(steepness: float, lipschitz: float) -> None:
    """Refuse a loss that is steeper than the guarantee allows, up to rounding.

    Parameters
    ----------
    steepness : float
        The loss's own Lipschitz constant.
    lipschitz : float
        The constant G for which the guarantee is stated; ``inf`` where none is stated.

    Raises
    ------
    InputError
        When the loss is too steep: the guarantee would be false.

    Examples
    --------
    >>> from private_experts.convex.refusals import check_steepness
    >>> check_steepness(1.0, lipschitz=1.0)
    >>> check_steepness(3.0, lipschitz=1.0)
    Traceback (most recent call last):
        ...
    private_experts.errors.InputError: loss: slope 3, and the guarantee is for 1: scale it, or state its lipschitz
    """
    if not steepness <= lipschitz * (1 + _ROUNDING):
        raise InputError(
            f"loss: slope {steepness:.6g}, and the guarantee is for {lipschitz:g}: scale it, or state its lipschitz"
        )
