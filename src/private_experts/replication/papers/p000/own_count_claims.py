"""Own counts: their level exactly, what is minimax, and what it gains on the panels.

[mathematics/000.md#own-counts]
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np

from private_experts.arrays import Array, Scale
from private_experts.games.play import private_reports
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.own_counts import informed_scales, own_level, own_scales
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    flint,
    largest,
    precision,
    rational,
    sqrt,
    square,
)
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.balls.matrices import matrix, squared_levels
from private_experts.replication.ledger.evidence import Grid, NotRunError, Point
from private_experts.replication.ledger.sequential_repetitions import (
    Shared,
    Totals,
    looks,
    until_decided,
)
from private_experts.replication.papers.p000.study import totals_of
from private_experts.replication.study.choices import Adjacency
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.estimates import critical_value, mean
from private_experts.replication.study.hospital_game import game
from private_experts.replication.study.intervals import CONFIDENCE
from private_experts.replication.study.own_counts.own_games import (
    CENTRAL,
    META,
    POSTERIOR,
    name_of,
    own_follower,
    play,
)

WEEKS = 3  # of the panels whose level is computed, so that noise for the beds of another week is noticed
MOVED: Mapping[Adjacency, int] = {"move": 2, "removal": 1}


class _Draw:
    """Noise whose one draw is 1 at one expert and 0 elsewhere: it shows how a report weighs this draw."""

    def __init__(self, expert: int) -> None:
        self._expert = expert

    def perturb(self, values: Array, scale: Scale, repetitions: int) -> Array:
        """See `Noise.perturb`."""
        unit = np.zeros(values.shape[-1])
        unit[self._expert] = 1.0
        return np.broadcast_to(values + scale * unit, (repetitions, values.shape[-1])).copy()


def _beds(seed: int, n: int, number: int, *week: int) -> Array:
    """Return drawn bed counts. In the odd instances the two smallest hospitals have equally many."""
    beds = np.sort(rng_for(seed, "beds", n, number, *week).uniform(4.0, 600.0, n))
    if number % 2:
        # Ties: with equal hospitals the largest spending has no single pair that attains it.
        beds[1] = beds[0]
    return beds


def level(grid: Grid, seed: int) -> list[Point]:
    """Reports on own counts have level mu exactly in every week: by spending, and by the shift problem.

    *Spent* takes the scales of the study's reports as the binary numbers that they are. *Shifts* takes the
    covariance C of the library's reports from what they do with each single draw, and solves for ``d' C^-1
    d`` at all persons d.
    """
    points = []
    for adjacency, n, mu, number in product(MOVED, grid["n"], grid["mu"], range(grid["instances"])):
        # Rolled, or the same hospital would be the smallest in all weeks and a wrong week would go unnoticed.
        beds = np.stack([np.roll(_beds(seed, n, number, week), week) for week in range(WEEKS)])
        moved = MOVED[adjacency]
        where = {"adjacency": adjacency, "n": n}
        scales, weighed = _reported_scales(beds, mu, adjacency), _weights(beds, mu, moved)
        for week, counts in enumerate(beds):
            with precision():
                exact = [ball(1) / ball(float(count)) for count in counts]
                squares = {
                    "spent": _spent(scales[week], exact, moved),
                    "shifts": _shifted(weighed[week], exact, moved),
                }
                promised, slack = square(ball(mu)), rational("1e-12")
                for route, squared in squares.items():
                    at = {**where, "mu": mu, "instance": number, "week": week, "route": route}
                    points.append(at_point({**at, "what": "no more"}, squared, promised * (1 + slack)))
                    # From both sides: less than the promised level would be noise that nobody needs.
                    points.append(
                        at_point({**at, "what": "attained"}, squared, promised * (1 - slack), sense=">=")
                    )
    return points


def _reported_scales(beds: Array, mu: float, adjacency: Adjacency) -> Array:
    """Return the scales (T, n) that the study's reports on own counts state, in weeks with these beds."""
    weeks = tuple(f"2021-01-{3 + 7 * week:02d}" for week in range(len(beds)))
    names = tuple(map(str, range(len(beds.T))))
    panel = Panel(weeks, names, np.full(beds.shape, 0.5), beds.min(axis=1), beds)
    _, reports = own_follower(game(panel, "any", [mu], 1, 0, adjacency), mu)
    return np.array([np.broadcast_to(report.scale, len(names)) for report in reports])


def _weights(beds: Array, mu: float, moved: int) -> Array:
    """Return by how much each single draw (last axis) moves each of the library's reports, in each week."""
    guarantee, none = GaussianDP(mu, "local"), np.zeros(beds.shape)
    draws = (private_reports(none, guarantee, 1 / beds, _Draw(k), 1, moved=moved) for k in range(len(beds.T)))
    return np.moveaxis(np.array([[report.values[0] for report in reports] for reports in draws]), 0, -1)


def _spent(scales: Array, reach: Sequence[Ball], moved: int) -> Ball:
    """Return the square of the level: the largest sum of what `moved` hospitals spend."""
    # Gaussian levels add up in squares, as the hospitals' draws are independent.
    spent = [square(count / ball(float(scale))) for count, scale in zip(reach, scales, strict=True)]
    return largest(sum(some, ball(0)) for some in combinations(spent, moved))


def _shifted(weighed: Array, reach: Sequence[Ball], moved: int) -> Ball:
    """Return the square of the level by the shift problem, at all persons."""
    weighs, n = matrix(weighed), len(reach)
    # A move changes two counts, a removal one: the worst is over sets of so many hospitals, not over all.
    persons = list(combinations(range(n), moved))
    shifts = [[reach[i] if i in person else ball(0) for person in persons] for i in range(n)]
    return largest(squared_levels(flint().arb_mat(shifts), weighs * weighs.transpose()))


def minimax(grid: Grid, seed: int) -> list[Point]:
    """The best allocations have the derived noise and the level mu, and no drawn allocation has less.

    No drawn allocation has less noise than own counts at two hospitals, nor less largest noise in patients,
    and one that spends equally at all but one has less everywhere.
    """
    points = []
    for n, number in product(grid["n"], range(grid["instances"])):
        beds, mu = _beds(seed, n, number), float(grid["mu"])
        reach = 1 / beds
        with precision():
            exact = [ball(float(distance)) for distance in reach]
            for aim in ("largest", "comparison", "total"):
                scales = informed_scales(reach, GaussianDP(mu, "local"), aim)
                where, slack = {"n": n, "instance": number, "aim": aim}, rational("1e-12")
                derived = _derived(exact, mu, aim)
                noise = _noise([ball(float(scale)) for scale in scales], aim)
                used = _spent(scales, exact, 2)
                points.append(at_point({**where, "what": "level"}, used, square(ball(mu)) * (1 + slack)))
                points.append(at_point({**where, "what": "noise"}, noise, derived * (1 + slack)))
                # The theorem is a minimum over all allocations: any drawn one that beats it refutes it.
                least_drawn = min(
                    _noise_of(scales, aim)
                    for scales in _allocations(reach, mu, grid["drawn"], seed, n, number)
                )
                points.append(
                    at_point({**where, "what": "drawn"}, ball(least_drawn), derived * (1 - slack), sense=">=")
                )
            drawn = list(_allocations(reach, mu, grid["drawn"], seed, n, number))
            place = {"n": n, "instance": number}
            with precision():
                points += _against_own_counts(place, reach, mu, drawn)
    return points


def _against_own_counts(
    where: Mapping[str, Any], reach: Array, mu: float, drawn: Sequence[Array]
) -> list[Point]:
    """Return parts 1 and 2 of the theorem: what drawn allocations of level mu have less than own counts."""
    own, slack = own_scales(reach, GaussianDP(mu, "local")), ball(rational("1e-12"))
    ratios = np.sort([own / scales for scales in drawn])  # above 1 where noise is less than by own counts
    forms = [_equal_but_one(reach, mu, scales) for scales in drawn]
    levels = max(float(own_level(reach, form)) for form in forms)
    worse = max(float((form / scales).max()) for form, scales in zip(forms, drawn, strict=True))
    patients = min(float((scales / reach).max()) for scales in drawn)
    own_patients, least = float((own / reach).max()), sqrt(ball(2)) / ball(mu)
    at_most = [
        ("order", "two with less", float(ratios[:, -2].max()), ball(1) + slack),
        ("order", "the one with less", float(ratios[:, -1].max()), sqrt(ball(2)) * (1 + slack)),
        ("order", "form, level", levels, ball(mu) * (1 + slack)),
        ("order", "form, noise", worse, ball(1) + slack),
        ("patients", "noise", own_patients, least * (1 + slack)),
    ]
    place = {**where, "aim": "patients", "what": "drawn"}
    return [
        *(
            at_point({**where, "aim": aim, "what": what}, ball(value), most)
            for aim, what, value, most in at_most
        ),
        at_point(place, ball(patients), least * (1 - slack), sense=">="),
    ]


def _equal_but_one(reach: Array, mu: float, scales: Array) -> Array:
    """Return the allocation of part 1 that has no more noise anywhere: all but one spend the same."""
    spent = (reach / scales) ** 2
    equal = np.full_like(spent, np.sort(spent)[-2])
    equal[spent.argmax()] = mu**2 - equal[0]
    return reach / np.sqrt(equal)


def _derived(reach: Sequence[Ball], mu: float, aim: str) -> Ball:
    """Return the least square of the noise that the theorem allows; reaches fall, as beds grow."""
    first, second = reach[0], reach[1]
    others = sum((square(distance) for distance in reach[1:]), ball(0))
    least = {
        "largest": square(first) + square(second),
        "comparison": square(first + second),
        # The second case is the one where the smallest hospital outweighs all the others together.
        "total": 2 * (square(first) + others)
        if bool(square(first) <= others)
        else square(first + sqrt(others)),
    }[aim]
    return least / square(ball(mu))


def _noise(scales: Sequence[Ball], aim: str) -> Ball:
    """Return the square of the noise that an aim is about."""
    squares = [square(scale) for scale in scales]
    if aim == "largest":
        return largest(squares)
    if aim == "comparison":
        return largest(one + other for one, other in combinations(squares, 2))
    return sum(squares, ball(0))


def _noise_of(scales: Array, aim: str) -> float:
    """Return the square of the noise that an aim is about, in floats."""
    squares = np.sort(np.square(scales))
    return float({"largest": squares[-1], "comparison": squares[-2:].sum(), "total": squares.sum()}[aim])


def _allocations(reach: Array, mu: float, count: int, seed: int, *key: int) -> Iterable[Array]:
    """Yield drawn allocations of level mu: those near own counts, and those near the best for each aim."""
    rng = rng_for(seed, "allocations", *key)
    # Near the optima, where a wrong one would be beaten; far from them every allocation is worse anyway.
    starts = [
        reach,
        *(
            informed_scales(reach, GaussianDP(1.0, "local"), aim)
            for aim in ("largest", "comparison", "total")
        ),
    ]
    for number in range(count):
        scales = starts[number % len(starts)] * np.exp(0.3 * rng.standard_normal(reach.size) * rng.random())
        # Levels scale inversely with the noise, so this has level mu exactly.
        yield scales * float(own_level(reach, scales)) / mu


def gain(grid: Grid, repetitions: int, seed: int, panels: Mapping[str, Panel]) -> list[Point]:
    """RW-Meta on own counts gains more than with the paper's noise, in every cell."""
    return _gains_more(name_of("own", META), [name_of("same", META)], grid, repetitions, seed, panels)


def posterior_gain(grid: Grid, repetitions: int, seed: int, panels: Mapping[str, Panel]) -> list[Point]:
    """On own counts, posterior means gain more than RW-Meta in every cell."""
    return _gains_more(name_of("own", POSTERIOR), [name_of("own", META)], grid, repetitions, seed, panels)


def over_central(grid: Grid, repetitions: int, seed: int, panels: Mapping[str, Panel]) -> list[Point]:
    """Local posterior means on own counts gain more than every central contender with the paper's noise."""
    rivals = [name_of("same", name) for name in CENTRAL]
    return _gains_more(name_of("own", POSTERIOR), rivals, grid, repetitions, seed, panels)


def _gains_more(
    contender: str, rivals: Sequence[str], grid: Grid, most: int, seed: int, panels: Mapping[str, Panel]
) -> list[Point]:
    """Ask whether one contender gains more than all others, until each rival is decided in every cell.

    A rival that is decided in a cell plays no more there. Claims with another cap share the games of their
    looks.
    """
    if any(panel.beds is None for panel in panels.values()):
        raise NotRunError("the panels have no beds of each hospital: make them again")
    # the contender meets every rival in one game
    panels = panels if isinstance(panels, Shared) else Shared(panels)
    pairs = list(product(panels, map(float, grid["mu"]), rivals))

    def played(pair: tuple[str, float, str], look: int, repetitions: int) -> Totals:
        state, mu, rival = pair
        # The rival is not in the key: a contender's game against each rival is the same, and is played once.
        own = int(rng_for(seed, "own counts", state, mu, look).integers(2**62))
        match = game(panels[state], state, [mu], repetitions, own, grid["adjacency"])
        key, names = (state, mu, own, repetitions), (contender, rival)
        return totals_of(names, lambda name: play(match, grid["learners"], [name]), grid, panels, key)

    def judge(games: Mapping[tuple[str, float, str], Totals]) -> list[Point]:
        points = []
        for (state, mu, rival), totals in games.items():
            lead = totals[contender] - totals[rival]
            # Jointly over cells, rivals and looks: to stop at a look that pleases must not make a verdict
            # likelier.
            z = critical_value(CONFIDENCE, len(pairs) * len(looks(most)), lead.size)
            value, half_width = mean(lead, z, mu == math.inf)
            where = {"state": state, "mu": mu}
            notes = {"repetitions": lead.size}
            points.append(Point(where, value, 0.0, value - half_width, value + half_width, ">=", notes))
        return points

    decided = until_decided(played, [[pair] for pair in pairs], judge, most)
    return [_least(decided[first : first + len(rivals)]) for first in range(0, len(decided), len(rivals))]


def _least(leads: Sequence[Point]) -> Point:
    """Return the least lead over several rivals, between the least lower and the least upper end."""
    value = min(lead.value for lead in leads)
    # The least of true leads lies between the least ends, if each lead lies between its own.
    low, high = (min(ends) for ends in zip(*(lead.interval for lead in leads), strict=True))
    notes = {"repetitions": max(lead.notes["repetitions"] for lead in leads)}
    return Point(leads[0].where, value, 0.0, low, high, ">=", notes)
