"""Exponential weights of the study's learners on the hospitals: their regret, and the bound by disagreement.

The costs of the rounds are computed here from the learners' credits, by the formula and not by the library.
[mathematics/000.md#theorem-3-independence]
"""

import math
from collections.abc import Mapping

import numpy as np

from private_experts.algorithms.fresh_scales import regret_bound, scales_for_horizon
from private_experts.algorithms.hedge_bounds import textbook_bound, textbook_rate
from private_experts.algorithms.hedge_meta import HedgeMeta
from private_experts.algorithms.known_advice import KnownAdvice
from private_experts.arrays import Array
from private_experts.games.play import play
from private_experts.games.regret import earned
from private_experts.learners.recorded import Recorded
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.sequential_repetitions import Cell, Totals, looks, until_decided
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.estimates import critical_value, largest, mean
from private_experts.replication.study.hospital_game import FRESH, game
from private_experts.replication.study.intervals import CONFIDENCE
from private_experts.replication.study.players.rw_meta import advised, settings_of, variants

LARGEST_RATE = 1.0  # of the adaptive rate, as in the study
LEARNERS = "learner {}"


def bound_of_game(advice: KnownAdvice, rate: float | None) -> tuple[Array, Array]:
    """Return the bound at a fixed or the adaptive (None) rate, and the sum of the disagreements.

    Both (repetitions or 1,) come from the learners' credits before each week.
    """
    m, actions = advice.actions.shape[1], advice.actions.swapaxes(1, 2)
    rows = len(advice.credits[0])
    costs, disagreement = np.zeros(rows), np.zeros(rows)
    last = np.full(rows, LARGEST_RATE if rate is None else rate)
    for credit, advised_actions, eta in zip(advice.credits, actions, advice.scales, strict=True):
        if rate is None:
            last = math.log(m) / (math.log(m) / LARGEST_RATE + costs)
        odds = np.exp(last[:, None] * (credit - credit.max(axis=1, keepdims=True)))
        weights = odds / odds.sum(axis=1, keepdims=True)
        # |q|^2 is the probability that two draws by the weights name the same hospital.
        agree = np.einsum(
            "ri,rj,rij->r",
            weights,
            weights,
            (advised_actions[:, :, None] == advised_actions[:, None]).astype(np.float64),
        )
        disagreement += 1 - agree
        costs += _cost(last, 1 - agree, float(eta))
    return math.log(m) / last + costs, disagreement


def _cost(r: Array, differ: Array, eta: float) -> Array:
    """Return the cost of a week, whose noise has one scale: the smaller bound, by disagreement or without."""
    spread = (r * eta) ** 2
    gain = np.minimum(r**2 / 8, (np.exp(r) - 1 - r) / 2 * differ)
    noise = np.minimum(spread / 2, np.exp(r) * (np.exp(spread) - 1) / 2 * differ)
    cost: Array = (gain + noise) / r
    return cost


def regret_on_hospitals(grid: Grid, repetitions: int, seed: int, panels: Mapping[str, Panel]) -> list[Point]:
    """The regret of `HedgeMeta` against the best of the study's learners is at most the bound, in every cell.

    The bound is a mean over the same plays, so the interval is that of the difference. Lazy is to draw a
    learner at random in each week.
    """
    cells: list[Cell] = [(state, float(mu)) for state in panels for mu in grid["mu"]]
    settings = list(settings_of(grid["learners"]).values())
    m = len(settings) + 1  # and RW-FTPL
    scales: dict[Cell, Array] = {}

    def played(cell: Cell, look: int, count: int) -> Totals:
        state, mu = cell
        # A seed for each look: new games must not repeat those that are counted already.
        own = int(rng_for(seed, "hedge on hospitals", state, mu, look, repetitions).integers(2**62))
        match = game(panels[state], state, [mu], count, own)
        advice = advised(match, mu, grid["learners"]["family"], settings)
        scales[cell], everyone = advice.scales, advice.everyone(count)
        totals = {FRESH: earned(match.gains, variants(match, mu, advice, [FRESH])[FRESH]).sum(axis=0)}
        totals |= {LEARNERS.format(i): earned(match.gains, everyone[:, i]).sum(axis=0) for i in range(m)}
        for name in grid["rate"]:
            rng = rng_for(own, "choice", name)
            rate = textbook_rate(advice.scales, m) if name == "textbook" else None
            rule = {"largest_rate": LARGEST_RATE} if rate is None else {"rate": rate}
            choice = HedgeMeta([Recorded(everyone)], advice.guarantee, rng=rng, **rule)
            totals[name] = earned(match.gains, play(choice, advice.reports)).sum(axis=0)
            for what, values in zip(("bound", "disagreement"), bound_of_game(advice, rate), strict=True):
                totals[f"{name} {what}"] = np.broadcast_to(values, count)
        return totals

    def judge(games: Mapping[Cell, Totals]) -> list[Point]:
        return [
            _point(
                name, *cell, totals, scales[cell], len(cells) * len(grid["rate"]) * len(looks(repetitions)), m
            )
            for cell, totals in games.items()
            for name in grid["rate"]
        ]

    return until_decided(played, [[cell] for cell in cells], judge, repetitions)


def _point(name: str, state: str, mu: float, totals: Totals, scales: Array, intervals: int, m: int) -> Point:
    """Return the point of one rate in one cell, with `intervals` that hold jointly for each of m learners."""
    learners, size = [totals[LEARNERS.format(i)] for i in range(m)], len(totals[name])
    bounds, best = totals[f"{name} bound"], max(float(total.mean()) for total in learners)
    bound = float(bounds.mean())
    z = critical_value(CONFIDENCE, intervals * m, size)
    # What a play's own bound exceeds the mean bound by is taken from its regret, and changes no mean.
    chosen = totals[name] + bounds - bound
    # Over all learners: the best in expectation is not known, and is covered whichever it is.
    value, half_width = largest(mean(total - chosen, z, mu == math.inf) for total in learners)
    notes = {
        "share": value / bound,
        "disagreement": float(totals[f"{name} disagreement"].mean()) / len(scales),
        "textbook": textbook_bound(scales, m),
        "fresh": best - float(totals[FRESH].mean()),
        "fresh bound": regret_bound(scales_for_horizon(scales), scales, m),
        "repetitions": size,
    }
    lazy = best - float(np.mean(learners))
    where = {"rate": name, "state": state, "mu": mu}
    return Point(
        where, value, bound, value - half_width, value + half_width, "<=", notes, trivial=best, lazy=lazy
    )
