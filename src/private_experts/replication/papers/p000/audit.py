"""RW-AdaBatch audited end to end: an attacker tells two neighbouring streams of two experts apart.

The streams differ in one gain vector, (1, 0) or (0, 1). The attacker tests by the exact likelihood ratio of
what it sees: the plays, or the batches and their sums. A promise is a trade-off curve f: no test may have a
type II error below f(type I error). [mathematics/000.md#audit]
"""

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np

from private_experts.arrays import Array
from private_experts.games.streams import STREAMS
from private_experts.privacy.gaussian_mechanism import tradeoff
from private_experts.privacy.gaussian_mixtures import mixture_tradeoff
from private_experts.privacy.noise import SimulatedNoise
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, Point, labelled
from private_experts.replication.papers.p000.exact_batches import law_of_plays, size_laws
from private_experts.replication.papers.p000.fixed_stream_regret import batching, noisy_reports
from private_experts.replication.study.intervals import clopper_pearson
from private_experts.walks.batch_rules import Rule, paper_rule
from private_experts.walks.batch_size import proxy_pmf
from private_experts.walks.lead_tolerance import LeadTolerance

Curve = Callable[[Array], Array]

MOVE = math.sqrt(2)  # L2 distance of (1, 0) and (0, 1)


def neighbours(stream: str, horizon: int, t: int) -> tuple[Array, Array]:
    """Return two streams (T, 2) that differ in round t alone."""
    pair = STREAMS[stream](horizon, 2), STREAMS[stream](horizon, 2)
    for gains, own in zip(pair, ([1.0, 0.0], [0.0, 1.0]), strict=True):
        # Both streams get a vector of their own, so that they differ by (1, 0) - (0, 1) whatever the stream
        # was.
        gains[t - 1] = own
    return pair


def play_with_batch(
    gains: Array,
    eta: float,
    alpha: float,
    t: int,
    repetitions: int,
    rng: np.random.Generator,
    rule: Any = "paper",
) -> Any:
    """Play RW-AdaBatch, and return plays (T, repetitions), and start, size and sum of round t's batch."""
    noise = SimulatedNoise(rng)
    player = batching(2, eta, noise, repetitions, alpha, horizon=len(gains), rule=rule)
    plays = []
    for completed, report in enumerate(noisy_reports(gains, eta, noise, repetitions), 1):
        plays.append(player.predict())
        if completed == t:
            which, start, size = player.batches.T
            holds = start + size >= t
            # Batches are recorded in order of time, so repetitions have to be put back in theirs.
            order = np.argsort(which[holds])
            start, size = start[holds][order], size[holds][order]
            # Totals stay as they are until a batch ends.
            before, after = player.total.copy(), np.empty_like(player.total)
        player.update(report)
        if completed >= t:
            ended = start + size == completed
            after[ended] = player.total[ended]
    return np.array(plays), start, size, after - before


def _points(
    where: Grid,
    ratios: tuple[Array, Array],
    promises: Mapping[str, tuple[Curve, float]],
    grid: Grid,
    cells: int,
) -> Iterator[Point]:
    """Yield how far the type II error is above each promise, a curve and a slack, at each threshold."""
    for threshold in grid["threshold"]:
        errors = [(ratios[0] > threshold).mean(), (ratios[1] <= threshold).mean()]
        counts = [round(share * len(ratio)) for share, ratio in zip(errors, ratios, strict=True)]
        # Two errors a threshold, both of which enter the comparison with the curve.
        low, high = clopper_pearson(
            counts, [len(ratio) for ratio in ratios], 2 * cells * len(grid["threshold"])
        )
        for name, (curve, slack) in promises.items():
            value, least, most = (
                float(second - curve(np.asarray(first)))
                for first, second in ((errors[0], errors[1]), (low[0], low[1]), (high[0], high[1]))
            )
            notes = {"type_I": float(errors[0]), "type_II": float(errors[1])}
            place = {**where, "threshold": threshold, "promise": name}
            yield Point(place, value, -slack, least, most, ">=", notes)


def _table(grid: Grid, horizon: int, eta: float, alpha: float) -> Rule:
    """Return the least gaps of the grid's `rule`, which is the paper's unless it says another."""
    rule = grid.get("rule", "paper")
    return (
        paper_rule(horizon, eta, 2, alpha)
        if rule == "paper"
        else LeadTolerance(rule, eta, 2, alpha).table(horizon)
    )


def _proxy(grid: Grid, t: int, eta: float, alpha: float, largest: int) -> Array:
    rule = grid.get("rule", "paper")
    if rule == "paper":
        return proxy_pmf(t, eta, 2, alpha, largest)
    weights: Array = -np.diff(LeadTolerance(rule, eta, 2, alpha).proxy_survival(t, largest), append=0.0)
    return weights


def audit(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """An attacker who sees batches' sums, or plays alone, finds no more than promised, by either rule."""
    parts = {}
    for name, cells in grid.items():
        check = audit_sums if name.startswith("sums") else audit_plays
        parts[name] = check(cells, cells["times"] * repetitions, seed)
    return labelled("seen", parts)


def audit_sums(cells: Grid, repetitions: int, seed: int) -> list[Point]:
    """The batches and their sums betray a datum no more than promised.

    Given its batch of B rounds, the datum shows in the sum alone, which is Gaussian with noise eta sqrt(B).
    Promises are mu-GDP; the mixture over the proxy law; and, up to the grid's slack, the mixture over the
    true law.
    """
    games = list(product(cells["stream"], cells["alpha"], cells["mu"]))
    points: list[Point] = []
    for stream, alpha, mu in games:
        horizon, t, eta = cells["T"], cells["t"], MOVE / mu
        pair = neighbours(stream, horizon, t)
        ratios = []
        for number, gains in enumerate(pair):
            rng = rng_for(seed, "audit", stream, alpha, mu, number, repetitions)
            _, start, size, total = play_with_batch(
                gains, eta, alpha, t, repetitions, rng, cells.get("rule", "paper")
            )
            sums = [np.concatenate([np.zeros((1, 2)), stream.cumsum(axis=0)]) for stream in pair]
            # Between the two true sums: the log-ratio of two normals is linear in the distance from there.
            middle = sum(total[start + size] - total[start] for total in sums) / 2
            move = pair[1][t - 1] - pair[0][t - 1]
            ratios.append((total - middle) @ move / (eta**2 * size))
        proxy = _proxy(cells, t, eta, alpha, horizon - t)
        leads = pair[0][:, 0] - pair[0][:, 1]
        true = size_laws(leads, eta, [t], _table(cells, horizon, eta, alpha))[0, 1:]
        promises = {
            "mu-GDP": (_gaussian(mu), 0.0),
            "proxy law": (_mixture(proxy, mu), 0.0),
            "true law": (_mixture(true / true.sum(), mu), cells["slack"]),
        }
        where = {"stream": stream, "alpha": alpha, "mu": mu}
        points += _points(where, (ratios[0], ratios[1]), promises, cells, len(games))
    return points


def _gaussian(mu: float) -> Curve:
    return lambda first: tradeoff(first, mu)


def _mixture(weights: Array, mu: float) -> Curve:
    levels = mu / np.sqrt(np.arange(1, len(weights) + 1))
    return lambda first: mixture_tradeoff(first, weights, levels)


def audit_plays(cells: Grid, repetitions: int, seed: int) -> list[Point]:
    """Plays betray a datum no more than promised: mu-GDP, and up to a slack the computed law of all plays."""
    games = list(product(cells["stream"], cells["t"], cells["alpha"], cells["mu"]))
    points: list[Point] = []
    for stream, t, alpha, mu in games:
        horizon, eta = cells["T"], MOVE / mu
        pair, rule = neighbours(stream, horizon, t), _table(cells, horizon, eta, alpha)
        # The test must be exact, or the attacker would be weaker than the promise allows for; 1e-300 keeps
        # logs finite.
        laws = [np.maximum(law_of_plays(stream[:, 0] - stream[:, 1], eta, rule), 1e-300) for stream in pair]
        ratio = np.log(laws[1]) - np.log(laws[0])
        ratios = []
        for number, gains in enumerate(pair):
            rng = rng_for(seed, "audit plays", stream, t, alpha, mu, number, repetitions)
            plays = play_with_batch(gains, eta, alpha, t, repetitions, rng, cells.get("rule", "paper"))[0]
            ratios.append(ratio[(plays == 0).T @ (1 << np.arange(horizon)[::-1])])
        promises = {
            "mu-GDP": (_gaussian(mu), 0.0),
            "law of the plays": (_discrete(laws[0], laws[1]), cells["slack"]),
        }
        where = {"stream": stream, "t": t, "alpha": alpha, "mu": mu}
        points += _points(where, (ratios[0], ratios[1]), promises, cells, len(games))
    return points


def _discrete(first: Array, second: Array) -> Curve:
    """Return the trade-off curve of two laws on a finite set: straight between the likelihood-ratio tests."""
    # By Neyman and Pearson the best tests reject where the second law is most likelier than the first.
    order = np.argsort(first / second)
    errors = (
        np.concatenate([[0.0], first[order].cumsum()]),
        np.concatenate([[1.0], 1 - second[order].cumsum()]),
    )
    return lambda first_errors: np.interp(first_errors, *errors)
