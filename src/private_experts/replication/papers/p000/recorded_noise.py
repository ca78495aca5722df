"""The noise that the study's local players hear on the run's panels. [verdicts.md#drawn-noise]

A run keeps no reports, but sums of their noise by hospital and by week, taken where a player is given them.
These are compared with scales that are computed here from the panels' beds. Single cells take more copies
than a run plays: for them reports are made anew, by the functions that the players call. So is the noise
before the first week, which no report has.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.special import chdtri, ndtri

from private_experts.algorithms.rw_ftpl import RWFTPL
from private_experts.arrays import Array
from private_experts.privacy.reports import Reports
from private_experts.replication.ledger.evidence import Grid, NotRunError, Point
from private_experts.replication.study.batching.hospital_batches import RHOS, batcher_and_reports
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.hospital_game import Game, game, local_game
from private_experts.replication.study.intervals import CONFIDENCE
from private_experts.replication.study.own_counts.own_games import own_follower, reporting
from private_experts.replication.study.players.rw_ftpl import follower

_PARTS = 4  # of reports made anew: hospitals, weeks, cells, and pairs of weeks
_BEFORE = 3  # of the noise before them: all, hospitals, and pairs with the first week
_KEPT = 3  # of recorded ones: hospitals, weeks, and pairs of weeks
_TWO_WEEKS = "product of two weeks"
_ALPHA = 0.01  # of batches; their first noise does not depend on it
_ROUNDED = 1e-9  # what rounding of a file's digits may change


def recorded_noise(
    grid: Grid, repetitions: int, seed: int, panels: Mapping[str, Panel], report_noise: pd.DataFrame
) -> list[Point]:
    """Noise has the scale that the panel's beds ask for, at each hospital and in each week."""
    if any(panel.beds is None or panel.covering is None for panel in panels.values()):
        raise NotRunError("the panels have no beds of each hospital: make them again")
    records = {
        state: list(report_noise[report_noise["state"] == state].groupby("algorithm")) for state in panels
    }
    cells = len(panels) * (4 * _PARTS + 5 * _BEFORE) + _KEPT * sum(map(len, records.values()))
    points: list[Point] = []
    for state, panel in panels.items():
        games = _games(panel, state, grid["mu"], repetitions, seed)
        if missing := {*games} - {_mechanism(str(algorithm)) for algorithm, _ in records[state]}:
            raise NotRunError(f"{state}: no player has the noise of {', '.join(sorted(missing))}")
        for algorithm, sums in records[state]:
            mechanism = _mechanism(str(algorithm))
            where = {"state": state, "reports": str(algorithm), "mechanism": mechanism}
            points += _recorded(where, sums, np.square(games[mechanism][1]), grid, cells)
        for mechanism, (match, stated) in games.items():
            own = mechanism.startswith("own")
            reports = own_follower(match, grid["mu"])[1] if own else _shared(match, grid["mu"])
            where = {"state": state, "reports": "made anew", "mechanism": mechanism}
            points += _recomputed(where, reports, panel.density, stated / grid["mu"], grid, cells)
            for player, first, week in _first_noises(match, grid["mu"], mechanism):
                points += _before(where, player, first, week, stated[0] / grid["mu"], grid, cells)
    return points


def _mechanism(algorithm: str) -> str:
    """Return the mechanism whose noise an algorithm of the records hears."""
    covered = ", suppression" if algorithm.startswith("covered/") else ""
    own = algorithm.removeprefix("covered/").startswith("own")
    return f"{'own counts' if own else 'one noise for all'}{covered}"


def _recorded(
    where: Mapping[str, str], report_noise: pd.DataFrame, variance: Array, grid: Grid, cells: int
) -> Iterator[Point]:
    """Yield what a player was told of the noise, and the hospital and week that are furthest from it.

    The `variance` (T, n) is what noise needs at level 1. All levels at which the player played are looked at.
    """
    for axis, side in enumerate(("hospital", "week")):
        sums = report_noise[report_noise["side"] == side].sort_values(["mu", "number"])
        expected = np.concatenate([variance.sum(axis=axis) / mu**2 for mu in sums["mu"].unique()])
        if len(sums) != expected.size:
            raise NotRunError(f"{where['reports']}: {len(sums)} sums by {side}, not {expected.size}")
        place = {**where, "scale of each": f"{side}, as the reports state it"}
        yield Point(place, float(np.abs(sums["variance"] / expected - 1).max()), _ROUNDED)
        others, slack = variance.shape[axis], grid["week" if side == "week" else "slack"]
        squares, copies = sums["squares"].to_numpy(), sums["copies"].to_numpy()
        yield _furthest({**where, "scale of each": side}, squares, copies * others, slack, cells)
    # The levels of a hospital together: where one of them reused its noise, their mean would tell.
    levels = report_noise[report_noise["side"] == "hospital"].groupby("number")[["products", "copies"]].sum()
    pairs = levels["copies"].to_numpy() * (len(variance) - 1)
    alike = {**where, "scale of each": _TWO_WEEKS}
    yield _most_alike(alike, levels["products"].to_numpy(), pairs, grid["slack"], cells)


def _games(panel: Panel, state: str, mu: float, repetitions: int, seed: int) -> dict[str, tuple[Game, Array]]:
    """Return each mechanism's game, and the noise (T, n) that it needs at level 1."""
    match = game(panel, state, [mu], repetitions, seed)
    covered = game(panel, state, [mu], repetitions, seed, reach="derived")
    beds, covering = np.asarray(panel.beds), np.asarray(panel.covering)
    fixed = np.minimum(1 / panel.smallest_beds, 1.0)[:, None] + np.zeros(beds.shape)
    widest = covering.max(axis=1, keepdims=True) + np.zeros(beds.shape)
    return {
        "one noise for all": (match, math.sqrt(2) * fixed),
        "own counts": (match, math.sqrt(2) * np.minimum(1 / beds, 1.0)),
        "one noise for all, suppression": (covered, math.sqrt(2) * widest),
        "own counts, suppression": (replace(match, reach=covering), math.sqrt(2) * covering),
    }


def _shared(match: Game, mu: float) -> Iterable[Reports]:
    n, copies = match.gains.shape[1], match.repetitions
    return local_game(
        match, mu, lambda stated, noise: RWFTPL(n, stated, noise_scale=1.0, noise=noise, repetitions=copies)
    )[1]


def _recomputed(
    where: Mapping[str, str], reports: Iterable[Reports], gains: Array, stated: Array, grid: Grid, cells: int
) -> Iterator[Point]:
    """Yield the hospital, the week and the cell whose noise is furthest from its scale."""
    squares, products, before = np.empty(gains.shape), 0.0, np.zeros(1)
    copies = 0
    for t, report in enumerate(reports):
        noise = (report.values - gains[t]) / stated[t]
        squares[t], copies = np.square(noise).sum(axis=0), len(noise)
        products += float((noise * before).sum()) if t else 0.0
        before = noise
    weeks, n = gains.shape
    for aspect, sums, draws in (
        ("hospital", squares.sum(axis=0), copies * weeks),
        ("week", squares.sum(axis=1), copies * n),
        ("hospital and week", squares.ravel(), copies),
    ):
        slack = grid["cell" if aspect == "hospital and week" else "slack"]
        yield _furthest({**where, "scale of each": aspect}, sums, draws, slack, cells)
    alike = {**where, "scale of each": _TWO_WEEKS}
    yield _most_alike(alike, np.array([products]), copies * n * (weeks - 1), grid["slack"], cells)


def _first_noises(match: Game, mu: float, mechanism: str) -> Iterator[tuple[str, Array, Array]]:
    """Yield players, with their noise before the first week and that of the first week's reports."""
    own, gains = mechanism.startswith("own"), match.gains[0]
    if "suppression" in mechanism:  # the same functions, for another reach
        return
    leader, reports = (own_follower if own else follower)(match, mu)
    yield "RW-FTPL", leader.total, next(iter(reports)).values - gains
    if not own:  # the study has no batches on own counts
        batcher, reports = batcher_and_reports(match, mu, _ALPHA, RHOS[0])
        yield "RW-AdaBatch", batcher.total, next(iter(reports)).values - gains
    curator, first = reporting(match, mu, np.eye(len(match.gains)), "central-learners", own=own)
    yield "curator", first.values, curator.report(gains).values - gains


def _before(
    where: Mapping[str, str],
    player: str,
    first: Array,
    week: Array,
    stated: Array,
    grid: Grid,
    cells: int,
) -> Iterator[Point]:
    """Yield the noise before the first week against its scale, and against that of the first week's reports.

    Whoever draws from a source a second time has the same noise again, by copies or by hospitals.
    """
    # RW-AdaBatch is for the largest noise.
    noise = first / (stated.max() if player == "RW-AdaBatch" else stated)
    squares = np.square(noise).sum(axis=0)
    named = {**where, "scale of each": f"{player}, before the first week"}
    yield _furthest(named, squares.sum(keepdims=True), noise.size, grid["slack"], cells)
    named = {**named, "scale of each": f"{player}, hospital before the first week"}
    yield _furthest(named, squares, len(noise), grid["cell"], cells)
    others = week / np.sqrt(np.square(week).mean(axis=0)).clip(min=np.finfo(float).tiny)
    products = np.array([noise.ravel() @ other.ravel() for other in (others, others.T)])
    named = {**named, "scale of each": f"{player}, {_TWO_WEEKS}, before the first and then"}
    yield _most_alike(named, products, noise.size, grid["slack"], cells)


def _furthest(where: Mapping[str, str], sums: Array, draws: Array | int, slack: float, cells: int) -> Point:
    """Return how far the root of a mean square is from 1, where that is furthest; `sums` are of squares."""
    tail = (1 - CONFIDENCE) / (2 * cells * sums.size)
    low, high = (np.sqrt(sums / chdtri(draws, level)) - 1 for level in (tail, 1 - tail))
    away, least = np.sqrt(sums / draws) - 1, np.maximum(np.maximum(low, -high), 0.0)
    most = np.maximum(abs(low), abs(high))
    worst = int(np.argmax(least + most))
    return Point(where, float(abs(away[worst])), slack, float(least[worst]), float(most[worst]))


def _most_alike(where: Mapping[str, str], sums: Array, pairs: Array | int, slack: float, cells: int) -> Point:
    """Return the mean product of noises that is largest."""
    width = -ndtri((1 - CONFIDENCE) / (2 * cells * sums.size)) / np.sqrt(pairs)
    means, widths = np.abs(sums / pairs), np.broadcast_to(width, sums.shape)
    worst = int(np.argmax(means + widths))
    mean, width = float(means[worst]), float(widths[worst])
    return Point({**where}, mean, slack, max(mean - width, 0.0), mean + width)
