"""What an algorithm promises to a person in the data of several rounds: words, and values for accountants."""

import math
from dataclasses import dataclass, replace
from typing import Any, Protocol

from private_experts.errors import InputError, names_what_was_meant
from private_experts.privacy.accountant import Guarantee, Ledger, Spending, compose
from private_experts.privacy.composition import in_rounds
from private_experts.privacy.gaussian_mechanism import tradeoff
from private_experts.privacy.guarantees import ApproximateDP, GaussianDP
from private_experts.privacy.participation import Participation, times_in
from private_experts.validation import whole

_FALSE_ALARMS = 0.05
_LITTLE = 1e-3  # a gain in epsilon, relative to it, that is none
_ROUNDED = 5e-3  # the most by which three digits are too large, relatively


class Guaranteed(Protocol):
    """What states a guarantee: an algorithm, a mechanism, released sums."""

    @property
    def guarantee(self) -> Guarantee:
        """What it promises to a person in the data of one round."""
        ...


@dataclass(frozen=True)
class PrivacyReport:
    """What `privacy_report` found. `print` shows it in words.

    Parameters
    ----------
    name : str
        Of the algorithm.
    use : Spending
        What a `Ledger` is told: ``ledger.spend(report.use)``.
    participation : Participation
        In which rounds the person is.
    guarantee, together : GaussianDP, PureDP or ApproximateDP
        For a person in one round, and in all of these rounds.
    implied : ApproximateDP
        What all of these rounds imply at the given delta, with the least epsilon.
    noticed : float
        How likely the best attacker is to notice the person, at most, at 5 % false alarms.
    amplified : ApproximateDP or None
        What the actions of RW-AdaBatch promise to a person in one round.

    Examples
    --------
    >>> from private_experts.algorithms import TreeFTPL
    >>> from private_experts.privacy import GaussianDP, Ledger, SimulatedNoise, privacy_report
    >>> central = GaussianDP(0.25, "central")
    >>> tree = TreeFTPL(9, central, horizon=52, sensitivity=0.5, noise=SimulatedNoise(0))
    >>> ledger = Ledger(GaussianDP(2.0, "central"))
    >>> ledger.spend(privacy_report(tree, delta=1e-6, rounds=4).use)
    >>> round(ledger.total.mu, 3)  # a curator with other noise would spend up to 4 times 0.25
    0.854
    """

    name: str
    use: Spending
    participation: Participation
    guarantee: Guarantee
    together: Guarantee
    implied: ApproximateDP
    noticed: float
    amplified: ApproximateDP | None

    def __str__(self) -> str:
        local = self.guarantee.model == "local"
        trusted = "Each report is private before it leaves its owner; nobody has to be trusted."
        lines = [
            f"{self.name}: {self.guarantee}",
            trusted if local else "A curator sees the true gains; trust it.",
        ]
        if self.guarantee.simulated:
            lines.append("The noise is simulated: it protects nobody.")
        lines.append(f"A person in the data of {self.participation} {self._has()}.")
        chance = f"{100 * self.noticed:.1f} %"
        lines.append(
            f"Who knows all else, with 5 % false alarms, notices that person in at most {chance} of cases."
        )
        if self.amplified is not None:
            hidden = "Who sees the actions and no report, of gains that were fixed before the noise:"
            lines.append(f"{hidden} {self.amplified} for a person in one round.")
            # Said in words: a figure that is smaller in the fourth digit looks like a gain.
            if (
                self.amplified.epsilon
                >= (1 - _LITTLE) * compose(self.guarantee, delta=self.implied.delta).epsilon
            ):
                lines.append("That is within 0.1 % of what each report has: batches gain nothing here.")
        return "\n".join(lines)

    def _has(self) -> str:
        """Return in words what the person has; a bound that says nothing does not show a lack of privacy."""
        delta, none = self.implied.delta, str(ApproximateDP(0.0, 1.0, "central"))
        if str(self.guarantee) == none:
            return f"has {none}"
        has = "has a bound that says nothing" if str(self.together) == none else f"has {self.together}"
        if delta == 1:
            return f"{has}; a delta of 1 says nothing"
        if math.isfinite(self.implied.epsilon):
            return has if str(self.implied) == str(self.together) else f"{has}, hence {self.implied}"
        if not isinstance(self.guarantee, ApproximateDP):
            return f"{has}, which is no (epsilon, {delta:g})-DP"
        enough = (1 - _ROUNDED) * _delta_in_each(self.guarantee, self.participation.rounds, delta)
        return (
            f"{has}, which is no (epsilon, {delta:g})-DP: "
            f"for that, take a delta of at most {enough:.3g} in each round"
        )


@names_what_was_meant
def privacy_report(
    algorithm: Guaranteed, *, delta: float, rounds: int | Participation = 1, t: int | None = None
) -> PrivacyReport:
    """Return what an algorithm promises to a person in the data of several rounds.

    Local reports are independent, and their levels compose: sqrt(k) mu in k rounds. With a curator it is what
    the released sums of `PrefixFTPL`, or a curator's reports, show of such a person: see `level_in_rounds`.
    An algorithm that hears a curator's reports does not know what made them; ask for the curator. Of anything
    else, and of mechanisms side by side for more than 2048 rounds, it is k mu: see `in_rounds`.

    Parameters
    ----------
    algorithm : Algorithm
        Or anything that states a guarantee.
    delta : float
        In [0, 1], for the epsilon that follows.
    rounds : int or Participation
        How many rounds the person is in, at least 1; or also how far they are apart.
    t : int, optional
        A round of RW-AdaBatch, for `RWAdaBatch.amplified`.

    Returns
    -------
    PrivacyReport

    Raises
    ------
    InputError
        When it states no guarantee, or a number is out of its range, or `t` is given for what amplifies
        nothing.

    Examples
    --------
    >>> from private_experts.algorithms import Uniform
    >>> from private_experts.privacy import privacy_report
    >>> print(privacy_report(Uniform(9, rng=0), delta=1e-6, rounds=52))
    Uniform: 0-GDP (local)
    Each report is private before it leaves its owner; nobody has to be trusted.
    A person in the data of 52 rounds has 0-GDP (local), hence (0, 1e-06)-DP (local).
    Who knows all else, with 5 % false alarms, notices that person in at most 5.0 % of cases.
    """
    name, guarantee = type(algorithm).__name__, getattr(algorithm, "guarantee", None)
    if not isinstance(guarantee, Guarantee):
        raise InputError(
            f"privacy_report: {name} states no guarantee; write an algorithm or a mechanism, or in_rounds "
            "of a guarantee"
        )
    if not isinstance(rounds, Participation):
        rounds = Participation(whole(rounds, "privacy_report", "rounds"))
    participation, rounds = rounds, rounds.rounds
    local = guarantee.model == "local"
    several = in_rounds(guarantee, rounds)
    if rounds > 1 and not local and isinstance(several, GaussianDP) and 0 < several.mu < math.inf:
        times = times_in(algorithm, participation)
        if times is not None:
            several = replace(several, mu=several.mu * min(1.0, times / rounds))
    # Under its own name a person in other rounds is not spoken for.
    purpose = name if participation == Participation(rounds) else f"{name}, {participation}"
    use = Spending(guarantee, name, rounds) if local else Spending(several, purpose)
    ledger = Ledger(GaussianDP(math.inf, guarantee.model))
    ledger.spend(use.guarantee, use.purpose, times=use.times)
    parts = {type(part): part for part in (ledger.gaussian, ledger.pure, ledger.approximate)}
    together = parts[type(guarantee)]
    epsilon = ledger.epsilon(delta)
    implied = ApproximateDP(epsilon, delta, guarantee.model, simulated=guarantee.simulated)
    amplified = _amplified(algorithm, t, delta)
    return PrivacyReport(
        name, use, participation, guarantee, together, implied, _noticed(together), amplified
    )


def _amplified(algorithm: Any, t: int | None, delta: float) -> ApproximateDP | None:
    if t is None:
        return None
    if not hasattr(algorithm, "amplified"):
        raise InputError(f"privacy_report: {type(algorithm).__name__} amplifies nothing; leave t out")
    found: ApproximateDP = algorithm.amplified(t, delta)
    return found


def _delta_in_each(guarantee: ApproximateDP, rounds: int, delta: float) -> float:
    """Return the delta in one round with which all rounds have this one, at their present epsilon."""
    if guarantee.model == "local":
        return -math.expm1(math.log1p(-delta) / rounds)
    # The growth is linear in delta as long as it is not cut at 1, so it is read off at a tiny one.
    tiny = 1e-300
    grown = in_rounds(replace(guarantee, delta=tiny), rounds)
    return delta * tiny / grown.delta if isinstance(grown, ApproximateDP) and grown.delta < 1 else 0.0


def _noticed(guarantee: Guarantee) -> float:
    """Return the power of the best test between neighbours at 5 % false alarms."""
    if isinstance(guarantee, GaussianDP):
        return 1 - float(tradeoff(_FALSE_ALARMS, guarantee.mu))
    delta = guarantee.delta if isinstance(guarantee, ApproximateDP) else 0.0
    if math.isinf(guarantee.epsilon):
        return 1.0
    # The two lines of the trade-off curve of (epsilon, delta)-DP; the smaller one is the power of the best
    # test.
    straight = delta + _FALSE_ALARMS * math.exp(min(guarantee.epsilon, 100.0))
    mirrored = 1 - (1 - delta - _FALSE_ALARMS) * math.exp(-guarantee.epsilon)
    return min(straight, mirrored, 1.0)
