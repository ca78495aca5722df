"""The exact law of RW-AdaBatch's batches for two experts, and what larger ones would bring. Not in the paper.

[mathematics/000.md#exact-batches] [mathematics/000.md#exact-delay]
"""

import math
from collections.abc import Callable
from itertools import product

import numpy as np

from private_experts.arrays import Array
from private_experts.games.play import play
from private_experts.games.streams import STREAMS
from private_experts.privacy.noise import SimulatedNoise
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, log, precision, sqrt
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.balls.normal_tables import cdf
from private_experts.replication.balls.sums import rounded
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p000.exact_batches import expected_lead, size_laws
from private_experts.replication.papers.p000.exact_rules import exact_rule, levy_rule
from private_experts.replication.papers.p000.fixed_stream_regret import batching, noisy_reports
from private_experts.replication.papers.p000.sampled_points import near_points
from private_experts.replication.papers.p000.worst_streams import regret_of_leads, worst_leads
from private_experts.replication.study.intervals import clopper_pearson
from private_experts.walks.batch_rules import Rule, paper_rule

_QUADRATURE = 1e-9  # how far the library's expected regrets may be off

RULES: dict[str, Callable[[int, float, int, float], Rule]] = {
    "Theorem 1": paper_rule,
    "Levy": levy_rule,
    "exact": exact_rule,
}


def leads_of(name: str, horizon: int) -> Array:
    """Return a stream of leads (T,) by name: one of `STREAMS`, "drift x", "cross h s" or "gains r s".

    "drift x" is a lead of x in every round. "cross h s" rises for h rounds and then falls, so that the total
    crosses 0 after s rounds. "gains r s" has two gains of 1: expert 2's in round r, and expert 1's in round
    s.
    """
    kind, *numbers = name.split()
    if kind == "drift":
        return np.full(horizon, float(numbers[0]))
    if kind == "cross":
        height, crossing = map(int, numbers)
        leads = np.zeros(horizon)
        leads[max(crossing - 2 * height, 0) : crossing - height] = 1.0
        leads[crossing - height :] = -1.0
        return leads
    if kind == "gains":
        leads = np.zeros(horizon)
        leads[[int(number) - 1 for number in numbers]] = -1.0, 1.0
        return leads
    gains = STREAMS[name](horizon, 2)
    return np.asarray(gains[:, 0] - gains[:, 1])


def exact_law(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """RW-AdaBatch, played on its reports, has batches of the computed law, up to the grid's tolerance."""
    cells = list(product(grid["stream"], grid["eta"]))
    # Two sides each: a frequency has to be within the tolerance.
    intervals = 2 * len(cells) * len(grid["t"]) * len(grid["b"])
    points = []
    for stream, eta in cells:
        leads = leads_of(stream, grid["T"])
        # Leads are differences of gains in [0, 1], so one of the two experts gets them all.
        gains = np.column_stack([np.maximum(leads, 0), np.maximum(-leads, 0)])
        noise = SimulatedNoise(rng_for(seed, "exact law", stream, eta, repetitions))
        player = batching(2, eta, noise, repetitions, grid["alpha"], horizon=grid["T"])
        play(player, noisy_reports(gains, eta, noise, repetitions))
        sizes = player.containing_sizes()
        laws = size_laws(leads, eta, grid["t"], paper_rule(len(leads), eta, 2, grid["alpha"]))
        for (row, t), b in product(enumerate(grid["t"]), grid["b"]):
            computed, count = float(laws[row, b + 1 :].sum()), int((sizes[t - 1] > b).sum())
            measured = (count / repetitions, *clopper_pearson(count, repetitions, intervals))
            points += near_points(
                {"stream": stream, "eta": eta, "t": t, "b": b}, measured, computed, grid["tolerance"]
            )
    return points


def added_regret(grid: Grid, factor: float = 1.0) -> list[Point]:
    """Batching adds at most 2 alpha sqrt(T log n) to RW-FTPL's expected regret; both regrets are computed.

    How much it adds is proved to lie between two bounds (`most_added`), and so does the library's number, up
    to quadrature. Lazy is never to end the first batch.
    """
    points = []
    for rule_name, horizon, eta, alpha in product(grid["rule"], grid["T"], grid["eta"], grid["alpha"]):
        rule = RULES[rule_name](horizon, eta, 2, alpha)
        scales = eta * np.sqrt(np.arange(1, horizon + 1))
        for stream in grid["stream"]:
            leads = worst_leads(scales) if stream == "worst" else leads_of(stream, horizon)
            plain, of_first = regret_of_leads(leads, scales), float(leads.sum())
            batched = max(of_first, 0.0) - expected_lead(leads, eta, rule)
            where = {"rule": rule_name, "stream": stream, "T": horizon, "eta": eta, "alpha": alpha}
            with precision():
                most = ball(factor) * 2 * alpha * sqrt(horizon * log(2))
                proved, computed = most_added(leads, eta, rule), ball(batched - plain)
                points.append(at_point({**where, "what": "proved"}, ball(-1, 1) * proved, most))
                points.append(at_point({**where, "what": "agreement"}, abs(computed), proved + _QUADRATURE))
                lazy = abs(of_first) / 2 - plain
                points.append(at_point({**where, "what": "library"}, computed, most, lazy=lazy))
    return points


def most_added(leads: Array, eta: float, rule: Rule) -> Ball:
    """Return a bound on how much batching changes the expected regret, for leads of -1, 0 or 1.

    They differ where the lead in the totals changed its sign since the batch began, at a gap of at least
    ``rule[s][i - 1]`` for a batch in its i-th round: with probability at most ``Phi((|d| - gap) / sqrt(2 (i -
    1) eta^2))``, d the true change. [mathematics/000.md#exact-delay]
    """
    if not np.isin(leads, (-1.0, 0.0, 1.0)).all():
        raise ValueError("sums of other leads than -1, 0 and 1 may be rounded")
    horizon, true = len(leads), np.concatenate([[0.0], np.cumsum(leads)])
    largest_chance = np.zeros(horizon)
    for start in range(horizon - 1):
        # From the second round of the batch on: in its first the totals are those of the decision.
        later = np.arange(1, horizon - start)
        moved = np.abs(true[start + later] - true[start])
        # Six roundings, also of a difference that is taken up to the table's end alone.
        away = np.clip((moved - rule[start][later]) / (math.sqrt(2) * eta * np.sqrt(later)), -12.5, None)
        # In which batch a round lies is random: the worst start bounds it without the law of starts.
        largest_chance[start + later] = np.maximum(largest_chance[start + later], cdf()(away))
    # A change of sign costs at most the round's lead, and a level round costs nothing.
    chances = float(np.abs(leads) @ largest_chance)
    return rounded(chances, horizon + 1, cdf().error(6), lost=horizon * cdf().lost).upper()


def mean_inverse(larger: Array) -> float:
    """Return E[1/B] from P(B > b) for b = 0, 1, ...; if these are too small, it is too large."""
    b = np.arange(1, len(larger))
    return float(1 - (larger[1:] / (b * (b + 1))).sum())
