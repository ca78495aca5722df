"""The risk on two distributions in closed form, which gives the rates; and the rate of Theorem 6."""

import math
from itertools import pairwise, product

import numpy as np

from private_experts.arrays import Array
from private_experts.distribution_learning.centred import CentredCoordinate
from private_experts.distribution_learning.clipping import clip
from private_experts.distribution_learning.long_run import play_long
from private_experts.distribution_learning.pure import NoisyCoordinate
from private_experts.distribution_learning.risk import kl
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p003.classes import needle
from private_experts.replication.papers.p003.kl_risk import mechanism_of, unlearned
from private_experts.replication.study.intervals import mean_interval, slope_interval

_GROWTH = 1e-6


def drift(mechanism: NoisyCoordinate, classes: Array) -> float:
    """Return by how much a round raises the mean log-odds of the first distribution against the second."""
    clipped = clip(classes, mechanism.horizon)
    divergence = float(kl(clipped.values[0] * clipped.sizes, clipped.values[1] * clipped.sizes))
    # Centred reports are not scaled into [0, 1].
    # of a unit of log-likelihood
    loss = 1.0 if isinstance(mechanism, CentredCoordinate) else mechanism.scaling.factor
    # A user reveals one of K coordinates, so on average a round moves the odds by a K-th.
    return mechanism.learning_rate * loss * divergence / mechanism.experts


def closed_form(mechanism: NoisyCoordinate, classes: Array) -> float:
    """Return ``int_0^T KL(f_1, w f_1 + (1 - w) f_2) dt`` with ``w = 1 / (1 + (K - 1) e^(-drift t))``."""
    from scipy.integrate import quad

    speed, others = drift(mechanism, classes), mechanism.experts - 1
    most = speed * mechanism.horizon

    def risk(odds: float) -> float:
        weight = 1 / (1 + others * math.exp(-odds))
        return float(kl(classes[0], weight * classes[0] + (1 - weight) * classes[1]))

    # In pieces: in a long game the integrand is concentrated at the start, which adaptive quadrature may
    # miss.
    ends = [0.0, *(odds for odds in np.arange(5.0, 60.0, 5.0) if odds < most), most]
    parts = [quad(risk, low, high, epsrel=1e-9)[0] for low, high in pairwise(ends)]
    return sum(parts) / speed


def growth(experts: int, horizon: int, epsilon: float, amplitude: float) -> float:
    """Return ``sqrt(K T / (2 log K)) I(K) / (c D)``: Algorithm 2's risk on needles learned long before T.

    The paper's learning rate and factor c are written out, so that a mistake in either shows.
    [mathematics/003.md#rates]
    """
    from scipy.integrate import quad

    span, high, low = math.log((experts + 1) * horizon), (1 + amplitude) / 2, (1 - amplitude) / 2
    factor = 1 / (span + 2 * span / epsilon * (math.log(experts) + 2 * math.log(horizon)))

    def risk(odds: float) -> float:
        miss = amplitude * (experts - 1) / (experts - 1 + math.exp(odds))
        return high * math.log(high / (high - miss)) + low * math.log(low / (low + miss))

    whole = sum(quad(risk, *ends, epsrel=1e-9)[0] for ends in pairwise(range(0, 61, 5)))
    return (
        math.sqrt(experts * horizon / (2 * math.log(experts)))
        * whole
        / (factor * amplitude * math.log(high / low))
    )


def rates(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """On the needle class measured risks agree with the closed form within the stated tolerance.

    Algorithm 2's closed form is `growth`. The notes have the share of the game until the truth outweighs all
    others, in which the closed form's error is of the first order. Lazy is never to learn.
    """
    lengths = [(algorithm, horizon) for algorithm, horizons in grid["T"].items() for horizon in horizons]
    cells = list(product(lengths, grid["K"], grid["eps"]))
    points = []
    for (algorithm, horizon), experts, epsilon in cells:
        classes = needle(experts, grid["amplitude"])
        mechanism = mechanism_of(algorithm, experts, 2, horizon, epsilon)
        assert isinstance(mechanism, NoisyCoordinate)
        rng = rng_for(seed, "closed form", algorithm, horizon, experts, epsilon, repetitions)
        many = {"repetitions": repetitions, "strata": grid["strata"], "power": grid["power"]}
        risk = play_long(mechanism, classes, truth=0, rng=rng, **many).kl
        formula = closed_form(mechanism, classes)
        ratio, low, high = (float(end) for end in mean_interval(risk / formula, intervals=len(cells)))
        where = {"algorithm": algorithm, "T": horizon, "K": experts, "eps": epsilon}
        until = math.log(experts) / (drift(mechanism, classes) * horizon)
        notes = {"risk": ratio * formula, "closed_form": formula, "learnt_after_share": until}
        least, most = 1 - grid["tolerance"], 1 + grid["tolerance"]
        points += both_sides(
            where, ratio, low, high, least, most, notes, horizon * unlearned(classes) / formula
        )
        if algorithm == "algorithm 2":
            apart = abs(formula / growth(experts, horizon, epsilon, grid["amplitude"]) - 1)
            points.append(Point({**where, "side": "growth"}, apart, _GROWTH))
    return points


def grouped(risks: Array) -> Array:
    """Return means of groups of about ten games each. A slope is fitted for each group."""
    groups = min(max(risks.size // 10, 10), risks.size)
    return np.asarray(risks[: risks.size // groups * groups].reshape(groups, -1).mean(axis=1))


def both_sides(
    where: Grid,
    value: float,
    low: float,
    high: float,
    least: float,
    most: float,
    notes: Grid | None = None,
    lazy: float | None = None,
) -> list[Point]:
    """Return the two points that say that a value lies between two limits."""
    return [
        Point({**where, "side": "above"}, value, least, low, high, ">=", notes or {}, lazy=lazy),
        Point({**where, "side": "below"}, value, most, low, high, "<=", notes or {}, lazy=lazy),
    ]


def theorem_6_attained(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """On needles that shrink with T, the averaged total variation is a constant share of Theorem 6's bound.

    The KL divergence of the two distributions is about ``2 amplitude^2 = K log K / (eta c T)``. That is so
    small that Algorithm 2 needs all T rounds to tell them apart. The value is the slope of the logarithm of
    the share in log T.
    """
    points = []
    for where, experts, epsilon in cells_of(grid, "K", "eps"):
        shares = []
        for horizon in grid["T"]:
            mechanism = NoisyCoordinate(experts, PureDP(epsilon, "local"), horizon=horizon)
            # The divergence at which the odds reach K in just T rounds.
            apart = (
                experts * math.log(experts) / (mechanism.learning_rate * mechanism.scaling.factor * horizon)
            )
            rng = rng_for(seed, "theorem 6 attained", experts, epsilon, horizon, repetitions)
            classes = needle(experts, math.sqrt(apart / 2))
            risk = play_long(mechanism, classes, truth=0, repetitions=repetitions, rng=rng)
            shares.append(risk.variation / math.sqrt(mechanism.risk_bound / (2 * horizon)))
        intervals = len(grid["K"]) * len(grid["eps"])
        logs = np.log([grouped(share) for share in shares]).T
        slope, low, high = slope_interval(np.log(grid["T"]), logs, intervals=intervals)
        notes = {"share_at_first": float(shares[0].mean()), "share_at_last": float(shares[-1].mean())}
        points += both_sides(where, slope, low, high, -grid["tolerance"], grid["tolerance"], notes)
    return points
