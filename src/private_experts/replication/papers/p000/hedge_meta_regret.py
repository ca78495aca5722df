"""Exponential weights over learners that react: regret by disagreement, one round, the worst two learners."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, Literal

import numpy as np

from private_experts.algorithms.fresh_scales import hindsight_price, regret_bound, scales_for_horizon
from private_experts.algorithms.hedge_bounds import round_cost, textbook_bound, textbook_rate
from private_experts.algorithms.hedge_meta import HedgeMeta
from private_experts.arrays import Array
from private_experts.games.regret import earned
from private_experts.learners import Recorded
from private_experts.privacy.noise import SimulatedNoise
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    exp,
    expm1,
    flint,
    log,
    near,
    normal_cdf,
    normal_density,
    precision,
    smallest,
    sqrt,
    square,
)
from private_experts.replication.balls.boxes import agreement, at_point
from private_experts.replication.ledger.evidence import Point
from private_experts.replication.ledger.repetition_blocks import repeated_where_close
from private_experts.replication.papers.p000.fixed_stream_regret import LOCAL, noisy_reports
from private_experts.replication.papers.p000.hedge_counts import Counted, formula_at, largest_rate
from private_experts.replication.papers.p000.reacting import bank
from private_experts.replication.papers.p000.shortfall import (
    ActionRecorder,
    Totals,
    best_totals,
    regret_points,
)
from private_experts.replication.papers.p000.worst_against_weights import worst_against_weights

DRAWS = 4  # of the choice in each round, all by the same law
BLOCK = 2400  # repetitions that are drawn together
PER_UNIT = 8  # points of the grid on which the worst pair's regret is computed
_COUNTING = 1e-9  # relative: how far the algorithm's counts may be from `hedge_counts`
_REACH = 12.0  # of integrals, in standard deviations
_ROUNDING = 1e-9  # relative: how far the program's cost may be from the formula


def theorem_3_independence(grid: Mapping[str, Any], repetitions: int, seed: int) -> list[Point]:
    """The regret of `HedgeMeta` is at most its own bound. [mathematics/000.md#theorem-3-independence]

    The bound and the disagreement are counted here from the learners' actions and the reports, and the
    algorithm's own counts have to agree. The bound is a mean over the same plays, so the interval is that of
    the difference. The stream gives expert 0 all gains. Noise has a scale for each of the two experts. Lazy
    is to draw a learner at random in each round.
    """
    cells = [
        (rate, name, m, *eta, horizon)
        for rate, name, m, eta, horizon in product(
            *(grid[name] for name in ("rate", "learners", "m", "eta", "T"))
        )
    ]

    def plays(
        rate: str,
        name: str,
        m: int,
        first: float,
        second: float,
        horizon: int,
        count: int,
        key: tuple[int, ...],
    ) -> tuple[Array, ...]:
        rng = rng_for(seed, "hedge of learners", rate, name, m, first, second, horizon, *key)
        eta = max(first, second)
        noise, gains = [eta] * horizon, np.tile([1.0, 0.0], (horizon, 1))
        rule = (
            {"largest_rate": largest_rate(eta)} if rate == "adaptive" else {"rate": textbook_rate(noise, m)}
        )
        agree = name == "agreeing"
        recorder = ActionRecorder(
            _agreeing(m, horizon, count, grid["every"]) if agree else bank(name, m, 2, count)
        )
        choice = HedgeMeta([recorder], LOCAL, rng=rng, **rule)
        counted = Counted(rate, m, (first, second), horizon, count)
        own, reported, rows = np.zeros(count), np.zeros(count), np.arange(count)
        reports = noisy_reports(gains, [first, second], SimulatedNoise(rng), count, moved=1)
        for gain, report in zip(gains, reports, strict=True):
            # Several draws by one law: their mean has less variance, at next to no cost.
            for _ in range(DRAWS):
                actions = choice.choose()
                own += gain[actions] / DRAWS
                reported += report.values[rows, actions] / DRAWS
            counted.round(recorder.actions[-1], report.values)
            choice.update(report)
        gained = earned(gains, np.array(recorder.actions)).sum(axis=0)
        own_counts = choice.bound, choice.disagreement
        return (
            gained,
            choice.totals.T - gained,
            own,
            reported - own,
            counted.bound,
            counted.disagreement,
            *own_counts,
        )

    def close(cell: tuple[Any, ...]) -> bool:
        return cell[1] in grid.get("close", grid["learners"])

    points = []
    for cell, arrays in zip(
        cells, repeated_where_close(plays, cells, close, repetitions, BLOCK), strict=True
    ):
        theirs, noise, own, own_noise, bounds, disagreement, *own_counts = arrays
        rate, name, m, first, second, horizon = cell
        where = {"rate": rate, "learners": name, "m": m, "eta": f"{first:g}, {second:g}", "T": horizon}
        eta = max(first, second)
        bound, textbook = float(bounds.mean()), textbook_bound([eta] * horizon, m)
        # What a play's own bound exceeds the mean bound by is taken from its regret, and changes no mean. Nor
        # does the noise that learners and the choice were credited with; where the choice is certain it
        # cancels. A control variate: regret and bound of a play go together.
        own = own + bounds - bound
        credited = Totals(theirs + noise, np.zeros_like(noise), own + own_noise)
        both = {"expectation": bound, "hindsight": bound + hindsight_price([eta] * horizon, m)}
        notes = {"disagreement": float(disagreement.mean()) / horizon, "textbook": textbook}
        for played, best in ((credited, "expectation"), (Totals(theirs, noise, own), "hindsight")):
            (point,) = (
                point
                for point in regret_points(where, played, both, len(cells))
                if point.where["best"] == best
            )
            lazy = best_totals(theirs)[best] - float(theirs.mean())
            at = {"what": "regret", **where, "best": best}
            points.append(replace(point, where=at, notes={**point.notes, **notes}, lazy=lazy))
        for what, own_count, count in zip(
            ("bound", "disagreement"), own_counts, (bounds, disagreement), strict=True
        ):
            # Where all agree the disagreement is 0 but for roundings, so those are measured in rounds.
            error = float((np.abs(own_count - count) / np.maximum(count, 1.0)).max())
            points.append(Point({"what": f"counted {what}", **where}, error, _COUNTING))
        most = formula_at(rate, m, eta, horizon, float(disagreement.mean()))
        points.append(Point({"what": "formula", **where}, bound, most * (1 + _COUNTING)))
        if name == "agreeing":
            share = float(own_counts[0].mean()) / textbook
            points.append(Point({"what": "share of textbook", **where}, share, grid["share"][rate]))
    return points


def _agreeing(m: int, horizon: int, repetitions: int, every: int) -> Recorded:
    """Return learners that all name expert 0, but half of them expert 1 in multiples of `every`."""
    actions = np.zeros((horizon, m, 1), dtype=np.intp)
    actions[every - 1 :: every, (m + 1) // 2 :] = 1
    return Recorded(np.broadcast_to(actions, (horizon, m, repetitions)))


def independence_round(grid: Mapping[str, Any]) -> list[Point]:
    """One round adds at most its cost to the bound, and nearly certain rounds as much.

    The mean over the noise is an integral in ball arithmetic, and the library's cost is compared with the
    formula. [mathematics/000.md#independence-round]
    """
    points = []
    with precision():
        for rate, (first, second), exponent in product(grid["rate"], grid["eta"], grid["exponent"]):
            # Powers of two, so that 1 - q is exact too.
            rare = 2.0**-exponent
            for q in (rare, 1 - rare) if exponent > 1 else (rare,):
                cost = _cost(rate, q, (first, second))
                for lead in (1, -1):
                    where = {"r": rate, "eta": f"{first:g}, {second:g}", "q": q, "lead": lead}
                    growth = _growth(rate, q, lead, sqrt(square(ball(first)) + square(ball(second))))
                    points.append(at_point({"what": "round", **where}, growth, cost))
                    if exponent == max(grid["exponent"]) and (q, lead, first) == (rare, 1, second):
                        points.append(
                            at_point({"what": "sharp", **where}, growth, grid["sharp"] * cost, sense=">=")
                        )
                computed = float(round_cost(rate, np.array([1 - q, q]), [first, second]))
                where = {"what": "library", "r": rate, "eta": f"{first:g}, {second:g}", "q": q}
                points.append(agreement(where, computed, cost, _ROUNDING))
    return points


def _growth(rate: float, q: float, lead: int, deviation: Ball) -> Ball:
    """Return by how much a round of two actions grows the potential beyond the mean gain.

    The second, played with probability q, gains `lead` more. The noise of their difference has a standard
    deviation.
    """
    r, p = ball(rate), ball(q)

    def growth(x: Any, analytic: bool) -> Any:
        return (1 + p * (exp(r * (lead + deviation * x)) - 1)).log(analytic=analytic) * normal_density(x)

    # Absolute and relative: growth itself may be as small as the rarest action.
    size = 1e-30
    inside = flint().acb.integral(growth, -_REACH, _REACH, rel_tol=size, abs_tol=size).real
    # Beyond the reach the logarithm is at most r (|lead| + deviation |x|) in size.
    beyond = r * (2 * normal_cdf(ball(-_REACH)) + 2 * deviation * normal_density(ball(_REACH)))
    return ((inside + ball(-1, 1) * beyond) - r * p * lead) / r


def _cost(rate: float, q: float, scales: Sequence[float]) -> Ball:
    """Return the cost of a round of two actions by the formula."""
    r, p = ball(rate), ball(q)
    uncertain, squares = p * (1 - p), [square(ball(scale)) for scale in scales]
    most = max(scales) ** 2
    gain = smallest([square(r) / 8, (expm1(r) - r) * uncertain])
    terms = [uncertain * variance * _h(square(r) * (variance + most) / 2) for variance in squares]
    noise = smallest([ball(most), exp(r) * sum(terms, ball(0))])
    return (gain + square(r) / 2 * noise) / r


def _h(x: Ball) -> Ball:
    return expm1(x) / x if x > 0 else ball(1)


def independence_worst(grid: Mapping[str, Any]) -> list[Point]:
    """Two learners can make the regret less the costs nearly ``log(2) / r``, and no more.

    Where the share of the cost that is charged is too small, they make it more.
    [mathematics/000.md#independence-worst-pair]
    """
    points = []
    with precision():
        for rate, eta, horizon, attained in grid["r, eta, T, attained"]:
            bound = log(ball(2)) / ball(rate)
            where = {"r": rate, "eta": eta, "T": horizon}
            regret = worst_against_weights(rate, eta, horizon, PER_UNIT)
            notes = {"share": near(regret / bound)}
            points.append(at_point({"what": "charged", **where}, regret, bound, notes))
            points.append(at_point({"what": "charged", **where}, regret, ball(attained) * bound, notes, ">="))
        for rate, eta, horizon in grid["r, eta, T"]:
            bound, less = log(ball(2)) / ball(rate), grid["less"]
            regret = worst_against_weights(rate, eta, horizon, PER_UNIT, less)
            where = {"what": f"charged {less:g} of it", "r": rate, "eta": eta, "T": horizon}
            points.append(at_point(where, regret, bound, {"share": near(regret / bound)}, ">="))
    return points


def textbook_or_fresh(grid: Mapping[str, Any]) -> list[Point]:
    """The textbook bound needs no added noise; fresh noise has the smaller bound for few, or much noise."""
    points = []
    with precision():
        for m, horizon, eta, smaller in grid["m, T, eta, smaller"]:
            where, noise = {"m": m, "T": horizon, "eta": eta}, [eta] * horizon
            bound = sqrt(horizon * (1 + 4 * square(ball(eta))) * log(ball(m)) / 2)
            fresh = regret_bound(scales_for_horizon(noise), noise, m)
            sense: Literal["<=", ">="] = ">=" if smaller == "fresh" else "<="
            points.append(at_point({"what": smaller, **where}, bound, ball(fresh), sense=sense))
            points.append(agreement({"what": "library", **where}, textbook_bound(noise, m), bound, 1e-12))
            rate = textbook_rate(noise, m)
            at_rate = math.log(m) / rate + rate * horizon * (1 + 4 * eta**2) / 8
            points.append(agreement({"what": "rate", **where}, at_rate, bound, 1e-12))
    return points
