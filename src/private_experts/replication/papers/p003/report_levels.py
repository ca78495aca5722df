"""The exact privacy of the reports of both algorithms. [003, Lemmas 2, 3 and 6]"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

from private_experts.distribution_learning.approximate import NoisyVector
from private_experts.distribution_learning.clipping import clip
from private_experts.distribution_learning.pure import NoisyCoordinate
from private_experts.distribution_learning.scaling import Scaling, Span
from private_experts.replication.balls.balls import ball, log, precision
from private_experts.replication.balls.boxes import agreement, at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p003.clipping_costs import random_classes
from private_experts.replication.papers.p003.exact_classes import EXACT, INSTANCES, level
from private_experts.replication.papers.p003.kl_risk import mechanism_of
from private_experts.replication.papers.p003.privacy_level import exact_levels
from private_experts.replication.papers.p003.worst_classes import worst_level


def _scalings(experts: int, grid: Grid, span: Span) -> Iterator[tuple[dict[str, Any], Scaling]]:
    for where, report, horizon, epsilon in cells_of(grid, "report", "T", "eps"):
        name = report.removeprefix("a coordinate of ")
        mechanism = mechanism_of(name, experts, 0, horizon, epsilon)
        assert isinstance(mechanism, NoisyVector | NoisyCoordinate)
        # The printed span is smaller by log((K + 1) / K), and its noise with it.
        yield where, replace(mechanism.scaling, span=span)


def lemma_6(grid: Grid, seed: int, span: Span = "proved") -> list[Point]:
    """The report of Algorithm 2, and each coordinate of Algorithm 1's, has at most the level asked for.

    For classes with names the library's level is compared with balls.
    """
    points = []
    for name in grid["class"]:
        experts = len(EXACT[name])
        for where, scaling in _scalings(experts, grid, span):
            place, stated = {"class": name, **where}, ball(float(scaling.level))
            with precision():
                width = log(ball(experts + (span == "proved")) * scaling.horizon)
                exact = level(EXACT[name], scaling.horizon, width / stated)
                points.append(at_point(place, exact, stated))
                if span == "proved":
                    computed = float(exact_levels(INSTANCES[name], scaling.horizon, scaling.noise).max())
                    points.append(
                        agreement({**place, "report": f"{where['report']}, library"}, computed, exact, 1e-9)
                    )
    for experts, labels in product(grid["K"], grid["M"]):
        classes = random_classes(experts, labels, grid["instances"], seed)
        for where, scaling in _scalings(experts, grid, span):
            place = {"class": f"worst of {grid['instances']}, K = {experts}, M = {labels}", **where}
            with precision():
                largest = worst_level(clip(classes, scaling.horizon), scaling.noise)
                points.append(at_point(place, largest, ball(float(scaling.level))))
    return points


def lemma_6_printed(grid: Grid, seed: int) -> list[Point]:
    """The same with noise for a span of log(KT). [mathematics/003.md#e003-1]"""
    return lemma_6(grid, seed, "printed")
