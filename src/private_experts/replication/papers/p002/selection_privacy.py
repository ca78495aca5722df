"""Privacy of selections and of whole plays, by enumerating data sets and outputs. [002, Section 5.2]"""

import math
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.algorithms.randomized_prefix import RandomizedPrefix
from private_experts.arrays import Array, Indices
from private_experts.games.play import play
from private_experts.privacy.guarantees import PureDP
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    exp,
    largest,
    log,
    lower,
    near,
    precision,
    upper,
)
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p002.laplace_max import differences, laws_of, worst_move

_BITS = 80
_ROUNDING = 1e-12  # of the program's probabilities, relative
_QUADRATURE = 1e-9  # the same where they are integrals

VALUES = {"binary": (0.0, 1.0), "halves": (0.0, 0.5, 1.0)}


class _Chosen(np.random.Generator):
    """Replaces a generator: prefixes are `longer` rounds longer than the shortest, but within the block."""

    def __init__(self, longer: int) -> None:
        super().__init__(np.random.PCG64(0))  # which is never asked
        self.longer = longer

    def integers(self, low: Any, high: Any) -> Any:  # type: ignore[override]
        return np.minimum(low + self.longer, high - 1)


def _algorithm(kind: type[DyadicLeader], n: int, epsilon: float) -> DyadicLeader:
    return kind(
        n, PureDP(epsilon, "central"), rng=np.random.default_rng(0)
    )  # only its law is used, so the generator does not matter


def _scores(kind: type[DyadicLeader], gains: Array, longer: int) -> list[Array]:
    """Return the scores, shape (repetitions, n), of each selection of a play. One a block that ended."""
    scores_of_play: list[Array] = []

    class Recorder(kind):  # type: ignore[misc, valid-type]
        def select(self, scores: Array) -> Indices:
            scores_of_play.append(scores.copy())
            return np.zeros(len(scores), dtype=np.intp)

    _, repetitions, n = gains.shape
    play(Recorder(n, PureDP(1.0, "central"), rng=_Chosen(longer), repetitions=repetitions), gains)
    # Recorded and not recomputed: the claim is about the scores of the code that plays.
    return scores_of_play[1:]  # the first selection comes before the first round


def _every(n: int, losses: str, rounds: int) -> Array:
    """Return all data sets of `rounds` rounds, shape (rounds, number of data sets, n)."""
    vectors = np.array(list(product(VALUES[losses], repeat=n)))
    return vectors[np.indices((len(vectors),) * rounds).reshape(rounds, -1)]


def _equally_likely(kind: type[DyadicLeader], gains: Array) -> list[list[Array]]:
    """Return the scores of selections: for each block that ended, an array for each prefix length."""
    blocks = (len(gains) + 1).bit_length() - 1
    lengths = 2 ** np.arange(blocks)
    # Prefixes are uniform, so each possible length has one play, and the law is their mean.
    choices = lengths - _algorithm(kind, 2, 1.0).shortest_prefix(lengths) + 1
    plays = [_scores(kind, gains, longer) for longer in range(choices.max())]
    return [[scores[m] for scores in plays[: choices[m]]] for m in range(blocks)]


def _kinds(scores: list[Array]) -> tuple[list[Array], Indices]:
    """Return the scores that differ bit for bit, (kinds, n) for each prefix, and each repetition's kind."""
    rows = np.ascontiguousarray(np.concatenate(scores, axis=1))
    # Bit for bit, as bytes: scores that differ in the last place would be other inputs for the code.
    whole_rows = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    _, first, places = np.unique(whole_rows, return_index=True, return_inverse=True)
    return [of_prefix[first] for of_prefix in scores], places


def _exact(scores: Sequence[float], rate: Ball, counts: Sequence[int] | None = None) -> list[Ball]:
    """Return the law of the exponential mechanism, of each single action where several share a score."""
    weights = [exp(rate * score) for score in scores]
    total = sum(
        (count * weight for count, weight in zip(counts or [1] * len(weights), weights, strict=True)), ball(0)
    )
    return [weight / total for weight in weights]


def _log_laws(algorithm: DyadicLeader, kinds: list[Array]) -> tuple[Array, Array, Ball]:
    """Return floats below and above the log-laws (kinds, n), and how far the algorithm's own law is off."""
    rate = ball(float(algorithm.guarantee.epsilon)) / 2
    of_scores = cache(lambda scores: _exact(scores, rate))
    laws = [[of_scores(tuple(row)) for row in of_prefix.tolist()] for of_prefix in kinds]
    logs = [
        [log(sum(chances, ball(0)) / len(laws)) for chances in zip(*rows, strict=True)]
        for rows in zip(*laws, strict=True)
    ]
    own = [(algorithm.law(of_prefix).tolist(), exact) for of_prefix, exact in zip(kinds, laws, strict=True)]
    apart = largest(
        _apart(one, other) for several, exact in own for one, other in zip(several, exact, strict=True)
    )
    low, high = (np.array([[end(number) for number in row] for row in logs]) for end in (lower, upper))
    return low, high, apart


def _apart(computed: Sequence[float], exact: Sequence[Ball]) -> Ball:
    """Return the largest distance of the program's probabilities from exact ones, relative to these."""
    return largest(abs(one / other - 1) for one, other in zip(computed, exact, strict=True))


def _agrees(where: Mapping[str, Any], errors: Sequence[Ball]) -> Point:
    """Return the evidence that the program's law is the exponential mechanism's, up to rounding."""
    return at_point(where, largest(errors), ball(_ROUNDING))


def _worst(low: Array, high: Array, rounds: int) -> Ball:
    """Return the largest log-ratio of an output's probabilities, over data sets that differ in a round."""
    # One axis for each round: neighbours differ along one of them, so a maximum minus a minimum finds the
    # worst pair.
    size = round(low.shape[0] ** (1 / rounds))
    below, above = (logs.reshape(*(size,) * rounds, -1) for logs in (low, high))
    # Ends against ends, so that the interval holds the true largest ratio.
    least = max(float((below.max(axis=t) - above.min(axis=t)).max()) for t in range(rounds))
    most = max(float((above.max(axis=t) - below.min(axis=t)).max()) for t in range(rounds))
    return ball(math.nextafter(least, -math.inf), math.nextafter(most, math.inf))


def _last_block(n: int, losses: str, length: int) -> Array:
    """Return all data sets of a block of that length. The blocks before it have no gains."""
    block = _every(n, losses, length)
    # Blocks of 1, 2, 4, ... rounds: those before one of that length have one round less in all.
    return np.concatenate([np.zeros((length - 1, *block.shape[1:])), block])


def lemma_3(grid: Grid) -> list[Point]:
    """Replacing one loss vector of a block makes no output of its selection more than e^eps times as likely.

    But it makes some output more likely, by a tenth of that: a selection that forgets its losses would be
    private. Probabilities are those of the exponential mechanism in ball arithmetic, at the scores of the
    code that plays. The program's are compared with them.
    """
    points, errors = [], []
    for n, losses, length in product(grid["K"], grid["losses"], grid["block"]):
        kinds, places = _kinds(_equally_likely(RandomizedPrefix, _last_block(n, losses, length))[-1])
        for epsilon in grid["epsilon"]:
            with precision(_BITS):
                low, high, apart = _log_laws(_algorithm(RandomizedPrefix, n, epsilon), kinds)
                errors.append(apart)
                worst, level = _worst(low[places], high[places], length), ball(float(epsilon))
                where = {"K": n, "losses": losses, "block": length, "epsilon": epsilon}
                notes = {"share": near(worst) / epsilon}
                points.append(at_point({**where, "side": "at most"}, worst, level, notes))
                # A test of the check: an enumeration that never changed the scores would find perfect
                # privacy.
                points.append(at_point({**where, "side": "reads its losses"}, worst, level / 10, sense=">="))
    everything = {"K": 0, "losses": "all", "block": 0, "epsilon": 0.0, "side": "library's law"}
    return [*points, _agrees(everything, errors)]


def no_larger_rate(grid: Grid) -> list[Point]:
    """With a rate above eps/2 a replacement makes some output more than e^eps times as likely.

    The rate is `factor` times eps/2. For up to 3 actions all data sets of a block are enumerated. For more,
    one pair of neighbours is used: in a block of one round, one action is the only one that does not lose, or
    the only one that does. Probabilities are computed as for Lemma 3.
    """
    points, errors = [], []
    for cell in grid["cells"]:
        n, length, factor = cell["K"], cell["block"], cell["factor"]
        for epsilon in grid["epsilon"]:
            algorithm = _algorithm(RandomizedPrefix, n, factor * epsilon)
            with precision(_BITS):
                if n > 3:
                    # From the only winner to the only loser: the score falls by 1 while all others rise,
                    # which is the worst move.
                    counts, scores = [1, n - 1], [[1.0, 0.0], [0.0, 1.0]]
                    rate = ball(float(algorithm.guarantee.epsilon)) / 2
                    laws = [_exact(row, rate, counts) for row in scores]
                    own = algorithm.law(np.array(scores), np.array(counts)).tolist()
                    errors += [_apart(one, other) for one, other in zip(own, laws, strict=True)]
                    worst = log(laws[0][0] / laws[1][0])
                else:
                    kinds, places = _kinds(
                        _equally_likely(RandomizedPrefix, _last_block(n, "binary", length))[-1]
                    )
                    low, high, apart = _log_laws(algorithm, kinds)
                    errors.append(apart)
                    worst = _worst(low[places], high[places], length)
                points.append(at_point({**cell, "epsilon": epsilon}, worst, ball(float(epsilon)), sense=">="))
    return [*points, _agrees({"K": 0, "block": 0, "factor": 0, "epsilon": 0.0}, errors)]


def proposition_1(grid: Grid) -> list[Point]:
    """Replacing any one loss vector makes no sequence of actions more than e^eps times as likely.

    All sequences of block actions on all binary data sets are enumerated. The first action is left out,
    because its law does not depend on the data. Probabilities are computed as for Lemma 3.
    """
    points, errors = [], []
    for n, horizon in grid["K, T"]:
        rounds = horizon - 1
        selections = [
            _kinds(of_selection)
            for of_selection in _equally_likely(RandomizedPrefix, _every(n, "binary", rounds))
        ]
        for epsilon in grid["epsilon"]:
            algorithm = _algorithm(RandomizedPrefix, n, epsilon)
            joint = [np.zeros((1, 1))] * 2
            with precision(_BITS):
                for kinds, places in selections:
                    low, high, apart = _log_laws(algorithm, kinds)
                    errors.append(apart)
                    joint = [
                        # Selections are independent given the data, so logs add up; each sum is rounded
                        # outwards.
                        np.nextafter(before[:, :, None] + logs[places][:, None, :], outwards).reshape(
                            len(places), -1
                        )
                        for before, logs, outwards in zip(joint, (low, high), (-np.inf, np.inf), strict=True)
                    ]
                where, notes = (
                    {"K": n, "T": horizon, "epsilon": epsilon},
                    {"sequences": n * joint[0].shape[1]},
                )
                points.append(
                    at_point(where, _worst(joint[0], joint[1], rounds), ball(float(epsilon)), notes)
                )
    return [*points, _agrees({"K": 0, "T": 0, "epsilon": 0.0}, errors)]


def one_selection(cells: Grid) -> list[Point]:
    """A replaced loss vector moves the scores of at most one selection, and each of them by at most 1.

    Each round's vector in turn is changed from all 0 to all 1, with prefixes of several lengths.
    """
    points = []
    for where, name, horizon in cells_of(cells, "algorithm", "T"):
        kind = RandomizedPrefix if name == "randomised prefix" else DyadicLeader
        # One repetition for each changed round, and one without a change, all with the same prefixes.
        gains = np.zeros((horizon, horizon + 1, 2))
        gains[np.arange(horizon), np.arange(horizon)] = 1.0  # the last repetition has no change
        selections, most = 0, 0.0
        for longer in cells["longer"]:
            moved = np.array(
                [np.abs(scores - scores[-1]).max(axis=1) for scores in _scores(kind, gains, longer)]
            )
            selections = max(selections, int((moved > 0).sum(axis=0).max()))
            most = max(most, float(moved.max()))
        with precision():  # gains are 0 or 1, so all are counts, without rounding
            points.append(at_point({**where, "what": "selections"}, ball(selections), ball(1)))
            points.append(at_point({**where, "what": "move"}, ball(most), ball(1)))
    return points


def report_noisy_max(grid: Grid) -> list[Point]:
    """Report-noisy-max of a block's total losses with Laplace noise of scale `noise` / eps is eps-DP.

    All totals of a block in steps of 1/parts are enumerated, with all their neighbours. Replacing a vector
    moves each total by at most 1. Two and three actions have closed forms, which balls decide. The library's
    law, by quadrature, is compared with them; for two actions in blocks of at most 30 noise scales, where its
    relative error is small.
    """
    points = []
    for where, n, length, parts, epsilon in cells_of(grid, "K, block, parts", "epsilon"):
        scale = grid["noise"] / epsilon
        totals = np.moveaxis(np.indices((length * parts + 1,) * n), 0, -1) / parts
        # In longer blocks the rarer action's probability is below what quadrature resolves, relative to its
        # size.
        quadrature = n > 2 or length <= 30 * scale
        with precision():
            if quadrature:
                losses, places = differences(totals)
                laws = laws_of(losses, ball(scale))
            if n == 2:
                exact = _worst_of_two(length, parts, ball(scale))
            else:
                logs = [[log(chance) for chance in law] for law in laws]
                low, high = (
                    np.array([[end(number) for number in row] for row in logs]) for end in (lower, upper)
                )
                exact = worst_move(
                    low[places].reshape(totals.shape), high[places].reshape(totals.shape), parts
                )
            notes = {"share": near(exact) / epsilon}
            points.append(at_point({**where, "route": "closed form"}, exact, ball(epsilon), notes))
            if quadrature:
                own = _algorithm(DyadicLeader, n, 2 / scale).law(-losses).tolist()
                apart = largest(_apart(one, other) for one, other in zip(own, laws, strict=True))
                points.append(at_point({**where, "route": "library"}, apart, ball(_QUADRATURE)))
    return points


def law_of_two(ahead: Ball) -> Ball:
    """Return the chance of the first of two scores, which is `ahead` so many units of the noise's scale."""
    behind = exp(-abs(ahead)) * (2 + abs(ahead)) / 4
    return 1 - behind if ahead >= 0 else behind


def _worst_of_two(length: int, parts: int, scale: Ball) -> Ball:
    """Return the largest log-ratio of an action's chanceswhen the difference of totals moves by at most 2."""
    logs = [log(law_of_two(step / (parts * scale))) for step in range(-length * parts, length * parts + 1)]
    # One total rises and the other falls by 1: their difference moves by 2. The other direction follows by
    # symmetry.
    moves = [
        logs[at + by] - logs[at] for by in range(1, 2 * parts + 1) for at in range(max(len(logs) - by, 0))
    ]
    return largest(moves)
