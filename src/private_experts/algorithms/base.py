"""What all algorithms of the library have: the names of their experts, and the law of their play."""

import math
from typing import Any, ClassVar, Self

from private_experts.arrays import Array
from private_experts.descriptions import Described
from private_experts.errors import InputError
from private_experts.privacy.reports import Reports, check_reach
from private_experts.tabular import Bounds, Names

UNKNOWN = ""  # the name of an expert that was asleep in all rounds so far


class BaseAlgorithm(Described):
    """An algorithm that refuses experts in another order than before, where a round names them.

    Attributes
    ----------
    names : tuple of str or None
        Of the experts, once a round of a data frame, or a report of one, has told them.
    bounds : (float, float) or None
        The least and the largest gain that is possible, in the unit of the sensitivity that it was made with.
        None where it has no sensitivity of its own.
    rounds_played : int
        How many rounds it has taken in.
    last_row : str or None
        The label of the last of them that `play` took from a data frame.
    """

    STATE: ClassVar[tuple[str, ...]] = ("names", "rounds_played", "last_row")
    names: Names
    bounds: Bounds | None = None
    guarantee: Any
    rounds_played: int
    last_row: str | None

    def __new__(cls, *given: Any, **named: Any) -> Self:
        """Make an algorithm that knows no names yet, and has played no round."""
        # Here, as derived classes with an __init__ of their own need not call one of this class.
        made = super().__new__(cls, *given, **named)
        made.names, made.rounds_played, made.last_row = None, 0, None
        return made

    def check_names(self, names: Names) -> None:
        """Keep the first names of the experts, and refuse other ones later, or the same in another order."""
        if names is None or names == self.names:
            return
        # A name that was unknown so far, of an expert asleep, may be filled in; any other change means
        # swapped columns.
        for now, before in zip(names, self.names or (), strict=False):  # their number is looked at elsewhere
            if before not in (now, UNKNOWN):
                mismatch = f"column {now} stands where {before} stood before"
                raise InputError(f"{type(self).__name__}: {mismatch}: write the columns in one order")
        self.names = names

    def check_sensitivity(self, report: Reports) -> None:
        """Refuse a report with noise for another sensitivity than the one that it was made with, if any."""
        if self.bounds is None:
            return
        scale, mu = getattr(self, "noise_scale", None), self.guarantee.mu
        # Nearly always it is just what was expected.
        if type(report.scale) is float and report.scale == scale and report.guarantee.mu == mu:
            return
        if isinstance(scale, float) and mu < math.inf:
            check_reach(type(self).__name__, report, scale * mu)

    def probabilities(self) -> Array:
        """Return the law of the coming round's expert, given all that was told and played, where it is known.

        With a curator it is a function of the true gains, and as secret as they are: the guarantee is about
        the plays.

        Returns
        -------
        ndarray, shape (repetitions, n), or (1, n) where all copies were told the same

        Raises
        ------
        InputError
            When the algorithm has no law in closed form.
        """
        who = type(self).__name__
        raise InputError(f"{who}: the law of its play has no closed form: estimate it from many repetitions")
