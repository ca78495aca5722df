"""What mechanisms, learners and games refuse. Each refusal is one sentence that says what to write instead."""

import math

import numpy as np
from numpy.typing import NDArray

from private_experts.errors import InputError
from private_experts.privacy.guarantees import ApproximateDP, PureDP, check_guarantee
from private_experts.refusals import whole

Array = NDArray[np.float64]

_LONGEST = 2**62  # rounds; counts are 64-bit integers


def between(name: str, value: float, low: float, high: float) -> None:
    """Refuse what is not a number strictly between two limits.

    Parameters
    ----------
    name : str
        What the number is, for the message.
    value : float
        The number.
    low, high : float
        The limits; both are excluded.

    Raises
    ------
    InputError
        When it is not between them, or not a number.

    Examples
    --------
    >>> from private_experts.distributions.refusals import between
    >>> between("delta", 1e-5, 0, 1)
    """
    if isinstance(value, int | float | np.integer | np.floating) and low < value < high:
        return
    if (low, high) == (-math.inf, math.inf):
        wanted = "a finite number"
    else:
        wanted = f"a number above {low:g}" if high == math.inf else f"a number between {low:g} and {high:g}"
    raise InputError(f"{name} = {value!r}: write {wanted}")


def local_pure(mechanism: str, guarantee: PureDP, most: float = math.inf) -> None:
    """Refuse what is not pure local privacy at a level that a mechanism can give.

    Parameters
    ----------
    mechanism : str
        Name of the mechanism, for the message.
    guarantee : PureDP
        What it was asked for.
    most : float
        The largest level that makes sense; inf when it may go without privacy.

    Raises
    ------
    InputError
        When the guarantee is of another kind, central, or at a level that is 0 or above `most`.

    Examples
    --------
    >>> from private_experts.distributions.refusals import local_pure
    >>> from private_experts.privacy import PureDP
    >>> local_pure("RandomizedResponse", PureDP(1.0, "local"))
    """
    check_guarantee(guarantee, mechanism, PureDP, "local")
    if not 0 < guarantee.epsilon <= most:
        wanted = "or inf for no privacy" if most == math.inf else f"at most {most:g}"
        raise InputError(f"{mechanism}: epsilon = {guarantee.epsilon}: write a number above 0, {wanted}")


def local_approximate(mechanism: str, guarantee: ApproximateDP) -> None:
    """Refuse what is not approximate local privacy with a finite epsilon above 0 and a delta between 0 and 1.

    Parameters
    ----------
    mechanism : str
        Name of the mechanism, for the message.
    guarantee : ApproximateDP
        What it was asked for.

    Raises
    ------
    InputError
        When the guarantee is of another kind, central, or at such a level.

    Examples
    --------
    >>> from private_experts.distributions.refusals import local_approximate
    >>> from private_experts.privacy import ApproximateDP
    >>> local_approximate("NoisyVector", ApproximateDP(1.0, 1e-5, "local"))
    """
    check_guarantee(guarantee, mechanism, ApproximateDP, "local")
    between(f"{mechanism}: epsilon", guarantee.epsilon, 0, math.inf)
    between(f"{mechanism}: delta", guarantee.delta, 0, 1)


def integers(name: str, values: NDArray[np.integer], number: int) -> NDArray[np.intp]:
    """Return integers from 0 to ``number - 1``, one for each repetition, as indices; refuse anything else.

    Parameters
    ----------
    name : str
        What they are, for the message.
    values : ndarray of int, shape (repetitions,)
        The integers.
    number : int
        How many different ones there are.

    Returns
    -------
    ndarray of intp, shape (repetitions,)
        The same integers.

    Raises
    ------
    InputError
        When it is a list, has floats, another shape or no entry, or when an entry is out of the range.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.distributions.refusals import integers
    >>> integers("labels", np.array([0, 4, 2], dtype=np.uint8), 5).tolist()
    [0, 4, 2]
    """
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "iu" or values.ndim != 1 or not values.size:
        raise InputError(f"{name}: {_shown(values)}: write an array of whole numbers, one for each repetition")
    # A negative number is a huge one when it is read without its sign. So one pass sees both ends.
    indices = values.astype(np.intp, copy=False)
    if np.maximum.reduce(indices.view(np.uintp)) >= number:
        wrong = values[(values < 0) | (values >= number)][0]
        raise InputError(f"{name}: {wrong} is among them: write numbers from 0 to {number - 1}")
    return indices


def class_shape(classes: Array, experts: int, labels: int | None = None) -> None:
    """Refuse the distributions of a round when their array has the wrong shape.

    Parameters
    ----------
    classes : ndarray, shape (K, M)
        The distributions. `clipping.distributions` looks at their entries.
    experts : int
        The K that is right.
    labels : int, optional
        The M that is right, where a mechanism has one.

    Raises
    ------
    InputError
        When it is a list, or of another shape.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.distributions.refusals import class_shape
    >>> class_shape(np.full((3, 2), 0.5), 3)
    """
    right = isinstance(classes, np.ndarray) and classes.ndim == 2 and len(classes) == experts
    if not right or labels not in (None, classes.shape[1]):
        wanted = f"({experts}, {'labels' if labels is None else labels})"
        raise InputError(f"classes: {_shown(classes)}: write an array of shape {wanted}, with one distribution a row")


def many_rounds(rounds: NDArray[np.int64], truth: int, experts: int) -> None:
    """Refuse numbers of rounds that are no whole numbers, and a truth that is none of the distributions.

    Parameters
    ----------
    rounds : ndarray of int, shape (repetitions,)
        Numbers of rounds, at least 0.
    truth : int
        Index of the distribution that labels come from.
    experts : int
        Number of distributions K.

    Raises
    ------
    InputError
        When a number of rounds is negative or not whole, or the truth is not from 0 to K - 1.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.distributions.refusals import many_rounds
    >>> many_rounds(np.array([0, 1000]), 2, 3)
    """
    integers("rounds", rounds, _LONGEST)
    a_truth(truth, experts)


def a_truth(truth: int, experts: int) -> None:
    """Refuse a truth that is none of the distributions.

    Parameters
    ----------
    truth : int
        Index of the distribution that labels come from.
    experts : int
        Number of distributions K.

    Raises
    ------
    InputError
        When it is not a whole number from 0 to K - 1.

    Examples
    --------
    >>> from private_experts.distributions.refusals import a_truth
    >>> a_truth(2, 3)
    """
    whole(truth, "labels", "truth", least=0)
    if truth >= experts:
        raise InputError(f"truth = {truth}: write the index of one of the {experts} distributions, from 0 on")


def _shown(value: object) -> str:
    """Return what a message says of a value: of an array its shape and type, of others what they are."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}"
    return f"of type {type(value).__name__}"
