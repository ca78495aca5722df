"""Parameters of a pool of draws that noisy counts thin: what they cost in privacy and in regret.

[mathematics/004.md#pool]
"""

import math
from functools import cache
from itertools import count
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from private_experts.arrays import Array, Ints
from private_experts.errors import InputError
from private_experts.privacy.conversions import concentrated_epsilon, concentrated_within
from private_experts.privacy.guarantees import ApproximateDP, PureDP, central_delta
from private_experts.validation import as_float, checked_number, plain_numbers, whole

_WHO = "pooled draws"
_RUNS = 24  # of an epoch's places: each is taken for its last one, which is the worst
_STEPS = 12  # of the free parameter of a bound on moments
_GROWTH = 1.08  # of noise from slot to slot; later slots are used seldom, and may have more
_DEAD = 0.03  # chance that all slots are dead at the end of an epoch, in the regret of a round without noise
_MOST_SLOTS = 200
_TRIES = 10  # to spend nearly all of a cost


class PoolParameters(NamedTuple):
    """Parameters of `PooledDraws`. [mathematics/004.md#pool]

    Parameters
    ----------
    eta : float
        Rate of the weights, above 0.
    epoch : int
        Number of rounds that share a pool, at least 2.
    scales : tuple of float
        For each slot of the pool, the scale of the noise in its count: the standard deviation of what is
        released, or the scale of Laplace noise at the nodes of a tree. Each is above 0.
    shift : float
        What is added to counts, in largest standard deviations of their noise, at least 0.
    draws : float
        The largest number of draws in all, at least 1; ``inf`` means one for each slot of each epoch.

    Examples
    --------
    Chosen numerically for the least bound on the regret:

    >>> from private_experts.algorithms import PoolParameters
    >>> from private_experts.privacy import ApproximateDP
    >>> guarantee = ApproximateDP(1.0, 1e-6, "central")
    >>> parameters = PoolParameters.for_guarantee(guarantee, n=10, horizon=1_000_000)
    >>> parameters.epoch, len(parameters.scales), round(parameters.eta, 4)
    (272, 24, 0.0016)
    """

    eta: float
    epoch: int
    scales: tuple[float, ...]
    shift: float
    draws: float = math.inf

    @classmethod
    def for_guarantee(cls, guarantee: PureDP | ApproximateDP, n: int, horizon: int) -> "PoolParameters":
        """Return parameters for a guarantee, n experts and a horizon, with nearly the least `pool_regret`.

        It is searched over the length of epochs in 1 / eta, the shift, and the noise of the first slot.
        """
        from scipy.optimize import minimize  # who gives parameters needs no search

        delta = central_delta(_WHO, guarantee)
        epsilon = checked_number(f"{_WHO}: epsilon", guarantee.epsilon, 0, ends=False)
        horizon = whole(horizon, _WHO, "horizon", least=2)
        logarithm = math.log(max(whole(n, _WHO, "n", most=None), 2))
        cost = concentrated_within(epsilon, delta) if delta else epsilon

        def made(place: Array) -> PoolParameters:
            length, shift, noise = np.exp(place).tolist()
            return _affordable(length, shift, noise, cost, logarithm, horizon, delta > 0)

        def regret(place: Array) -> float:
            parameters = made(place)
            return math.log(logarithm / parameters.eta + _loss(parameters, horizon, delta > 0))

        start = np.log([0.45, 3.2 if delta else 8.0, 0.08])
        best = minimize(regret, start, method="Nelder-Mead", options={"maxfev": 80, "fatol": 1e-3}).x
        return made(best)


@plain_numbers
def pool_epsilon(parameters: PoolParameters, horizon: int, delta: float = 0.0) -> float:
    """Return the plays' epsilon when one loss vector is replaced: with Gaussian noise if ``delta > 0``.

    [mathematics/004.md#pool-privacy]
    """
    spent = _cost(parameters, horizon, delta > 0)
    return concentrated_epsilon(spent, delta) if delta else spent


def pool_regret(parameters: PoolParameters, n: int, horizon: int, *, gaussian: bool) -> float:
    """Return a bound on the expected regret on oblivious streams. [mathematics/004.md#pool-regret]

    Parameters
    ----------
    parameters : PoolParameters
        Of the algorithm.
    n : int
        Number of experts, or of sequences of experts.
    horizon : int
        Number of rounds.
    gaussian : bool
        Whether the counts have Gaussian noise, and not Laplace noise.

    Returns
    -------
    float
        In units of the gains.
    """
    return math.log(n) / parameters.eta + _loss(parameters, horizon, gaussian)


def checked_pool(parameters: PoolParameters) -> PoolParameters:
    """Return parameters as plain numbers, once it is certain that each is in its range."""
    eta, epoch, scales, shift, draws = parameters
    budget = as_float(draws)
    if not budget >= 1:
        raise InputError(f"{_WHO}: draws = {draws}: write a number of at least 1")
    noise = tuple(checked_number(f"{_WHO}: scales", scale, 0, ends=False) for scale in scales)
    if not noise:
        raise InputError(f"{_WHO}: scales = (): write one for each slot, at least one")
    return PoolParameters(
        checked_number(f"{_WHO}: eta", eta, 0, ends=False),
        whole(epoch, _WHO, "epoch", least=2),
        noise,
        checked_number(f"{_WHO}: shift", shift, 0),
        budget,
    )


def shifts(parameters: PoolParameters, gaussian: bool) -> Array:
    """Return what is added to the counts of each slot. [mathematics/004.md#pool]"""
    return parameters.shift * _largest(parameters.epoch, gaussian) * np.array(parameters.scales)


@plain_numbers
def levels_of_tree(epoch: int) -> int:
    """Return in how many nodes a round lies, of the tree over an epoch's rounds but the last."""
    return (epoch - 1).bit_length()


def filter_of(size: int) -> Array:
    """Return the coefficients of ``(1 - x)^(-1/2)``, whose square has the coefficients of a running sum."""
    return np.concatenate([[1.0], np.cumprod(1 - 0.5 / np.arange(1, size))])


@cache
def _variances(size: int) -> Array:
    """Return the variance of a count's noise after 0, ..., size rounds, for noise of variance 1."""
    return np.concatenate([[0.0], np.cumsum(filter_of(size) ** 2)])


def _growing(places: Ints, gaussian: bool) -> Array:
    """Return what the logarithm of a moment grows with: the variance, or the number of nodes."""
    if gaussian:
        # a table of doubling size serves all epochs up to it
        return np.asarray(_variances(1 << int(places[-1]).bit_length())[places])
    return np.ceil(np.log2(places + 1))


def _largest(epoch: int, gaussian: bool) -> float:
    """Return the standard deviation of a count's noise at the end of an epoch, for noise of scale 1."""
    most = float(_growing(np.array([epoch - 1]), gaussian)[0])
    return math.sqrt(most if gaussian else 2 * most)


def _epochs(parameters: PoolParameters, horizon: int) -> int:
    return math.ceil(horizon / parameters.epoch)


def _cost(parameters: PoolParameters, horizon: int, gaussian: bool) -> float:
    """Return rho of concentrated privacy, or epsilon of Laplace noise."""
    eta, epoch, scales, _, draws = parameters
    # The first draw is uniform. Draws of the epoch with the replaced loss do not know it.
    knowing = max(min(draws - 1, len(scales) * (_epochs(parameters, horizon) - 1)), 0.0)
    if gaussian:
        square = float(_growing(np.array([epoch - 1]), True)[0])
        return knowing * eta**2 / 2 + square * sum(1 / scale**2 for scale in scales) / 2
    return 2 * eta * knowing + levels_of_tree(epoch) * sum(1 / scale for scale in scales)


class _Runs(NamedTuple):
    """Moments of an epoch, in units of 1 / eta: by its runs of places, and by slots."""

    rounds: Array  # of each run
    lost: Array  # eta times the largest loss of an expert, by run
    below: Array  # eta times the mean of what noise takes counts below 0, (runs, slots)
    kept: Array  # least chance that a slot is alive, (runs, slots)
    lasting: Array  # least chance that a slot is alive in all rounds, (slots,)


def _runs(parameters: PoolParameters, gaussian: bool) -> _Runs:
    eta, epoch, scales, shift, _ = parameters
    # Runs are shorter towards the end, where nearly all of the loss is.
    away = np.append(np.geomspace(1e-3, 1, _RUNS - 1), 0.0) * (epoch - 1)
    ends = np.unique((epoch - 1 - away).round().astype(np.int64))
    rounds = np.diff(ends, prepend=-1)
    grown = _growing(ends, gaussian)
    spread = eta * _largest(epoch, gaussian) * np.array(scales)
    share = grown / grown[-1]
    # Logarithms of the noise's moments at u / spread: (steps, runs)
    if gaussian:
        u = np.geomspace(0.3, 8, _STEPS)
        moments = np.multiply.outer(u**2 / 2, share)
        reach = shift / np.sqrt(np.maximum(share, 1e-300))
        density = np.exp(-(reach**2) / 2) / math.sqrt(2 * math.pi)
        below = np.sqrt(share) * (density - reach * ndtr(-reach))
    else:
        u = np.linspace(0.05, 0.99, _STEPS) * math.sqrt(2 * grown[-1])
        moments = np.multiply.outer(-np.log1p(-(u**2) / (2 * grown[-1])), grown)
        below = (np.exp(moments - shift * u[:, None] - 1) / u[:, None]).min(axis=0) * (grown > 0)
    lost = np.asarray(eta * ends, dtype=np.float64)
    under = np.maximum(np.multiply.outer(below, spread), 0.0)
    raised = shift * spread
    kept = np.exp(-lost[:, None] - raised - under)
    exponents = moments[:, :, None] + np.multiply.outer(u, lost)[:, :, None] / spread
    top = exponents.max(axis=1)
    sums = top + np.log(np.einsum("j,ujk->uk", rounds, np.exp(exponents - top[:, None])))
    lasting = np.exp(-raised - (sums / u[:, None]).min(axis=0) * spread)
    return _Runs(rounds.astype(np.float64), lost, under, kept, lasting)


def _loss(parameters: PoolParameters, horizon: int, gaussian: bool) -> float:
    """Return the part of the bound that does not depend on the number of experts."""
    runs = _runs(parameters, gaussian)
    reached = np.cumprod(1 - runs.kept, axis=1)
    before = np.concatenate([np.ones((len(reached), 1)), reached[:, :-1]], axis=1)
    apart = (runs.below * before).sum(axis=1) + reached[:, -1]
    beta = float(runs.rounds @ apart) / parameters.epoch
    short = 0.0
    if parameters.draws < len(parameters.scales) * _epochs(parameters, horizon):
        t, moments = _draws_of_epoch(runs.lasting)
        epochs = _epochs(parameters, horizon)
        short = math.exp(min(0.0, float((epochs * moments - t * parameters.draws).min())))
    return parameters.eta * horizon / 8 + horizon * min(1.0, beta + short)


def _draws_of_epoch(lasting: Array) -> tuple[Array, Array]:
    """Return log-moments of a number of draws that is no smaller in law than that of an epoch."""
    reached = np.concatenate([[1.0], np.cumprod(1 - lasting)])[: lasting.size]
    chances = reached - np.append(reached[1:], 0.0)
    t = np.geomspace(1e-5, 3, 3 * _STEPS)
    draws = np.arange(1, lasting.size + 1)
    return t, np.log1p(np.expm1(np.multiply.outer(t, draws)) @ chances)


def _affordable(
    length: float, shift: float, noise: float, cost: float, logarithm: float, horizon: int, gaussian: bool
) -> PoolParameters:
    """Return parameters with the largest useful rate whose cost is allowed.

    `length` is that of an epoch and `noise` the first slot's largest standard deviation, both in 1 / eta.
    """
    growing = noise * _GROWTH ** np.arange(_MOST_SLOTS)
    # Less than the chance that each is alive at the end of an epoch, but for what noise takes below 0.
    dead = np.cumprod(-np.expm1(-length - (shift + 0.01) * growing))

    def at(eta: float) -> PoolParameters:
        epoch = max(2, math.ceil(length / eta))
        many = 1 + int((dead > _DEAD * (eta + logarithm / (eta * horizon))).sum())
        scales = growing[:many] / (eta * _largest(epoch, gaussian))
        slots = PoolParameters(eta, epoch, tuple(scales.tolist()), shift)
        t, moments = _draws_of_epoch(_runs(slots, gaussian).lasting)
        epochs = _epochs(slots, horizon)
        draws = math.ceil(float(((epochs * moments + math.log(horizon)) / t).min()))
        return slots._replace(draws=min(draws, many * epochs))

    # The rate that is best without privacy, if it is affordable; else nearly the largest that is. The cost
    # grows like a power of the rate between these two, but for jumps where an epoch or the slots are cut.
    most = min(1.0, math.sqrt(8 * logarithm / horizon))
    rate, power, kept = most, 2.5 if gaussian else 1.5, None
    for tries in count():
        found = at(rate)
        share = _cost(found, horizon, gaussian) / cost
        if share <= 1:
            kept = found if kept is None or found.eta > kept.eta else kept
            if rate == most or share > 0.998 or tries > _TRIES:
                break
        rate = min(most, rate * (0.999 / share) ** (1 / power))
    assert kept is not None
    return kept
