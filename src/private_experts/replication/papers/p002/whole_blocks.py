"""The noisy leader of whole blocks has the optimal rate on every stream. [mathematics/002.md#whole-blocks]"""

from collections.abc import Iterator

from private_experts.algorithms.bernoulli_resampled import BernoulliResampled
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, exp, log, log1p, precision, sqrt
from private_experts.replication.balls.boxes import at_point, over_box, widened
from private_experts.replication.ledger.evidence import Grid, Point, labelled
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.blocks import block_regret, exact_errors
from private_experts.replication.papers.p002.error_potential import algorithm_of, instance, simulated_regret
from private_experts.replication.papers.p002.gap_regret import AXES, rate_bound, resampled
from private_experts.replication.papers.p002.random_prefix import ahead, falling_errors
from private_experts.replication.study.intervals import mean_interval

MORE = 11.0  # rounds that the proof adds to the two rates
_TERMS = 60  # of sums; for two actions what is left out is below 1e-17
_REST = 1e-15


def whole_blocks(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Selections from whole blocks have at most the regret A log K / Delta_min + B log K / eps + 11.

    They are a softmax, report-noisy-max (the algorithm of Hu et al.), and that on gains resampled to 0 and 1
    (of Wu and Wang), whose games are played on the flips. Each is repeated so many `times`. Further rows have
    the exact law of report-noisy-max for two actions, the library's class that resamples, and the paper's
    randomised prefix beside whole blocks. Lazy is uniform play.
    """
    algorithms = {name: {**grid["shared"], **own} for name, own in grid["algorithm"].items()}
    intervals = sum(len(cells_of(settings, *AXES)) for settings in algorithms.values())
    # All rows are one claim, so their intervals hold jointly.
    intervals += len(cells_of(grid["played"], *_PLAYED))
    by_name = {
        name: rate_bound(settings, settings["times"] * repetitions, seed, name, MORE, intervals)
        for name, settings in algorithms.items()
    }
    # Section 4 has a prefix stand for its block: what that costs, and where it pays
    beside = [*falling_errors(grid["falling errors"]), *ahead(grid["prefix ahead"])]
    points = labelled("algorithm", {**by_name, "beside the prefix": beside})
    points += _by_law(grid["exact"], algorithms["noisy max"]["constants"]["derived"])
    games = algorithms["resampled"]["times"] * repetitions
    return [*points, *_class_played(grid["played"], games, seed, intervals)]


_PLAYED = ("kind", "gap", "epsilon", "T")


def _by_law(cells: Grid, constants: tuple[float, float]) -> Iterator[Point]:
    """Yield report-noisy-max's regret for two actions, by quadrature of totals' and selection's laws."""
    a, b = constants
    for where, kind, gap, epsilon, horizon in cells_of(cells, *_PLAYED):
        stream, algorithm = instance(kind, 2, gap), algorithm_of("noisy max", 2, epsilon, rng_for(0))
        value = float(block_regret(exact_errors(algorithm, stream, horizon.bit_length()), [horizon])[0])
        with precision():
            bound = float((log(ball(2)) * (a / ball(gap) + b / ball(epsilon)) + MORE).mid())
        place = {"algorithm": "noisy max", **where, "K": 2, "doubling": False}
        place["constants"] = "derived, exact law"
        yield Point(place, value, bound, trivial=horizon * gap, lazy=horizon * gap / 2)


def _class_played(part: Grid, repetitions: int, seed: int, intervals: int) -> Iterator[Point]:
    """Yield that the library's class that resamples has the regret of the flips' stream, as a share of it."""
    for where, kind, gap, epsilon, horizon in cells_of(part, *_PLAYED):
        key = (seed, "resampled", kind, gap, epsilon, horizon, repetitions)
        stream, games = instance(kind, 2, gap), repetitions * part["games"]
        leader = algorithm_of("resampled", 2, epsilon, rng_for(*key, "own"), games)
        exact = block_regret(exact_errors(leader, resampled(stream), horizon.bit_length()), [horizon])[0]
        algorithm = BernoulliResampled(2, leader, rng=rng_for(*key, "flips"), repetitions=games)
        # The class plays its own flips, while the exact regret is of a stream of flips: equal only if it
        # resamples rightly.
        ratios = simulated_regret(algorithm, stream, horizon, rng_for(*key)) / exact
        mean, low, high = (float(end) for end in mean_interval(ratios, intervals=intervals))
        lazy = float(horizon * gap / 2 / exact)
        place = {"algorithm": "resampled", **where, "K": 2, "doubling": False, "constants": "played"}
        yield Point(place, mean, 1 - part["tolerance"], low, high, ">=", lazy=lazy)
        yield Point(place, mean, 1 + part["tolerance"], low, high, "<=", lazy=lazy)


def _late(log_k: Ball, exponent: int) -> Ball:
    """Return ``4 log(1 + (K - 1) K^-exponent) / log K``."""
    return 4 * log1p((1 - exp(-log_k)) * exp((1 - exponent) * log_k)) / log_k


def blocks_per_gap(log_k: Ball) -> tuple[Ball, Ball]:
    """Return the constant of log K / Delta_min for whole blocks, and 36."""
    early = 4 / (1 - 1 / sqrt(ball(2))) - 4
    # Terms fall doubly exponentially in j: for K = 2 those left out are below 1e-17.
    late = sum((_late(log_k, 2**j) for j in range(6)), ball(_REST))
    return 2 * (early + 2 * 2 + late), ball(36)


def prefixes_per_gap(log_k: Ball) -> tuple[Ball, Ball]:
    """Return the constant of log K / Delta_min for the randomised prefix, with block 0's round, and 47."""
    late = sum((_late(log_k, j) * log(1 + ball(1) / j) for j in range(1, _TERMS)), ball(_REST))
    return 4 * (6 + 2 * log(ball(4)) + late) + 1 / log_k, ball(47)


def largest_laplace(n: int) -> Ball:
    """Return the expected largest of n standard Laplace variables."""
    halves = ((1 - ball(2) ** -j) / j for j in range(1, n + 1))
    return sum(halves, ball(0)) - ball(2) ** -n / n


def largest_exponential(n: int) -> Ball:
    """Return by how much the expected largest of n standard exponentials exceeds the mean of one."""
    return sum((ball(1) / j for j in range(2, n + 1)), ball(0))


def whole_blocks_constants(grid: Grid) -> list[Point]:
    """The constants of the proof, for all K from 2 to e^60 as real numbers; the noise's for whole K."""
    box = {"log_k": widened(*grid["log_K"])}
    # In log K, as K itself reaches e^60.
    points = [
        over_box({"constant": of_gap.__name__}, of_gap, box) for of_gap in (blocks_per_gap, prefixes_per_gap)
    ]
    for n in grid["K"]:
        with precision():
            for noise, most in (
                (largest_laplace, ball(grid["laplace"]) / 16),
                (largest_exponential, ball(1)),
            ):
                points.append(at_point({"constant": noise.__name__, "K": n}, noise(n), most * log(ball(n))))
    return points
