"""Algorithm 2: the privacy of its queries, when phases end, and its dynamic regret when the law shifts."""

from collections.abc import Sequence
from functools import cache
from itertools import pairwise, product
from typing import Any

import numpy as np

from private_experts.algorithms.all_windows import AllWindows
from private_experts.algorithms.restarting_leader import RestartingLeader, printed_allowance
from private_experts.arrays import Array, Indices
from private_experts.games.play import play
from private_experts.games.regret import dynamic_regret
from private_experts.games.streams import equal_gaps, shifting
from private_experts.privacy.above_threshold import accuracy, halting_law
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, largest, log, precision
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.repetition_blocks import repeated
from private_experts.replication.papers.p004.halting import in_units, none_above
from private_experts.replication.study.intervals import clopper_pearson, mean_interval

# Halving the queries is the same as doubling AboveThreshold's sensitivity.
MENDED, PRINTED = 2.0, 1.0

_BITS = 80
_ROUNDING = 1e-12  # of the program's probabilities

BLOCK = 200  # repetitions that are drawn together; a round takes as long for one of them


@precision(_BITS)
def tracking_queries(grid: Grid, sensitivity: float = MENDED) -> list[Point]:
    """The halved queries of Algorithm 2 move by at most 1, and AboveThreshold on them is epsilon-DP.

    The sensitivity is found by trying all 0/1 losses, plays and replacements; the privacy by integrals in
    ball arithmetic, for streams at several levels in which all queries but the last move by 2. For Lemma 2.4
    they move by 1, and the last moves by 1 the other way. The program's law is compared.
    """
    points, off = [], [ball(0)]
    for n, horizon in grid["exhaustive"]:
        most = int(np.abs(_moves(n, horizon)).max())  # losses are 0 or 1, so all are whole numbers
        where = {"what": "sensitivity", "N": n, "T": horizon}
        points.append(at_point(where, ball(most) / sensitivity, ball(1)))
    for epsilon, count in product(grid["epsilon"], grid["queries"]):
        cases = {"privacy": (2.0, 0.0, sensitivity), "Lemma 2.4": (1.0, -1.0, 1.0)}
        for what, (others, last, stated) in cases.items():
            worst, apart = _halting_ratios(grid["level"], count - 1, (others, last), epsilon, stated)
            off.append(apart)
            where = {"what": what, "epsilon": epsilon, "queries": count}
            points.append(at_point(where, worst, epsilon + ball(1e-9)))
    points.append(
        at_point({"what": "program's law", "epsilon": 0.0, "queries": 0}, largest(off), ball(_ROUNDING))
    )
    return points


def tracking_queries_printed(grid: Grid) -> list[Point]:
    """The same for the queries as printed. [mathematics/004.md#e004-5]"""
    return tracking_queries(grid, PRINTED)


def _moves(n: int, horizon: int) -> Array:
    """Return how far windows' regrets move, for all 0/1 gains, all plays and all changes of one round."""
    vectors = (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(np.float64)
    # Plays are enumerated as well, because a query contains what was played.
    places = np.indices((2**n,) * horizon + (n,) * horizon).reshape(2 * horizon, -1)
    rounds, plays = places[:horizon], places[horizon:]
    regrets = _regrets(vectors[rounds], plays)
    moves = []
    for t in range(horizon):
        for other in range(2**n):
            changed = rounds.copy()
            changed[t] = other
            moves.append(_regrets(vectors[changed], plays) - regrets)
    return np.array(moves)


def _regrets(gains: Array, plays: Indices) -> Array:
    """Return the regrets of all windows that end with the last round, for games (T, games, n)."""
    horizon, games, n = gains.shape
    windows, rows = AllWindows(n, horizon, games), np.arange(games)
    for t, of_round in enumerate(gains):
        windows.add(of_round, of_round[rows, plays[t]])
    return windows.regrets(rows)


def _halting_ratios(
    levels: Sequence[float], count: int, moves: tuple[float, float], epsilon: float, sensitivity: float
) -> tuple[Ball, Ball]:
    """Return the halting laws' largest log-ratio when queries move either way, and its error.

    So many queries of one level, in units of 1 / epsilon, come first, and then one of another.
    """

    @cache
    def alive(level: float, sign: int, j: int) -> Ball:
        """Return the probability that none of the first j queries is above."""
        return none_above([(unit(level, sign * moves[0]), j)])

    def unit(level: float, move: float) -> Ball:
        return in_units(ball(level) / epsilon + move, epsilon, sensitivity)

    def law(low: float, high: float, sign: int) -> list[Ball]:
        never = none_above([(unit(low, sign * moves[0]), count), (unit(high, sign * moves[1]), 1)])
        # Where it halts is a difference of survivals, in balls with bits to spare for the cancellation.
        before = [alive(low, sign, j) for j in range(count + 1)]
        return [*(one - other for one, other in pairwise(before)), before[-1] - never, never]

    ratios, off = [], []
    for low, high in product(levels, repeat=2):
        laws = {sign: law(low, high, sign) for sign in (-1, 0, 1)}
        for sign, exact in laws.items():
            ratios += [abs(log(one / other)) for one, other in zip(exact, laws[0], strict=True)]
            queries = np.append(np.full(count, low), high) / epsilon + sign * np.append(
                np.full(count, moves[0]), moves[1]
            )
            program = halting_law(queries, epsilon, sensitivity).tolist()
            off += [abs(computed - one) for computed, one in zip(program, exact, strict=True)]
    return largest(ratios), largest(off)


def tracker(
    n: int,
    horizon: int,
    epsilon: float,
    beta: float,
    slack: float,
    windows: Any,
    repetitions: int,
    *key: Any,
    **options: Any,
) -> RestartingLeader:
    """Return the mended Algorithm 2, with the printed allowance if nothing else is said."""
    rng = rng_for(*key, n, horizon, epsilon, slack, windows, repetitions)
    return RestartingLeader(
        n,
        PureDP(epsilon, "central"),
        horizon=horizon,
        rng=rng,
        repetitions=repetitions,
        beta=beta,
        windows=windows,
        slack=slack,
        **options,
    )


def phases(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """A phase ends only after the law has shifted, and soon after the played expert has become a bad one.

    ``early`` counts repetitions with more ended phases than shifts; Lemma 3.4 allows it with 2 beta for each
    phase. ``late`` counts those in which a window has shown a regret of its allowance + 2 alpha + 1 and the
    phase goes on; Lemma 3.5 allows beta. When this must have happened is known beforehand if the gains of a
    round equal their means. Lazy is never to restart.
    """
    n, beta = grid["N"], grid["beta"]
    cells = list(product(grid["T"], grid["kind"], grid["epsilon"], grid["slack"]))

    def times(horizon: int) -> list[int]:
        return [round(share * horizon) for share in grid["time"]]

    def ends(
        horizon: int, kind: str, epsilon: float, slack: float, count: int, key: tuple[int, ...]
    ) -> list[Indices]:
        """Return how many phases have ended at each of the times, shape (times, count)."""
        algorithm = tracker(n, horizon, epsilon, beta, slack, "all", count, seed, "phases", kind, *key)
        stream = shifting(kind, equal_gaps(n, grid["gap"] if kind == "independent" else 1.0), horizon, 1)
        rounds = stream.chunks(count, rng_for(seed, "stream", kind, n, horizon, epsilon, slack, *key))
        gains = np.concatenate(list(rounds))
        ended: list[Indices] = []
        # Up to one time and on to the next, since the algorithm does not keep when a phase ended.
        for first, last in pairwise([0, *times(horizon)]):
            play(algorithm, gains[first:last], resume=True)
            ended.append(algorithm.restarts.copy())
        return [np.array(ended)]

    points = []
    for (horizon, kind, epsilon, slack), [ended] in zip(
        cells, repeated(ends, cells, repetitions, BLOCK), strict=True
    ):
        deadline = late_at(n, horizon, epsilon, beta, slack, horizon // 2)
        for t, by_now in zip(times(horizon), ended, strict=True):
            shifts = int(t > horizon // 2)
            # Against all restarts: a phase may end rightly once after each shift.
            events = {"early": (by_now > shifts, 2 * beta * (1 + shifts))}
            # Without chance it is known when a window shows enough regret.
            if kind == "deterministic" and t >= deadline:
                events["late"] = (by_now < 1, beta)
            notes = {"shift": horizon // 2, "deadline": deadline, "ended_on_average": float(by_now.mean())}
            for what, (event, most) in events.items():
                low, high = clopper_pearson(event.sum(), repetitions, 2 * len(cells) * len(grid["time"]))
                where = {
                    "T": horizon,
                    "what": what,
                    "kind": kind,
                    "epsilon": epsilon,
                    "slack": slack,
                    "after": t,
                }
                share, sides = float(event.mean()), (float(low), float(high))
                points.append(Point(where, share, most, *sides, notes=notes, lazy=float(what == "late")))
    return points


def late_at(n: int, horizon: int, epsilon: float, beta: float, slack: float, shift: int) -> int:
    """Return the round by which a phase must have ended, if after the shift its expert loses 1 a round."""
    rounds = np.arange(1.0, horizon + 1)
    alpha = accuracy(horizon**2, epsilon / 2, beta, MENDED)
    threshold = slack * printed_allowance(rounds, n, horizon, epsilon, beta) + alpha + 1
    # By Lemma 2.4 a query that is alpha above its threshold is missed with probability beta at most.
    enough = rounds >= threshold + alpha
    return int(shift + rounds[enough.argmax()]) if enough.any() else horizon + 1


def explicit_bound(n: int, horizon: int, shifts: int, epsilon: float, beta: float) -> float:
    """Return ``9 sqrt(2 S T log(NT / beta)) + 2 S (16 log(NT / beta) / epsilon + 2 alpha + 1) + 1``.

    [004, Theorem 3.6]
    """
    alpha = accuracy(horizon**2, epsilon / 2, beta, PRINTED)
    # The allowance at one round is its part that does not grow: subtracted, the root is left.
    ends = np.array([1 + 2 * shifts * horizon, 1.0])
    spread, level = printed_allowance(ends, n, horizon, epsilon, beta)
    return float(spread - level + 2 * shifts * (level + 2 * alpha + 1)) + 1


def theorem_3_6(
    grid: Grid, repetitions: int, seed: int, bound: Any = None, options: Any = None
) -> list[Point]:
    """Algorithm 2's expected dynamic regret is at most an explicit bound in Theorem 3.6's proof, plus 1.

    The 1 pays for failures: with beta = 1 / T, a regret of at most T with probability 1 / T. Lazy is never to
    restart. With `options` it is another tracker, and `bound` is the bound for it.
    """
    n, cells = grid["N"], [tuple(cell) for cell in grid["cells"]]

    def plays(
        horizon: int, shifts: int, epsilon: float, windows: Any, count: int, key: tuple[int, ...]
    ) -> tuple[Array, Indices, Array]:
        """Return the regrets, how many phases have ended, and regrets of one that never restarts."""
        own = (seed, "theorem 3.6", n, horizon, shifts, epsilon, windows, *key)
        stream = shifting("independent", equal_gaps(n, grid["gap"]), horizon, shifts)
        gains = np.concatenate(list(stream.chunks(count, rng_for(*own))))
        algorithm = tracker(
            n, horizon, epsilon, 1 / horizon, 1.0, windows, count, *own, "play", **(options or {})
        )
        actions = play(algorithm, gains)
        regret, lost = (
            dynamic_regret(gains, actions, shifts),
            _earned(gains, actions) - _earned(gains, _never_restarting(gains)),
        )
        return regret, algorithm.restarts, regret + lost

    points = []
    for cell, (regret, ended, never) in zip(cells, repeated(plays, cells, repetitions, BLOCK), strict=True):
        horizon, shifts, epsilon, windows = cell
        mean, low, high = (float(end) for end in mean_interval(regret, intervals=len(cells)))
        where = {"windows": windows, "T": horizon, "S": shifts, "epsilon": epsilon}
        most = (bound or explicit_bound)(n, horizon, shifts, epsilon, 1 / horizon)
        notes, lazy = {"phases_ended": float(ended.mean())}, float(never.mean())
        points.append(Point(where, mean, most, low, high, notes=notes, trivial=float(horizon), lazy=lazy))
    return points


def _never_restarting(gains: Array) -> Indices:
    """Return what Algorithm 1 plays without noise, restarts: a block's leader in the next."""
    actions = np.zeros(gains.shape[:2], dtype=np.intp)
    start = 1
    while start < len(gains):
        # Without its noise, which would only add to what never restarting loses.
        actions[start : 2 * start + 1] = gains[start // 2 : start].sum(axis=0).argmax(axis=1)
        start = 2 * start + 1
    return actions


def _earned(gains: Array, actions: Indices) -> Array:
    return np.asarray(np.take_along_axis(gains, actions[..., None], axis=2).sum(axis=(0, 2)))
