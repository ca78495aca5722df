"""What P-COMW, fresh Gibbs draws and DP-FTRL really draw. [verdicts.md#drawn-noise]

All samples are points that a learner publishes in a play. Laws are computed here, and not by the library's
own functions: a Gaussian's distribution function on a box, integrals over the slices of a ball, all paths
on three points and of lotteries, the square root of a triangular matrix.
"""

import math
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np
from scipy.special import gammainc, ndtr, ndtri

from private_experts.arrays import Array, Ints
from private_experts.privacy.banded import BandedSums, root_band
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.private_oco.domains import Ball, Box
from private_experts.private_oco.dp_ftrl import DPFTRL
from private_experts.private_oco.every_round import GibbsEveryRound
from private_experts.private_oco.gaussian import GibbsPlayer, LinearGibbs
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.private_oco.pcomw import PCOMW
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.drawn_samples import (
    NORMAL,
    UNIFORM,
    Comparison,
    attack_points,
    copy_points,
    digit_points,
    event_points,
    law_points,
    mechanisms,
    noise_points,
)
from private_experts.replication.papers.p001.digits_001 import DIGITS

SLACK = 0.05  # of sizes and Kolmogorov-Smirnov distances
OUTCOME = 0.02  # of the probability of an outcome
EVENT = 0.03  # of the probability of an event of many outcomes, which half of the copies measure
ALONE = 0.15  # in games of one copy, which have fewer draws
LEAST = 0.7  # of the stated level, which an attack reaches at least
ROUNDING = 1e-9


# --- games --------------------------------------------------------------------------------------------------

SLOPES = np.array([[0.4, -0.2, 0.1], [0.4, 0.3, -0.2], [-0.5, 0.1, 0.2], [0.3, 0.3, 0.3], [0.2, -0.4, 0.1]])
BETA, LAM = 2.0, 20.0
CUBE, BALL = Box((-0.5,) * 3, (0.5,) * 3), Ball(3, 0.5)
# So far down a slope little of the box around a ball lies in it, and what is missing is drawn once more.
FAR, FAR_BETA, FAR_LAM = np.array([[0.9, 0.0, 0.3], [0.6, 0.6, 0.0], [0.0, 0.0, 0.0]]), 16.0, 0.5
THREE, ON_POINTS = np.array([[-0.5], [0.1], [0.5]]), {"beta": 2.0, "lam": 1.0}
NINE = np.linspace(-0.5, 0.5, 9)[:, None]
TILTS = np.array(  # of 16 losses on nine points
    [0.5, 0.4, -0.5, -0.3, 0.5, -0.5, 0.4, 0.5, -0.5, 0.3, -0.4, 0.5, -0.5, 0.4, -0.3, 0.5]
)[:, None]
TENTS = np.array([0.2, -0.2, 0.1, 0.2, -0.1, -0.2, 0.2, 0.1] * 2)[:, None]
LONG_LOSSES = TILTS * NINE[:, 0] + TENTS * abs(NINE[:, 0])
GRID_LOSSES = np.array([[0.7, 0.2, 0.0], [0.0, 0.5, 0.3], [0.1, 0.6, 0.4], [0.3, 0.2, 0.5]])
MANY, MANY_OF_BALL = Box((-0.5,) * 5, (0.5,) * 5), Ball(5, 0.5)
MANY_SLOPES = np.array([[0.4, -0.2, 0.1, 0.3, -0.3], [0.0] * 5])
# Along the first axis, where both ends of a ratio's clip bind, and so often is drawn that a budget is spent.
ALONG = np.zeros((5, 3))
ALONG[:, 0] = 0.9, -0.8, 0.9, 0.7, 0.0
ALONG_BETA, ALONG_LAM = 8.0, 2.0
CLIPPED: dict[str, Any] = {"log_phi": 0.3, "p": 0.2, "budget": 2.0}
# One copy's long game: every other slope is the opposite, so that two measures alternate.
THERE_AND_BACK = np.tile([[0.1, -0.05, 0.05], [-0.1, 0.05, -0.05]], (1500, 1))
# Neighbours that lie as far apart as they may, in the first loss; sets so wide that no edge hides anything.
ROUNDS, WIDE, STEEP = 5, 2.5, {"beta": 1.0, "lam": 16.0}
NEIGHBOURS = np.array([[[side, 0.0]] + [[0.0, 0.0]] * (ROUNDS - 1) for side in (1.0, -1.0)])
TWO = np.array([[-0.5], [0.5]])
# The levels that are attacked, not those that learners say they have. Four draws on a convex set, at 2
# sqrt(beta / lam) each, four between two points that a loss moves by beta; P-COMW's lotteries add to its
# draws.
CONVEX_LEVEL, LEADER_LEVEL, PCOMW_LEVEL = 1.0, 1.0, 1.045669208278
TWO_LEVEL = 4 * float(ndtri(1 / (1 + math.exp(-0.5))))


def _played(learner: GibbsPlayer, losses: Array, *, together: bool = False) -> Any:
    """Return the points or numbers that a learner publishes, and play the losses one by one or together."""
    rounds = learner.updates(losses) if together else map(learner.update, losses)
    points = [learner.predict()]
    for _ in losses[1:]:  # the last loss decides nothing that is played
        next(rounds)
        points.append(learner.predict())
    return np.array(points)


# --- laws ---------------------------------------------------------------------------------------------------


def _totals(losses: Array) -> Array:
    """Return the sum of the losses before each round."""
    return np.concatenate([np.zeros_like(losses[:1]), losses.cumsum(axis=0)[:-1]])


def _level_between(
    x: Array, mean: Array | float, low: Array | float, high: Array | float, precision: float
) -> Array:
    """Return the distribution function of the Gaussian with that precision on an interval."""
    root = math.sqrt(precision)
    below, at, above = (ndtr((end - mean) * root) for end in (low, x, high))
    return np.asarray((at - below) / (above - below))


def _levels_in_cube(points: Array, slopes: Array) -> Array:
    """Return levels of the coordinates (copies, rounds, 3), less a half: uniform and independent."""
    means = -_totals(slopes) / LAM
    return np.moveaxis(_level_between(points, means[:, None], -0.5, 0.5, BETA * LAM), 0, 1) - 0.5


def _levels_in_ball(points: Array, slopes: Array, beta: float = BETA, lam: float = LAM) -> Array:
    """Return the levels of three numbers: along the sum of slopes, the distance from that line, the angle."""
    levels, radius, precision = [], BALL.radius, beta * lam
    nodes = radius * np.sin(np.linspace(-np.pi / 2, np.pi / 2, 4001))  # dense where slices are small
    for x, total in zip(points, _totals(slopes), strict=True):
        size = float(np.linalg.norm(total))
        along = total / size if size else np.array([1.0, 0.0, 0.0])
        # Two directions across, of which the first is chosen so that it is not along.
        across = np.cross(along, [0.0, 0.0, 1.0])
        across /= np.linalg.norm(across)
        first, second, third = x @ along, x @ across, x @ np.cross(along, across)
        # The Gaussian's mass of a disc of this squared radius, but for a constant.
        density = np.exp(-0.5 * precision * (nodes + size / lam) ** 2) * _disc(
            radius**2 - nodes**2, precision
        )
        mass = np.concatenate([[0.0], ((density[1:] + density[:-1]) / 2 * np.diff(nodes)).cumsum()])
        away = _disc(second**2 + third**2, precision) / _disc(radius**2 - first**2, precision)
        angle = np.arctan2(third, second) / (2 * np.pi) + 0.5
        levels.append([np.interp(first, nodes, mass / mass[-1]), away, angle])
    return np.moveaxis(np.array(levels), -1, 0) - 0.5


def _levels_in_middle_of_ball(points: Array) -> Array:
    """Return levels where no slope is left: of radius, share of the last two axes, and their angle."""
    squares, last = (points**2).sum(axis=-1), (points[..., -2:] ** 2).sum(axis=-1)
    d, precision = points.shape[-1], BETA * LAM
    within = gammainc(d / 2, 0.5 * precision * squares) / gammainc(d / 2, 0.5 * precision * BALL.radius**2)
    share = 1 - (1 - last / squares) ** ((d - 2) / 2)  # of d squares of normal variables: a Beta law
    angle = np.arctan2(points[..., -1], points[..., -2]) / (2 * np.pi) + 0.5
    return np.moveaxis(np.array([within, share, angle]), 0, -1).swapaxes(0, 1) - 0.5


def _disc(squares: Array, precision: float) -> Array:
    return np.asarray(-np.expm1(-0.5 * precision * squares))


def _masses(losses: Array, points: Array = THREE) -> Array:
    """Return the Gibbs measures (rounds, points) on the points."""
    beta, lam = ON_POINTS.values()
    weights = np.exp(-beta * (_totals(losses) + lam / 2 * points[:, 0] ** 2))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _codes(actions: Ints, base: int) -> Ints:
    """Return one number for what each copy played in all rounds, (rounds, copies)."""
    return np.asarray(actions.T @ base ** np.arange(len(actions)))


def _paths_of_fresh_draws() -> dict[int, float]:
    masses = _masses(GRID_LOSSES)
    return {
        _code(path): math.prod(masses[t, point] for t, point in enumerate(path))
        for path in product(range(3), repeat=len(masses))
    }


def _paths_of_pcomw(log_phi: float, p: float, budget: float) -> dict[int, float]:
    """Return the law of the points and of the number of draws, by Algorithm 1 on every path."""
    masses = _masses(GRID_LOSSES)
    paths: dict[tuple[tuple[int, ...], int], float] = {
        ((point,), 0): float(mass) for point, mass in enumerate(masses[0])
    }
    for before, after in pairwise(masses):
        longer: dict[tuple[tuple[int, ...], int], float] = {}
        for (path, draws), chance in paths.items():
            ratio = after[path[-1]] / (math.exp(log_phi) * before[path[-1]])
            keep = (1 - p) * min(max(ratio, math.exp(-2 * log_phi)), 1.0) if draws < budget else 1.0
            steps = [(path[-1], draws, keep)] + [(x, draws + 1, (1 - keep) * after[x]) for x in range(3)]
            for x, spent, share in steps:
                key = ((*path, x), spent)
                longer[key] = longer.get(key, 0.0) + chance * share
        paths = longer
    return {_code((*path, draws), 4): chance for (path, draws), chance in paths.items() if chance > 0}


def _lotteries_along(domain: Box | Ball, log_phi: float, p: float, budget: float) -> dict[int, float]:
    """Return the law of all lotteries and of the last point's side, on slices along `ALONG`."""
    beta, lam, slopes = ALONG_BETA, ALONG_LAM, ALONG[:, 0]
    x = (np.arange(4000) + 0.5) / 4000 - 0.5
    across = _disc(BALL.radius**2 - x**2, beta * lam) if isinstance(domain, Ball) else np.ones(x.size)
    masses = across * np.exp(-beta * (_totals(slopes)[:, None] * x + lam / 2 * x**2))
    masses /= masses.sum(axis=1, keepdims=True)
    paths: dict[tuple[int, ...], Array] = {(): masses[0]}
    for before, after in pairwise(masses):
        longer: dict[tuple[int, ...], Array] = {}
        for bits, here in paths.items():
            ratio = after / (math.exp(log_phi) * before)
            keep = (1 - p) * np.clip(ratio, math.exp(-2 * log_phi), 1.0) if sum(bits) < budget else 1.0
            longer[*bits, 0] = here * keep
            longer[*bits, 1] = (here - here * keep).sum() * after
        paths = longer
    return {
        _code((*bits, int(side)), 2): float(here[(x > 0) == side].sum())
        for bits, here in paths.items()
        for side in (False, True)
    }


def _code(path: tuple[int, ...], base: int = 3) -> int:
    return sum(step * base**t for t, step in enumerate(path))


def _whole_plays(where: Mapping[str, Any], outcomes: Ints, law: Mapping[int, float]) -> Iterator[Comparison]:
    """Compare whole plays with their law, one by one and by an event that many of them make up."""
    yield partial(law_points, where, outcomes, law, slack=OUTCOME)
    yield partial(event_points, where, outcomes, law, slack=EVENT)
    alike = np.array([sum(chance**2 for chance in law.values())])
    yield partial(copy_points, where, outcomes[None], alike, slack=OUTCOME)


def _laws_by_round(where: Mapping[str, Any], actions: Ints) -> Iterator[Comparison]:
    """Compare numbers of the nine points (rounds, copies) with their law, by round and in two copies."""
    laws = _masses(LONG_LOSSES, NINE)
    alike = np.square(laws).sum(axis=1)
    yield partial(copy_points, where, actions[: len(alike)], alike, slack=OUTCOME)
    for t, masses in enumerate(laws):
        law = dict(enumerate(masses.tolist()))
        yield partial(law_points, {**where, "round": t + 1}, actions[t], law, slack=OUTCOME)


# --- mechanisms ---------------------------------------------------------------------------------------------


def every_round(copies: int, seed: int) -> Iterator[Comparison]:
    """Each round's point is a fresh draw from the Gibbs measure on cubes, a ball, three and nine points."""

    def learner(
        family: LinearGibbs | GridGibbs, *key: str | int, horizon: int = ROUNDS, repetitions: int = copies
    ) -> GibbsEveryRound:
        rng = rng_for(seed, "drawn noise", "every round", *key, copies)
        return GibbsEveryRound(family, horizon=horizon, rng=rng, repetitions=repetitions)

    for domain, name, levels in ((CUBE, "cube", _levels_in_cube), (BALL, "ball", _levels_in_ball)):
        for together in (False, True):
            game = "losses together" if together else "one by one"
            player = learner(LinearGibbs(domain, beta=BETA, lam=LAM), name, game)
            noise = levels(_played(player, SLOPES, together=together), SLOPES)
            yield partial(noise_points, {"set": name, "game": game}, noise, UNIFORM, slack=SLACK)
    far = _played(learner(LinearGibbs(BALL, beta=FAR_BETA, lam=FAR_LAM), "far"), FAR)
    noise = _levels_in_ball(far, FAR, FAR_BETA, FAR_LAM)
    yield partial(noise_points, {"set": "ball", "game": "far down"}, noise, UNIFORM, slack=SLACK)
    family = LinearGibbs(MANY, beta=BETA, lam=LAM)
    many = _played(learner(family, "five coordinates", repetitions=copies // 2), MANY_SLOPES)
    noise = _levels_in_cube(many, MANY_SLOPES)
    yield partial(noise_points, {"set": "cube in 5 dimensions"}, noise, UNIFORM, slack=SLACK)
    family = LinearGibbs(MANY_OF_BALL, beta=BETA, lam=LAM)
    away, here = MANY_SLOPES  # there, and back to where no slope is left
    many = _played(learner(family, "ball of five", repetitions=copies // 2), np.array([away, -away, here]))
    noise = _levels_in_middle_of_ball(many[::2])
    yield partial(noise_points, {"set": "ball in 5 dimensions"}, noise, UNIFORM, slack=SLACK)
    slopes = THERE_AND_BACK
    for domain, name, levels, losses in (
        (CUBE, "cube", _levels_in_cube, slopes),
        (BALL, "ball", _levels_in_ball, slopes[: len(slopes) // 2]),
    ):
        family = LinearGibbs(domain, beta=BETA, lam=LAM)
        alone = learner(family, name, "alone", horizon=len(losses), repetitions=1)
        # Its rounds and coordinates are independent, and take the place of copies.
        noise = levels(_played(alone, losses, together=name == "cube"), losses).reshape(-1, 1, 1)
        yield partial(noise_points, {"set": name, "game": "one copy"}, noise, UNIFORM, slack=ALONE)
    alone = learner(GridGibbs(THREE, **ON_POINTS), "alone", horizon=len(slopes), repetitions=1)
    losses = np.resize(np.array([1.0, -1.0])[:, None] * GRID_LOSSES[0], (len(slopes), 3))
    numbers = _played(alone, losses)[:, 0]
    for turn, of_turn in enumerate(_masses(losses[:2])):
        where = {"set": "3 points", "game": "one copy", "round": f"every other, from {turn + 1}"}
        yield partial(law_points, where, numbers[turn::2], dict(enumerate(of_turn.tolist())), slack=ALONE)
    long = _played(
        learner(GridGibbs(NINE, **ON_POINTS), "nine points", horizon=len(LONG_LOSSES)), LONG_LOSSES
    )
    where = {"set": "9 points", "game": "16 rounds"}
    yield from _laws_by_round(where, long)
    masses = _masses(LONG_LOSSES, NINE)
    for t in range(1, len(long)):
        same = (long[t] == long[t - 1]).astype(np.int64)
        chance = float(masses[t] @ masses[t - 1])
        place = {**where, "round": t + 1, "before": t}
        yield partial(law_points, place, same, {0: 1 - chance, 1: chance}, slack=OUTCOME)
    played = _played(learner(GridGibbs(THREE, **ON_POINTS), "points"), GRID_LOSSES)
    where = {"set": "3 points", "game": "one by one"}
    yield from _whole_plays(where, _codes(played, 3), _paths_of_fresh_draws())
    for wide, name in ((Box((-WIDE,) * 2, (WIDE,) * 2), "wide square"), (Ball(2, WIDE), "wide disc")):
        players = [learner(LinearGibbs(wide, **STEEP), name, side) for side in (0, 1)]
        sides = [
            _bins(_played(player, losses)[1:, :, 0].sum(axis=0), 2 * 0.25)
            for player, losses in zip(players, NEIGHBOURS, strict=True)
        ]
        yield _attack({"set": name, "game": "attack"}, sides, players[0].guarantee, CONVEX_LEVEL)
    players = [learner(GridGibbs(TWO, beta=0.5, lam=1.0), "attack", side) for side in (0, 1)]
    sides = [
        _played(player, losses @ TWO.T)[1:].sum(axis=0)
        for player, losses in zip(players, NEIGHBOURS[..., :1], strict=True)
    ]
    yield _attack({"set": "2 points", "game": "attack"}, sides, players[0].guarantee, TWO_LEVEL)


def pcomw(copies: int, seed: int) -> Iterator[Comparison]:
    """Points and lotteries have the law of Algorithm 1: kept, drawn, clipped, and with a budget.

    While no ratio is clipped, the points follow the Gibbs measure in every round, and a draw has the chance
    ``1 - (1 - p) / Phi``, whatever was drawn before.
    """

    def learner(
        family: LinearGibbs | GridGibbs,
        *key: str | float,
        log_phi: float,
        p: float,
        budget: float,
        horizon: int = ROUNDS,
        repetitions: int = copies,
    ) -> PCOMW:
        rng = rng_for(seed, "drawn noise", "pcomw", *key, copies)
        return PCOMW(
            family, log_phi=log_phi, p=p, budget=budget, rng=rng, repetitions=repetitions, horizon=horizon
        )

    def alone() -> Iterator[Comparison]:
        """One copy plays a long game: each of its lotteries is a new one, and so is each point it draws."""
        slopes, p = THERE_AND_BACK, 0.5
        log_phi = BETA * float(np.linalg.norm(slopes[0])) * CUBE.diameter
        player = learner(
            LinearGibbs(CUBE, beta=BETA, lam=LAM),
            "alone",
            log_phi=log_phi,
            p=p,
            budget=math.inf,
            horizon=len(slopes),
            repetitions=1,
        )
        points = _played(player, slopes)
        drawn = (points[1:, 0] != points[:-1, 0]).all(axis=-1)
        chance = 1 - (1 - p) * math.exp(-log_phi)
        where = {"set": "cube", "game": "one copy"}
        law = {0: 1 - chance, 1: chance}
        yield partial(law_points, where, drawn.astype(np.int64), law, slack=ALONE)
        if drawn.any():
            noise = _levels_in_cube(points, slopes)[0, 1:][drawn].reshape(-1, 1, 1)
            yield partial(noise_points, where, noise, UNIFORM, slack=ALONE)

    for domain, name, levels in ((CUBE, "cube", _levels_in_cube), (BALL, "ball", _levels_in_ball)):
        for together in (False, True):
            game = "losses together" if together else "one by one"
            family = LinearGibbs(domain, beta=BETA, lam=LAM)
            # No slope is longer than 0.6, so a log-ratio is at most BETA 0.6 times the diameter.
            log_phi, p = BETA * 0.6 * domain.diameter, 0.1
            points = _played(
                learner(family, name, game, log_phi=log_phi, p=p, budget=math.inf), SLOPES, together=together
            )
            drawn = (points[1:] != points[:-1]).all(axis=-1)
            where = {"set": name, "game": game}
            noise = levels(points, SLOPES)
            for t in range(len(points)):
                place = {**where, "round": t + 1}
                yield partial(noise_points, place, noise[:, t : t + 1], UNIFORM, slack=SLACK)
            for s, t in combinations(range(len(points)), 2):
                # A point that is drawn in round t lies above its median whatever was played before.
                if not drawn[t - 1].any():
                    continue
                above = noise[drawn[t - 1], :, 0] > 0
                agree = (above[:, s] == above[:, t]).astype(np.int64)
                place = {**where, "round": t + 1, "before": s + 1}
                yield partial(law_points, place, agree, {0: 0.5, 1: 0.5}, slack=SLACK / 2)
            chance = 1 - (1 - p) * math.exp(-log_phi)
            lotteries = {
                _code(bits, 2): math.prod(chance if bit else 1 - chance for bit in bits)
                for bits in product((0, 1), repeat=len(drawn))
            }
            yield from _whole_plays(where, _codes(drawn.astype(np.int64), 2), lotteries)
    for domain, name in ((CUBE, "cube"), (BALL, "ball")):
        family = LinearGibbs(domain, beta=ALONG_BETA, lam=ALONG_LAM)
        points = _played(learner(family, name, "clipped", **CLIPPED), ALONG)
        drawn = (points[1:] != points[:-1]).all(axis=-1)
        seen = np.concatenate([drawn, points[-1:, :, 0] > 0]).astype(np.int64)
        where = {"set": name, "game": "clipped, with a budget"}
        yield from _whole_plays(where, _codes(seen, 2), _lotteries_along(domain, **CLIPPED))
    yield from alone()
    # No loss varies by more than 0.6.
    log_phi, p = ON_POINTS["beta"] * 0.6, 0.1
    nine = GridGibbs(NINE, **ON_POINTS)
    player = learner(nine, "nine points", horizon=len(LONG_LOSSES), log_phi=log_phi, p=p, budget=math.inf)
    long, draws = [player.predict()], [player.draws.copy()]
    for loss in LONG_LOSSES[:-1]:
        player.update(loss)
        long.append(player.predict())
        draws.append(player.draws.copy())
    where = {"set": "9 points", "game": "16 rounds"}
    yield from _laws_by_round(where, np.array(long))
    chance = 1 - (1 - p) * math.exp(-log_phi)
    for t, more in enumerate(np.diff(draws, axis=0)):
        place = {**where, "round": t + 2, "of": "draws"}
        yield partial(law_points, place, more, {0: 1 - chance, 1: chance}, slack=OUTCOME)
    for log_phi, p, budget in ((0.3, 0.0, math.inf), (0.3, 0.3, math.inf), (0.3, 0.3, 1.0)):
        player = learner(
            GridGibbs(THREE, **ON_POINTS), "points", p, budget, log_phi=log_phi, p=p, budget=budget
        )
        played = np.concatenate([_played(player, GRID_LOSSES), player.draws[None]])
        law = _paths_of_pcomw(log_phi, p, budget)
        where = {"set": "3 points", "game": f"p = {p:g}, budget {budget:g}"}
        yield from _whole_plays(where, _codes(played, 4), law)
    players = [
        learner(
            LinearGibbs(Box((-WIDE,) * 2, (WIDE,) * 2), **STEEP), "attack", side, log_phi=0.2, p=0.8, budget=4
        )
        for side in (0, 1)
    ]
    sides = []
    for player, losses in zip(players, NEIGHBOURS, strict=True):
        points = _played(player, losses)[..., 0]
        sides.append(_bins(np.where(points[1:] != points[:-1], points[1:], 0.0).sum(axis=0), 2 * 0.25))
    yield _attack({"set": "wide square", "game": "attack"}, sides, players[0].guarantee, PCOMW_LEVEL)


def noisy_leader(copies: int, seed: int) -> Iterator[Comparison]:
    """Noisy sums, read off the points on a set without reach of its edge, carry the factorisation's noise."""
    level, sensitivity = LEADER_LEVEL, 2.0

    def noise(slopes: Array, *key: str | int) -> tuple[Array, GaussianDP, Array]:
        """Return a play's noise, whitened, (copies, 1 + rounds, 2), its level and its weights."""
        rounds = len(slopes)
        # Row t of the square root of the matrix of prefix sums: releases are these weighted sums, of level
        # `level`.
        root = np.array([math.comb(2 * k, k) / 4**k for k in range(rounds)])
        weights = np.array([np.concatenate([root[t::-1], np.zeros(rounds - 1 - t)]) for t in range(rounds)])
        weights /= np.linalg.norm(weights[:, 0])
        source = SimulatedNoise(rng_for(seed, "drawn noise", "leader", *key, copies))
        sums = BandedSums(
            2,
            GaussianDP(level, "central"),
            coefficients=root_band(rounds),
            sensitivity=sensitivity,
            noise=source,
            repetitions=copies,
        )
        learner = DPFTRL(Box((-1e6,) * 2, (1e6,) * 2), sums, lam=LAM)
        points = [learner.predict()]
        for slope in slopes:
            learner.update(slope)
            points.append(learner.predict())
        released = -LAM * np.array(points)  # the noisy sums
        reports = np.diff(released[1:], axis=0, prepend=0.0)
        whitened = np.einsum("st,tcd->csd", weights, reports) * level / sensitivity
        first = released[:1].swapaxes(0, 1) * level / sensitivity
        return np.concatenate([first, whitened], axis=1), learner.guarantee, weights

    slopes = np.tile(SLOPES[:, :2], (2, 1))
    drawn, guarantee, weights = noise(slopes, "law")
    true = np.concatenate([np.zeros((1, 2)), weights @ slopes * level / sensitivity])
    yield partial(noise_points, {"set": "plane", "game": "band"}, drawn - true, NORMAL, slack=SLACK)
    sides = []
    for side, slopes in enumerate(NEIGHBOURS):
        seen, guarantee, weights = noise(slopes, "attack", side)
        sides.append(_bins(seen[:, 1:, 0] @ weights[:, 0], 1.0))
    yield _attack({"set": "plane", "game": "attack"}, sides, guarantee, LEADER_LEVEL)


def _bins(values: Array, deviation: float) -> Ints:
    """Return statistics in quarters of their standard deviation."""
    return np.floor(4 * values / deviation).astype(np.int64)


def _attack(
    where: Mapping[str, object], sides: list[Ints], guarantee: GaussianDP, level: float
) -> Comparison:
    """Attack a level that is stated here, and compare it with the level that the learner states."""
    first, second = sides

    def points(*, cells: int) -> Iterator[Point]:
        yield Point({**where, "aspect": "stated level"}, abs(guarantee.mu - level), ROUNDING)
        stated = GaussianDP(level, "central")
        yield from attack_points(where, first, second, stated, least=LEAST, cells=cells)

    return points


MECHANISMS = mechanisms(
    {
        "GibbsEveryRound": every_round,
        "PCOMW": pcomw,
        "DPFTRL": noisy_leader,
    }
)


def drawn_noise(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Compare what each mechanism publishes in plays with its stated law, and attack it."""
    plays = [point for name in grid["mechanism"] for point in MECHANISMS[name](grid, repetitions, seed)]
    return [*plays, *digit_points(DIGITS, grid, seed)]
