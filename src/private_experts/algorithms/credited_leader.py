"""Follow the leader among learners: what RW-Meta and its mended form share."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from private_experts.algorithms.base import BaseAlgorithm
from private_experts.arrays import Array, Indices
from private_experts.errors import InputError
from private_experts.ownership import bind
from private_experts.privacy.guarantees import GaussianDP, check_guarantee, guarantee_for_reports
from private_experts.privacy.reports import Reports, check_report
from private_experts.validation import checked_actions


class Learner(Protocol):
    """One learner or several, whose actions depend on noisy reports alone. [000, Section 3.2]

    It may tell its `guarantee`, and its `shape`: numbers of repetitions and of experts, each None where it is
    not known. Then learners that cannot play together are refused at once.

    Examples
    --------
    Whatever has these two methods is a learner, such as one that names the expert last reported largest:

    >>> import numpy as np
    >>> from private_experts.algorithms import CreditedLeader
    >>> from private_experts.privacy import GaussianDP, Reports
    >>> class Latest:
    ...     action = np.zeros(1, dtype=int)
    ...     def predict(self):
    ...         return self.action
    ...     def update(self, report):
    ...         self.action = report.values.argmax(axis=-1)
    >>> leader = CreditedLeader([Latest()], GaussianDP(1.0, "local"))
    >>> leader.update(Reports(np.array([[0.2, 0.9]]), GaussianDP(1.0, "local"), scale=0.5))
    >>> leader.predict().tolist()
    [1]
    """

    def predict(self) -> Indices:
        """Return the actions of the coming round.

        Returns
        -------
        ndarray of int, shape (repetitions,) or (m, repetitions)
            Of one learner, or of m of them.
        """
        ...

    def update(self, report: Reports) -> None:
        """Take in the noisy reports of a round.

        Parameters
        ----------
        report : Reports
            Of shape (repetitions, n).

        Raises
        ------
        InputError
            When it is no report, or has another shape.
        """
        ...


class CreditedLeader(BaseAlgorithm):
    """Credits learners with the reports of their actions, and follows the leader. [000, Section 3.2]

    Choices with extra noise, or with other credits, derive from it and replace `_extra` or `_credit`. It sees
    only the reports, so its guarantee is theirs, whatever the number of learners.

    Parameters
    ----------
    learners : iterable of Learner, or mapping of str to Learner
        The learners, by name where they are to have one of yours; each may stand for several. They are played
        and updated by this object.
    guarantee : GaussianDP
        The guarantee that it states, local or central. Reports of another model, or with a weaker one, are
        refused.

    Attributes
    ----------
    totals : ndarray, shape (repetitions, m)
        The credit of each learner so far. It is empty before the first round.
    shape : (int or None, int or None)
        Numbers of repetitions and of experts, as far as the learners tell them.
    chosen : ndarray of str, shape (repetitions,)
        The learner that is followed in the coming round, by name: that of the mapping, or its class. The j-th
        of those that one object stands for is called such as ``LinearFilters[j]``.

    Raises
    ------
    InputError
        When the guarantee is not Gaussian privacy, or the learners do not play the same game.

    Examples
    --------
    One learner always names expert 0, the other expert 1. After one report the second has the larger total:

    >>> import numpy as np
    >>> from private_experts.algorithms import CreditedLeader
    >>> from private_experts.learners import Recorded
    >>> from private_experts.privacy import GaussianDP, Reports
    >>> leader = CreditedLeader([Recorded(np.array([[[0], [1]], [[0], [1]]]))], GaussianDP(1.0, "local"))
    >>> leader.update(Reports(np.array([[0.2, 0.9]]), GaussianDP(1.0, "local"), scale=0.5))
    >>> leader.totals.tolist(), leader.predict().tolist()
    ([[0.2, 0.9]], [1])
    """

    STATE: ClassVar[tuple[str, ...]] = ("totals", "shape", "_round", "_actions", "_chosen", "_rows")

    def __init__(self, learners: Iterable[Learner] | Mapping[str, Any], guarantee: GaussianDP) -> None:
        self.guarantee = check_guarantee(guarantee, type(self).__name__, GaussianDP)
        self._learners = tuple(learners.values() if isinstance(learners, Mapping) else learners)
        # Two of one class are told apart by their place, since a name that stands for two would say nothing.
        kinds = [type(learner).__name__ for learner in self._learners]
        self._called = [
            kind if kinds.count(kind) == 1 else f"{kind} {number}" for number, kind in enumerate(kinds)
        ]
        if isinstance(learners, Mapping):
            self._called = [*learners]
        self._check_learners()
        self.shape: tuple[int | None, int | None] = self._number(0, "repetitions"), self._number(1, "experts")
        self._round = 1
        self._actions: Indices | None = None  # of the learners in the coming round, once they are asked
        self._chosen: Indices | None = None  # the learners that are followed in it, once they are chosen
        self._rows: dict[str, int] = {}  # how many learners each stands for, by what it is called in refusals
        self.totals: Array = np.zeros(0)  # (repetitions, m), once the first round tells their number

    def _check_learners(self) -> None:
        """Refuse learners that state another guarantee: they have heard more than these reports, or will."""
        if not self._learners:
            raise InputError(f"{type(self).__name__}: there is no learner to choose; write at least one")
        for learner in self._learners:
            if isinstance(learner, type) or not (hasattr(learner, "predict") and hasattr(learner, "update")):
                what = getattr(learner, "__name__", type(learner).__name__)
                raise InputError(
                    f"{type(self).__name__}: {what} is no learner with predict and update: write one that is "
                    "made, such as TotalsLeader(first)"
                )
            # What only replays, or tests, states none.
            promised = getattr(learner, "guarantee", self.guarantee)
            if not (
                isinstance(promised, GaussianDP)
                and promised.model == self.guarantee.model
                and promised.mu <= self.guarantee.mu
            ):
                raise InputError(
                    f"{type(self).__name__}: a learner states {promised}, the choice {self.guarantee}; "
                    "take learners that hear reports as private as that"
                )
            # What learners heard reaches the choice: if their noise was simulated, its privacy is no more
            # than that.
            self.guarantee = guarantee_for_reports(self.guarantee, promised)

    def _number(self, axis: int, name: str) -> int | None:
        """Return the number of repetitions or experts of learners, and refuse learners that differ."""
        stated = [getattr(learner, "shape", (None, None))[axis] for learner in self._learners]
        numbers = [number for number in dict.fromkeys(stated) if number is not None]
        if len(numbers) > 1:
            raise InputError(
                f"{type(self).__name__}: learners for {numbers[0]} {name} and for {numbers[1]}; take those "
                "of one game"
            )
        return numbers[0] if numbers else None

    def _refused_as(self, number: int) -> str:
        """Return what a learner is called in refusals."""
        return f"{type(self).__name__}: learner {number}, {type(self._learners[number]).__name__}"

    def _advice(self) -> Indices:
        """Return the learners' actions in the coming round, (repetitions, m), each predicted once a round."""
        # Asked once a round: a learner may draw, and credit must go to the action that was followed.
        if self._actions is None:
            named = []
            (repetitions, n), self._rows = self.shape, {}
            for number, learner in enumerate(self._learners):
                bind(learner, self)
                who = self._refused_as(number)
                actions = np.atleast_2d(checked_actions(who, learner.predict(), n, repetitions=repetitions))
                if actions.ndim > 2:
                    raise InputError(
                        f"{who}: actions of shape {actions.shape}: write (repetitions,) or (m, repetitions)"
                    )
                named.append(actions)
                # The first learner fixes the number of copies for those after it, where nobody stated one.
                repetitions, self._rows[who] = named[-1].shape[-1], len(named[-1])
            self._actions = np.vstack(named).T
            if self._round == 1:
                self.totals = np.zeros(self._actions.shape)
        return self._actions

    def _extra(self) -> Array | float:
        """Return the extra noise of the coming round, shape (repetitions, m): none."""
        return 0.0

    def _credit(self, advice: Indices, reports: Array) -> None:
        """Credit the actions (repetitions, m) of a round with its reports (repetitions, n)."""
        # Credits come from the reports and not from true gains: that keeps the choice a post-processing.
        self.totals += reports[np.arange(len(advice))[:, None], advice]

    def predict(self) -> Indices:
        """Return the action of the learner chosen in this round, (repetitions,). See `Algorithm.predict`."""
        if self._chosen is None:
            self._chosen = self._choice()
        return self._followed(self._chosen)

    @property
    def chosen(self) -> NDArray[np.str_]:
        """See `CreditedLeader`."""
        self.predict()
        called = zip(self._called, self._rows.values(), strict=True)
        names = [name if rows == 1 else f"{name}[{row}]" for name, rows in called for row in range(rows)]
        return np.array(names)[self._chosen]

    def choose(self) -> Indices:
        """Choose a learner for the coming round, anew at each call; return its action, (repetitions,).

        For means over many choices; what is played is the one of `predict`.
        """
        return self._followed(self._choice())

    def _choice(self) -> Indices:
        """Choose a learner for the coming round, shape (repetitions,)."""
        self._advice()
        result: Indices = (self.totals + self._extra()).argmax(axis=-1)
        return result

    def _followed(self, chosen: Indices) -> Indices:
        """Return the actions of the chosen learners in the coming round."""
        advice = self._advice()
        return advice[np.arange(len(advice)), chosen]

    def update(self, report: Reports) -> None:
        """Credit the learners for their actions, and pass the reports on. See `Algorithm.update`."""
        advice = self._advice()
        values = check_report(report, self.guarantee, len(advice), self.shape[1]).values
        # whoever named experts in the first round could not be told how many there are
        if self.shape[1] is None:
            for who, of_learner in zip(
                self._rows, np.split(advice, np.cumsum([*self._rows.values()])[:-1], axis=1), strict=True
            ):
                checked_actions(who, of_learner, values.shape[1])
        for part in (self, *self._learners):
            if isinstance(part, BaseAlgorithm):
                part.check_sensitivity(report)
        self.check_names(report.names)
        self.guarantee = guarantee_for_reports(self.guarantee, report.guarantee)
        self.shape = wide = len(advice), values.shape[1]
        # Credit before learners hear the report: afterwards they would name the actions of the coming round.
        self._credit(advice, np.broadcast_to(values, wide))
        for learner in self._learners:
            learner.update(report)
        # Only now, as a refusal above must leave the round as it was.
        self._actions = self._chosen = None
        self._round += 1
        self.rounds_played += 1
