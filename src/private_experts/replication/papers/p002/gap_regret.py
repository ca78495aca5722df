"""The regret: its bounds, its true constants, its growth with rounds and actions, and other algorithms."""

from itertools import product
from typing import Any

import numpy as np

from private_experts.algorithms.hedge import Hedge
from private_experts.arrays import Array
from private_experts.games.play import play
from private_experts.games.streams import CoinFlips, Mixture, Stream, chunks, deterministic, equal_gaps, gaps
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import ball, log, precision
from private_experts.replication.balls.boxes import agreement, at_point
from private_experts.replication.ledger.evidence import Grid, Point, labelled
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.blocks import block_regret, exact_errors, sampled_errors
from private_experts.replication.papers.p002.error_potential import WITH_LAPLACE, algorithm_of, instance
from private_experts.replication.papers.p002.softmax_errors import by_block, regret, softmax_errors
from private_experts.replication.study.intervals import mean_interval

PAPER = 1000.0  # Theorem 1's constant


def scale(stream: Stream, epsilon: float) -> float:
    """Return log K / Delta_min + log K / eps. Theorem 1 allows 1000 times as much."""
    least = np.sort(gaps(stream))[1]
    return float(np.log(stream.means.size) * (1 / least + 1 / epsilon))


def _regrets(
    name: str, stream: CoinFlips | Mixture, epsilon: float, horizons: list[int], repetitions: int, *key: Any
) -> Array:
    """Return regrets, shape (repetitions, horizons). For a softmax, expectations given blocks' totals."""
    algorithm = algorithm_of(name, stream.means.size, epsilon, rng_for(*key, name, "selections"))
    blocks, totals = max(horizons).bit_length(), rng_for(*key, name, "totals")
    input_stream = resampled(stream) if name == "resampled" else stream
    # The law given the totals, where there is one, rather than a selection: that removes a part of the
    # spread.
    errors = sampled_errors(
        algorithm, input_stream, blocks, repetitions, totals, by_law=name not in WITH_LAPLACE
    )
    return block_regret(errors, horizons)


def resampled(stream: CoinFlips | Mixture) -> CoinFlips | Mixture:
    """Return the stream of flips that resampling makes of one whose gains are 0 or 1, or known beforehand."""
    if isinstance(stream, Mixture) and len(stream.vectors) > 1:
        # Flips of gains 0 and 1 are these gains, so actions stay dependent as they are.
        assert np.isin(stream.vectors, (0, 1)).all()
        return stream
    return CoinFlips(stream.means)


def theorem_1(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Pseudo-regret over T rounds is at most A log K / Delta_min + B log K / eps. Lazy is uniform play."""
    return rate_bound(grid, repetitions, seed)


def theorem_1_constants(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The same with smaller A and B, and without gaps, where the first term is A sqrt(T log K).

    That (2) follows from (1) is arithmetic.
    """
    return [*rate_bound(grid, repetitions, seed), *_two_forms(grid["two forms"])]


AXES = ("kind", "K", "gap", "doubling", "epsilon", "T")


def rate_bound(
    settings: Grid,
    repetitions: int,
    seed: int,
    name: str = "randomised prefix",
    more: float = 0.0,
    intervals: int | None = None,
) -> list[Point]:
    """Return an algorithm's regrets against A log K / Delta_min + B log K / eps, and some more.

    A gap of 0 stands for the gap T^(-1/2), the hardest one for T rounds. So many `intervals` hold jointly:
    those of the settings, unless others stand beside them.
    """
    cells = cells_of(settings, *AXES)
    points, intervals = [], intervals or len(cells)
    ends: dict[Any, tuple[Array, Array, Array]] = {}  # means of games and their intervals, by horizon
    for where, kind, n, gap, doubling, epsilon, horizon in cells:
        # At this gap noise and signal over T rounds are of one size.
        stream = instance(kind, n, gap or horizon**-0.5, doubling)
        # At a given gap a shorter game is the beginning of a longer one.
        horizons = settings["T"] if gap else [horizon]
        key = (seed, "theorem 1", kind, n, gap, doubling, epsilon, max(horizons), repetitions)
        if key not in ends:
            regrets = _regrets(name, stream, epsilon, horizons, repetitions, *key)
            ends[key] = mean_interval(regrets, axis=0, intervals=intervals)
        mean, low, high = (float(end[horizons.index(horizon)]) for end in ends[key])
        log_k, least = np.log(stream.means.size), np.sort(gaps(stream))[1]
        at_most, lazy = (horizon * float(gap_of) for gap_of in (gaps(stream).max(), gaps(stream).mean()))
        notes = {"constant": mean / scale(stream, epsilon)}
        for constants, (a, b) in settings["constants"].items():
            rate = np.sqrt(horizon * log_k) if constants == "without gaps" else log_k / least
            bound = float(a * rate + b * log_k / epsilon) + more
            place = {**where, "constants": constants}
            points.append(Point(place, mean, bound, low, high, notes=notes, trivial=at_most, lazy=lazy))
    return points


def _two_forms(cells: Grid) -> list[Point]:
    """Return Equation 2's ratio of its two sides' rates, between 1 and 2. [mathematics/002.md#equation-2]"""
    points = []
    for where, gap, epsilon in cells_of(cells, "gap", "epsilon"):
        quotient = (1 / gap + 1 / epsilon) * min(gap, epsilon)
        place = {**where, "constants": "(1) over (2)"}
        points.append(Point({**place, "side": "at most"}, quotient, 2.0))
        points.append(Point({**place, "side": "at least"}, quotient, 1.0, sense=">="))
    return points


def measured_regret(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """On these instances the regret is a few times log K / Delta_min + log K / eps, and stops growing.

    Each part repeats its games so many `times`. All intervals hold jointly. Lazy is uniform play.
    """
    flat, parts = grid["flat"], grid["units"]
    intervals = _flat_intervals(flat) + sum(len(_equal_cells(part)) for part in parts)
    units = [point for part in parts for point in _units(part, part["times"] * repetitions, seed, intervals)]
    late = _flat_in_horizon(flat, flat["times"] * repetitions, seed, intervals)
    return labelled("part", {"units": units, "flat": late})


def _equal_cells(part: Grid) -> list[tuple[Any, ...]]:
    return list(product(part["kind"], part["K"], part["gap"], part["doubling"], part["epsilon"]))


def _flat_intervals(flat: Grid) -> int:
    return len(flat["kind"]) * len(flat["K"]) * len(flat["gap"]) * len(flat["epsilon"]) * len(flat["T"])


def _units(part: Grid, repetitions: int, seed: int, intervals: int) -> list[Point]:
    """Return regrets against `constant` times log K / Delta_min + log K / eps.

    The notes are the other algorithms' mean regrets on the same instances.
    """
    points, horizon = [], part["T"]
    for kind, n, gap, doubling, epsilon in _equal_cells(part):
        stream = instance(kind, n, gap, doubling)
        key = (seed, "constant", kind, n, gap, doubling, epsilon, horizon, repetitions)
        regrets = {
            name: _regrets(name, stream, epsilon, [horizon], repetitions, *key)
            for name in ("randomised prefix", "noisy max", "whole block")
        }
        jointly = mean_interval(regrets["randomised prefix"], axis=0, intervals=intervals)
        mean, low, high = (float(end[0]) for end in jointly)
        unit = scale(stream, epsilon)
        notes = {
            "constant": mean / unit,
            "noisy_max": float(regrets["noisy max"].mean()),
            "whole_block": float(regrets["whole block"].mean()),
            "theorem_1": PAPER * unit,
        }
        where = {"kind": kind, "K": stream.means.size, "gap": gap, "doubling": doubling, "epsilon": epsilon}
        at_most, lazy = (horizon * float(gap_of) for gap_of in (gaps(stream).max(), gaps(stream).mean()))
        bound = part["constant"] * unit
        points.append(Point(where, mean, bound, low, high, notes=notes, trivial=at_most, lazy=lazy))
    return points


def _flat_in_horizon(part: Grid, repetitions: int, seed: int, intervals: int) -> list[Point]:
    """Return the regret over T rounds minus that over T* = `multiple` log K / min(Delta_min, eps)^2 rounds.

    It may be at most `tolerance` times log K / Delta_min + log K / eps. Where gains have no chance in them,
    it is exact. The notes are mean regrets over T rounds: the algorithm's and those of others.
    """
    points, horizons = [], part["T"]
    for kind, n, gap, epsilon in product(part["kind"], part["K"], part["gap"], part["epsilon"]):
        stream = instance(kind, n, gap)
        key = (seed, "horizon", kind, n, gap, epsilon, repetitions)
        # By then the leader is wrong with little probability, by gap and by noise, so the regret should stand
        # still.
        settled = int(part["multiple"] * np.log(n) / min(gap, epsilon) ** 2)
        if _certain(stream):
            sure = deterministic(gaps(stream))
            exact = _exact_regrets("randomised prefix", sure, epsilon, [*horizons, settled])
            mean = low = high = exact[:-1]
            more = least = most = exact[:-1] - exact[-1]
        else:
            regrets = _regrets("randomised prefix", stream, epsilon, [*horizons, settled], repetitions, *key)
            mean = regrets[:, :-1].mean(axis=0)
            low, high = mean.copy(), mean.copy()
            # the first expert is drawn uniformly, so the regret of round 1 is known
            uncertain = np.array(horizons) > 1
            _, low[uncertain], high[uncertain] = mean_interval(
                regrets[:, :-1][:, uncertain], axis=0, intervals=intervals
            )
            # Differences within each repetition: what was lost before T* is in both, and cancels.
            more, least, most = mean_interval(regrets[:, :-1] - regrets[:, -1:], axis=0, intervals=intervals)
        others = _others(stream, epsilon, horizons, part["hedge"], repetitions, *key)
        for place, horizon in enumerate(horizons):
            notes = {"regret": float(mean[place])}
            notes |= {"regret_low": float(low[place]), "regret_high": float(high[place])}
            notes |= {name: float(regrets_of[place]) for name, regrets_of in others.items()}
            notes |= {"theorem_1": PAPER * scale(stream, epsilon), "settled": settled}
            where = {"kind": kind, "K": n, "gap": gap, "epsilon": epsilon, "T": horizon}
            bound = part["tolerance"] * scale(stream, epsilon)
            sides = (float(more[place]), bound, float(least[place]), float(most[place]))
            # what can be added after T*; before it, the claim says nothing
            further = max(0, horizon - settled) * gap
            lazy = further * (1 - 1 / n)
            points.append(Point(where, *sides, notes=notes, trivial=further, lazy=lazy))
    return points


def _certain(stream: CoinFlips | Mixture) -> bool:
    """Tell whether every gain is known beforehand: one vector, or means of 0 and 1 alone."""
    return bool(np.isin(stream.means, (0, 1)).all()) or (
        isinstance(stream, Mixture) and len(stream.vectors) == 1
    )


def _others(
    stream: CoinFlips | Mixture, epsilon: float, horizons: list[int], hedge: int, repetitions: int, *key: Any
) -> dict[str, Array]:
    """Return mean regrets of the paper's rivals. Hedge plays `hedge` rounds at most."""
    n = stream.means.size
    means = {}
    # For resampled gains the stream is one of independent coin flips with the same means. Resampling gives
    # these where the flips are independent already, or where there is no chance. It leaves the opposed
    # streams as they are, so for them the stream used here is another one.
    # [mathematics/002.md#bernoulli-resampling]
    for name, input_stream in (
        ("noisy max", stream),
        ("whole block", stream),
        ("resampled", CoinFlips(stream.means)),
    ):
        plays = "noisy max" if name == "resampled" else name
        regrets = _regrets(plays, input_stream, epsilon, horizons, repetitions, *key, "told", name)
        means[name.replace(" ", "_")] = regrets.mean(axis=0)
    # Hedge has to play every round: for curves in a figure, fewer games suffice.
    few = max(2, repetitions // 50)
    hedging = Hedge(n, rng=rng_for(*key, "hedge"), repetitions=few)
    added = [
        gaps(stream)[play(hedging, rounds, resume=True)].mean(axis=1)
        for rounds in chunks(stream, min(hedge, max(horizons)), few, rng_for(*key, "hedge", "streams"))
    ]
    total = np.concatenate(added).cumsum()
    means["hedge"] = np.array([total[T - 1] if len(total) >= T else np.nan for T in horizons])
    return means


def privacy_term(grid: Grid) -> list[Point]:
    """When every other action loses 1 more each round, the regret is 8 log K / eps up to a constant.

    Let S be the sum of q_r over r >= 0. At the end of a late block the regret is 4 S - 3 q_0 - 2 q_1. S is at
    least log K / beta and at most q_0 more. The notes are the regrets of the other algorithms. The library's
    regret is compared with balls. Lazy is uniform play.
    """
    points = []
    for where, n, epsilon in cells_of(grid, "K", "epsilon"):
        stream = deterministic(equal_gaps(n, 1.0))
        # Blocks so late that errors beyond them are below e^-40 of the regret.
        blocks = int(np.ceil(np.log2((np.log(n) + 40) / (epsilon / 2)))) + 2
        # At the end of a block, so that all its rounds count.
        horizon = 2**blocks - 1
        regrets = {
            name: float(_exact_regrets(name, stream, epsilon, [horizon])[0])
            for name in ("randomised prefix", "noisy max", "whole block")
        }
        notes = {"regret": regrets["randomised prefix"], "noisy_max": regrets["noisy max"]}
        notes |= {
            "whole_block": regrets["whole block"],
            "theorem_1": PAPER * scale(stream, epsilon),
            "T": horizon,
        }
        with precision():
            q = [1 - ball(1) / n, *softmax_errors("deterministic", n, 1.0, epsilon / 2, 2 ** (blocks - 2))]
            exact = regret(by_block(q[0], q[1:], blocks), horizon)
            excess = exact - 8 * log(ball(n)) / epsilon
            lazy = horizon * (1 - 1 / n) - 8 * float(np.log(n)) / epsilon
            points.append(
                at_point({**where, "side": "below"}, excess, -3 * q[0] - 2 * q[1], notes, ">=", lazy=lazy)
            )
            points.append(at_point({**where, "side": "above"}, excess, q[0] - 2 * q[1], notes, lazy=lazy))
            points.append(agreement({**where, "side": "library"}, regrets["randomised prefix"], exact, 1e-9))
    return points


def _exact_regrets(name: str, stream: CoinFlips | Mixture, epsilon: float, horizons: list[int]) -> Array:
    # only its law is used, so the generator does not matter
    algorithm = algorithm_of(name, 2, epsilon, rng_for(0))
    return block_regret(exact_errors(algorithm, stream, max(horizons).bit_length()), horizons)
