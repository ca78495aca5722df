"""Privacy guarantees of algorithms: the definition, its level, and who has to be trusted.

[mathematics/000.md#privacy]
"""

import math
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar, get_args

from private_experts.errors import InputError, names_what_was_meant
from private_experts.validation import as_float, checked_number, refused_value

Model = Literal["local", "central"]

_ROUNDING = 1e-12  # relative; noise that was computed from a level may give it back with another last bit


def _set_level(guarantee: object, name: str, most: float = math.inf) -> None:
    """Make a level a float, once it is certain that it is a number from 0 to `most`."""
    given = getattr(guarantee, name)
    level = as_float(given)
    if not 0 <= level <= most:
        wanted = (
            "a positive number, or inf for no privacy" if most == math.inf else f"a number from 0 to {most:g}"
        )
        raise InputError(f"privacy level {name} {refused_value(given)}: write {wanted}")
    # The classes are frozen, and np.float64(1) is to print as 1 does.
    object.__setattr__(guarantee, name, level)


def _check_model(model: str) -> None:
    if model not in get_args(Model):
        raise InputError(f"privacy model {model!r}: write 'local' or 'central'")


def _simulation() -> Any:
    """Return a guarantee's field for whether its noise was simulated, which does not change the level."""
    return field(default=False, kw_only=True, compare=False)


def _words(level: str, guarantee: "GaussianDP | PureDP | ApproximateDP") -> str:
    return f"{level} ({guarantee.model}{', simulated noise' if guarantee.simulated else ''})"


@dataclass(frozen=True)
class GaussianDP:
    """Gaussian differential privacy: telling two neighbours apart is no easier than N(0, 1) from N(mu, 1).

    [000, Section 2.2]

    Parameters
    ----------
    mu : float
        Privacy level, at least 0; smaller is more private, ``inf`` is no privacy at all.
    model : {"local", "central"}
        ``local``: each report is private before it leaves its source, so nobody has to be trusted.
        ``central``: a trusted curator sees the true gains, and only the actions are private.
    simulated : bool
        Whether the noise came from a seeded generator, as in an experiment. It then protects nobody. Reports,
        mechanisms and algorithms say so by themselves; guarantees that differ in nothing else are equal.

    Raises
    ------
    InputError
        When `mu` is negative or not a number, or the model is unknown.

    Notes
    -----
    The guarantee holds for exact Gaussian noise. See `private_experts.privacy.noise` for noise that attains
    it.

    Examples
    --------
    >>> from private_experts.privacy import GaussianDP
    >>> print(GaussianDP(0.5, "local"))
    0.5-GDP (local)
    >>> round(GaussianDP(0.5, "local").epsilon(delta=1e-6), 3)
    2.254
    >>> print(GaussianDP.from_epsilon_delta(epsilon=1.0, delta=1e-6, model="local"))
    0.236704-GDP (local)
    >>> GaussianDP(0.5, "loocal")
    Traceback (most recent call last):
        ...
    private_experts.errors.InputError: privacy model 'loocal': write 'local' or 'central'
    """

    mu: float
    model: Model
    simulated: bool = _simulation()

    def __post_init__(self) -> None:
        _set_level(self, "mu")
        _check_model(self.model)

    @classmethod
    @names_what_was_meant
    def from_epsilon_delta(cls, *, epsilon: float, delta: float, model: Model) -> "GaussianDP":
        """Return the weakest mu-GDP that is (epsilon, delta)-DP: the least noise for it. [000, Corollary 3]

        Parameters
        ----------
        epsilon : float
            At least 0; ``inf`` is no privacy at all.
        delta : float
            Between 0 and 1. Gaussian noise attains no delta of 0, and a delta of 1 promises nothing.
        model : {"local", "central"}
            Who has to be trusted; see `GaussianDP`.

        Returns
        -------
        GaussianDP
            Whose `epsilon` at this delta is the one given.

        Raises
        ------
        InputError
            When a number is out of its range, or the model is unknown.
        """
        from private_experts.privacy.gaussian_mechanism import (
            calibrate_mu,
        )  # SciPy, which few guarantees need

        wanted = ApproximateDP(epsilon, delta, model)
        delta = checked_number("privacy level delta", delta, 0, 1, ends=False)
        # A trifle below the root, so that no rounding makes the promise false.
        return cls((1 - _ROUNDING) * float(calibrate_mu(epsilon=wanted.epsilon, delta=delta)), model)

    def noise_scale(self, sensitivity: float) -> float:
        """Return the standard deviation for this level: ``sensitivity / mu``, 0 without privacy.

        `sensitivity` is the largest L2 distance by which one person can change the value. No finite noise
        attains ``mu = 0``. [000, Section 2.2]
        """
        reach = as_float(sensitivity)
        if not reach >= 0:
            raise InputError(f"sensitivity {refused_value(sensitivity)}: write a number of at least 0")
        if self.mu == 0:
            raise InputError("privacy level mu = 0: no finite noise attains it, write a positive number")
        # inf / inf is nan; whoever asks for no privacy gets no noise, whatever the sensitivity.
        return 0.0 if math.isinf(self.mu) else reach / self.mu

    def epsilon(self, delta: float) -> float:
        """Return the least epsilon for which it is (epsilon, delta)-DP, or ``inf``. [000, Corollary 3]

        `private_experts.privacy.compose` returns the guarantee of several uses, or of one, at a delta.
        """
        from private_experts.privacy.gaussian_mechanism import epsilon  # SciPy, which few guarantees need

        return float(epsilon(delta=delta, mu=self.mu))

    def __str__(self) -> str:
        return "no privacy" if math.isinf(self.mu) else _words(f"{self.mu:g}-GDP", self)


@dataclass(frozen=True)
class PureDP:
    """Pure differential privacy: between neighbours, no output is more than e^epsilon times as likely.

    (Dwork, McSherry, Nissim and Smith, 2006.)

    Parameters
    ----------
    epsilon : float
        Privacy level, at least 0; smaller is more private, ``inf`` is no privacy at all.
    model : {"local", "central"}
        Who has to be trusted; see `GaussianDP`.
    simulated : bool
        Whether the noise was simulated; see `GaussianDP`.

    Raises
    ------
    InputError
        When `epsilon` is negative or not a number, or the model is unknown.

    Examples
    --------
    >>> from private_experts.privacy import PureDP
    >>> print(PureDP(1.0, "central"))
    1-DP (central)
    """

    epsilon: float
    model: Model
    simulated: bool = _simulation()

    def __post_init__(self) -> None:
        _set_level(self, "epsilon")
        _check_model(self.model)

    def __str__(self) -> str:
        return "no privacy" if math.isinf(self.epsilon) else _words(f"{self.epsilon:g}-DP", self)


@dataclass(frozen=True)
class ApproximateDP:
    """Approximate differential privacy: as `PureDP`, except for a probability of at most `delta`.

    Parameters
    ----------
    epsilon : float
        Privacy level, at least 0; ``inf`` is no privacy at all.
    delta : float
        In [0, 1]; 0 is pure differential privacy, 1 is no privacy at all.
    model : {"local", "central"}
        Who has to be trusted; see `GaussianDP`.
    simulated : bool
        Whether the noise was simulated; see `GaussianDP`.

    Raises
    ------
    InputError
        When `epsilon` is negative or `delta` is outside [0, 1], or either is not a number, or the model is
        unknown.

    Examples
    --------
    >>> from private_experts.privacy import ApproximateDP
    >>> print(ApproximateDP(1.0, 1e-6, "central"))
    (1, 1e-06)-DP (central)
    """

    epsilon: float
    delta: float
    model: Model
    simulated: bool = _simulation()

    def __post_init__(self) -> None:
        _set_level(self, "epsilon")
        _check_model(self.model)
        _set_level(self, "delta", 1)

    def __str__(self) -> str:
        if math.isinf(self.epsilon) or self.delta == 1:
            return "no privacy"
        return _words(f"({self.epsilon:g}, {self.delta:g})-DP", self)


Stated = TypeVar("Stated", bound=GaussianDP | PureDP | ApproximateDP)


def of_simulated_noise(guarantee: Stated) -> Stated:
    """Return the same guarantee, which says that its noise was simulated."""
    return guarantee if guarantee.simulated else replace(guarantee, simulated=True)


def of_experts(share: GaussianDP, n: int) -> GaussianDP:
    """Return what n mechanisms with noise of their own promise to a person in the data of all of them."""
    return replace(share, mu=math.sqrt(n) * share.mu)


def guarantee_for_reports(stated: GaussianDP, theirs: GaussianDP) -> GaussianDP:
    """Return the guarantee an algorithm states for reports with theirs: the same, or of simulated noise."""
    return of_simulated_noise(stated) if theirs.simulated else stated


def check_guarantee(guarantee: object, who: str, kind: type[Stated], model: Model | None = None) -> Stated:
    """Return a guarantee as it is, once it is certain that it is of the kind that `who` can give."""
    if isinstance(guarantee, kind) and model in (None, guarantee.model):
        return guarantee
    models = repr(model) if model else "'local') or (..., 'central'"
    description, line = repr(guarantee), f"{kind.__name__}(..., {models})"
    if isinstance(guarantee, GaussianDP | PureDP | ApproximateDP):
        description = str(guarantee)
        if kind is GaussianDP and isinstance(guarantee, ApproximateDP) and guarantee.delta > 0:
            level = f"epsilon={guarantee.epsilon}, delta={guarantee.delta}"
            line = f"GaussianDP.from_epsilon_delta({level}, model={model or guarantee.model!r})"
        elif kind is PureDP and isinstance(guarantee, GaussianDP):
            line += ", such as pure_within of it"
        elif kind is PureDP and isinstance(guarantee, ApproximateDP) and guarantee.epsilon > 0:
            line = f"PureDP({guarantee.epsilon}, {model or guarantee.model!r}), which is no weaker"
    raise InputError(f"{who}: {description} was asked for; write {line}")


def checked_pure_local(who: str, guarantee: PureDP, most: float = math.inf) -> PureDP:
    """Return pure local privacy at a level in (0, `most`], and refuse anything else; inf is no privacy."""
    check_guarantee(guarantee, who, PureDP, "local")
    if not 0 < guarantee.epsilon <= most:
        wanted = "or inf for no privacy" if most == math.inf else f"at most {most:g}"
        raise InputError(f"{who}: epsilon = {guarantee.epsilon}: write a number above 0, {wanted}")
    return guarantee


def pure_or_approximate(epsilon: float, delta: float) -> PureDP | ApproximateDP:
    """Return a curator's promise with a seeded generator: (epsilon, delta)-DP, or epsilon-DP at delta 0."""
    if delta:
        return ApproximateDP(epsilon, delta, "central", simulated=True)
    return PureDP(epsilon, "central", simulated=True)


def central_delta(who: str, guarantee: PureDP | ApproximateDP) -> float:
    """Return the delta of a central guarantee, 0 of a pure one; refuse others, and a delta of 0 or 1."""
    if not isinstance(guarantee, ApproximateDP):
        check_guarantee(guarantee, who, PureDP, "central")
        return 0.0
    check_guarantee(guarantee, who, ApproximateDP, "central")
    return checked_number(f"{who}: delta", guarantee.delta, 0, 1, ends=False)


def no_weaker(who: str, stated: Stated, required: GaussianDP | PureDP | ApproximateDP) -> Stated:
    """Return what settings promise, and refuse a promise weaker than the required guarantee of this kind."""
    # A weaker promise than asked for must never pass as the guarantee of an object.
    level, most = (
        promise.mu if isinstance(promise, GaussianDP) else promise.epsilon for promise in (stated, required)
    )
    if level <= most * (1 + _ROUNDING):
        return stated
    raise InputError(f"{who}: the settings promise {stated}, not {required}; change them, or ask for less")
