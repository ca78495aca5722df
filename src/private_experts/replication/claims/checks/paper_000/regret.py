"""Regret and switches of RW-FTPL, RW-AdaBatch and the tree baseline on streams fixed in advance. [000, Section 3]"""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from private_experts.algorithms.rw_adabatch import RWAdaBatch
from private_experts.algorithms.rw_ftpl import RWFTPL
from private_experts.algorithms.tree_ftpl import TreeFTPL, min_regret
from private_experts.games.play import play, private_reports
from private_experts.games.regret import static_regret, switches
from private_experts.games.streams import STREAMS
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.privacy.tree import height
from private_experts.randomness import rng_for
from private_experts.replication.claims.evidence import Point
from private_experts.replication.intervals import mean_interval, slope_interval
from private_experts.walks.gap import density

Array = NDArray[np.float64]
Grid = Mapping[str, Any]

_GUARANTEE = GaussianDP(1.0, "local")


def bound(eta: float, n: int, horizon: int) -> float:
    """Return RW-FTPL's regret bound ``(eta + 2/eta) sqrt(2 T log n)``. [mathematics/000.md#regret-rw-ftpl]"""
    return float((eta + 2 / eta) * np.sqrt(2 * horizon * np.log(n)))


def _plays(name: str, gains: Array, eta: float, alpha: float, repetitions: int, *key: str | float) -> NDArray[np.intp]:
    """Return actions (T, repetitions) of RW-FTPL or RW-AdaBatch. The same key gives both the same reports."""
    horizon, n = gains.shape
    noise = SimulatedNoise(rng_for(*key))  # type: ignore[arg-type]
    algorithm: RWFTPL | RWAdaBatch
    if name == "rw-ftpl":
        algorithm = RWFTPL(n, _GUARANTEE, eta, noise, repetitions)
    else:
        algorithm = RWAdaBatch(n, _GUARANTEE, eta, noise, alpha=alpha, repetitions=repetitions, horizon=horizon)
    return play(algorithm, private_reports(gains, [eta] * horizon, noise, repetitions))


def _cells(grid: Grid) -> Iterator[dict[str, Any]]:
    for stream, n, horizon, eta in product(grid["stream"], grid["n"], grid["T"], grid["eta"]):
        yield {"stream": stream, "n": n, "T": horizon, "eta": eta}


def _regret_points(name: str, grid: Grid, repetitions: int, seed: int, factor: float) -> list[Point]:
    cells = list(_cells(grid))
    points = []
    for where in cells:
        stream, n, horizon, eta = where.values()
        gains = STREAMS[stream](horizon, n)
        alpha = grid.get("alpha", 0.01)
        actions = _plays(name, gains, eta, alpha, repetitions, seed, "regret", stream, n, horizon, eta, repetitions)
        mean, low, high = mean_interval(static_regret(gains, actions), intervals=len(cells))
        points.append(Point(where, float(mean), factor * bound(eta, n, horizon), float(low), float(high)))
    return points


def regret_rw_ftpl(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """RW-FTPL's expected regret is at most (eta + 2/eta) sqrt(2 T log n)."""
    return _regret_points("rw-ftpl", grid, repetitions, seed, 1.0)


def corollary_2(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """RW-AdaBatch's expected regret is at most (1 + alpha/2) times RW-FTPL's bound."""
    return _regret_points("rw-adabatch", grid, repetitions, seed, 1 + grid["alpha"] / 2)


def batching_regret(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Batching adds at most 2 alpha sqrt(T log n) to the expected regret; both play on the same reports."""
    cells = list(_cells(grid))
    points = []
    for where in cells:
        stream, n, horizon, eta = where.values()
        gains, alpha = STREAMS[stream](horizon, n), grid["alpha"]
        key = (seed, "batching", stream, n, horizon, eta, repetitions)
        batched, plain = (
            static_regret(gains, _plays(name, gains, eta, alpha, repetitions, *key))
            for name in ("rw-adabatch", "rw-ftpl")
        )
        mean, low, high = mean_interval(batched - plain, intervals=len(cells))
        most = 2 * alpha * np.sqrt(horizon * np.log(n))
        points.append(Point(where, float(mean), float(most), float(low), float(high)))
    return points


def best_eta(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The bound is least at eta = sqrt 2, where it is 4 sqrt(T log n). [mathematics/000.md#best-eta]"""
    points = []
    for n, horizon in product(grid["n"], grid["T"]):
        least = 4 * np.sqrt(horizon * np.log(n))
        at_best = bound(float(np.sqrt(2)), n, horizon)
        where = {"n": n, "T": horizon}
        points.append(Point({**where, "eta": "sqrt 2"}, abs(at_best / least - 1), grid["tolerance"]))
        for eta in grid["eta"]:
            points.append(Point({**where, "eta": eta}, bound(eta, n, horizon), at_best, sense=">="))
    return points


def _switch_counts(name: str, n: int, horizon: int, repetitions: int, seed: int) -> NDArray[np.intp]:
    gains = STREAMS["zero"](horizon, n)
    return switches(_plays(name, gains, 10.0, 0.01, repetitions, seed, "switches", name, n, horizon, repetitions))


def switch_growth(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """RW-FTPL's switches on equal means grow like sqrt(T): the slope of log switches against log T is 1/2.

    Repetitions are split into batches, whose mean counts give independent slopes. The bias of the logarithm is far
    below the tolerance. [mathematics/000.md#switch-growth]
    """
    points, horizons = [], grid["T"]
    batches = max(min(grid["batches"], repetitions // 20), 2)
    for n in grid["n"]:
        means = []
        for horizon in horizons:
            counts = _switch_counts("rw-ftpl", n, horizon, repetitions, seed)
            groups = counts[: repetitions // batches * batches].reshape(batches, -1).mean(axis=1)
            means.append(np.log(np.maximum(groups, 0.5)))  # so that a group without any switch has a logarithm
        slope, low, high = slope_interval(np.log(horizons), np.array(means).T, intervals=2 * len(grid["n"]))
        where = {"n": n}
        tolerance = grid["tolerance"]
        points.append(Point({**where, "side": "above"}, slope, 0.5 - tolerance, low, high, ">="))
        points.append(Point({**where, "side": "below"}, slope, 0.5 + tolerance, low, high, "<="))
    return points


def switch_count(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Expected switches on equal means are at most `constant` times sqrt(T log n), for both algorithms."""
    cells = list(product(("rw-ftpl", "rw-adabatch"), grid["n"], grid["T"]))
    points = []
    for name, n, horizon in cells:
        mean, low, high = mean_interval(_switch_counts(name, n, horizon, repetitions, seed), intervals=len(cells))
        most = grid["constant"] * np.sqrt(horizon * np.log(n))
        where = {"algorithm": name, "n": n, "T": horizon}
        points.append(Point(where, float(mean), float(most), float(low), float(high)))
    return points


def switch_rate(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """RW-FTPL's expected switches on equal means are (2 / sqrt pi) f_n(0) sqrt(T) in the long run.

    After t rounds the gap between leader and runner-up has density f_n(g / s) / s with s = eta sqrt(t + 1). The
    leader changes when the runner-up's step minus the leader's, D ~ N(0, 2 eta^2), exceeds the gap. For large t this
    has probability f_n(0) / s times the mean of D's positive part, eta / sqrt(pi). Summed over rounds, eta cancels.
    DERIVED here. [mathematics/000.md#switch-rate]
    """
    cells = list(product(grid["n"], grid["T"]))
    points = []
    for n, horizon in cells:
        expected = 2 / np.sqrt(np.pi) * float(density(0.0, n)) * np.sqrt(horizon)
        counts = _switch_counts("rw-ftpl", n, horizon, repetitions, seed) / expected
        mean, low, high = (float(each) for each in mean_interval(counts, intervals=2 * len(cells)))
        where = {"n": n, "T": horizon}
        points.append(Point({**where, "side": "above"}, mean, 1 - grid["tolerance"], low, high, ">="))
        points.append(Point({**where, "side": "below"}, mean, 1 + grid["tolerance"], low, high, "<="))
    return points


def batched_switches(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """On the same reports RW-AdaBatch never switches more often than RW-FTPL. The value is the worst repetition's."""
    points = []
    for n, horizon, eta, alpha in product(grid["n"], grid["T"], grid["eta"], grid["alpha"]):
        gains, key = STREAMS["zero"](horizon, n), (seed, "batched switches", n, horizon, eta, alpha, repetitions)
        plain, batched = (
            switches(_plays(name, gains, eta, alpha, repetitions, *key)) for name in ("rw-ftpl", "rw-adabatch")
        )
        notes = {"fewer_on_average": float((plain - batched).mean())}
        where = {"n": n, "T": horizon, "eta": eta, "alpha": alpha}
        points.append(Point(where, float((batched - plain).max()), 0.0, notes=notes))
    return points


def _tree_regrets(grid: Grid, repetitions: int, seed: int) -> Iterator[tuple[dict[str, Any], Array]]:
    """Yield regrets of the tree baseline with the noise of Min Regret, for gains of L2 sensitivity sqrt(n)."""
    for stream, n, horizon, mu in product(grid["stream"], grid["n"], grid["T"], grid["mu"]):
        gains = STREAMS[stream](horizon, n)
        noise = SimulatedNoise(rng_for(seed, "tree", stream, n, horizon, mu, repetitions))
        scale = min_regret(np.sqrt(n), horizon, mu)
        actions = play(TreeFTPL(n, horizon, mu, scale, noise, repetitions), gains)
        yield {"stream": stream, "n": n, "T": horizon, "mu": mu, "scale": scale}, static_regret(gains, actions)


def tree_regret(grid: Grid, repetitions: int, seed: int, printed: bool = False) -> list[Point]:
    """The tree baseline's expected regret is at most (s + T/s) sqrt(2 log n), s = max(Delta h / mu, sqrt T)."""
    plays = list(_tree_regrets(grid, repetitions, seed))
    points = []
    for where, regrets in plays:
        n, horizon, mu, scale = where["n"], where["T"], where["mu"], where.pop("scale")
        mean, low, high = mean_interval(regrets, intervals=len(plays))
        most = (scale + horizon / scale) * np.sqrt(2 * np.log(n))
        if printed:
            most = np.sqrt(n * horizon * np.log(n)) * height(horizon) ** 1.5 / mu
        points.append(Point(where, float(mean), float(most), float(low), float(high)))
    return points


def tree_rate_printed(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The same with a rate in which every term falls like 1/mu. [mathematics/000.md#e000-1]"""
    return tree_regret(grid, repetitions, seed, printed=True)
