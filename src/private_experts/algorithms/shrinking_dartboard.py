"""The private shrinking dartboard: multiplicative weights with rare draws and a limit on their number.

Asi, Feldman, Koren, Talwar: Private online prediction from experts (COLT 2023), Algorithm 1.
[mathematics/001.md#shrinking-dartboard]
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from private_experts.errors import InputError
from private_experts.privacy.composition import composed
from private_experts.privacy.conversions import to_gaussian
from private_experts.privacy.guarantees import ApproximateDP, PureDP

Array = NDArray[np.float64]

_MOST_PATHS = 10_000_000


def dartboard_epsilon(eta: float, p: float, budget: float, delta: float = 0.0, batch: float = 1) -> float:
    """Return the epsilon of the actions under replacement of one loss vector. [mathematics/001.md#dartboard-accounting]

    A replaced loss vector moves each log-weight by at most ``s = -log(1 - eta) / batch``. It changes a single lottery,
    the one right after its batch. That costs at most ``log(1 + (1 - p)(1 - e^-s) / p)`` or s, whichever is larger. It
    also changes later draws, at most ``budget - 1``. Each costs at most 2s. Theorem 2's constants are larger.

    Parameters
    ----------
    eta, p, budget, batch
        As in `ShrinkingDartboard`. Where one loss moves by at most r < 1, the accounting is that of ``batch / r``.
    delta : float
        In [0, 1). For ``delta > 0`` the costs of the draws are added by advanced composition.
    """
    if budget < 2:  # the first draw is uniform, and there is no other
        return 0.0
    s, drawing = _changes(eta, p, batch)
    return max(drawing, s) + composed(2 * s, budget - 1, delta)


def dartboard_mu(eta: float, p: float, budget: float, batch: float = 1) -> float:
    """Return a mu for which the actions are mu-GDP under replacement of one loss vector.

    As in `dartboard_epsilon`, but each step counts with its range, and levels add in squares. The two outcomes of the
    lottery move in opposite directions. [mathematics/000.md#dartboard-gdp]
    """
    if budget < 2:
        return 0.0
    s, drawing = _changes(eta, p, batch)
    lottery, draw = (to_gaussian(PureDP(width / 2, "central")).mu for width in (s + drawing, 2 * s))
    return math.hypot(lottery, math.sqrt(budget - 1) * draw)


def _changes(eta: float, p: float, batch: float) -> tuple[float, float]:
    """Return by how much one loss vector moves log-weights, and the log-probability of a draw in the lottery."""
    s = -math.log1p(-eta) / batch
    return s, math.log1p((1 - p) * -math.expm1(-s) / p)


def theorem_2_epsilon(eta: float, p: float, horizon: int, delta: float = 0.0) -> float:
    """Return the epsilon that Theorem 2 states for ``budget = 4 T p``. [mathematics/001.md#dartboard-theorem]"""
    if delta == 0:
        return eta / p + 16 * horizon * p * eta
    return 5 * eta / p + 100 * horizon * p * eta**2 + 20 * eta * math.sqrt(horizon * p * math.log(1 / delta))


def theorem_2_regret(eta: float, p: float, horizon: int, n: int, batch: int = 1) -> float:
    """Return Theorem 2's bound on the expected static regret for ``budget = 4 T p / batch``.

    [mathematics/001.md#dartboard-theorem] [mathematics/001.md#dartboard-batches]
    """
    return eta * horizon + batch * math.log(n) / eta + 2 * horizon * math.exp(-horizon * p / (3 * batch))


class DartboardParameters(NamedTuple):
    """Parameters of `ShrinkingDartboard` besides its size and randomness; pass them as ``**parameters._asdict()``."""

    eta: float
    p: float
    budget: int
    batch: int = 1
    delta: float = 0.0


def pure_parameters(horizon: int, epsilon: float) -> DartboardParameters:
    """Return the parameters of Corollary 4: epsilon-DP with regret O(sqrt(T) log(n) / epsilon).

    [mathematics/001.md#dartboard-corollary-4]
    """
    p = horizon**-0.5
    return DartboardParameters(p * epsilon / 20, p, int(4 * horizon * p))


def approximate_parameters(horizon: int, n: int, epsilon: float, delta: float) -> DartboardParameters:
    """Return the parameters of Corollary 3, for (epsilon, delta)-DP with epsilon at most 1.

    The regret is ``O(sqrt(T log n) + T^(1/3) log^(1/3)(1/delta) log(n) / epsilon)``.
    [mathematics/001.md#dartboard-corollary-3]
    """
    spread = math.log(1 / delta)
    p = (horizon * spread) ** (-1 / 3)
    level = min(epsilon / 2, spread ** (1 / 3) * horizon ** (-1 / 6) * math.sqrt(math.log(n)))
    return DartboardParameters(p * level / 20, p, int(4 * horizon * p), delta=delta)


def batched_parameters(horizon: int, n: int, epsilon: float, delta: float) -> DartboardParameters:
    """Return the parameters of Corollary 6, the batched form, for (epsilon, delta)-DP with epsilon at most 1.

    The regret is ``O(sqrt(T log n) + T^(2/5) log^(1/5)(1/delta) log^(4/5)(n) / epsilon^(4/5))``.
    [mathematics/001.md#dartboard-corollary-6]
    """
    spread = math.log(1 / delta)
    size = spread**0.4 * math.log(n) ** 0.6 / (horizon**0.2 * epsilon**0.6)
    batch = max(1, round(size))
    p = (batch / (horizon * spread)) ** (1 / 3)
    return DartboardParameters(batch * p * epsilon / 40, p, int(4 * horizon * p / batch), batch, delta)


class ShrinkingDartboard:
    """Keeps its expert with a probability that falls with the expert's loss, and otherwise draws by the weights.

    Weights are ``(1 - eta)^(total loss)``, and losses are ``1 - gain``. After each batch the expert is kept with
    probability ``(1 - p) w_new / w_old``. Otherwise one is drawn in proportion to the weights, as long as fewer than
    `budget` draws were made. The first expert counts as a draw. Without a budget (``math.inf``) the expert of each
    round has exactly the law of multiplicative weights.

    Parameters
    ----------
    n : int
        Number of experts.
    eta : float
        Step size, in (0, p].
    p : float
        Probability of a draw whatever the loss, below 1/2. With ``eta <= p`` a draw has probability at most 2p, which
        the regret bound needs.
    budget : float
        The largest number of draws. Theorem 2 has ``4 T p / batch``. ``inf`` means no limit and no privacy.
    rng : numpy.random.Generator
        Seeded randomness is a simulation and protects nobody; see `private_experts.privacy.noise`.
    repetitions : int
        Number of independent copies.
    batch : int
        Weights and lottery act after every `batch` rounds, with the mean loss of these rounds.
    delta : float
        The delta of the stated guarantee; 0 for pure differential privacy.

    Raises
    ------
    InputError
        When a parameter is outside its range.

    References
    ----------
    Algorithm 1 and Theorem 2 of Asi, Feldman, Koren and Talwar. [mathematics/001.md#dartboard-theorem]
    """

    def __init__(
        self,
        n: int,
        eta: float,
        p: float,
        budget: float,
        rng: np.random.Generator,
        repetitions: int = 1,
        batch: int = 1,
        delta: float = 0.0,
    ) -> None:
        check_parameters(eta, p, budget)
        if batch < 1:
            raise InputError(f"shrinking dartboard: batch = {batch}: write a whole number of at least 1")
        epsilon = dartboard_epsilon(eta, p, budget, delta, batch)
        self.guarantee: PureDP | ApproximateDP = (
            ApproximateDP(epsilon, delta, "central") if delta else PureDP(epsilon, "central")
        )
        self.draws = np.ones(repetitions, dtype=np.intp)  # made so far, in each repetition
        self._p, self._budget, self._batch = p, budget, batch
        self._step = math.log1p(-eta) / batch
        self._rng = rng
        self._log_weights: Array = np.zeros((1, n))  # (1, n) while all repetitions have seen the same gains
        self._losses: Array = np.zeros((1, n))
        self._seen = 0
        self._actions = rng.gumbel(size=(repetitions, n)).argmax(axis=1)

    def predict(self) -> NDArray[np.intp]:
        """Return the experts of the coming round, shape (repetitions,)."""
        return self._actions.copy()

    def update(self, gains: Array) -> None:
        """Take in the true gains of a round, shape (n,) or (repetitions, n), in [0, 1]."""
        self._losses = self._losses + (1 - gains)
        self._seen += 1
        if self._seen == self._batch:
            self._draw(self._step * self._losses)
            self._losses = np.zeros((1, self._losses.shape[1]))
            self._seen = 0

    def _draw(self, change: Array) -> None:
        """Add a batch's change to the log-weights, and draw where the lottery says so."""
        self._log_weights = self._log_weights + change
        of_own = change[np.arange(self._actions.size) % len(change), self._actions]
        anew = self._rng.uniform(size=self._actions.size) >= (1 - self._p) * np.exp(of_own)
        where = (anew & (self.draws < self._budget)).nonzero()[0]
        if not where.size:
            return
        weights = self._log_weights[where % len(self._log_weights)]
        self._actions[where] = (weights + self._rng.gumbel(size=weights.shape)).argmax(axis=1)
        self.draws[where] += 1


def dartboard_law(losses: Array, eta: float, p: float, budget: float) -> Array:
    """Return the exact law of (expert, draws made) in each round, by running the chain.

    Parameters
    ----------
    losses : ndarray, shape (T, n)
        In [0, 1]. For the batched form, the mean losses of the batches.
    eta, p, budget
        As in `ShrinkingDartboard`.

    Returns
    -------
    ndarray, shape (T, n, K)
        Probability of playing expert x in round t after k + 1 draws in all, for ``K = min(budget, T)``. Summed over
        the last axis it is the law of the action. Without a budget that is the law of multiplicative weights.
    """
    keep, fresh, most = _chain(losses, eta, p, budget)
    horizon, n = losses.shape
    law = np.zeros((horizon, n, most))
    law[0, :, 0] = 1 / n
    for t in range(1, horizon):
        kept = keep[t - 1][:, None] * law[t - 1]
        left = law[t - 1] - kept
        law[t] = kept
        law[t, :, -1] += left[:, -1]
        law[t, :, 1:] += fresh[t - 1][:, None] * left[:, :-1].sum(axis=0)
    return law


def dartboard_paths(losses: Array, eta: float, p: float, budget: float) -> Array:
    """Return the exact probability of every sequence of actions, shape (n,) * T, by enumeration.

    Raises
    ------
    InputError
        When ``n^T`` times the number of draws is too many.
    """
    keep, fresh, most = _chain(losses, eta, p, budget)
    horizon, n = losses.shape
    if n**horizon * most > _MOST_PATHS:
        raise InputError(
            f"paths of the dartboard: {n}^{horizon} sequences with up to {most} draws are too many; "
            f"write n and T with n^T times the draws at most {_MOST_PATHS}"
        )
    paths = np.zeros((1, n, most))  # earlier actions, last action, draws made
    paths[..., 0] = 1 / n
    for t in range(1, horizon):
        kept = keep[t - 1][:, None] * paths
        left = paths - kept
        kept[..., -1] += left[..., -1]
        longer = np.zeros((*paths.shape[:2], n, most))
        longer[..., 1:] = fresh[t - 1][:, None] * left[..., None, :-1]
        longer[:, np.arange(n), np.arange(n)] += kept
        paths = longer.reshape(-1, n, most)
    return paths.sum(axis=-1).reshape((n,) * horizon)


def _chain(losses: Array, eta: float, p: float, budget: float) -> tuple[Array, Array, int]:
    """Return for each step the probabilities of keeping (T - 1, n) and of a draw (T - 1, n), and the most draws."""
    check_parameters(eta, p, budget)
    step = math.log1p(-eta) * losses[:-1]
    totals = step.cumsum(axis=0)
    fresh = np.exp(totals - totals.max(axis=1, keepdims=True))
    fresh /= fresh.sum(axis=1, keepdims=True)
    return (1 - p) * np.exp(step), fresh, int(min(budget, losses.shape[0]))


def check_parameters(eta: float, p: float, budget: float) -> None:
    """Raise an `InputError` when a parameter of the dartboard is outside its range."""
    if not 0 < p < 0.5:
        raise InputError(f"shrinking dartboard: p = {p}: write a number above 0 and below 1/2")
    if not 0 < eta <= p:
        raise InputError(f"shrinking dartboard: eta = {eta}: write a number above 0 and at most p = {p}")
    if not budget >= 1:
        raise InputError(f"shrinking dartboard: budget = {budget}: write a number of draws of at least 1")
