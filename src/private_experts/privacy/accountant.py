"""A ledger of what was spent: all uses of one person's data, and what they cost together.

[mathematics/000.md#ledger]
"""

import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, cast, overload

from private_experts.errors import InputError
from private_experts.privacy.conversions import to_gaussian
from private_experts.privacy.exact_composition import delta as exact_delta
from private_experts.privacy.exact_composition import epsilon as exact_epsilon
from private_experts.privacy.guarantees import ApproximateDP, GaussianDP, Model, PureDP
from private_experts.validation import checked_range, whole

Guarantee = GaussianDP | PureDP | ApproximateDP

_ROUNDING = 1e-12  # relative; a limit that is spent in many equal parts is not missed by the last bit


# kind, level, delta, model, simulated, purpose, times, and an id, which tells it from a use in the same words
Use = tuple[str, float, float, str, bool, str, int, str]


@dataclass(frozen=True)
class Spending:
    """One line of a `Ledger`: what each use promised, what for, in one line, and how many uses there were.

    Each use has randomness of its own. [mathematics/000.md#ledger]
    """

    guarantee: Guarantee
    purpose: str
    times: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.guarantee, Guarantee):
            raise InputError(
                f"ledger: {self.guarantee!r} was spent; write a guarantee, as GaussianDP(1.0, 'local'), "
                "or the use of a privacy report"
            )
        if (
            not isinstance(self.purpose, str)
            or not self.purpose.strip()
            or len(self.purpose.splitlines()) > 1
        ):
            raise InputError(
                f"ledger: the purpose {self.purpose!r}; write in one line what the data were used for"
            )
        # The class is frozen, and a count such as np.int64(3) is to become a plain one.
        object.__setattr__(self, "times", whole(self.times, "ledger", "times"))

    def __str__(self) -> str:
        return f"{self.purpose}: {self.guarantee}" + (f", {self.times} times" if self.times > 1 else "")


class Ledger:
    """Keeps account of every use of one person's data, and refuses a use that would exceed the limit.

    Gaussian levels compose exactly, ``mu = sqrt(sum mu_i^2)``. Pure levels add up. A guarantee with a delta
    is kept as it is. Uses may be chosen in view of what earlier ones brought. So may their levels, under a
    finite Gaussian or pure limit: what stays within it has the limit's guarantee. An approximate limit,
    `total`, `delta` and `epsilon` are for levels planned beforehand. [mathematics/000.md#ledger]

    Local and central are different promises. Under a *central* limit the account is of what is published, and
    the curator is trusted. A local report is private before anyone sees it, hence also in what is published:
    its level counts in full. Under a *local* limit the account is of what anyone learns, the curator too. A
    central use has shown the curator true values, so it is refused; keep a second ledger for it.

    Parameters
    ----------
    limit : GaussianDP, PureDP or ApproximateDP
        What all uses together may cost, and in which model. A `PureDP` limit takes pure uses alone. An
        `ApproximateDP` limit takes every kind, and counts exactly: the uses fit if their `epsilon` at its
        delta is at most its epsilon. Where levels hang on what earlier uses brought, write
        ``GaussianDP.from_epsilon_delta(...)`` instead. With an infinite level nothing is refused, and every
        kind of guarantee is taken.

    Raises
    ------
    InputError
        When the limit is no such guarantee, or has a delta of 1, which promises nothing.

    Notes
    -----
    One use is one report, or one whole game of a central algorithm, for a person in one of its rounds. See
    `private_experts.privacy.in_rounds` for a person in several.

    `private_experts.saving` keeps it in a file, which later versions of the library read as well, and
    restores it into one with the same limit that has spent nothing else. Save after `spend` and before the
    use: a save is refused if another process has spent since, and wrote to the file. A copy is the ledger
    itself, and it cannot be pickled: two accounts of one limit would allow twice as much.

    Examples
    --------
    >>> from private_experts.privacy import GaussianDP, Ledger, PureDP
    >>> ledger = Ledger(GaussianDP(1.0, "central"))
    >>> ledger.spend(GaussianDP(0.25, "local"), "weekly reports", times=9)
    >>> ledger.spend(PureDP(0.3, "central"), "a ranking")
    >>> print(ledger)
    purpose         guarantee         times
    weekly reports  0.25-GDP (local)      9
    a ranking       0.3-DP (central)      1
    together: 0.75-GDP (central) and 0.3-DP (central)
    in all: 0.838701-GDP (central)
    limit: 1-GDP (central)
    >>> ledger.spend(GaussianDP(0.6, "central"), "play")
    Traceback (most recent call last):
        ...
    private_experts.errors.InputError: ledger: play exceeds the limit; what is left is 0.544592-GDP (central)
    >>> round(ledger.epsilon(delta=1e-6), 3)
    3.746
    """

    STATE = ("_uses",)
    DERIVED = ("_lines", "_ids")
    FORMAT = 2  # of its state in a file; `read_format` reads the older ones

    def __init__(self, limit: Guarantee) -> None:
        if not isinstance(limit, Guarantee):
            raise InputError(
                f"ledger: the limit {limit!r}; write GaussianDP(mu, model), PureDP(epsilon, model) or "
                "ApproximateDP(epsilon, delta, model)"
            )
        if _delta_of(limit) == 1:
            raise InputError(f"ledger: the limit {limit!r} promises nothing: write a delta such as 1e-6")
        self._limit = limit
        self._lines: tuple[Spending, ...] = ()
        self._ids: tuple[str, ...] = ()  # of these lines
        self._uses: tuple[Use, ...] = ()  # the same lines, in the words of a file

    def __deepcopy__(self, memo: object) -> "Ledger":
        """Return the ledger itself: two that are spent from by themselves would spend the limit twice."""
        return self

    def __copy__(self) -> "Ledger":
        """Return the ledger itself; see `__deepcopy__`."""
        return self

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled, for the same reason."""
        raise InputError(
            "ledger: a pickled copy would spend the limit twice; write it with private_experts.saving"
        )

    def check_loaded(self) -> None:
        """Refuse a file's uses that lack one of these, or exceed the limit. See `private_experts.saving`."""
        lines = tuple(map(_line, self._uses))
        # Loading may only add: otherwise an older file would wipe out what was spent since, and the limit
        # with it.
        if _ids(self._uses)[: len(self._ids)] != self._ids:
            raise InputError(
                "ledger: it has spent what the file does not have: load into one that was made anew"
            )
        if not self._cost(lines) <= self._most * (1 + _ROUNDING):
            raise InputError("ledger: the file has spent more than the limit: take another copy")
        self._lines, self._ids = lines, _ids(self._uses)

    def check_replaces(self, state: Mapping[str, Any]) -> None:
        """Refuse to replace a file that has a use which this ledger lacks. See `private_experts.saving`.

        By id: a use in the same words, by another process, is another use.
        """
        written = _ids(state["_uses"])
        if _ids(self._uses)[: len(written)] != written:
            raise InputError(
                "ledger: another process has spent since, and wrote it there: load the file into a new "
                "ledger, and spend again"
            )

    @staticmethod
    def read_format(number: int, state: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the state that a file of an older format means in this one. See `private_experts.saving`."""
        if number > 1:
            return state
        # Format 1, of version 0.3, had no ids. A use has the same one whoever reads the file.
        return {"_uses": tuple((*use, f"0.3: {place}") for place, use in enumerate(state["_uses"]))}

    @property
    def limit(self) -> Guarantee:
        """What it was given."""
        return self._limit

    @property
    def _most(self) -> float:
        """The limit's level; infinite where it promises nothing, and nothing is refused."""
        if isinstance(self.limit, GaussianDP):
            return self.limit.mu
        return self.limit.epsilon

    @property
    def lines(self) -> tuple[Spending, ...]:
        """What was spent, in order."""
        return self._lines

    def spend(self, guarantee: Guarantee | Spending, purpose: str | None = None, *, times: int = 1) -> None:
        """Write down a use *before* it is made, or refuse it. [mathematics/000.md#ledger]

        It is a guarantee and what for, or the `use` of a privacy report, which knows both. Each of the
        `times` uses has randomness of its own. Refused is what would exceed the limit, or cannot be compared
        with it, and a central guarantee where the limit is local.
        """
        line = guarantee
        if not isinstance(line, Spending):
            line = Spending(line, purpose, times)  # type: ignore[arg-type]
        elif purpose is not None or times != 1:
            raise InputError("ledger: a use knows its purpose and how often: write spend(use) alone")
        guarantee, purpose = line.guarantee, line.purpose
        if guarantee.model == "central" and self.limit.model == "local":
            raise InputError(
                f"ledger: {purpose} has shown a curator true values, and {self.limit} protects from curators "
                "too; keep a ledger with a central limit for it"
            )
        # The cost of all lines anew, not a running total, so that rounding does not pile up in one direction.
        level = self._cost((*self.lines, line))
        if not level <= self._most * (1 + _ROUNDING):
            why = f"exceeds the limit; what is left is {self.left}"
            if math.isinf(level):
                why = (
                    f"is {guarantee}, which no limit such as {self.limit} covers; "
                    "keep a ledger of its own for it"
                )
            raise InputError(f"ledger: {purpose} {why}")
        # One statement after all checks: a refused use leaves no trace.
        uses = (*self._uses, _use(line))
        self._lines, self._ids, self._uses = (*self.lines, line), (*self._ids, uses[-1][-1]), uses

    @property
    def gaussian(self) -> GaussianDP:
        """The Gaussian uses together, exactly."""
        lines = self._of(GaussianDP)
        return GaussianDP(_total_mu(lines), self.limit.model, simulated=_simulated(lines))

    @property
    def pure(self) -> PureDP:
        """The pure uses together: the sum of their levels."""
        lines = self._of(PureDP)
        spent = (line.times * _epsilon_of(line.guarantee) for line in lines)
        return PureDP(math.fsum(spent), self.limit.model, simulated=_simulated(lines))

    @property
    def approximate(self) -> ApproximateDP:
        """The uses with a delta together: epsilons add up, and each use fails on its own."""
        lines = self._of(ApproximateDP)
        failing = _failing(lines)
        if failing == 1:
            return ApproximateDP(math.inf, 1.0, self.limit.model)
        level = math.fsum(times * level for level, times in _pure_steps(lines))
        return ApproximateDP(level, failing, self.limit.model, simulated=_simulated(lines))

    @property
    def total(self) -> GaussianDP:
        """All uses together as one Gaussian level. A pure use counts with the level that it implies.

        It is exact if all uses are Gaussian. Else `epsilon` is smaller, and exact but for the exception of
        `delta`.
        """
        if self.approximate.delta > 0:
            raise InputError(
                "ledger: a guarantee with a delta was spent, so no mu follows; ask for epsilon(delta)"
            )
        return GaussianDP(_total_mu(self.lines), self.limit.model, simulated=_simulated(self.lines))

    @property
    def left(self) -> GaussianDP | PureDP:
        """The largest level of one more use; infinite where no use is refused.

        It is of the limit's kind, and of an approximate limit Gaussian.
        """
        spent, most = self._cost(self.lines), self._most
        if isinstance(self.limit, ApproximateDP):
            return self._gaussian_left()
        # With an infinite limit the ratio below would be inf / inf.
        if math.isinf(most) or spent == 0:
            return self.limit
        if isinstance(self.limit, PureDP):
            return PureDP(max(most - spent, 0.0), self.limit.model)
        # Levels add in squares. As a ratio: squares of small levels would underflow.
        return GaussianDP(most * math.sqrt(max(1 - (spent / most) ** 2, 0.0)), self.limit.model)

    def _gaussian_left(self) -> GaussianDP:
        """Return the largest Gaussian level of one more use under an approximate limit."""
        if math.isinf(self._most):
            return GaussianDP(math.inf, self.limit.model)
        low, high, delta = 0.0, 0.0, _delta_of(self.limit)
        if delta > 0:  # the most that was ever left
            high = GaussianDP.from_epsilon_delta(epsilon=self._most, delta=delta, model=self.limit.model).mu
        most = high
        if self._fits(most):
            return GaussianDP(most, self.limit.model)
        while high - low > _ROUNDING * most:
            middle = (low + high) / 2
            low, high = (middle, high) if self._fits(middle) else (low, middle)
        return GaussianDP(low, self.limit.model)

    def _fits(self, mu: float) -> bool:
        """Return whether one more Gaussian use is within the limit."""
        spare = _spare(self.lines, _delta_of(self.limit))
        together = math.hypot(mu, _total_mu(self._of(GaussianDP)))
        # No Gaussian delta is 0, but that of a small level is less than any float.
        if spare < 0 or (spare == 0 and together > 0):
            return False
        # By the delta at the limit's epsilon: the other way round is a search for each mu.
        delta = exact_delta(epsilon=self._most, mu=together, pure=_pure_steps(self.lines))
        return delta <= spare

    def delta(self, epsilon: float) -> float:
        """Return the least delta with which all uses are (epsilon, delta)-DP. [mathematics/000.md#ledger]

        Some uses attain it. For many pure levels it is an upper bound, see `exact_composition.delta`.
        """
        failing = _failing(self.lines)
        # Either some use fails, or all keep their epsilons, and the exact law holds given that.
        return failing + (1 - failing) * exact_delta(
            epsilon=epsilon, mu=self.gaussian.mu, pure=_pure_steps(self.lines)
        )

    def epsilon(self, delta: float) -> float:
        """Return the least epsilon with which all uses together are (epsilon, delta)-DP, or inf.

        It is the inverse of `delta`, with its exception. [mathematics/000.md#ledger]
        """
        checked_range("delta", delta, high=1.0)
        return _exact_epsilon(self.lines, delta)

    def _of(self, kind: type[Guarantee]) -> list[Spending]:
        return [line for line in self.lines if isinstance(line.guarantee, kind)]

    def _cost(self, lines: tuple[Spending, ...]) -> float:
        """Return what lines cost together on the limit's scale, ``inf`` for what has no place on it."""
        if isinstance(self.limit, GaussianDP):
            return _total_mu(lines)
        if isinstance(self.limit, ApproximateDP):
            return _exact_epsilon(lines, self.limit.delta)
        return math.fsum(line.times * _epsilon_of(line.guarantee) for line in lines)

    def _grouped(self) -> list[Spending]:
        """Return what was spent with equal uses together, in the order of the first of each."""
        times: Counter[tuple[str, str, Guarantee]] = Counter()
        for line in self.lines:
            times[line.purpose, str(line.guarantee), line.guarantee] += line.times
        return [Spending(guarantee, purpose, count) for (purpose, _, guarantee), count in times.items()]

    def __repr__(self) -> str:
        return f"<Ledger: {'; '.join([f'limit {self.limit}', *map(str, self._grouped())])}>"

    def __str__(self) -> str:
        rows = [("purpose", "guarantee", "times")]
        rows += [(line.purpose, str(line.guarantee), str(line.times)) for line in self._grouped()]
        first, second, third = (max(map(len, column)) for column in zip(*rows, strict=True))
        table = [f"{what:<{first}}  {level:<{second}}  {times:>{third}}" for what, level, times in rows]
        parts = [self.gaussian, self.pure, self.approximate]
        spent = [
            str(part) for part in parts if any(isinstance(line.guarantee, type(part)) for line in self.lines)
        ]
        table.append(f"together: {' and '.join(spent) or 'nothing'}")
        if len(spent) > 1 and self.approximate.delta == 0:
            table.append(f"in all: {self.total}")
        return "\n".join(
            [
                *table,
                f"limit: {'none, so what is left is unlimited' if math.isinf(self._most) else self.limit}",
            ]
        )


@overload
def compose(first: GaussianDP, /, *others: GaussianDP, delta: None = None) -> GaussianDP: ...
@overload
def compose(first: PureDP, /, *others: PureDP, delta: None = None) -> PureDP: ...
@overload
def compose(first: Guarantee, /, *others: Guarantee, delta: float) -> ApproximateDP: ...
@overload
def compose(first: Guarantee, /, *others: Guarantee, delta: float | None = None) -> Guarantee: ...
def compose(first: Guarantee, /, *others: Guarantee, delta: float | None = None) -> Guarantee:
    """Return what several uses of one person's data promise together, each with randomness of its own.

    [mathematics/000.md#ledger] With a delta it is the (epsilon, delta)-DP with the least epsilon, as by
    `Ledger.epsilon`; one guarantee is thus converted. Without a delta it is of the kind of the uses: Gaussian
    levels add in squares, which is exact, pure ones add up, and so do those with a delta. A pure use among
    Gaussian ones counts with the level that it implies.

    Parameters
    ----------
    first, others : GaussianDP, PureDP or ApproximateDP
        Uses may be chosen in view of earlier ones, but not their levels. If one is central, all are
        together.
    delta : float, optional
        In [0, 1].

    Returns
    -------
    GaussianDP, PureDP or ApproximateDP

    Raises
    ------
    InputError
        When one is no guarantee, or one with a delta is among Gaussian ones and no `delta` is given.

    Examples
    --------
    >>> from private_experts.privacy import GaussianDP, PureDP, compose
    >>> print(compose(GaussianDP(3.0, "local"), GaussianDP(4.0, "local")))
    5-GDP (local)
    >>> print(compose(GaussianDP(0.5, "local"), delta=1e-6))
    (2.25408, 1e-06)-DP (local)
    >>> hundred = [PureDP(0.1, "central")] * 100
    >>> print(compose(*hundred), compose(*hundred, delta=1e-6))
    10-DP (central) (4.77457, 1e-06)-DP (central)
    """
    uses: Counter[tuple[Guarantee, bool]] = Counter()
    for guarantee in (first, *others):
        if not isinstance(guarantee, Guarantee):
            raise InputError(
                f"compose: {guarantee!r} was given; write guarantees, as compose(first, second, delta=1e-6)"
            )
        uses[guarantee, guarantee.simulated] += 1
    # One use by a curator makes the whole a central promise; local reports keep what they have in it.
    model: Model = "central" if any(guarantee.model == "central" for guarantee, _ in uses) else "local"
    # Without a limit: this only adds up, and refuses nothing.
    ledger = Ledger(GaussianDP(math.inf, model))
    for (guarantee, _), times in uses.items():
        ledger.spend(guarantee, "a use", times=times)
    simulated = _simulated(ledger.lines)
    if delta is not None:
        return ApproximateDP(ledger.epsilon(delta), delta, model, simulated=simulated)
    kinds = {type(guarantee) for guarantee, _ in uses}
    if kinds == {PureDP}:
        return ledger.pure
    if kinds <= {PureDP, ApproximateDP}:
        both = ledger.approximate
        return ApproximateDP(both.epsilon + ledger.pure.epsilon, both.delta, model, simulated=simulated)
    if ledger.approximate.delta > 0:
        raise InputError(
            "compose: a guarantee with a delta among Gaussian ones; write compose(..., delta=1e-6)"
        )
    return ledger.total


def _use(line: Spending) -> Use:
    stated = line.guarantee
    level = stated.mu if isinstance(stated, GaussianDP) else stated.epsilon
    kind, delta, id_ = type(stated).__name__, _delta_of(stated), os.urandom(8).hex()
    return kind, level, delta, stated.model, stated.simulated, line.purpose, line.times, id_


def _ids(uses: Iterable[Use]) -> tuple[str, ...]:
    return tuple(use[-1] for use in uses)


def _line(use: Use) -> Spending:
    kind, level, delta, model, simulated, purpose, times, _ = use
    stated: Guarantee
    if kind == "ApproximateDP":
        stated = ApproximateDP(level, delta, cast(Model, model), simulated=simulated)
    else:
        stated = (GaussianDP if kind == "GaussianDP" else PureDP)(
            level, cast(Model, model), simulated=simulated
        )
    return Spending(stated, purpose, times)


def _simulated(lines: Iterable[Spending]) -> bool:
    return any(line.guarantee.simulated for line in lines)


def _delta_of(guarantee: Guarantee) -> float:
    return guarantee.delta if isinstance(guarantee, ApproximateDP) else 0.0


def _failing(lines: Iterable[Spending]) -> float:
    """Return the probability that some use fails, each on its own."""
    uses = [(line.times, _delta_of(line.guarantee)) for line in lines]
    # A delta of 1 promises nothing, and log1p(-1) is no number.
    if any(delta == 1 for _, delta in uses):
        return 1.0
    # The probability that no use fails is the product of 1 - delta_i, which beats the sum of the deltas.
    return 0.0 - math.expm1(math.fsum(times * math.log1p(-delta) for times, delta in uses))


def _pure_steps(lines: Iterable[Spending]) -> list[tuple[float, int]]:
    """Return the levels of all uses that are not Gaussian, and how often each was spent."""
    steps: Counter[float] = Counter()
    for line in lines:
        if not isinstance(line.guarantee, GaussianDP):
            steps[line.guarantee.epsilon] += line.times
    return list(steps.items())


def _spare(lines: Iterable[Spending], delta: float) -> float:
    """Return which delta is left for losses when no use fails; -1 if it is spent by failures alone."""
    failing = _failing(lines)
    # What fails with this probability fails at every epsilon.
    if delta < failing * (1 - _ROUNDING):
        return -1.0
    return max(delta - failing, 0.0) / (1 - failing) if failing < 1 else 1.0


def _exact_epsilon(lines: Iterable[Spending], delta: float) -> float:
    """Return the least epsilon with which lines together are (epsilon, delta)-DP, or inf."""
    lines = tuple(lines)
    spare = _spare(lines, delta)
    if spare < 0:
        return math.inf
    gaussian = _total_mu(line for line in lines if isinstance(line.guarantee, GaussianDP))
    return exact_epsilon(delta=spare, mu=gaussian, pure=_pure_steps(lines))


def _total_mu(lines: Iterable[Spending]) -> float:
    # By hypot, which neither overflows nor underflows in the squares.
    return math.hypot(*(math.sqrt(line.times) * _mu_of(line.guarantee) for line in lines))


def _mu_of(guarantee: Guarantee) -> float:
    if isinstance(guarantee, GaussianDP):
        return guarantee.mu
    if isinstance(guarantee, ApproximateDP) and guarantee.delta > 0:
        # No mu follows from a positive delta: the little that may fail is more than any Gaussian tail allows.
        return math.inf
    return to_gaussian(PureDP(guarantee.epsilon, guarantee.model)).mu


def _epsilon_of(guarantee: Guarantee) -> float:
    if isinstance(guarantee, PureDP):
        return guarantee.epsilon
    return 0.0 if isinstance(guarantee, GaussianDP) and guarantee.mu == 0 else math.inf
