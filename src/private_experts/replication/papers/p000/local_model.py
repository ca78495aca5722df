"""What the local model costs and gives: the noise of a report, of a week, and of learners that share reports.

[mathematics/000.md#privacy] [mathematics/000.md#naive-split]
"""

import math
from itertools import combinations, product

import numpy as np
from scipy.special import ndtri

from private_experts.algorithms.rw_ftpl import RWFTPL
from private_experts.algorithms.rw_meta import RWMeta
from private_experts.arrays import Array
from private_experts.games.play import play, private_reports
from private_experts.games.streams import STREAMS
from private_experts.privacy.accountant import compose
from private_experts.privacy.gaussian_mechanism import tradeoff
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, largest, precision, rational, sqrt, square
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.choices import Adjacency
from private_experts.replication.intervals import clopper_pearson
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p000.sampled_points import near_points
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.hospital_game import game

_FARTHEST = np.repeat([[0.0], [1.0]], 100, axis=1)  # two gain vectors as far apart as gains in [0, 1] can be


def local_guarantee(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """With noise Delta / mu, the best attack on a report makes the errors of mu-GDP, no more and no fewer.

    The attacker tells gains 0 from gains 1, by the sum of the report's coordinates, which is the likelihood ratio test.
    Errors are compared as quantiles of the normal law, so that small ones count as much.
    [mathematics/000.md#local-guarantee]
    """
    cells = list(product(grid["n"], grid["mu"]))
    points = []
    for n, mu in cells:
        noise = SimulatedNoise(rng_for(seed, "report", n, mu, repetitions))
        reports = private_reports(_FARTHEST[:, :n], GaussianDP(mu, "local"), math.sqrt(n), noise, repetitions)
        sums = [report.values.sum(axis=1) for report in reports]
        scale = math.sqrt(n) / mu  # that of the reports, if they are right
        for alpha in grid["alpha"]:
            level = scale * math.sqrt(n) * float(ndtri(1 - alpha))
            errors = {"type I": (sums[0] > level, alpha), "type II": (sums[1] <= level, float(tradeoff(alpha, mu)))}
            for error, (made, promised) in errors.items():
                count = int(made.sum())
                ends = clopper_pearson(count, repetitions, 2 * len(cells) * len(grid["alpha"]))
                value, low, high = ndtri([count / repetitions, *ends])
                where = {"n": n, "mu": mu, "alpha": alpha, "error": error}
                notes = {"share": count / repetitions, "promised": promised}
                points += near_points(where, (value, low, high), float(ndtri(promised)), grid["tolerance"], notes)
    return points


def weekly_sensitivity(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """No person moves a week's densities by more than the week's sensitivity, and some person moves them by as much.

    Every choice of a person is tried: from each hospital to each other (move), or to none (removal). Beds are drawn,
    and in odd instances the two smallest hospitals have equally many, where the formula is attained.
    """
    points = []
    adjacencies: tuple[Adjacency, ...] = ("move", "removal")
    for adjacency, n, number in product(adjacencies, grid["n"], range(grid["instances"])):
        rng = rng_for(seed, "beds", n, number)
        beds = np.sort(rng.uniform(4.0, 60.0, n))
        if number % 2:
            beds[1] = beds[0]
        patients = np.floor(rng.uniform(1, beds))
        panel = Panel(("2021-01-03",), tuple(map(str, range(n))), (patients / beds)[None], beds[:1])
        claimed = ball(float(game(panel, "any", [1.0], 1, 0, adjacency).sensitivity[0]))
        where = {"adjacency": adjacency, "n": n, "instance": number}
        with precision():
            moved, slack = _largest_move(patients, beds, adjacency), rational("1e-12")
            points.append(at_point({**where, "what": "covers"}, moved, claimed * (1 + slack)))
            if adjacency == "removal" or number % 2:
                points.append(at_point({**where, "what": "attained"}, moved, claimed * (1 - slack), sense=">="))
    return points


def _largest_move(patients: Array, beds: Array, adjacency: Adjacency) -> Ball:
    """Return the largest distance between a week's densities before and after one person's choice."""
    counts = patients.tolist()
    before = [count / ball(size) for count, size in zip(counts, beds.tolist(), strict=True)]
    distances = []
    for places in combinations(range(beds.size), 2 if adjacency == "move" else 1):
        after = list(before)
        for place, change in zip(places, (-1, 1), strict=False):
            after[place] = (counts[place] + change) / ball(float(beds[place]))
        squares = (square(now - then) for now, then in zip(after, before, strict=True))
        distances.append(sqrt(sum(squares, ball(0))))
    return largest(distances)


def naive_split(grid: Grid) -> list[Point]:
    """When m learners get noise of their own, level mu in all asks for sqrt(m) times the noise of a report.

    Each release is given the level mu / sqrt(m). Two routes to the level of all: composition, and the mean of the
    releases, which says all that they say and has noise smaller by sqrt(m). [mathematics/000.md#naive-split]
    """
    points = []
    for m, mu in product(grid["m"], grid["mu"]):
        growth = math.sqrt(m)
        alone = GaussianDP(mu / growth, "local")
        scale = growth * GaussianDP(mu, "local").noise_scale(1.0)
        levels = {"composition": compose(*[alone] * m).mu, "mean of the releases": growth / scale}
        for route, level in levels.items():
            points.append(Point({"m": m, "mu": mu, "route": route}, abs(level / mu - 1), grid["tolerance"]))
    return points


def shared_reports(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """What a learner of RW-Meta knows does not depend on how many learners there are.

    The value is the largest difference between RW-FTPL's totals with m - 1 others and without; the note is their noise.
    """
    points = []
    for n, m in product(grid["n"], grid["m"]):
        gains = STREAMS["coin-flips"](grid["T"], n)
        alone, among = (_totals(gains, learners, repetitions, seed) for learners in (1, m))
        width = float((among - gains.sum(axis=0)).std() / math.sqrt(grid["T"] + 1))
        points.append(Point({"n": n, "m": m}, float(np.abs(among - alone).max()), 0.0, notes={"noise": width}))
    return points


def _totals(gains: Array, m: int, repetitions: int, seed: int) -> Array:
    """Return the noisy totals that the first of m learners has after a game with noise scale 1, (repetitions, n)."""
    n, guarantee = gains.shape[1], GaussianDP(1.0, "local")
    sources = [SimulatedNoise(rng_for(seed, "first noise", n, number)) for number in range(m)]
    learners = [RWFTPL(n, guarantee, noise_scale=1.0, noise=noise, repetitions=repetitions) for noise in sources]
    meta = RWMeta(learners, guarantee, rng=rng_for(seed, "choice", n, m))
    play(meta, private_reports(gains, guarantee, 1.0, SimulatedNoise(rng_for(seed, "reports", n)), repetitions))
    return learners[0].total
