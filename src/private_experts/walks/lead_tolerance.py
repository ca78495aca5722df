"""Rules that let a batch last as long as the regret bound allows, instead of as long as Theorem 1 does.

What the bound on RW-AdaBatch's regret needs of a batch is that its leader changes with at most the tolerance.
How that probability is bounded does not matter. A leader of b rounds has to survive b - 1 updates. Two rules
bound this better than ComputeDelay: ``sharper`` by Levy's inequality, for noise of any scales up to a largest
one; ``exact`` by the probability itself, for noise of one scale. With more than two experts that is added up
over the challengers. Both need one threshold for each round and size, so the proxy law of batch sizes works
as before. [mathematics/000.md#exact-rule]
"""

import functools
import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr

from private_experts.arrays import Array, Bools, Ints
from private_experts.descriptions import Described
from private_experts.validation import check_word, checked_number, whole
from private_experts.walks.batch_rules import Rule, rule_of
from private_experts.walks.batch_size import legendre, never_rising
from private_experts.walks.delay import log_tolerance
from private_experts.walks.gap import density, survival
from private_experts.walks.levy_bound import sharper_log_bound

LeadRule = Literal["sharper", "exact"]

# updates up to which the exact probability is computed; beyond, that of a continuous path bounds it
_TABLED = 64
_WIDEST = 100.0  # how far true gains move within those, in standard deviations of a step
_LEAST = -25.0  # the smallest log of a probability in the tables
_FINE = 20  # leads of a table in a standard deviation of a step
_SAFE = 1e-6  # what is added to a tabled log, more than its error
_POINTS = 64
_HALVINGS = 38  # leads are found to a hundred-thousandth of a millionth of the largest
_END = 8.0  # standard deviations


class LeadTolerance(Described):
    """How large a lead a batch needs, and how long a batch a lead allows, by a sharper bound than Theorem 1.

    Parameters
    ----------
    rule : {"sharper", "exact"}
        How the probability of a change of leader is bounded. ``exact`` holds for noise of one scale alone.
    eta : float
        Standard deviation of the noise of a report, or, for ``sharper``, the largest; at least 0.
    n : int
        Number of experts, at least 2.
    alpha : float
        Tolerance, positive; see `private_experts.walks.compute_delay`.
    rho : float
        The most by which true gains shrink the gap in a round, at least 0: 1 for gains in [0, 1].

    Raises
    ------
    InputError
        When a number is out of its range, or the rule is unknown.

    Examples
    --------
    With a lead of 10, 30 or 100 after 1000 rounds, batches may be this long; ComputeDelay has 1, 8 and 46:

    >>> import numpy as np
    >>> from private_experts.walks import LeadTolerance
    >>> leads = np.array([10.0, 30.0, 100.0])
    >>> [LeadTolerance(rule, 1.0, 5, 0.01).sizes(leads, 1000).tolist() for rule in ("sharper", "exact")]
    [[3, 12, 59], [3, 12, 60]]
    """

    def __init__(self, rule: LeadRule, eta: float, n: int, alpha: float, rho: float = 1.0) -> None:
        check_word("batches: rule", rule, "sharper", "exact")
        eta = checked_number("batches: eta", eta, 0)
        alpha = checked_number("batches: alpha", alpha, 0, ends=False)
        rho = checked_number("batches: rho", rho, 0)
        self.rule, self.eta, self.alpha, self.rho = rule, eta, alpha, rho
        self.n = whole(n, "batches", "number of experts", least=2)

    def log_change(self, lead: ArrayLike, updates: ArrayLike) -> Array:
        """Return the log of a bound on the probability that a leader changes, elementwise; at most 0.

        It grows with the number of `updates`, an integer of at least 0, and falls with the lead.
        """
        k, steps = np.broadcast_arrays(np.asarray(lead, dtype=float), np.asarray(updates))
        if self.rule == "sharper":
            return np.where(
                steps > 0, sharper_log_bound(k, self.eta, np.maximum(steps, 1), self.n, self.rho), -np.inf
            )
        alone = np.array(passage_log_bound(k, self.eta, steps, self.rho))
        # The continuous path bounds the walk for any number of updates; the table is exact, but only for the
        # first ones.
        most = _tabled(self.eta, self.rho)
        for step in np.unique(steps[(steps > 0) & (steps <= most)]).tolist():
            # Where the bound is already tiny no exact value is needed, and the table has no digits there.
            here = (steps == step) & (alone > _LEAST)
            alone[here] = np.minimum(alone[here], _table(self.eta, self.rho, step)(k[here]))
        # A union over the challengers; for two experts there is one, and it is exact.
        return np.minimum(alone + math.log(self.n - 1), 0.0)

    def allows(self, lead: ArrayLike, size: ArrayLike, end: ArrayLike) -> Bools:
        """Return whether a lead allows a batch of `size` rounds that ends after `end` rounds, elementwise."""
        size = np.asarray(size)
        tolerated: Bools = self.log_change(lead, size - 1) <= log_tolerance(self.n, self.alpha, end)
        # A batch of one round survives no update, so there is nothing to tolerate.
        return tolerated | (size <= 1)

    def sizes(self, lead: Array, completed: int | Ints, largest: int | Ints = 2**31) -> Ints:
        """Return the largest size each lead allows after so many completed rounds, from 1 to `largest`.

        There is one number of rounds for all leads, or one for each.
        """
        start, most = np.broadcast_to(completed, lead.shape), np.broadcast_to(largest, lead.shape)
        low = np.ones(lead.shape, dtype=np.int64)  # it is allowed
        high = np.full(lead.shape, 2, dtype=np.int64)  # it is not allowed, or not yet known to be
        growing = np.arange(lead.size)
        # Doubling first: most batches are short, and a search from the largest size would be long for all.
        while growing.size:
            fits = self.allows(lead[growing], high[growing], start[growing] + high[growing])
            fits &= high[growing] <= most[growing]
            growing = growing[fits]
            low[growing] = high[growing]
            high[growing] *= 2
        while (rows := np.flatnonzero(high - low > 1)).size:
            middle = (low[rows] + high[rows]) // 2
            fits = self.allows(lead[rows], middle, start[rows] + middle) & (middle <= most[rows])
            low[rows], high[rows] = np.where(fits, middle, low[rows]), np.where(fits, high[rows], middle)
        return low

    def least_lead(self, size: ArrayLike, end: ArrayLike) -> Array:
        """Return the least lead that allows a batch of `size` rounds, from 2, that ends after `end` rounds.

        Elementwise, in units of gain, and a trifle to the safe side.
        """
        size, end = np.broadcast_arrays(np.asarray(size), np.asarray(end))
        low = np.full(size.shape, -1.0)  # it is not allowed, or 0 is
        spread = self.eta * np.sqrt(2.0 * size)
        reach = np.sqrt(
            2 * (1 + math.log(2 * self.n) - np.minimum(log_tolerance(self.n, self.alpha, end), 0.0))
        )
        # From P <= 2 n exp(-x^2 / 2): certainly enough, so the search has an upper end.
        high = self.rho * size + spread * reach + 1e-9
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            fits = self.allows(middle, size, end)
            low, high = np.where(fits, low, middle), np.where(fits, middle, high)
        return np.maximum(high, 0.0)

    def table(self, horizon: int) -> Rule:
        """Return the rule as a table for games of so many rounds; see `private_experts.walks.batch_rules`."""
        return rule_of(self.least_lead, horizon)

    def proxy_survival(self, t: int, largest: int) -> Array:
        """Return lower bounds on P(batch of datum t is larger than b) by this rule, for oblivious data.

        [mathematics/000.md#exact-rule-proxy]

        Parameters
        ----------
        t : int
            Round of the datum, from 1.
        largest : int
            The largest b. If the game ends after T rounds, ask for at most ``T - t``.

        Returns
        -------
        ndarray, shape (largest + 1,)
            For b = 0, ..., `largest`. Starts at 1 and never rises.
        """
        b = np.arange(1, largest + 1)
        first = np.maximum(0, t - b)
        larger = np.empty(largest)
        # The threshold of b + 1 rounds at the latest possible start, which is the largest of those in
        # question.
        leads, vouched = self.least_lead(b + 1, t + b), self._vouched(t - 1 - first)
        for row, start in enumerate(first.tolist()):
            larger[row] = self._stays(float(leads[row]), start, t - 1 - start, float(vouched[row]))
        return never_rising(larger)

    def _stays(self, lead: float, start: int, steps: int, least: float) -> float:
        """Return a bound on P(the gap is at least `lead` after `start` rounds, and for some steps).

        `least` is what `_vouched` returns.
        """
        scale = self.eta * math.sqrt(start + 1)
        if steps == 0:
            return float(survival(lead, self.n, scale))
        spread = self.eta * math.sqrt(2 * steps)
        most = max(least, self.rho * steps) + spread * (_END + math.sqrt(2 * math.log(self.n)))
        nodes, weights = legendre(_POINTS)
        beyond = least + (most - least) / 2 * (1 + nodes)
        # 1 - P without cancellation, where hardly any path falls.
        kept = -np.expm1(self.log_change(beyond, steps))
        inside = (most - least) / 2 * weights @ (density(lead + beyond, self.n, scale) * kept)
        last = -math.expm1(float(self.log_change(most, steps)))
        # Beyond the last node every path stays at least as surely as there, which keeps this a lower bound.
        return float(inside) + last * float(survival(lead + most, self.n, scale))

    def _vouched(self, steps: Ints) -> Array:
        """Return the least lead at which the bound says anything about so many steps, elementwise."""
        low = np.zeros(steps.shape)
        spread = self.eta * np.sqrt(2.0 * steps)
        high: Array = self.rho * steps + spread * (2 + math.sqrt(2 * math.log(self.n)))
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            below = self.log_change(middle, steps) < 0
            low, high = np.where(below, low, middle), np.where(below, middle, high)
        return high


def passage_log_bound(lead: ArrayLike, eta: float, steps: ArrayLike, rho: float) -> Array:
    """Return the log of the probability that a Brownian path with drift has come down to 0, elementwise.

    From `lead` it falls by rho in a unit of time, with variance ``2 eta^2``. A walk with such steps is the
    path at whole times, so it bounds how likely a challenger is to overtake. [mathematics/000.md#exact-rule]
    """
    k, time = np.asarray(lead, dtype=float), np.asarray(steps, dtype=float)
    spread, end = eta * np.sqrt(2 * time), rho * time
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        below = np.where(spread > 0, log_ndtr((end - k) / spread), np.where(k > end, -np.inf, 0.0))
        # What came down and ends above, by reflection: at large leads a product of a large and a small
        # number.
        above = (
            np.where(spread > 0, k * rho / eta**2 + log_ndtr(-(k + end) / spread), -np.inf)
            if eta > 0
            else -np.inf
        )
        result: Array = np.minimum(np.logaddexp(below, above), 0.0)
    return np.where(time > 0, np.where(k > 0, result, 0.0), -np.inf)


def _tabled(eta: float, rho: float) -> int:
    """Return up to how many updates the exact probability is computed; 0 without noise."""
    if eta == 0:
        return 0
    return _TABLED if rho == 0 else int(min(_TABLED, _WIDEST * math.sqrt(2) * eta / rho))


@functools.lru_cache(maxsize=4 * _TABLED)
def _table(eta: float, rho: float, updates: int) -> Callable[[Array], Array]:
    """Return the log of the exact probability for one challenger, as a function of leads from 0 on."""
    from scipy.interpolate import CubicSpline  # takes as long to import as all else that the algorithms need

    leads, probability = _probabilities(eta, rho)
    log_p = np.log(np.maximum(probability[updates], 1e-300))
    kept = log_p > 2 * _LEAST
    # Raised by more than the spline's error: a bound must not be too small anywhere.
    curve, last = CubicSpline(leads[kept], log_p[kept] + _SAFE), leads[kept][-1]

    def log_probability(lead: Array) -> Array:
        found: Array = curve(np.minimum(np.maximum(lead, 0.0), last))
        return found

    return log_probability


@functools.lru_cache(maxsize=4)
def _probabilities(eta: float, rho: float) -> tuple[Array, Array]:
    """Return evenly spaced leads from 0 on, and the probabilities for them, shape (updates + 1, leads)."""
    from private_experts.walks.exact_delay import overtaken  # which imports as much as `_table` does

    most, step = _tabled(eta, rho), math.sqrt(2) * eta
    reach = rho * most + 11 * math.sqrt(most) * step
    return overtaken(most, eta, rho, reach, np.arange(0, reach, step / _FINE))
