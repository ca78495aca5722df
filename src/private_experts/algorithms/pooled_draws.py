"""A pool of draws from multiplicative weights, thinned by noisy counts of their losses.

The law of each round is nearly that of multiplicative weights, though few draws are made.
[mathematics/004.md#pool]
"""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from private_experts.algorithms.central import CentralAlgorithm
from private_experts.algorithms.pool_parameters import (
    PoolParameters,
    checked_pool,
    filter_of,
    levels_of_tree,
    pool_epsilon,
    shifts,
)
from private_experts.algorithms.secure_draws import UNIT, SecureWeights, drawn_exactly, rounded, rows
from private_experts.algorithms.sequence_weights import SequenceWeights, count_sequences, drawn_states
from private_experts.arrays import Array, Bools, Indices
from private_experts.errors import InputError
from private_experts.privacy.guarantees import (
    ApproximateDP,
    PureDP,
    central_delta,
    no_weaker,
    pure_or_approximate,
)
from private_experts.privacy.noise import SecureNoise
from private_experts.validation import check_rounds_left, generator, whole

_WHO = "pooled draws"
_SPENT = 0.999  # of epsilon, with secure noise: the rest is for rounding


class PooledDraws(CentralAlgorithm):
    """Plays the first draw of a pool whose noisy count of losses is below its clock. [004, Section 4]

    Epochs have about 1 / eta rounds. In each, every slot of a pool holds a draw from the multiplicative
    weights of the epoch's beginning, made when it is needed, and an exponential clock. A slot is dead while
    eta times its noisy count of losses in this epoch, with a shift, is above the clock; it may come back.
    Noise in a count thins all experts alike. So it does not change the law of what is played, but hides when
    a loss has moved the play. With approximate privacy counts have correlated Gaussian noise, with pure
    privacy Laplace noise from a tree. On oblivious streams the regret has the rate of Corollary 4.1.1;
    against adaptive ones only the privacy is proved.

    Parameters
    ----------
    n : int
        Number of experts.
    guarantee : PureDP or ApproximateDP
        A central guarantee, from which the parameters follow; see `PoolParameters.for_guarantee`.
    horizon : int
        Number of rounds T.
    switches : int
        Largest number S of switches of the sequences of experts that are drawn and competed with; 0 competes
        with single experts. A round costs ``(S + 1) n`` operations.
    rng : numpy.random.Generator or int
        Seeded noise is a simulation and protects nobody; see `private_experts.privacy.noise`. Beside `noise`
        it draws clocks and how sequences go on, which need not be secret.
    repetitions : int
        Number of independent copies.
    parameters : PoolParameters, optional
        Others. They are refused if they promise less than the guarantee.
    noise : SecureNoise, optional
        For deployment: from it comes the noise in counts, and draws are made with the operating system's
        numbers. A round takes about a millisecond.

    Attributes
    ----------
    guarantee : PureDP or ApproximateDP
        Central, and no weaker than what was asked for; see `pool_epsilon`.
    draws : ndarray of int, shape (repetitions,)
        How many draws were made so far.
    parameters : PoolParameters
        As given, or as chosen.

    Raises
    ------
    InputError
        When a parameter is outside its range, or more rounds are played than the horizon says.

    Examples
    --------
    >>> from private_experts.algorithms import PooledDraws
    >>> from private_experts.games import play, streams
    >>> from private_experts.privacy import ApproximateDP
    >>> from private_experts.randomness import rng_for
    >>> settings = {"horizon": 600, "switches": 1, "rng": rng_for(0, "pool"), "repetitions": 50}
    >>> pool = PooledDraws(2, ApproximateDP(20.0, 1e-6, "central"), **settings)
    >>> actions = play(pool, streams.turncoat(600, 2))
    >>> actions[[299, 599]].mean(axis=1).round(1).tolist(), str(pool.guarantee)
    ([0.0, 1.0], '(19.9903, 1e-06)-DP (central, simulated noise)')
    """

    STATE = (
        "draws",
        "_actions",
        "_seen",
        "_past",
        "_joint",
        "_used",
        "_paths",
        "_clocks",
        "_raised",
        "_lost",
    )
    GROWING = ("_past", "_paths", "_clocks", "_raised", "_lost")

    _past: Array
    _lost: Array
    _raised: Array
    _clocks: Array
    _paths: Indices

    def __init__(
        self,
        n: int,
        guarantee: PureDP | ApproximateDP,
        *,
        horizon: int,
        switches: int = 0,
        rng: np.random.Generator | int,
        repetitions: int = 1,
        parameters: PoolParameters | None = None,
        noise: SecureNoise | None = None,
    ) -> None:
        super().__init__(_WHO, n, repetitions)
        self._horizon = whole(horizon, _WHO, "horizon")
        self._switches = whole(switches, _WHO, "switches", least=0)
        delta = central_delta(_WHO, guarantee)
        # By exact type: what is derived from it may draw from another law, and the level counts this grid.
        if noise is not None and type(noise) is not SecureNoise:
            raise InputError(
                f"{_WHO}: noise of type {type(noise).__name__}: write SecureNoise(), or rng alone to simulate"
            )
        self._noise, size = noise, (self.n, self._horizon, self._switches)
        if parameters is None:
            for_draws = replace(guarantee, epsilon=(_SPENT if noise else 1.0) * guarantee.epsilon)
            experts = count_sequences(self._horizon, self.n, self._switches)
            parameters = PoolParameters.for_guarantee(for_draws, experts, self._horizon)
        self.parameters = checked_pool(parameters)
        spent = rounded(self.parameters, *size) if noise else self.parameters
        stated = pure_or_approximate(pool_epsilon(spent, self._horizon, delta), delta)
        self.guarantee = no_weaker(_WHO, replace(stated, simulated=noise is None), guarantee)
        self._gaussian = delta > 0
        self._shifts = shifts(self.parameters, self._gaussian)
        self._weights = SecureWeights(*size, self.parameters.eta) if noise else SequenceWeights(*size)
        self._by_round = self._switches > 0 or noise is not None  # what a slot lost is kept
        self._rng = generator(rng, _WHO)
        self._seen = 0
        self.draws = np.zeros(self.repetitions, dtype=np.intp)
        self._actions = np.zeros(self.repetitions, dtype=np.intp)
        self._begin()

    def predict(self) -> Indices:
        """Return the experts of the coming round, shape (repetitions,). See `Algorithm.predict`."""
        return self._actions.copy()

    def update_unchecked(self, gains: Array) -> None:
        """Take in the true gains of a round. See `CentralAlgorithm.update_unchecked`."""
        check_rounds_left(_WHO, self._seen, self._horizon)
        losses = np.atleast_2d(1 - gains)
        if self._noise:
            losses = np.rint(losses * 2.0**30) / 2.0**30  # so that sums of them are exact
        self._weights.add(-self.parameters.eta * losses)
        self._seen += 1
        if self._seen == self._horizon:  # no round is left to be played
            return
        if self._seen % self.parameters.epoch == 0:
            self._begin()
            return
        place = self._seen % self.parameters.epoch - 1
        rows = np.arange(self.repetitions) % len(losses)
        self._lost = self._lost + losses[rows, self._experts(..., place)]
        if len(losses) > self._past.shape[1]:
            self._past = np.repeat(self._past, len(losses), axis=1)
        self._past[place if self._by_round else 0] += losses
        if self._noise:
            slots, copies = np.nonzero(self._clocks > -math.inf)
            self._release(slots, copies, place)
        self._choose()

    def _begin(self) -> None:
        """Begin an epoch with empty slots."""
        # Losses of the epoch. A sequence may need another expert's in each round, a single expert their sum.
        self._past = np.zeros((self._rounds(), 1, self.n))
        weights = self._weights
        self._joint = weights.joint if isinstance(weights, SecureWeights) else weights.log_joint
        self._used = np.zeros(self.repetitions, dtype=np.intp)  # slots that hold a draw, by copy
        # By slot and copy: clocks, losses so far, and by round what is added to counts, and experts
        self._clocks = np.zeros((0, self.repetitions))
        self._lost = np.zeros((0, self.repetitions))
        self._raised = np.zeros((0, self.repetitions, self.parameters.epoch))
        self._paths = np.zeros((0, self.repetitions, self._rounds()), dtype=np.intp)
        self._choose()

    def _rounds(self) -> int:
        """Return in how many rounds of the present epoch a slot may have an expert of its own."""
        return min(self.parameters.epoch, self._horizon - self._seen) if self._by_round else 1

    def _choose(self) -> None:
        """Play the first slot that is alive, with draws into empty slots until one is or none is left."""
        slots, budget, copies = (
            len(self.parameters.scales),
            self.parameters.draws,
            np.arange(self.repetitions),
        )
        if len(self._clocks):
            alive = self._alive(..., self._seen % self.parameters.epoch)
            chosen, found = alive.argmax(axis=0), np.asarray(alive.any(axis=0))
        else:
            chosen, found = np.zeros_like(copies), np.zeros(copies.size, np.bool_)
        where = copies
        while (
            where := where[~found[where] & (self._used < slots)[where] & (self.draws < budget)[where]]
        ).size:
            chosen[where] = self._used[where]
            self._draw(where)
            found[where] = self._alive((chosen[where], where), self._seen % self.parameters.epoch)
        # With all slots dead it is the last draw's expert, or that of the round before if none was made.
        chosen = np.where(found, chosen, self._used - 1)
        where = np.flatnonzero(chosen >= 0)
        self._actions = self._actions.copy()
        self._actions[where] = self._experts((chosen[where], where), self._seen % self.parameters.epoch)

    def _draw(self, where: Indices) -> None:
        """Fill the next slot of some copies."""
        epoch, joint = self.parameters.epoch, self._joint
        laws = joint[where % len(joint)]
        made, experts = drawn_exactly(laws) if self._noise else drawn_states(laws, self._rng)
        # Losses of this epoch had no part in the draw, so that the future is uniform among all ways to go on.
        left = self._horizon - 1 - (self._seen - self._seen % epoch)
        path = self._weights.paths(experts, made, left, self._paths.shape[2], self._rng)
        slots = self._used[where]
        if slots.max() == len(self._clocks):
            self._clocks = _longer(self._clocks, -math.inf)  # an empty slot is dead
            self._lost, self._raised = _longer(self._lost), _longer(self._raised)
            self._paths = _longer(self._paths)
        self._paths[slots, where] = path
        self._clocks[slots, where] = self._rng.standard_exponential(where.size)
        if self._noise:
            self._release(slots, where, 0)
        else:
            scales = np.array(self.parameters.scales)[slots]
            self._raised[slots, where] = (self._shifts[slots] + self._count_noise(where.size) * scales).T
            self._lost[slots, where] = self._paid(slots, where).sum(axis=0)
        self._used[where] += 1
        self.draws[where] += 1

    def _paid(self, slots: Indices, where: Indices) -> Array:
        """Return what slots of some copies lost in the epoch, by round where rounds are kept."""
        known = np.arange(self._seen % self.parameters.epoch if self._by_round else 1)
        paths = self._paths[slots, where, : known.size].T
        return np.asarray(self._past[known[:, None], where % self._past.shape[1], paths])

    def _release(self, slots: Indices, where: Indices, first: int) -> None:
        """Add secure noise to what counts are made of, after rounds of the epoch from the `first` on."""
        paid, noise = self._paid(slots, where), self._noise
        if noise is None or first == len(paid) or not where.size:
            return
        sums = np.array([self._rows(t)[0] @ paid[:t] for t in range(first + 1, len(paid) + 1)])
        scales = np.array(self.parameters.scales)[slots] / UNIT
        perturb = noise.perturb if self._gaussian else noise.laplace
        noisy = perturb((sums / scales).reshape(1, -1), UNIT, 1).reshape(sums.shape)
        self._raised[slots, where, first : len(paid)] = (noisy * scales).T

    def _rows(self, known: int) -> tuple[Array, Array]:
        """Return what entries sum of losses, and counts of entries."""
        return rows(known, filter_of(known) if self._gaussian else None)

    def _alive(self, places: Any, t: int) -> Bools:
        """Return which slots of (slot, copy) are alive in a round of the epoch, counted from 0."""
        if self._noise:
            shifts = self._shifts[: len(self._clocks), None] if places is ... else self._shifts[places[0]]
            counts = shifts + (self._raised[places][..., :t] @ self._rows(t)[1] if t else 0.0)
        else:
            counts = self._lost[places] + self._raised[..., t][places]
        return np.asarray(self._clocks[places] > self.parameters.eta * counts)

    def _experts(self, places: Any, t: int) -> Indices:
        """Return the experts of slots in a round of the epoch; without switches they have one for all."""
        return np.asarray(self._paths[..., min(t, self._paths.shape[-1] - 1)][places])

    def _count_noise(self, copies: int) -> Array:
        """Return noise of scale 1 in counts after 0, ..., H - 1 rounds of an epoch of H, (H, copies)."""
        epoch = self.parameters.epoch
        noise = np.zeros((epoch, copies))
        if self._gaussian:
            # Released are sums with half of a running sum's filter; the other half is applied to what was
            # released. So one loss is in many of these, each time with a small weight.
            drawn, size = self._rng.standard_normal(size=(epoch - 1, copies)), 2 * epoch
            spectrum = np.fft.rfft(filter_of(epoch - 1), size)[:, None] * np.fft.rfft(drawn, size, axis=0)
            noise[1:] = np.fft.irfft(spectrum, size, axis=0)[: epoch - 1]
            return noise
        known = np.arange(epoch)
        for level in range(levels_of_tree(epoch)):
            # The sum of the first rounds has a node of this size if its number has this binary digit.
            nodes = self._rng.laplace(size=((epoch - 1) >> level, copies))
            has = np.flatnonzero(known >> level & 1)
            noise[has] += nodes[(has >> level) - 1]
        return noise


def _longer(slots: Any, value: float = 0.0) -> Any:
    """Return slots with one more, for all copies."""
    return np.concatenate([slots, np.full((1, *slots.shape[1:]), value, dtype=slots.dtype)])
