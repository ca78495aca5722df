"""How often RW-FTPL and RW-AdaBatch change their expert. [000, Section 3.1]

On equal means the exact law of each change (`walks.switching`) gives rate and growth, with proved errors
(`certified_switches`). The library's numbers and the simulation of the algorithm are other routes to the
same.
"""

from collections.abc import Sequence
from itertools import product

from private_experts.games.regret import switches
from private_experts.games.streams import STREAMS
from private_experts.replication.balls.balls import Ball, ball, log, pi, precision, sqrt, square
from private_experts.replication.balls.boxes import agreement, at_point
from private_experts.replication.ledger.evidence import Grid, Point, labelled
from private_experts.replication.papers.p000.certified_switches import change, expected
from private_experts.replication.papers.p000.fixed_stream_regret import plays
from private_experts.replication.papers.p000.gap_law import mean_of_largest
from private_experts.replication.papers.p000.sampled_points import mean_point, near_points
from private_experts.replication.papers.p000.switching import (
    change_probability,
    expected_changes,
    most_changes,
)
from private_experts.replication.study.intervals import mean_interval
from private_experts.walks.gap import density

_SUMS = 1e-3  # relative: how far the library's sums may be off, which are proved to about 4 of 10000


def switch_count(grid: Grid) -> list[Point]:
    """RW-FTPL's switches on equal means: the most, the rate and the growth, by a change's exact law."""
    parts = {
        "most": most_switches(grid["most"]),
        "rate": switch_rate(grid["rate"]),
        "growth": switch_growth(grid["growth"]),
    }
    return labelled("fact", parts)


def switch_law(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """RW-FTPL, played, switches by the exact law on equal means, and on streams within the bound."""
    law, streams = grid["law"], grid["streams"]
    parts = {
        "law": as_by_the_law(law, law["times"] * repetitions, seed),
        "streams": most_switches_on_streams(streams, repetitions, seed),
    }
    return labelled("fact", parts)


def as_by_the_law(cells: Grid, repetitions: int, seed: int) -> list[Point]:
    """RW-FTPL's mean number of switches on equal means is the one that the exact law of a change gives."""
    games = list(product(cells["n"], cells["T"]))
    points = []
    for n, horizon in games:
        gains, key = STREAMS["zero"](horizon, n), (seed, "switch law", n, horizon, repetitions)
        counts = switches(plays("rw-ftpl", gains, cells["eta"], 0.01, repetitions, *key))
        exact = expected_changes(horizon, n)
        measured, where = mean_interval(counts / exact, intervals=len(games)), {"n": n, "T": horizon}
        points += near_points(where, measured, 1, cells["tolerance"], {"exact": exact})
    return points


def switch_rate(cells: Grid) -> list[Point]:
    """RW-FTPL's expected switches on equal means are (2 / sqrt pi) f_n(0) sqrt(T) in the long run.

    After t rounds the gap has density f_n(g / s) / s with s = eta sqrt(t + 1), and the leader changes when D
    ~ N(0, 2 eta^2) exceeds it: for large t with probability f_n(0) / s times D's mean positive part, eta /
    sqrt(pi). DERIVED here. [mathematics/000.md#switch-rate]
    """
    points = []
    with precision():
        for n in cells["n"]:
            peak = mean_of_largest(n)
            points.append(agreement({"n": n, "what": "density"}, float(density(0.0, n)), peak, 1e-10))
            totals = expected([horizon for horizon, _ in cells["T, tolerance"]], n)
            for (horizon, tolerance), total in zip(cells["T, tolerance"], totals, strict=True):
                # At 0 the density of the gap of n standard normals is the mean of their largest.
                ratio, where = total / (2 * peak * sqrt(horizon / pi())), {"n": n, "T": horizon}
                points += _around(where, ratio, ball(1), tolerance)
                points.append(
                    agreement({**where, "what": "library"}, expected_changes(horizon, n), total, _SUMS)
                )
    return points


def switch_growth(cells: Grid) -> list[Point]:
    """Switches on equal means grow like sqrt(T): the slope of their log mean against log T is 1/2.

    The least-squares slope of the exact means. [mathematics/000.md#switch-growth]
    """
    points = []
    with precision():
        for n, (horizons, tolerance) in product(cells["n"], cells["T, tolerance"]):
            totals = expected(horizons, n)
            where = {"n": n, "from_T": horizons[0], "T": horizons[-1]}
            slope = _slope([log(horizon) for horizon in horizons], [log(total) for total in totals])
            points += _around(where, slope, ball("0.5"), tolerance)
            for horizon, total in zip(horizons, totals, strict=True):
                place = {**where, "T": horizon, "what": "library"}
                points.append(agreement(place, expected_changes(horizon, n), total, _SUMS))
    return points


def _around(where: Grid, value: Ball, middle: Ball, tolerance: float) -> list[Point]:
    """Return the evidence that a ball is within a tolerance of a number, one point for each side."""
    above = at_point({**where, "side": "above"}, value, middle - tolerance, sense=">=")
    return [above, at_point({**where, "side": "below"}, value, middle + tolerance)]


def _slope(x: Sequence[Ball], y: Sequence[Ball]) -> Ball:
    """Return the slope of the straight line through some points by least squares."""
    mean = sum(x, ball(0)) / len(x)
    apart = [number - mean for number in x]
    return sum((one * other for one, other in zip(apart, y, strict=True)), ball(0)) / sum(
        map(square, apart), ball(0)
    )


def most_switches(cells: Grid) -> list[Point]:
    """On equal means expected switches are at most 2 f_n(0) sqrt(T / pi), and each chance in proportion.

    The chance of a change after t rounds, divided by its bound f_n(0) arctan(1 / sqrt t) / sqrt(pi), is at
    most 1 up to the rounding. [mathematics/000.md#switch-count]
    """
    points = []
    with precision():
        most = 1 + ball(cells["rounding"])
        for n in cells["n"]:
            peak = mean_of_largest(n)
            for t in cells["t"]:
                chance, where = change(ball(t), n), {"n": n, "T": t, "quantity": "one change"}
                # As t grows the chance approaches its bound from below: the difference is lost in rounding,
                # hence the margin.
                ratio = chance / (peak * (1 / sqrt(t)).atan() / sqrt(pi()))
                points.append(at_point(where, ratio, most))
                points.append(
                    agreement({**where, "what": "library"}, float(change_probability(t, n)), chance, 1e-4)
                )
            for horizon, total in zip(cells["T"], expected(cells["T"], n), strict=True):
                bound, where = 2 * peak * sqrt(horizon / pi()), {"n": n, "T": horizon, "quantity": "all"}
                points.append(at_point(where, total / bound, most))
                points.append(
                    agreement({**where, "what": "library"}, expected_changes(horizon, n), total, _SUMS)
                )
                points.append(agreement({**where, "what": "bound"}, most_changes(horizon, n), bound, 1e-10))
    return points


def most_switches_on_streams(cells: Grid, repetitions: int, seed: int) -> list[Point]:
    """On any fixed stream RW-FTPL's expected switches are at most f_n(0) (2/sqrt(pi) + 3/(2 eta)) sqrt(T).

    On the same reports RW-AdaBatch switches no more often, so the bound is its too.
    [mathematics/000.md#switch-count]
    """
    games = list(product(cells["stream"], cells["n"], cells["T"], cells["eta"]))
    points = []
    for stream, n, horizon, eta in games:
        gains, key = STREAMS[stream](horizon, n), (seed, "switch count", stream, n, horizon, eta, repetitions)
        counts = switches(plays("rw-ftpl", gains, eta, 0.01, repetitions, *key))
        where = {"stream": stream, "n": n, "T": horizon, "eta": eta}
        points.append(mean_point(where, counts, most_changes(horizon, n, eta), len(games)))
    return points
