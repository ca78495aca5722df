"""Fixed share with and without noise: its projection, regret bounds and their constants, growth."""

import math
from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any, Literal

import numpy as np
from scipy.special import ndtri

from private_experts.algorithms.clipped_simplex import project
from private_experts.algorithms.fixed_share import FixedShare, dynamic_regret_bound, share_floor, tuned_step
from private_experts.algorithms.noisy_fixed_share import NoisyFixedShare
from private_experts.arrays import Array
from private_experts.games.regret import best_total
from private_experts.games.streams import equal_gaps, shifting
from private_experts.privacy.guarantees import GaussianDP, PureDP
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    exp,
    largest,
    log,
    near,
    precision,
    smallest,
    sqrt,
    square,
)
from private_experts.replication.balls.boxes import agreement, at_point, over_box
from private_experts.replication.balls.sums import rounded
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p004.noisy import differences_in_weights
from private_experts.replication.papers.p004.noisy_share_bounds import regret_bound, sharper_bound
from private_experts.replication.papers.p004.rounded_shares import defects, relative_error
from private_experts.replication.study.intervals import clopper_pearson, mean_interval, slope_interval

_BITS = 80
_OFF = 1e-10  # how far the program's weights may miss their rule or their sum, and its bound what is exact


@precision(_BITS)
def kl_projection(grid: Grid, seed: int) -> list[Point]:
    """max(floor, c u) with total 1 is the nearest point of the clipped simplex in relative entropy.

    There are two routes: the conditions of Karush, Kuhn and Tucker, and a general solver on small instances.
    What the projection returns is taken for the binary numbers that it is.
    """
    points = []
    for n, spread in product(grid["n"], grid["spread"]):
        rng = rng_for(seed, "projection", n, spread)
        u = np.exp(spread * rng.standard_normal((grid["instances"], n)))
        for share in grid["share"]:
            w, floor = project(u, share / n), share / n
            where = {"n": n, "spread": spread, "share": share, "route": "KKT"}
            worst = largest(_violation(*pair, floor) for pair in zip(u.tolist(), w.tolist(), strict=True))
            points.append(at_point(where, worst, ball(grid["tolerance"])))
    for n, share in product(grid["solver_n"], grid["share"]):
        rng = rng_for(seed, "solver", n)
        worst = largest(
            _against_solver(np.exp(rng.standard_normal(n)), share / n)
            for _ in range(grid["solver_instances"])
        )
        where = {"n": n, "spread": 1, "share": share, "route": "solver"}
        points.append(at_point(where, worst, ball(grid["solver_tolerance"])))
    return points


def _violation(u: Sequence[float], w: Sequence[float], floor: float) -> Ball:
    """Return the largest violation of the conditions, relative to the floor or to c.

    The gradient log(w / u) + 1 of relative entropy must be the same for entries above the floor, and no
    smaller at it.
    """
    total = sum(map(ball, w), ball(0))
    feasible = abs(total - 1).max(floor - ball(min(w)))
    # log(w / u) is the gradient up to a constant, so ratios take its place without a logarithm each.
    # negative ones are not feasible
    ratios = [ball(max(one, 1e-300)) / other for one, other in zip(w, u, strict=True)]
    above = [ratio for ratio, weight in zip(ratios, w, strict=True) if weight > floor]
    if not above:
        return feasible
    level = largest(above)
    # Equal above the floor, and nowhere smaller than there: the two conditions as logarithms of quotients.
    return largest([feasible, log(level / smallest(above)), log(level / smallest(ratios))])


def _against_solver(u: Array, floor: float) -> Ball:
    """Return the largest difference between an entry of the projection and of a general solver's solution."""
    from scipy.optimize import minimize

    def entropy(w: Array) -> float:
        return float(w @ (np.log(w) - np.log(u)))

    # A solver that knows nothing of the closed form; its own precision limits the comparison.
    solution = minimize(
        entropy,
        np.full(u.size, 1 / u.size),
        jac=lambda w: np.log(w) - np.log(u) + 1,
        bounds=[(floor, 1.0)] * u.size,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1, "jac": lambda w: np.ones(u.size)},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    )
    own = project(u[None, :], floor)[0].tolist()
    return largest(abs(ball(one) - other) for one, other in zip(own, solution.x.tolist(), strict=True))


def streams(n: int, horizon: int, shifts: int, gap: float, count: int, *key: Any) -> Array:
    """Return coin flips, (T, count, n). The best expert, another after each shift, is ahead by `gap`."""
    stream = shifting("independent", equal_gaps(n, gap), horizon, shifts)
    return np.concatenate(list(stream.chunks(count, rng_for(*key, n, horizon, shifts, gap, count))))


def expected(algorithm: FixedShare | NoisyFixedShare, gains: Array) -> Array:
    """Return what an algorithm earns on gains (T, repetitions, n), averaged over draws, (repetitions,)."""
    total, start = np.zeros(gains.shape[1]), 0
    for weights in algorithm.laws(gains):
        total += np.einsum("trn,trn->r", weights, gains[start : start + len(weights)])
        start += len(weights)
    return total


def weights_of(algorithm: FixedShare, gains: Array) -> Array:
    """Return the weights of an algorithm in each round on gains (T, repetitions, n), in the same shape."""
    # All repetitions have one law where the streams do not differ.
    rows = [np.broadcast_to(weights, (len(weights), *gains.shape[1:])) for weights in algorithm.laws(gains)]
    return np.concatenate(rows)


def share_bound(n: int, horizon: int, shifts: int, eta: float) -> Ball:
    """Return ``(S + 1) log(NT / S) / eta + eta T / 2 + S``."""
    return (shifts + 1) * log(ball(n * horizon) / shifts) / ball(eta) + ball(eta) * horizon / 2 + shifts


@precision(_BITS)
def fixed_share_regret(grid: Grid, seed: int) -> list[Point]:
    """Fixed share's expected dynamic regret is at most (S + 1) log(NT / S) / eta + eta T / 2 + S.

    The bound is true for every stream and every step. The value is the worst of several streams. The step is
    the one of the least bound, and a share of it. The program's weights are proved to be near the exact ones,
    from how well they obey the rule. Lazy is never to update, which is to play uniformly.
    """
    points, rules, bounds = [], [], []
    for n, horizon, shifts, gap, part in product(*(grid[name] for name in ("N", "T", "S", "gap", "step"))):
        gains = streams(n, horizon, shifts, gap, grid["streams"], seed, "fixed share")
        assert np.isin(gains, (0, 1)).all()  # so that totals are whole numbers
        eta, floor = part * tuned_step(n, horizon, shifts), share_floor(n, horizon, shifts)
        algorithm = FixedShare(
            n,
            horizon=horizon,
            switches=shifts,
            eta=eta,
            rng=rng_for(seed, "unused"),
            repetitions=grid["streams"],
        )
        weights = weights_of(algorithm, gains)
        # Factors are relative: 1 for no gain and e^eta for a gain of 1, as a common factor changes no weight.
        misses = defects(weights, np.where(gains[:-1] > 0, near(exp(ball(eta))), 1.0), floor)
        rules.append(max(misses))
        error, best = relative_error(misses, horizon, n, floor), best_total(gains, shifts).tolist()
        # All weights are within the relative error, and so is any sum of them with gains of at least 0.
        earned = [
            rounded(gain, horizon * n, error) for gain in np.einsum("trn,trn->r", weights, gains).tolist()
        ]
        regrets = [one - other for one, other in zip(best, earned, strict=True)]
        where = {"what": "regret", "N": n, "T": horizon, "S": shifts, "gap": gap, "step": part}
        most = share_bound(n, horizon, shifts, eta)
        bounds.append(abs(dynamic_regret_bound(n, horizon, shifts, eta) / most - 1))
        notes = {"mean": float(np.mean([near(difference) for difference in regrets]))}
        lazy = float(_unlearned(gains, shifts).max())
        points.append(at_point(where, largest(regrets), most, notes, trivial=float(horizon), lazy=lazy))
    nowhere = {"N": 0, "T": 0, "S": 0, "gap": 0.0, "step": 0.0}
    for name, worst in {
        "program's weights": ball(min(max(rules), 1.0)),
        "program's bound": largest(bounds),
    }.items():
        points.append(at_point({"what": name, **nowhere}, worst, ball(_OFF)))
    return points


def _unlearned(gains: Array, shifts: int) -> Array:
    """Return the expected dynamic regret of uniform play on gains (T, repetitions, n)."""
    return np.asarray(best_total(gains, shifts) - gains.mean(axis=2).sum(axis=0))


def private_scale(n: int, epsilon: float) -> float:
    """Return the scale of Laplace noise that is epsilon-DP."""
    return n / epsilon


def private_step(n: int, horizon: int, shifts: int, scale: float) -> float:
    """Return the step that makes `sharper_bound` least."""
    return math.sqrt((shifts + 1) * math.log(n * horizon / shifts) / (horizon * (1 + 2 * scale**2)))


def noisy_regret(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The mended Algorithm 3's dynamic regret is within Theorem B.2's bound with 16, 8, and a sharper one.

    The first is checked at the paper's step, with the noise's scale instead of 1 / epsilon, and the second at
    its own best step. Some games are for the first alone. Lazy is never to update, which is to play
    uniformly.
    """
    points = []
    games = dict.fromkeys(product(grid["N"], grid["T"], grid["S"], grid["epsilon"]), ("B.2", "sharper"))
    games |= dict.fromkeys(map(tuple, grid["B.2 alone"]), ("B.2",))
    intervals = sum(map(len, games.values()))
    for (n, horizon, shifts, epsilon), names in games.items():
        scale = private_scale(n, epsilon)
        steps = {
            "B.2": math.sqrt(shifts / (horizon * math.log(n * horizon))) / scale,
            "sharper": private_step(n, horizon, shifts, scale),
        }
        bounds = {
            "B.2": regret_bound(n, horizon, shifts, steps["B.2"], scale),
            "sharper": sharper_bound(n, horizon, shifts, steps["sharper"], scale),
        }
        gains = streams(n, horizon, shifts, grid["gap"], repetitions, seed, "noisy stream", epsilon)
        best, lazy = best_total(gains, shifts), float(_unlearned(gains, shifts).mean())
        for name in names:
            eta = steps[name]
            rng = rng_for(seed, "noisy", name, n, horizon, shifts, epsilon, repetitions)
            regret = best - expected(noisy_share(n, horizon, shifts, eta, scale, rng, repetitions), gains)
            mean, low, high = (float(end) for end in mean_interval(regret, intervals=intervals))
            where = {"bound_of": name, "N": n, "T": horizon, "S": shifts, "epsilon": epsilon}
            points.append(Point(where, mean, bounds[name], low, high, trivial=float(horizon), lazy=lazy))
    return points


def gaussian_share_regret(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """With Gaussian noise Algorithm 3 has the sharper bound, with its noise's variance. Lazy is uniform play.

    Of two experts the weights after one round tell the sign of a normal variable of mean 1, which has the
    probability ``Phi(mu / 2)``. So the level of the noise that is drawn is measured.
    """
    points, cells = [], list(product(*(grid[name] for name in ("N", "T", "S", "mu"))))
    for n, horizon, shifts, mu in cells:
        deviation = math.sqrt(n) / mu
        # The proof uses the noise's second moment alone, so the Laplace bound is read at equal variance.
        same_variance = deviation / math.sqrt(2)  # the scale of Laplace noise that has it
        eta = private_step(n, horizon, shifts, same_variance)
        assert eta * deviation * math.sqrt(2 * math.log(n * horizon**2 / 2)) <= 1  # the theorem's condition
        gains = streams(n, horizon, shifts, grid["gap"], repetitions, seed, "gaussian stream", mu)
        rng = rng_for(seed, "gaussian share", n, horizon, shifts, mu, repetitions)
        algorithm = NoisyFixedShare(
            n,
            GaussianDP(mu, "central"),
            horizon=horizon,
            switches=shifts,
            eta=eta,
            rng=rng,
            repetitions=repetitions,
        )
        regret = best_total(gains, shifts) - expected(algorithm, gains)
        mean, low, high = (float(end) for end in mean_interval(regret, intervals=len(cells)))
        where = {"what": "regret", "N": n, "T": horizon, "S": shifts, "mu": mu}
        most, lazy = (
            sharper_bound(n, horizon, shifts, eta, same_variance),
            float(_unlearned(gains, shifts).mean()),
        )
        points.append(Point(where, mean, most, low, high, trivial=float(horizon), lazy=lazy))
    mu, draws = grid["seen"], grid["draws"]
    ahead = int(
        (differences_in_weights(GaussianDP(mu, "central"), draws, seed, "gaussian weights")[0] > 0).sum()
    )
    level, low, high = (
        2 * float(ndtri(share)) for share in (ahead / draws, *clopper_pearson(ahead, draws, 1))
    )
    numbers = {"N": 2, "T": 2, "S": 1, "mu": mu}
    return [
        *points,
        Point({"what": "level above", **numbers}, level, mu * (1 - grid["slack"]), low, high, ">="),
        Point({"what": "level below", **numbers}, level, mu * (1 + grid["slack"]), low, high),
    ]


def noisy_share(
    n: int, horizon: int, shifts: int, eta: float, scale: float, rng: np.random.Generator, repetitions: int
) -> NoisyFixedShare:
    """Return Algorithm 3 with Laplace noise of one scale."""
    return NoisyFixedShare(
        n,
        PureDP(math.inf, "central"),
        horizon=horizon,
        switches=shifts,
        eta=eta,
        noise_scale=scale,
        rng=rng,
        repetitions=repetitions,
    )


def _largest_noisy_loss(unit: Ball) -> Ball:
    """Return the largest noisy loss over log(NT) / eps, where ``unit`` is eps / log(NT)."""
    return unit + sqrt(10)


def constants(grid: Grid, quadratic: float = 16.0, clipping: float = 2.0) -> list[Point]:
    """Two steps of the proof of Theorem B.2, with constants for which they are true.

    (a) Where all noise is below sqrt(10) b log(NT), the square of a noisy loss is at most 16 b^2 log^2(NT).
    (b) Mixing an expert with S/T of the uniform law moves it by at most 2 S/T in L1. Step (a) is proved over
    all epsilon up to 1 and all N T from 4 on, where ``epsilon / log(NT)`` is at most 1 / log 4.
    """
    points, widest = [], max(grid["epsilon"]) / math.log(4) * (1 + 1e-15)
    square_of = {"step": "norm", "N": "all", "T": "all"}
    points.append(
        over_box(
            square_of,
            lambda unit: (square(_largest_noisy_loss(unit)), ball(quadratic)),
            {"unit": [0.0, widest]},
        )
    )
    with precision():
        for n, horizon, epsilon in product(grid["N"], grid["T"], grid["epsilon"]):
            where = {"step": "norm", "N": n, "T": horizon, "epsilon": epsilon}
            value = square(_largest_noisy_loss(ball(epsilon) / log(n * horizon)))
            points.append(at_point(where, value, ball(quadratic)))
        for n, horizon, shifts in product(grid["N"], grid["T"], grid["S"]):
            where, mixed = {"step": "mixing", "N": n, "T": horizon, "S": shifts}, ball(shifts) / horizon
            # In L1 both what is taken and what is given count, hence 2 and not 1.
            moved = mixed * (1 - ball(1) / n) + (n - 1) * mixed / n  # of the expert itself, and of all others
            points.append(at_point({**where, "what": "moved"}, moved / mixed, ball(clipping)))
            share = share_floor(n, horizon, shifts)
            points.append(agreement({**where, "what": "floor"}, share, mixed / n, 1e-12))
    return points


def constants_printed(grid: Grid) -> list[Point]:
    """The same with the printed constants, 10 and 1. [mathematics/004.md#e004-8]"""
    return constants(grid, quadratic=10.0, clipping=1.0)


def growth(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The mended Algorithm 3's regret on its worst gap grows like sqrt(T), sqrt(S + 1) and 1 / epsilon.

    The gap is the worst of the same few in every game. So the regret of an algorithm that does not learn,
    which is the lazy one, grows in proportion to T, whatever S and epsilon are.
    """
    n, base, targets = grid["N"], grid["base"], {"T": 0.5, "S": 0.5, "epsilon": -1.0}
    lazy = {"T": 1.0, "S": 0.0, "epsilon": 0.0}
    groups = max(min(grid["groups"], repetitions // 2), 2)

    @cache  # the lines along S and epsilon cross in one game
    def regrets(horizon: int, shifts: int, epsilon: float, gap: float) -> Array:
        """Return the mean regret of each group of repetitions of the mended Algorithm 3."""
        scale = private_scale(n, epsilon)
        stream = shifting("deterministic", equal_gaps(n, gap), horizon, shifts)
        rng = rng_for(seed, "growth", repetitions, n, horizon, shifts, epsilon, gap)
        eta = private_step(n, horizon, shifts, scale)
        algorithm = noisy_share(n, horizon, shifts, eta, scale, rng, repetitions)
        regret, start = np.zeros(repetitions), 0
        for weights in algorithm.laws(1 - stream.gaps):
            regret += np.einsum("trn,tn->r", weights, stream.gaps[start : start + len(weights)])
            start += len(weights)
        return np.asarray(regret[: repetitions // groups * groups].reshape(groups, -1).mean(axis=1))

    points = []
    for name, values in grid["along"].items():
        sizes = [[(base | {name: value})[axis] for axis in ("T", "S", "epsilon")] for value in values]
        games = [[regrets(*size, gap) for gap in grid["gap"]] for size in sizes]
        # The worst gap depends on the game: at a fixed gap the regret would not grow like the bound.
        means = [np.log(max(by_gap, key=lambda regret: float(regret.mean()))) for by_gap in games]
        # In S + 1, the number of phases, which the rate is stated in.
        x = np.log(np.array(values, dtype=np.float64) + (name == "S"))
        slope, low, high = slope_interval(x, np.array(means).T, intervals=2 * len(grid["along"]))
        for side, sign in (("above", -1), ("below", 1)):
            bound = targets[name] + sign * grid["tolerance"]
            where = {"along": name, "side": side}
            sense: Literal["<=", ">="] = ">=" if side == "above" else "<="
            points.append(Point(where, slope, bound, low, high, sense, lazy=lazy[name]))
    return points
