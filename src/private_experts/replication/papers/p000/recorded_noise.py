"""The noise that the study's local players hear on the run's panels. [verdicts.md#drawn-noise]

A run keeps panels, gains and switches, and no reports. So reports are made anew, by the functions that the
players call, and compared with scales that are computed here from the panels' beds.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np
from scipy.stats import chi2, norm

from private_experts.algorithms.rw_ftpl import RWFTPL
from private_experts.arrays import Array
from private_experts.privacy.reports import Reports
from private_experts.replication.ledger.evidence import Grid, NotRunError, Point
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.hospital_game import Game, game, local_game
from private_experts.replication.study.intervals import CONFIDENCE
from private_experts.replication.study.own_counts.own_games import own_follower

_PARTS = 4  # of a panel: hospitals, weeks, cells, and pairs of weeks


def recorded_noise(grid: Grid, repetitions: int, seed: int, panels: Mapping[str, Panel]) -> list[Point]:
    """Noise has the scale that the panel's beds ask for, at each hospital and in each week."""
    if any(panel.beds is None or panel.covering is None for panel in panels.values()):
        raise NotRunError("the panels have no beds of each hospital: make them again")
    points: list[Point] = []
    for state, panel in panels.items():
        for mechanism, (match, stated) in _games(panel, state, grid["mu"], repetitions, seed).items():
            own = mechanism.startswith("own")
            reports = own_follower(match, grid["mu"])[1] if own else _shared(match, grid["mu"])
            where = {"state": state, "mechanism": mechanism}
            cells = 4 * len(panels) * _PARTS
            points += _compared(where, reports, panel.density, stated / grid["mu"], grid, cells)
    return points


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


def _compared(
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
    for aspect, sums, degrees in (
        ("hospital", squares.sum(axis=0), copies * weeks),
        ("week", squares.sum(axis=1), copies * n),
        ("hospital and week", squares.ravel(), copies),
    ):
        tail = (1 - CONFIDENCE) / (2 * cells * sums.size)
        ends = [np.sqrt(sums / chi2.ppf(level, degrees)) - 1 for level in (1 - tail, tail)]
        away, least = np.sqrt(sums / degrees) - 1, np.maximum(np.maximum(ends[0], -ends[1]), 0.0)
        most = np.maximum(abs(ends[0]), abs(ends[1]))
        worst = int(np.argmax(least + most))
        slack = grid["cell" if aspect == "hospital and week" else "slack"]
        yield Point(
            {**where, "scale of each": aspect},
            float(abs(away[worst])),
            slack,
            float(least[worst]),
            float(most[worst]),
        )
    pairs = copies * n * (weeks - 1)
    width = float(norm.isf((1 - CONFIDENCE) / (2 * cells)) / math.sqrt(pairs))
    mean = abs(products / pairs)
    reused = {**where, "scale of each": "product of two weeks"}
    yield Point(reused, mean, grid["slack"], max(mean - width, 0.0), mean + width)
