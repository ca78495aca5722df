"""The tracker and AboveThreshold as they play, against the laws that other claims compute."""

import math
from itertools import pairwise

import numpy as np

from private_experts.algorithms.dartboard_parameters import DartboardParameters, theorem_2_regret
from private_experts.algorithms.sequence_weights import count_sequences
from private_experts.algorithms.switching_dartboard import SwitchingDartboard
from private_experts.games.play import play
from private_experts.games.streams import equal_gaps, shifting
from private_experts.privacy.above_threshold import AboveThreshold
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import ball, log, near, precision
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.drawn_samples import law_points
from private_experts.replication.papers.p004.halting import in_units, none_above
from private_experts.replication.papers.p004.one_shift import regret
from private_experts.replication.study.intervals import mean_interval

_BITS = 80


def tracker_played(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """SwitchingDartboard loses in play what its exact law says, and no more than its bound.

    The stream has no chance and one shift, between two batches. Lazy is uniform play.
    """
    cells = list(cells_of(grid, "T", "N", "batch"))
    points = []
    for where, horizon, n, batch in cells:
        eta, p, gap = grid["eta"], grid["p"], grid["gap"]
        parameters = DartboardParameters(eta, p, int(4 * horizon * p / batch), batch)
        board = SwitchingDartboard(
            n,
            PureDP(math.inf, "central"),
            horizon=horizon,
            switches=1,
            rng=rng_for(seed, "tracker played", horizon, n, batch, repetitions),
            repetitions=repetitions,
            parameters=parameters,
        )
        losses = shifting("deterministic", equal_gaps(n, gap), horizon, 1).gaps
        actions = play(board, 1 - losses)
        lost = np.take_along_axis(losses, actions, axis=1).sum(axis=0)
        mean, low, high = (float(end) for end in mean_interval(lost, intervals=2 * len(cells)))
        sequences = count_sequences(horizon // batch, n, 1)
        most = theorem_2_regret(eta, p, horizon, sequences, batch)
        trivial, lazy = float(horizon), gap * (1 - 1 / n) * horizon
        points.append(Point({**where, "what": "bound"}, mean, most, low, high, trivial=trivial, lazy=lazy))
        with precision(_BITS):
            exact = near(regret(n, horizon // batch, gap, -log(1 - ball(eta)))) * batch
        ends = (abs(low / exact - 1), abs(high / exact - 1))
        least = 0.0 if low <= exact <= high else min(ends)
        points.append(Point({**where, "what": "law"}, abs(mean / exact - 1), grid["apart"], least, max(ends)))
    return points


def answers_played(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """AboveThreshold in play first answers "above" with the probabilities of `none_above`.

    Queries are those of Lemma 2.4 and of Algorithm 2, mended: as they stand, and moved by a replaced row.
    """
    cases = {"Lemma 2.4": (1.0, -1.0, 1.0), "Algorithm 2": (2.0, 0.0, 2.0)}
    points: list[Point] = []
    for where, epsilon, count, level in cells_of(grid, "epsilon", "queries", "level"):
        for what, (others, last, sensitivity) in cases.items():
            for sign in (0, 1):
                queries = level / epsilon + sign * np.append(np.full(count - 1, others), last)
                above = AboveThreshold(
                    PureDP(epsilon, "central"),
                    rng=rng_for(seed, "answers", what, epsilon, count, level, sign, repetitions),
                    sensitivity=sensitivity,
                    repetitions=repetitions,
                )
                first = np.full(repetitions, count)
                for number, query in enumerate(queries.tolist()):
                    first[above.test(np.full(repetitions, query))] = number
                units = [in_units(ball(query), epsilon, sensitivity) for query in queries.tolist()]
                alive = [near(none_above([(unit, 1) for unit in units[:j]])) for j in range(count + 1)]
                law = {j: one - other for j, (one, other) in enumerate(pairwise([*alive, 0.0]))}
                place = {**where, "stream": what, "moved": sign}
                points += law_points(place, first, law, slack=grid["apart"], cells=64)
    return points
