"""How far the algorithm is from the best possible: Corollary 1, its lower bound and Remark 1."""

from collections.abc import Sequence
from itertools import product

import numpy as np

from private_experts.games.streams import KINDS, CoinFlips, Mixture, deterministic, equal_gaps, opposed
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    exp,
    expm1,
    integral,
    largest,
    log,
    log1p,
    near,
    precision,
    square,
)
from private_experts.replication.balls.boxes import agreement, at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.blocks import block_regret, exact_errors
from private_experts.replication.papers.p002.error_potential import algorithm_of, potential_sum
from private_experts.replication.papers.p002.minimax import bayes_bound, minimax_regret, privacy_bound
from private_experts.replication.papers.p002.softmax_errors import by_block, regret, softmax_errors

_ROUNDING = 1e-9  # of the library's regrets, relative
_REACH = 80.0  # in noise scales


def _regret(name: str, stream: CoinFlips | Mixture, epsilon: float, horizon: int) -> float:
    # only its law is used, so the generator does not matter
    algorithm = algorithm_of(name, 2, epsilon, rng_for(0))
    return float(block_regret(exact_errors(algorithm, stream, horizon.bit_length()), [horizon])[0])


def _exact(kind: str, n: int, gap: float, epsilon: float, horizons: Sequence[int]) -> list[Ball]:
    """Return the regrets of the randomised prefix as balls."""
    blocks = max(horizons).bit_length()
    # The paper's rate: a replaced vector moves each score by at most 1, and the normalisation as much again.
    errors = softmax_errors(kind, n, gap, epsilon / 2, 2 ** max(blocks - 2, 0))
    of_blocks = by_block(ball(gap) * (n - 1) / n, errors, blocks)
    return [regret(of_blocks, horizon) for horizon in horizons]


def lower_bound(grid: Grid) -> list[Point]:
    """No epsilon-DP algorithm has less regret on all K laws than the lower bound.

    The value is the least possible worst regret, from a linear program: [what a dual solution proves, what an
    algorithm attains], both in ball arithmetic. Points where learning without privacy costs as much as the
    bound say nothing about privacy. Lazy is to ignore privacy.
    """
    points = []
    for where, n, horizon, epsilon, gap in cells_of(grid, "K, T", "epsilon", "gap"):
        with precision():
            program = minimax_regret(n, horizon, epsilon, gap)
            free = bayes_bound(n, horizon, gap)
            value, private = program.least.union(program.attained), privacy_bound(n, horizon, epsilon, gap)
            # Where learning costs more than privacy, the private bound is met for that reason alone.
            for name, bound, trivial in (("privacy", private, near(free)), ("no privacy", free, 0.0)):
                notes, lazy = (
                    {"quotient": near(program.attained / bound)},
                    near(free) if name == "privacy" else None,
                )
                # The two may be equal, as in one round, and the program's ball has a width.
                place, most = {**where, "bound of": name}, bound - grid["rounding"]
                points.append(at_point(place, value, most, notes, ">=", trivial, lazy))
    return points


def minimax(grid: Grid) -> list[Point]:
    """The algorithm's regret is at least the least possible one, and at most `factor` times it.

    There are two actions, and the two laws of the linear program are the opposed coin flips. Playing at
    random is the trivial bound, and lazy. The regret that the library computes is compared with balls.
    """
    points = []
    for where, horizon, epsilon, gap in cells_of(grid, "T", "epsilon", "gap"):
        computed = _regret("randomised prefix", opposed(equal_gaps(2, gap)), epsilon, horizon)
        with precision():
            program = minimax_regret(2, horizon, epsilon, gap)
            [regret_of_prefix] = _exact("opposed", 2, gap, epsilon, [horizon])
            notes = {"least": near(program.attained), "quotient": near(regret_of_prefix / program.attained)}
            least = max(near(privacy_bound(2, horizon, epsilon, gap)), near(bayes_bound(2, horizon, gap)))
            notes |= {"theorem_1": _theorem(2, gap, epsilon), "lower_bound": least}
            # Against the end of the program's ball that makes either statement harder.
            below, above = program.attained - grid["rounding"], grid["factor"] * program.least
            points.append(at_point({**where, "side": "at least"}, regret_of_prefix, below, sense=">="))
            at_random = gap * horizon / 2
            most = {**where, "side": "at most"}
            points.append(at_point(most, regret_of_prefix, above, notes, trivial=at_random, lazy=at_random))
            points.append(agreement({**where, "side": "library"}, computed, regret_of_prefix, _ROUNDING))
    return points


def _theorem(n: int, gap: float, epsilon: float) -> float:
    """Return the bound that the proof of Theorem 1 gives."""
    return float(np.log(n) * (674 / gap + 32 / epsilon))


def corollary_1(grid: Grid) -> list[Point]:
    """On the streams of the lower bound, the algorithm's regret is at most `factor` times the lower bound.

    The lower bound is the larger of the private and the free one. Two actions have opposed coin flips; with
    more, all gaps are 1 and nothing is random. Playing at random is the trivial bound, and lazy. The regret
    that the library computes is compared with balls.
    """
    points, horizons = [], grid["T"]
    for (n, gap), epsilon in product(grid["K, gap"], grid["epsilon"]):
        kind = "opposed" if n == 2 else "deterministic"
        stream = KINDS[kind](equal_gaps(n, gap))
        with precision():
            exact = _exact(kind, n, gap, epsilon, horizons)
        for horizon, ours in zip(horizons, exact, strict=True):
            where = {"K": n, "gap": gap, "epsilon": epsilon, "T": horizon}
            computed = _regret("randomised prefix", stream, epsilon, horizon)
            with precision():
                # Without chance one round tells all.
                free = bayes_bound(n, horizon, gap) if n == 2 else 1 - ball(1) / n
                # The regret has to exceed both: which one is larger depends on epsilon against the gap.
                least = largest([privacy_bound(n, horizon, epsilon, gap), free])
                notes = {"quotient": near(ours / least), "lower_bound": near(least)}
                notes |= {"theorem_1": _theorem(n, gap, epsilon)}
                at_random = gap * (1 - 1 / n) * horizon
                place, most = {**where, "of": "balls"}, grid["factor"] * least
                points.append(at_point(place, ours, most, notes, trivial=at_random, lazy=at_random))
                points.append(agreement({**where, "of": "library"}, computed, ours, _ROUNDING))
    return points


def remark_1(grid: Grid) -> list[Point]:
    """Bounding each action by itself adds up to log^2 K / (2 beta), while the errors add up to log K / beta.

    All gaps are 1 and nothing is random. Where better actions are more likely, the one of rank a has a
    probability of at most 1 / a, and of at most exp(-beta r). The third value is the regret of
    report-noisy-max in units of log K / epsilon. What the library computes is compared with balls. Lazy is
    uniform play.
    """
    points = []
    for where, n, epsilon in cells_of(grid, "K", "epsilon"):
        # Beyond, all terms together are below e^-40.
        rounds = np.arange(int((np.log(n) + 40) / (epsilon / 2)) + 1)
        law = algorithm_of("randomised prefix", 2, epsilon, rng_for(0)).law
        scores = np.stack([rounds, np.zeros_like(rounds)], axis=1).astype(np.float64)
        computed = float(((n - 1) * law(scores, np.array([1, n - 1]))[:, 1]).sum())
        horizon = 2 ** (int(np.ceil(np.log2((np.log(n) + 40) / (epsilon / 2)))) + 2) - 1
        played = _regret("noisy max", deterministic(equal_gaps(n, 1.0)), epsilon, horizon)
        with precision():
            beta, log_k = ball(epsilon) / 2, log(ball(n))
            by_action, errors = per_action(n, beta), potential_sum(n, beta, len(rounds))
            noisy = noisy_max_regret(n, beta, horizon)
            below, units = square(log_k) / (2 * beta), log_k / epsilon
            lazy, most = horizon * (1 - 1 / n) / near(units), ball(grid["noisy max"])
            notes = {"quotient": near(by_action / errors)}
            points += [
                at_point({**where, "sum": "action by action"}, by_action, below, notes, ">="),
                at_point({**where, "sum": "errors"}, errors, log_k / beta + 1 - ball(1) / n),
                at_point({**where, "sum": "report-noisy-max"}, noisy / units, most, notes, lazy=lazy),
                agreement({**where, "sum": "errors, library"}, computed, errors, _ROUNDING),
                agreement({**where, "sum": "report-noisy-max, library"}, played, noisy, _ROUNDING),
            ]
    return points


def per_action(n: int, beta: Ball) -> Ball:
    """Return the sum over ranks a = 2, ..., K and rounds r >= 0 of the least of 1 / a and exp(-beta r)."""
    # Sums of 1 / a are differences of digamma, so K may be far too large to add up.
    total, r, harmonic = ball(0), 0, ball(n + 1).digamma()
    while True:
        decay = exp(-beta * r)
        # Ranks up to e^(beta r) have the bound e^(-beta r), and those beyond 1 / a.
        ranks = (1 / decay).floor().unique_fmpz()
        if ranks is None:
            raise ValueError(f"more bits are needed to tell how many ranks there are in round {r}")
        # From here on every rank has the exponential bound, and the rest is a geometric series.
        if ranks >= n:
            return total + (n - 1) * decay / -expm1(-beta)
        total += (ranks - 1) * decay + harmonic - ball(ranks + 1).digamma()
        r += 1


def noisy_max_regret(n: int, beta: Ball, horizon: int) -> Ball:
    """Return report-noisy-max's regret on whole blocks, noise of scale 1 / beta, where all gaps are 1."""
    blocks = horizon.bit_length()
    # All gaps are 1: after 2^m rounds the best is 2^m ahead of every other.
    errors = [noisy_max_error(n, beta * 2**m) for m in range(blocks - 1)]
    return regret([1 - ball(1) / n, *errors], horizon)


def noisy_max_error(n: int, ahead: Ball) -> Ball:
    """Return the chance that the best of n scores wins, ahead of all others by so many noise scales.

    Below 0 and above `ahead` the integral of ``f(y - ahead) F(y)^(n - 1)`` has a closed form.
    """
    others, far, all_of_it = n - 1, exp(-ahead) / 2, bool(ahead <= _REACH)
    below = far / (ball(2) ** others * n)
    # As 1 - (1 - x)^n it would cancel: x is as small as e^-ahead.
    above = -expm1(n * log1p(-far)) / (2 * far * n)
    top = ahead if all_of_it else ball(_REACH)
    between = integral(lambda z: exp(-z) * (1 - far * exp(z)) ** others, ball(0), top) / 2
    # The integrand is at most e^-z, so what lies beyond the reach is at most its tail.
    rest = ball(0) if all_of_it else ball(0, exp(-ball(_REACH)).upper())
    return 1 - below - above - between - rest
