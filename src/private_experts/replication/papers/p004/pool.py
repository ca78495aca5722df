"""A pool of draws that noisy counts thin: its law in play, its level; and fixed batches. [004, Section 4]"""

import functools
import math
from collections import defaultdict
from itertools import product

import numpy as np
from scipy.special import ndtr

from private_experts.algorithms.pool_parameters import PoolParameters, pool_epsilon
from private_experts.algorithms.pooled_draws import PooledDraws
from private_experts.arrays import Array
from private_experts.games.play import play
from private_experts.games.streams import turncoat
from private_experts.privacy.guarantees import ApproximateDP, PureDP
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    exp,
    largest,
    log,
    normal_cdf,
    power,
    precision,
    sqrt,
    square,
)
from private_experts.replication.balls.boxes import agreement, at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.drawn_samples import law_points
from private_experts.replication.papers.p004.sequence_laws import sequence_laws

_BITS = 80
_THETAS = 60
Slot = dict[tuple[int, int, int], Ball]  # chance of an expert, and of being alive in each of two rounds
State = tuple[tuple[int, ...], int, int]  # plays, draws, and the expert of the last draw


def law_played(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """In every round PooledDraws plays by the law of multiplicative weights, up to beta of its place."""
    points: list[Point] = []
    cells = [*cells_of(grid, "noise, S")]
    horizon, n = grid["T"], grid["N"]
    losses = 1 - turncoat(horizon, n)
    for where, noise, switches in cells:
        scale, shift = grid["scales"][noise], grid["shift"][noise]
        parameters = PoolParameters(grid["eta"], grid["H"], (scale,) * grid["K"], shift)
        pool = PooledDraws(
            n,
            ApproximateDP(1e9, 0.1, "central") if noise == "gaussian" else PureDP(1e9, "central"),
            horizon=horizon,
            switches=switches,
            rng=rng_for(seed, "law of a pool", noise, switches, repetitions),
            repetitions=repetitions,
            parameters=parameters,
        )
        plays = play(pool, 1 - losses)
        laws = sequence_laws(losses, switches, grid["eta"])
        apart = beta(parameters, noise)
        for t in range(horizon):
            slack = float(apart[t % grid["H"]]) + grid["apart"]
            law = dict(enumerate(laws[t].tolist()))
            place = {**where, "round": t + 1}
            points += law_points(place, plays[t], law, slack=slack, cells=len(cells) * horizon)
    return points


def beta(parameters: PoolParameters, noise: str) -> Array:
    """Return the distance of the law from multiplicative weights by Theorem 1, for each place of an epoch."""
    eta, epoch, scales, shift, _ = parameters
    places = np.arange(epoch)
    found = np.zeros(epoch)
    alive_so_far = np.ones(epoch)  # chance that all slots before are dead
    for scale in scales:
        if noise == "gaussian":
            squares = np.array([math.comb(2 * k, k) / 4**k for k in range(epoch - 1)]) ** 2
            spreads = scale * np.sqrt(np.append(0.0, squares.cumsum()))
            above = shift * spreads[-1]
            reach = above / np.maximum(spreads, 1e-12)
            density = np.exp(-(reach**2) / 2) / math.sqrt(2 * math.pi)
            below = spreads * (density - reach * ndtr(-reach))
        else:
            levels = (epoch - 1).bit_length()
            above = shift * scale * math.sqrt(2 * levels)
            theta = np.linspace(0.01, 0.99, _THETAS)[:, None] / scale
            digits = np.array([int(place).bit_length() for place in places])
            moments = (1 - (scale * theta) ** 2) ** -digits
            below = (moments * np.exp(-theta * above) / (math.e * theta)).min(axis=0) * (digits > 0)
        found += eta * below * alive_so_far
        alive_so_far *= 1 - np.exp(-eta * (places + above + below))
    return np.asarray(found + alive_so_far)


def _slot(fresh: list[Ball], lost: Array, eta: Ball, scale: float, shift: float, noise: str) -> Slot:
    """Return the law of a slot's draw and of its states, in closed form."""
    found: Slot = {}
    above = ball(shift) * scale * (1 if noise == "gaussian" else sqrt(ball(2)))
    for x, chance in enumerate(fresh):
        loss = ball(float(lost[x]))

        def thinned(start: Ball) -> Ball:
            """Return the mean of e to the power of -eta (start + noise)_+."""
            if noise == "gaussian":
                s = ball(scale)
                far = exp(-eta * start + square(eta * s) / 2) * normal_cdf(start / s - eta * s)
                return normal_cdf(-start / s) + far
            rate = 1 / ball(scale)
            middle = exp(-eta * start) * (1 - exp(-start * (rate - eta))) * rate / (2 * (rate - eta))
            return exp(-start * rate) / 2 + middle + exp(-eta * start) * rate / (2 * (rate + eta))

        first, second = exp(-eta * above), thinned(loss + above)
        both = first * thinned(loss)  # the clock has no memory
        states = {
            (1, 1): both,
            (1, 0): first - both,
            (0, 1): second - both,
            (0, 0): 1 - first - second + both,
        }
        found |= {(x, *state): chance * share for state, share in states.items()}
    return found


@functools.lru_cache(maxsize=64)  # states before an epoch, whatever the losses are
def _played(before: State, states: tuple[tuple[tuple[int, int, int], ...], ...], draws: float) -> list[State]:
    """Return what follows all draws and states of slots in an epoch of two rounds, as the algorithm plays."""
    plays, made, last = before
    found = []
    for choice in product(*states):
        used, done, expert = 0, made, last
        shown: list[int] = []
        for t in (1, 2):
            while not any(choice[i][t] for i in range(used)) and used < len(states) and done < draws:
                used, done = used + 1, done + 1
                expert = choice[used - 1][0]
            alive = [choice[i][0] for i in range(used) if choice[i][t]]
            shown.append(alive[0] if alive else expert if used else (*plays, *shown)[-1])
        found.append(((*plays, *shown), done, expert))
    return found


def exact_plays(losses: Array, parameters: PoolParameters, noise: str) -> dict[tuple[int, ...], Ball]:
    """Return the law of plays in epochs of two rounds, by going through all draws and states of all slots."""
    eta = ball(parameters.eta)
    law: dict[State, Ball] = {((), 0, 0): ball(1)}
    for t in range(0, len(losses), 2):
        weights = [exp(-eta * ball(float(paid))) for paid in losses[:t].sum(axis=0)]
        fresh = [weight / sum(weights, ball(0)) for weight in weights]
        slots = [_slot(fresh, losses[t], eta, scale, parameters.shift, noise) for scale in parameters.scales]
        shares = [
            math.prod(chances, start=ball(1)) for chances in product(*(slot.values() for slot in slots))
        ]
        states = tuple(tuple(slot) for slot in slots)
        longer: defaultdict[State, Ball] = defaultdict(lambda: ball(0))
        for before, chance in law.items():
            for after, share in zip(_played(before, states, parameters.draws), shares, strict=True):
                longer[after] += chance * share
        law = dict(longer)
    plays: defaultdict[tuple[int, ...], Ball] = defaultdict(lambda: ball(0))
    for (path, _, _), chance in law.items():
        plays[path] += chance
    return dict(plays)


@precision(_BITS)
def levels(grid: Grid) -> list[Point]:
    """The law of a pool's plays moves by no more than its level, when one loss vector is replaced.

    All draws, states, plays, losses 0 and 1, and replacements of epochs of two rounds are enumerated. Counts
    alone cost something in one epoch, and draws alone where noise is wide; there most of a level is reached.
    """
    points = []
    vectors = [np.array(vector, dtype=np.float64) for vector in product((0, 1), repeat=2)]
    for where, game, noise in cells_of(grid, "game", "noise"):
        horizon, draws, eta, scales, shift = (
            grid["game"][game][name] for name in ("T", "draws", "eta", "scales", "shift")
        )
        parameters = PoolParameters(eta, 2, tuple(scales), shift, draws)
        # The last vector comes after all plays, and the one before it is counted in the last epoch only.
        laws = {
            rounds: exact_plays(np.array([vectors[i] for i in (*rounds, 0)]), parameters, noise)
            for rounds in product(range(4), repeat=horizon - 1)
        }
        knowing = min(draws - 1, len(scales) * (horizon // 2 - 1))
        reached = ball(grid["reached"][noise][game])
        pairs = [
            (law, laws[other])
            for rounds, law in laws.items()
            for other in laws
            if sum(a != b for a, b in zip(rounds, other, strict=True)) == 1
        ]
        place = {**where, "pairs": len(pairs)}
        total = largest(abs(sum(law.values(), ball(0)) - 1) for law in laws.values())
        points.append(at_point({**place, "what": "sum of the law"}, total, ball(1e-15)))
        if noise == "laplace":
            ratio = largest(log(one[path] / other[path]) for one, other in pairs for path in one)
            level = ball(pool_epsilon(parameters, horizon))
            points.append(at_point({**place, "what": "log-ratio"}, ratio, level))
            points.append(at_point({**place, "what": "reached"}, ratio / level, reached, sense=">="))
            exact = 2 * ball(parameters.eta) * knowing
            exact += sum((1 / ball(scale) for scale in parameters.scales), ball(0))
            points.append(agreement({**place, "what": "program's level"}, float(level), exact, 1e-12))
            continue
        rho = knowing * square(ball(parameters.eta)) / 2
        rho += sum((1 / square(ball(scale)) for scale in parameters.scales), ball(0)) / 2
        shares: list[Ball] = []
        for order in grid["orders"]:
            moved = largest(
                sum(
                    (power(one[path], ball(order)) * power(other[path], 1 - ball(order)) for path in one),
                    ball(0),
                )
                for one, other in pairs
            )
            shares.append(log(moved) / (ball(order) - 1) / (order * rho))
            points.append(at_point({**place, "what": f"share, order {order}"}, shares[-1], ball(1)))
        points.append(at_point({**place, "what": "reached"}, largest(shares), reached, sense=">="))
    return points


@precision(_BITS)
def fixed_batches(grid: Grid) -> list[Point]:
    """Two experts who lose in turn, a batch each, against players who keep an expert in each batch.

    The regret of multiplicative weights on batches is T / 4 tanh(eta B / 2), above T B^2 eta^2 and the regret
    bound without batches together. Without batches it is 1 / B of it. With fair coins every such player has
    at least sqrt(T B / 8).
    """
    points = []
    for where, size, step in cells_of(grid, "B", "eta B"):
        eta, pairs = ball(step) / size, grid["pairs"]
        horizon = 2 * size * pairs
        weight = exp(-ball(step))
        # Before each pair both experts have lost the same; after its first batch one is a batch behind.
        batched = pairs * (ball(size) / 2 + size / (1 + weight) - size)
        alone = ball(0)
        for j in range(size):
            ahead, behind = exp(-eta * j), exp(-eta * (size - j))
            alone += ahead / (1 + ahead) + 1 / (1 + behind)
        alone = pairs * (alone - size)
        tanh = (1 - weight) / (1 + weight)
        points.append(
            at_point({**where, "what": "batches"}, abs(batched / (horizon * tanh / 4) - 1), ball(1e-15))
        )
        points.append(at_point({**where, "what": "no batches"}, abs(alone * size / batched - 1), ball(1e-15)))
        quoted = log(ball(2)) / eta + eta * horizon / 8 + horizon * square(ball(step))
        points.append(at_point({**where, "what": "above"}, batched, quoted, sense=">="))
    for where, size, batches in cells_of(grid, "B", "batches"):
        mean = sum((math.comb(batches, k) * abs(2 * k - batches) for k in range(batches + 1)), 0)
        least = ball(size) / 2 * ball(mean) / ball(2) ** batches
        bound = sqrt(ball(size * size * batches) / 8)
        points.append(at_point({**where, "what": "every player"}, least, bound, sense=">="))
    return points
