"""What the local model costs and gives: the noise of a report, and of a week.

[mathematics/000.md#privacy]
"""

import math
from itertools import combinations, product

import numpy as np
from scipy.special import ndtri

from private_experts.arrays import Array
from private_experts.games.play import private_reports
from private_experts.privacy.gaussian_mechanism import tradeoff
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, largest, precision, rational, sqrt, square
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p000.sampled_points import near_points
from private_experts.replication.study.choices import Adjacency
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.hospital_game import game
from private_experts.replication.study.intervals import clopper_pearson

_FARTHEST = np.repeat([[0.0], [1.0]], 100, axis=1)  # two gain vectors as far apart as gains in [0, 1] can be


def local_guarantee(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """With noise Delta / mu, the best attack on a report makes the errors of mu-GDP, no more and no fewer.

    The attacker tells gains 0 from gains 1, by the sum of the report's coordinates, which is the likelihood
    ratio test. Errors are compared as quantiles of the normal law, so that small ones count as much.
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
            # The sum of n coordinates has noise of sqrt(n) times the scale, and moves by n: a shift of mu in
            # its own units.
            level = scale * math.sqrt(n) * float(ndtri(1 - alpha))
            errors = {
                "type I": (sums[0] > level, alpha),
                "type II": (sums[1] <= level, float(tradeoff(alpha, mu))),
            }
            for error, (made, promised) in errors.items():
                count = int(made.sum())
                ends = clopper_pearson(count, repetitions, 2 * len(cells) * len(grid["alpha"]))
                value, low, high = ndtri([count / repetitions, *ends])
                where = {"n": n, "mu": mu, "alpha": alpha, "error": error}
                notes = {"share": count / repetitions, "promised": promised}
                points += near_points(
                    where, (value, low, high), float(ndtri(promised)), grid["tolerance"], notes
                )
    return points


def weekly_sensitivity(grid: Grid, seed: int) -> list[Point]:
    """No person moves a week's densities by more than its sensitivity, and some person by as much.

    Every choice of a person is tried: from each hospital to each other (move), or to none (removal). Beds are
    drawn, and in odd instances the two smallest hospitals have equally many, where the formula is attained.
    """
    points = []
    adjacencies: tuple[Adjacency, ...] = ("move", "removal")
    for adjacency, n, number in product(adjacencies, grid["n"], range(grid["instances"])):
        rng = rng_for(seed, "beds", n, number)
        beds = np.sort(rng.uniform(4.0, 60.0, n))
        if number % 2:
            # Two equally small hospitals: then a move between them attains the formula.
            beds[1] = beds[0]
        patients = np.floor(rng.uniform(1, beds))
        panel = Panel(("2021-01-03",), tuple(map(str, range(n))), (patients / beds)[None], beds[:1])
        claimed = ball(float(game(panel, "any", [1.0], 1, 0, adjacency).sensitivity[0]))
        where = {"adjacency": adjacency, "n": n, "instance": number}
        with precision():
            moved, slack = _largest_move(patients, beds, adjacency), rational("1e-12")
            points.append(at_point({**where, "what": "covers"}, moved, claimed * (1 + slack)))
            if adjacency == "removal" or number % 2:
                points.append(
                    at_point({**where, "what": "attained"}, moved, claimed * (1 - slack), sense=">=")
                )
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
