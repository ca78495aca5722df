"""The algorithms of 002 on the hospitals' gains: their expected gains, from the laws of selections."""

from collections.abc import Mapping

import numpy as np

from private_experts.algorithms.bernoulli_resampled import BernoulliResampled
from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.algorithms.randomized_prefix import RandomizedPrefix
from private_experts.arrays import Array, Indices
from private_experts.games.play import play
from private_experts.games.regret import earned
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p002.error_potential import algorithm_of
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.intervals import mean_interval

PAPERS, TUNED, RESAMPLED = "randomised prefix", "tuned prefix", "resampled"
OTHERS = ("whole block", "noisy max", TUNED)


class TunedPrefix(RandomizedPrefix):
    """The paper's algorithm with prefixes of more than 11/16 of a block. [mathematics/002.md#prefix-laws]"""

    STATE = ()

    def shortest_prefix(self, lengths: Indices) -> Indices:
        """Return the length of the shortest prefix that may be used of a block. See `RandomizedPrefix`."""
        return np.minimum(lengths * 11 // 16 + 1, lengths)


def _algorithm(name: str, n: int, epsilon: float) -> DyadicLeader:
    rng = rng_for(0)  # only its law is used
    return (
        TunedPrefix(n, PureDP(epsilon, "central"), rng=rng)
        if name == TUNED
        else algorithm_of(name, n, epsilon, rng)
    )


def expected_gain(algorithm: DyadicLeader, gains: Array) -> float:
    """Return the expected gain over T rounds, gains (T, n): in a block that of the law of its selection."""
    totals = np.concatenate([np.zeros((1, gains.shape[1])), gains.cumsum(axis=0)])
    # Expectations over noise and prefix: the data is one fixed panel, and games would only add spread.
    gained, start, size = float(gains[0].mean()), 1, 2  # the first round's expert is drawn uniformly
    while start < len(gains):
        before = size // 2
        begin = start - before
        prefixes = np.arange(int(algorithm.shortest_prefix(np.array([before]))[0]), before + 1)
        # The prefix is uniform and independent of the noise, so the block's law is the mean of the laws.
        law = algorithm.law(totals[begin + prefixes] - totals[begin]).mean(axis=0)
        gained += float((gains[start : start + size] @ law).sum())
        start, size = start + size, 2 * size
    return gained


def _resampled(gains: Array, epsilon: float, repetitions: int, rng: np.random.Generator) -> Array:
    """Return what report-noisy-max gains in each of so many games in which it is told flips of the gains."""
    n = gains.shape[1]
    leader = algorithm_of("resampled", n, epsilon, rng, repetitions)
    algorithm = BernoulliResampled(n, leader, rng=rng, repetitions=repetitions)
    return earned(gains, play(algorithm, gains)).sum(axis=0)


def hospital_race(grid: Grid, repetitions: int, seed: int, panels: Mapping[str, Panel]) -> list[Point]:
    """On the hospitals the paper's algorithm gains at least as much as the four others.

    A datum is all gains of a week. Gains are expectations given the gains, and a mean with its interval for
    resampled gains. Lazy is to draw a hospital at random in each week. A note is the gain of the leader of
    all weeks before, which has no privacy.
    """
    points = []
    for state, panel in panels.items():
        gains, n = panel.density, panel.density.shape[1]
        at_random, best = float(gains.mean(axis=1).sum()), float(gains.sum(axis=0).max())
        leaders = gains.cumsum(axis=0)[:-1].argmax(axis=1)
        # The leader of weeks before, as an algorithm decides before it sees the week.
        leader = float(gains[0].mean() + gains[np.arange(1, len(gains)), leaders].sum())
        for epsilon in grid["epsilon"]:
            expectations = {
                name: expected_gain(_algorithm(name, n, epsilon), gains) for name in (PAPERS, *OTHERS)
            }
            games = _resampled(
                gains, epsilon, grid["games"], rng_for(seed, "race", state, epsilon, grid["games"])
            )
            mean, low, high = (
                float(end) for end in mean_interval(games, intervals=len(panels) * len(grid["epsilon"]))
            )
            notes = {
                **expectations,
                RESAMPLED: mean,
                "at random": at_random,
                "best hospital": best,
                "leader, not private": leader,
            }
            ours, where = expectations[PAPERS], {"state": state, "epsilon": epsilon}
            for other in OTHERS:
                points.append(
                    Point(
                        {**where, "other": other},
                        ours,
                        expectations[other],
                        sense=">=",
                        notes=notes,
                        lazy=at_random,
                    )
                )
            ends = (ours - (high - mean), ours - (low - mean))  # the interval of the difference
            points.append(
                Point({**where, "other": RESAMPLED}, ours, mean, *ends, ">=", notes, lazy=at_random)
            )
    return points
