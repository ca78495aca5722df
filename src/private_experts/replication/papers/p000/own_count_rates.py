"""Own counts are minimax for regret up to a constant: each step of both bounds, and what unbiased rules need.

[mathematics/000.md#own-counts-optimal] [mathematics/000.md#own-counts-rule]
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from private_experts.algorithms.rw_ftpl import RWFTPL
from private_experts.arrays import Array
from private_experts.games.play import play, private_reports
from private_experts.games.regret import static_regret
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.privacy.own_counts import own_scales
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    exp,
    expm1,
    largest,
    log,
    normal_cdf,
    pi,
    power,
    precision,
    rational,
    smallest,
    sqrt,
    square,
)
from private_experts.replication.balls.boxes import at_point, over_box
from private_experts.replication.ledger.evidence import Grid, NotRunError, Point
from private_experts.replication.papers.p000.fixed_stream_regret import unlearned
from private_experts.replication.papers.p000.sampled_points import mean_point
from private_experts.replication.study.data.panel import Panel

# Of the proof: the information of a round over (Delta/sigma)^2; c' with privacy and without; right three
# times in four.
INFORMATION, SHARE, SHARE_OF_COINS, RIGHT = "3.44", "0.186", "0.172", "0.75"
LARGEST = "1.7"  # the expected largest of N_k / sqrt(log(k + 1)), for any number of them
APART = "93"  # at most the quotient of the upper and the lower bound
LARGEST_DELTA = "0.25"

REST = 0.9032  # the integral of the normal density squared over the distribution function

_LISTED, _STEP, _FAR = 100, 0.02, 8.0  # of the sum that bounds the largest: terms, width, where it ends
_WINDOW = 12  # of discrete noise, in standard deviations

Counts = tuple[Ball, Sequence[int]]  # a probability, and how many patients each hospital has


def certainty(hypotheses: Ball) -> Ball:
    """Return the divergence of a guess that is right three times in four from one that is right by chance."""
    right = rational(RIGHT)
    return right * log(right * hypotheses) + (1 - right) * log((1 - right) / (1 - 1 / hypotheses))


def round_information(moved: Ball, mu: float) -> Ball:
    """Return the most that a round's reports tell of so many patients who move in the mean.

    One moves with a probability below 1, or a number rounded up or down at random.
    """
    if moved <= 1:
        return square(moved) * expm1(square(ball(mu)))
    part = moved - moved.floor()
    return (square(moved) + part * (1 - part)) * square(ball(mu)) / 2


def hypothesis(beds: Sequence[int], to: int, moved: Ball, source: int = -1) -> Iterator[Counts]:
    """Yield the counts of a round: half the beds, rounded at random, after moves from the last hospital.

    Or from another `source`.
    """
    least = int(moved.floor().unique_fmpz())
    often = {least: 1 - (moved - least), least + 1: moved - least}
    for up, (patients, probability) in product((0, 1), often.items()):
        counts = [(count + up) // 2 for count in beds]
        counts[to] += patients
        counts[source] -= patients
        yield probability / 2, counts


def _constants() -> list[Point]:
    """Return that the constants of the proof are right where they have to be, each for itself."""
    share, coins, information = rational(SHARE), rational(SHARE_OF_COINS), rational(INFORMATION)
    pair = square(share) * information * log(ball(2))
    up_or_down = at_point({"step": "up or down"}, pair, certainty(ball(2)))
    # The upper bound has one hospital more in its maximum, and sqrt(2) E max N <= 2 sqrt(log n).
    private = rational(LARGEST) * sqrt(log(ball(3)) / log(ball(2))) * 4 / share
    apart = at_point({"step": "apart"}, private + 2 * 4 / coins, rational(APART))
    scaled = at_point({"step": "scaled largest"}, scaled_largest(), rational(LARGEST))
    return [up_or_down, apart, scaled]


def scaled_largest() -> Ball:
    """Return a bound on the expected largest of N_k / sqrt(log(k + 1)), k = 1, 2, ...

    Beyond x it is with a probability that falls in x. Those that are not listed count one by one, by
    ``1 - Phi(y) <= e^(-y^2/2) / (y sqrt(2 pi))``.
    """
    total, start = sqrt(ball(2)), sqrt(ball(2))
    roots = [sqrt(log(ball(k + 1))) for k in range(1, _LISTED + 1)]
    for step in range(1, round(_FAR / _STEP)):
        x = start + step * ball(_STEP)
        beyond = square(x) / 2 - 1
        rest = power(ball(_LISTED + 1), -beyond) / (beyond * x * sqrt(2 * pi()) * roots[-1])
        below = 1 - rest
        for root in roots:
            below *= normal_cdf(x * root)
        total += _STEP * (1 - below).min(ball(1))
    # The first step is taken whole; beyond the last, terms fall faster than e^-x.
    return total + ball(_STEP) + exp(-x)


def lower_bound(grid: Grid, seed: int) -> list[Point]:
    """Each step of the lower bound: for levels and numbers of hypotheses on boxes, and at drawn panels."""
    steps = {
        "one move": (
            lambda mu: (2 * expm1(mu * mu) / (mu * mu), rational(INFORMATION)),
            {"mu": grid["mu box"]},
        ),
        "guess": (_guess, {"log_k": grid["log k box"]}),
        "coins": (_coins, {"log_k": grid["log k box"]}),
        "two-valued": (_two_valued, {"mu": grid["reports box"]}),
        "laplace": (_laplace, {"mu": grid["reports box"]}),
    }
    points = [over_box({"step": step}, sides, box) for step, (sides, box) in steps.items()]
    with precision():
        points += _constants()
        for n, mu, horizon, number in product(grid["n"], grid["mu"], grid["T"], range(grid["instances"])):
            rng = rng_for(seed, "whole beds", n, number)
            beds = np.sort(np.exp(rng.uniform(np.log(2.0), np.log(600.0), n)).astype(int)).tolist()
            where = {"n": n, "mu": mu, "T": horizon, "instance": number}
            points += _chain(where, beds, mu, horizon)
    return points


def _guess(log_k: Ball) -> tuple[Ball, Ball]:
    """Return what T rounds tell, and what a guess among k >= 2 hospitals needs, in units of log k."""
    return square(rational(SHARE)) * rational(INFORMATION) * log(exp(log_k) + 1), certainty(exp(log_k))


def _coins(log_k: Ball) -> tuple[Ball, Ball]:
    """Return the same where reports are the gains themselves, coins of which one is better by Delta."""
    return 4 * square(rational(SHARE_OF_COINS)) * log(exp(log_k) + 1), certainty(exp(log_k))


def _two_valued(mu: Ball) -> tuple[Ball, Ball]:
    """Return the chi-squared divergence of the noisiest answers of two values of a level, and its bound."""
    right = normal_cdf(mu / 2)
    return square(2 * right - 1) / (right * (1 - right)), expm1(mu * mu)


def _laplace(mu: Ball) -> tuple[Ball, Ball]:
    """Return the same for Laplace noise with the epsilon that these answers have."""
    right = normal_cdf(mu / 2)
    odds = right / (1 - right)
    return 2 * odds / 3 + 1 / (3 * square(odds)) - 1, expm1(mu * mu)


def _chain(where: dict[str, Any], beds: list[int], mu: float, horizon: int) -> list[Point]:
    """Return the steps of the proof for beds that rise, at each number k of hypotheses."""
    points = []
    for k in range(1, len(beds)):
        sigma = own_scale(beds[k - 1], mu)
        root = sqrt(log(ball(k + 1)) / horizon)
        delta = (rational(SHARE) * sigma * root).min(rational(LARGEST_DELTA))
        gaps, fits, informed = [], [], []
        # One hypothesis alone has a second one, of moves out of the hospital: there the last one is ahead.
        moves = [(j, -1, j) for j in range(k)] if k > 1 else [(0, -1, 0), (-1, 0, 0)]
        for to, source, j in moves:
            moved = delta * beds[j]
            laws = list(hypothesis(beds, to, moved, source))
            means = [
                sum((probability * counts[i] for probability, counts in laws), ball(0)) / beds[i]
                for i in range(len(beds))
            ]
            # Out of the hospital, its own plays alone have to cost so much.
            behind = [mean for i, mean in enumerate(means) if i != to] if source == -1 else [means[j]]
            gaps += [means[to] - mean for mean in behind]
            fits += [
                min(count, bed - count) for _, counts in laws for count, bed in zip(counts, beds, strict=True)
            ]
            informed.append(round_information(moved, mu))
        guesses = ball(max(k, 2))
        stated = (rational(SHARE) / 4 * sqrt(ball(horizon)) * sigma * sqrt(log(ball(k + 1)))).min(
            ball(horizon) / 16
        )
        place, slack = {**where, "k": k}, rational("1e-12")
        points += [
            at_point({**place, "step": "beds and patients"}, ball(min(fits)), ball(0), sense=">="),
            at_point({**place, "step": "mean gap"}, smallest(gaps), delta * (1 - slack), sense=">="),
            at_point({**place, "step": "information"}, horizon * largest(informed), certainty(guesses)),
            at_point({**place, "step": "regret"}, stated * (1 - slack), horizon * delta / 4),
        ]
    return points


def own_scale(beds: float, mu: float) -> Ball:
    """Return own counts' noise at a hospital for a person who moves, as the library has it."""
    return ball(float(own_scales([1 / beds], GaussianDP(mu, "local"))[0]))


Rule = list[dict[int, Ball]]  # by count the law of what is reported


def _rules(grid: Grid) -> Iterator[tuple[str, Rule]]:
    """Yield rules whose reports rise evenly in the mean: the count in noise, its binomial, or lies."""
    beds = grid["beds"]
    for scale in grid["discrete noise"]:
        window = range(-_WINDOW * scale, _WINDOW * scale + 1)
        weights = {x: exp(-square(ball(x)) / (2 * scale**2)) for x in window}
        total = sum(weights.values(), ball(0))
        yield (
            f"discrete normal {scale}",
            [{x + count: weight / total for x, weight in weights.items()} for count in range(beds + 1)],
        )
    for draws in grid["binomial"]:
        shares = [ball(count + 1) / (beds + 2) for count in range(beds + 1)]
        binomials = [ball(1)]
        for x in range(draws):
            binomials.append(binomials[-1] * (draws - x) / (x + 1))
        yield (
            f"binomial {draws}",
            [
                {x: binomials[x] * share**x * (1 - share) ** (draws - x) for x in range(draws + 1)}
                for share in shares
            ],
        )
    for chance in grid["lies"]:
        lie = ball(chance) / (beds + 1)
        yield (
            f"lies {chance}",
            [
                {x: lie + (1 - ball(chance)) * (x == count) for x in range(beds + 1)}
                for count in range(beds + 1)
            ],
        )


def _divergence(one: dict[int, Ball], two: dict[int, Ball]) -> Ball:
    """Return the chi-squared divergence of two laws on the values that both have, and a mass of 1 each."""
    return sum((square(one[x] - two[x]) / two[x] for x in one if x in two), ball(0))


def _moments(law: dict[int, Ball]) -> tuple[Ball, Ball]:
    mean = sum((x * mass for x, mass in law.items()), ball(0))
    return mean, sum((square(x - mean) * mass for x, mass in law.items()), ball(0))


def unbiased(grid: Grid) -> list[Point]:
    """No rule that all hospitals share has less variance than its level asks for; own counts are within 1.14.

    The level is that of the chi-squared divergence of both hospitals' reports, which is at most ``e^(mu^2)``.
    """
    points = [over_box({"rule": "own counts, all levels"}, _own_deviation, {"mu": grid["mu box"]})]
    with precision():
        for mu in grid["mu"]:
            deviation = own_scale(grid["beds"], mu) * grid["beds"] * sqrt(expm1(square(ball(mu)) / 2))
            where = {"rule": "own counts", "mu": mu}
            points += [
                at_point({**where, "side": "least"}, deviation, ball(1), sense=">="),
                at_point({**where, "side": "most"}, deviation, rational("1.14")),
            ]
        for rule, laws in _rules(grid):
            up = [_divergence(laws[x + 1], laws[x]) for x in range(len(laws) - 1)]
            down = [_divergence(laws[x], laws[x + 1]) for x in range(len(laws) - 1)]
            level = (1 + largest(up)) * (1 + largest(down))
            means, variances = zip(*map(_moments, laws), strict=True)
            step = smallest(abs(one - two) for one, two in zip(means[1:], means[:-1], strict=True))
            needed = [square(step) / (sqrt(level) - 1) / variance for variance in variances[1:-1]]
            points.append(at_point({"rule": rule}, largest(needed), ball(1) + rational(grid["cut"])))
    return points


def _own_deviation(mu: Ball) -> tuple[Ball, Ball]:
    """Return own counts' deviation over the least that there can be, at most 1.14 for levels up to 1."""
    return sqrt(2 * expm1(mu * mu / 2)) / mu, rational("1.14")


def largest_mean(scales: Array) -> float:
    """Return the expected largest of independent centred normals with these standard deviations."""
    from scipy.special import log_ndtr

    # Nodes are finest near 0, where a small scale is all that moves; equal scales count once. Smooth
    # integrands that vanish at the ends need no better rule.
    t, unit = np.linspace(0, 6, 121), 9 * scales.max() / np.sinh(6)
    sizes, often = np.unique(scales, return_counts=True)
    levels = (unit * np.sinh(t))[:, None] / sizes
    # E max X is the integral of P(max X > x) - P(max X < -x) over x > 0.
    above, below = -np.expm1(log_ndtr(levels) @ often), np.exp(log_ndtr(-levels) @ often)
    return float(np.trapezoid((above - below) * unit * np.cosh(t), t))


def floored(beds: Array, mu: float) -> Array:
    """Return reaches whose own counts have at least the noise ``1 / sqrt(2)``, which the bound asks for."""
    return np.maximum(1 / beds, mu / 2)


def regret(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """RW-FTPL on own counts with a floor keeps the upper bound, on streams that follow its leaders.

    Two sets of hospitals gain in turn, then one gains alone. Lazy is uniform play.
    """
    cells = list(product(grid["n"], grid["mu"], grid["T"], grid["seesaw"], grid["rises"], grid["share"]))
    points = []
    for n, mu, horizon, seesaw, rises, share in cells:
        beds = np.exp(np.linspace(np.log(4.0), np.log(600.0), n))
        gains = _seesaw_then_rise(n, horizon, seesaw, 0 if rises == "smallest" else n - 1, share)
        reach, guarantee = floored(beds, mu), GaussianDP(mu, "local")
        noise = SimulatedNoise(rng_for(seed, "own counts", n, mu, horizon, seesaw, rises, share, repetitions))
        scales = own_scales(reach, guarantee)
        leader = RWFTPL(n, guarantee, noise_scale=scales, noise=noise, repetitions=repetitions)
        actions = play(leader, private_reports(gains, guarantee, reach, noise, repetitions, 2))
        plain = largest_mean(own_scales(1 / beds, guarantee))
        most = float(np.sqrt(horizon) * (plain + np.sqrt(2) * largest_mean(np.ones(n))))
        where = {"n": n, "mu": mu, "T": horizon, "seesaw": seesaw, "rises": rises, "share": share}
        sample = static_regret(gains, actions)
        notes = {"share_of_bound": float(sample.mean()) / most}
        lazy = unlearned(gains)
        points.append(mean_point(where, sample, most, len(cells), notes=notes, trivial=horizon, lazy=lazy))
    return points


def _seesaw_then_rise(n: int, horizon: int, seesaw: str, rises: int, share: float) -> Array:
    """Return gains (T, n): two sets gain in turn, and in the last share of the rounds one expert alone."""
    one, other = {
        "halves": (slice(0, None, 2), slice(1, None, 2)),
        "largest two": (slice(n - 1, n), slice(n - 2, n - 1)),
        "smallest two": (slice(0, 1), slice(1, 2)),
    }[seesaw]
    gains, rise = np.zeros((horizon, n)), round(share * horizon)
    gains[: horizon - rise : 2, one] = 1.0
    gains[1 : horizon - rise : 2, other] = 1.0
    gains[horizon - rise :, rises] = 1.0
    return gains


def saved(grid: Grid, panels: Mapping[str, Panel]) -> list[Point]:
    """On the panels' beds own counts lower the bound's first part, and at small mu the bound.

    Each bound takes the floor at which it is least.
    """
    points = []
    for state, panel in panels.items():
        if panel.beds is None:
            raise NotRunError("the panels have no beds of each hospital: make them again")
        scales = own_scales(1 / panel.beds, GaussianDP(1.0, "local"))
        for what, mu in product(("noise", "bound"), grid["levels"]):
            if what == "noise" and mu != grid["levels"][0]:
                continue  # the quotient of the noise is that at every level
            quotient = _noise_quotient if what == "noise" else _bound_quotient
            found = [quotient(row / mu) for row in scales]
            least, most = grid["noise"] if what == "noise" else grid["bound"][grid["levels"].index(mu)]
            where = {"state": state, "what": what, "mu": mu}
            points.append(Point({**where, "end": "least"}, min(found), least, sense=">="))
            points.append(Point({**where, "end": "most"}, max(found), most))
    return points


def _noise_quotient(scales: Array) -> float:
    """Return how much larger E max N is with the largest noise for all."""
    return float(scales.max() * largest_mean(np.ones(scales.size)) / largest_mean(scales))


def _bound_quotient(scales: Array) -> float:
    """Return the same of the whole bound, each at the best floor of some."""
    least = np.linspace(0.4, 1.6, 7)
    same, own = (
        min(_bound(np.maximum(noise, floor)) for floor in least)
        for noise in (np.full_like(scales, scales.max()), scales)
    )
    return same / own


def _bound(scales: Array) -> float:
    """Return RW-FTPL's bound over sqrt(T) for noise of the experts' own scales."""
    largest_inverse = largest_mean(1 / scales)
    halved = (largest_inverse + REST / scales.min()) / 4
    return largest_mean(scales) + min(largest_inverse / 2, halved)
