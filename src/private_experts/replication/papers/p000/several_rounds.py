"""What a curator's linear mechanisms promise to a person in several rounds, beside all sets of rounds.

Nothing is sampled: the level of a set of rounds follows from the draws that are recorded in play.
[mathematics/000.md#participation]
"""

import math
from itertools import combinations, pairwise, product

import numpy as np

from private_experts.algorithms.prefix_ftpl import PrefixFTPL
from private_experts.privacy.guarantee_report import privacy_report
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.privacy.participation import Participation
from private_experts.replication.balls.balls import ball, largest, precision, rational, sqrt
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.balls.sums import rounded
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p000.central_prefix_sums import (
    BAND,
    PATTERNS,
    mechanism,
    release_of,
)

# By what a person's rounds are called: how far they lie apart, and whether they follow each other.
KINDS = {"anywhere": (1, False), "in a row": (1, True), "3 apart": (BAND, False)}


def _allowed(rounds: tuple[int, ...], apart: int, in_a_row: bool) -> bool:
    return all(
        later - earlier == 1 if in_a_row else later - earlier >= apart for earlier, later in pairwise(rounds)
    )


def in_several_rounds(grid: Grid) -> list[Point]:
    """Compare the stated level with that of the worst allowed set of rounds, at the worst signs."""
    points = []
    for name, pattern, rounds, mu in product(grid["mechanism"], grid["pattern"], grid["T"], grid["mu"]):
        bounds = PATTERNS[pattern](rounds)
        release = release_of(name, bounds, mu)
        # Otherwise a sum's rounding errors would not be relative to it, nor the signs all the same.
        assert (release.protected >= 0).all()
        shifts = bounds * release.protected / release.scales[:, None]
        shared = shifts.T @ shifts
        # So many experts that a person can move their gains by as much as the largest bound.
        sums = mechanism(name, math.ceil(bounds.max() ** 2), bounds, mu, SimulatedNoise(0), 1)
        for kind, count in product(grid["kind"], grid["k"]):
            apart, in_a_row = KINDS[kind]
            sets = [
                rounds_in
                for size in range(1, count + 1)
                for rounds_in in combinations(range(rounds), size)
                if _allowed(rounds_in, apart, in_a_row)
            ]
            chosen = np.array([np.isin(np.arange(rounds), rounds_in) for rounds_in in sets], dtype=float)
            worst = float(np.sqrt(((chosen @ shared) * chosen).sum(axis=1).max()))
            participation = Participation(count, apart, in_a_row)
            together = privacy_report(PrefixFTPL(sums), delta=1e-6, rounds=participation).together
            stated = together.mu if isinstance(together, GaussianDP) else math.inf
            where = {"mechanism": name, "pattern": pattern, "T": rounds, "mu": mu, "kind": kind, "k": count}
            notes = {"k mu": count * mu}
            with precision():
                above, most_of_one = 1 + rational("1e-9"), ball(mu)
                # sums over draws, and twice over rounds
                of_sets = sqrt(rounded(worst**2, len(release.scales) + 2 * rounds + 6))
                points += [
                    at_point({**where, "what": "enough"}, of_sets, ball(stated) * above, notes),
                    # One round is charged as stated, although a single datum may cost less than the dearest.
                    at_point(
                        {**where, "what": "not much more"},
                        ball(stated),
                        largest([of_sets, most_of_one]) * (1 + ball(grid["excess"])),
                        notes,
                    ),
                    at_point(
                        {**where, "what": "at most k times"}, ball(stated), count * most_of_one * above, notes
                    ),
                ]
                # Rounds so far apart share no release of a band, so that squared levels add up.
                if name == "band" and apart == BAND:
                    root = sqrt(ball(min(count, len(range(0, rounds, apart)))))
                    points.append(
                        at_point(
                            {**where, "what": "root of k"}, ball(stated), root * most_of_one * above, notes
                        )
                    )
    return points
