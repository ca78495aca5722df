"""The algorithms of 002 on the hospitals' gains: what each is expected to gain, from the laws of its selections."""

from collections.abc import Mapping

import numpy as np

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.arrays import Array
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p002.error_potential import algorithm_of
from private_experts.replication.study.data.panel import Panel

PAPERS, OTHERS = "randomised prefix", ("whole block", "noisy max")


def expected_gain(algorithm: DyadicLeader, gains: Array) -> float:
    """Return the expected gain over T rounds, gains (T, n): in each block that of the law of its selection."""
    totals = np.concatenate([np.zeros((1, gains.shape[1])), gains.cumsum(axis=0)])
    gained, start, size = float(gains[0].mean()), 1, 2  # the first round's expert is drawn uniformly
    while start < len(gains):
        seen = size // 2
        begin = start - seen
        prefixes = np.arange(int(algorithm.shortest_prefix(np.array([seen]))[0]), seen + 1)
        law = algorithm.law(totals[begin + prefixes] - totals[begin]).mean(axis=0)
        gained += float((gains[start : start + size] @ law).sum())
        start, size = start + size, 2 * size
    return gained


def hospital_race(grid: Grid, repetitions: int, seed: int, panels: Mapping[str, Panel]) -> list[Point]:
    """On the hospitals the paper's algorithm gains at least as much as whole blocks and as report-noisy-max.

    A datum is all gains of a week. Lazy is to draw a hospital at random in each week.
    """
    points = []
    for state, panel in panels.items():
        gains = panel.density
        drawn, best = float(gains.mean(axis=1).sum()), float(gains.sum(axis=0).max())
        for epsilon in grid["epsilon"]:
            found = {
                name: expected_gain(algorithm_of(name, gains.shape[1], epsilon, rng_for(seed, "unused")), gains)
                for name in (PAPERS, *OTHERS)
            }
            notes = {**found, "at random": drawn, "best hospital": best}
            for other in OTHERS:
                where = {"state": state, "epsilon": epsilon, "other": other}
                points.append(Point(where, found[PAPERS], found[other], sense=">=", notes=notes, lazy=drawn))
    return points
