"""The interface of all algorithms. Each plays many independent copies of the same game at once."""

from typing import Any, Protocol

from private_experts.arrays import Indices
from private_experts.privacy.guarantees import ApproximateDP, GaussianDP, PureDP


class Algorithm(Protocol):
    """Names an expert each round, and is then told the gains of the round.

    The first axis of all state is the repetition: independent copies of one game that differ in their noise.
    Gains are fractions of the best possible reward, in [0, 1]. Ties go to the lowest index.

    All are made in the same order: the number of experts (or the learners), the guarantee, and then settings
    by keyword. Noise, rates and steps that privacy needs follow from the guarantee; others are refused if
    they promise less. What has no noise of its own, such as `Hedge`, is not asked for a guarantee;
    `guarantee` tells it. A seed such as 7 will do where a generator is asked for, and is another generator
    for each kind of object.

    Examples
    --------
    Whatever has these three names can be played, such as this stubborn one:

    >>> import numpy as np
    >>> from private_experts.games import play
    >>> from private_experts.privacy import GaussianDP
    >>> class Stubborn:
    ...     guarantee = GaussianDP(0.0, "central")  # it looks at nothing, so it reveals nothing
    ...     def predict(self):
    ...         return np.array([1])
    ...     def update(self, gains):
    ...         pass
    >>> play(Stubborn(), np.eye(3)).ravel().tolist()
    [1, 1, 1]
    """

    @property
    def guarantee(self) -> GaussianDP | PureDP | ApproximateDP:
        """The privacy guarantee: its kind, its level, and its model, ``local`` or ``central``."""
        ...

    def predict(self) -> Indices:
        """Return the experts to follow in the coming round, the same ones at every call before `update`.

        Returns
        -------
        ndarray of int, shape (repetitions,)
            Indices from 0 to n - 1.
        """
        ...

    def update(self, gains: Any) -> None:
        """Take in the round that was just played.

        Parameters
        ----------
        gains : Reports or ndarray
            ``local`` algorithms get the round's `Reports`, and nothing else: no true gain can reach them.
            ``central`` algorithms get the true gains in [0, 1], shape (n,), or (repetitions, n) where each
            repetition plays on a stream of its own.

        Raises
        ------
        InputError
            When a local algorithm is given an array, or reports that are less private than it states, or when
            gains are outside [0, 1] or of another shape.
        """
        ...
