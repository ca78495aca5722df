"""The algorithms of 002 on the hospitals' gains, averaged over the week in which the data begin.

[mathematics/002.md#hospital-race]
"""

import math
from collections.abc import Mapping
from functools import partial

import numpy as np

from private_experts.algorithms.bernoulli_resampled import BernoulliResampled
from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.algorithms.prefix_ftpl import PrefixSums
from private_experts.algorithms.randomized_prefix import RandomizedPrefix
from private_experts.algorithms.rw_ftpl import RWFTPL
from private_experts.arrays import Array, Indices
from private_experts.games.play import play
from private_experts.privacy.conversions import to_gaussian
from private_experts.privacy.guarantees import GaussianDP, PureDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.privacy.reports import privatize
from private_experts.privacy.tight_tree import TightTreeSums
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.sequential_repetitions import Totals, once
from private_experts.replication.papers.p002.error_potential import algorithm_of
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.intervals import mean_interval

PAPERS, BLOCKS, TUNED = "randomised prefix", "whole block", "tuned prefix"
EXACT = (PAPERS, BLOCKS, TUNED)  # their laws are known, and all weeks in which the data may begin are tried
NOISY_MAX, RESAMPLED, TREE, LOCAL = "noisy max", "resampled", "tree leader", "RW-FTPL"
PLAYED = (NOISY_MAX, RESAMPLED, TREE, LOCAL)  # games, as many for each of these weeks


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


def expected_gain(algorithm: DyadicLeader, gains: Array) -> Array:
    """Return the expected gain over T rounds, gains (T, ..., n), by the law of each block's selection."""
    totals = np.concatenate([np.zeros((1, *gains.shape[1:])), gains.cumsum(axis=0)])
    # Expectations over noise and prefix: the data is one fixed panel, and games would only add spread.
    gained, start, size = gains[0].mean(axis=-1), 1, 2  # the first round's expert is drawn uniformly
    while start < len(gains):
        before = size // 2
        begin = start - before
        prefixes = range(int(algorithm.shortest_prefix(np.array([before]))[0]), before + 1)
        # The prefix is uniform and independent of the noise, so the block's law is the mean of the laws.
        laws = sum(algorithm.law(totals[begin + prefix] - totals[begin]) for prefix in prefixes)
        end = min(start + size, len(gains))
        gained = gained + ((totals[end] - totals[start]) * laws).sum(axis=-1) / len(prefixes)
        start, size = start + size, 2 * size
    return np.asarray(gained)


def rotations(gains: Array) -> Array:
    """Return the gains (T, T, n) as they are told when the data begin in each week: [:, s] begins with s."""
    weeks = np.arange(len(gains))
    return np.asarray(gains[(weeks[:, None] + weeks) % len(gains)])


def _gained(gains: Array, actions: Indices) -> Array:
    """Return the total gain of each copy, which has gains (T, copies, n) of its own."""
    return np.take_along_axis(gains, actions[..., None], axis=2)[..., 0].sum(axis=0)


def _leaders_of_sums(sums: PrefixSums, gains: Array) -> Indices:
    """Return whom the leader of private prefix sums plays where each copy has gains of its own.

    The noise of the sums is that of the data which they are told, here none: it does not depend on them.
    """
    before, actions = np.zeros(gains.shape[1:]), np.empty(gains.shape[:2], dtype=np.intp)
    for t, of_round in enumerate(gains):
        actions[t] = (before + sums.release()).argmax(axis=-1)
        sums.add(np.zeros(gains.shape[2]))
        before += of_round
    return actions


def games(name: str, gains: Array, epsilon: float, rng: np.random.Generator) -> Array:
    """Return what one algorithm of `PLAYED` gains in a game for each copy, gains (T, copies, n).

    A datum is all gains of a week: it moves them by at most the root of n. Algorithms with Gaussian noise
    get the guarantee that epsilon-DP implies, which is weaker.
    """
    weeks, copies, n = gains.shape
    mu, noise, reach = to_gaussian(PureDP(epsilon, "central")).mu, SimulatedNoise(rng), math.sqrt(n)
    if name == TREE:  # with the least noise that a tree can have
        bounds, level = np.full(weeks, reach), GaussianDP(mu, "central")
        sums = TightTreeSums(n, level, sensitivity=bounds, noise=noise, repetitions=copies, refined=True)
        return _gained(gains, _leaders_of_sums(sums, gains))
    if name == LOCAL:
        local = GaussianDP(mu, "local")
        walk = RWFTPL(n, local, sensitivity=reach, noise=noise, repetitions=copies)
        reports = (privatize(row, local, reach, noise, repetitions=copies) for row in gains)
        return _gained(gains, play(walk, reports))
    leader = algorithm_of(name, n, epsilon, rng, copies)
    player = BernoulliResampled(n, leader, rng=rng, repetitions=copies) if name == RESAMPLED else leader
    return _gained(gains, play(player, gains))


def _cell(gains: Array, epsilon: float, count: int, seed: int, state: str) -> Totals:
    """Return by algorithm the gain of each start, (T,), or of `count` games at each, (count * T,)."""
    starts, n = rotations(gains), gains.shape[1]
    totals = {name: expected_gain(_algorithm(name, n, epsilon), starts) for name in EXACT}
    for name in PLAYED:
        rng = rng_for(seed, "race", state, name, epsilon, count)
        totals[name] = np.concatenate([games(name, starts, epsilon, rng) for _ in range(count)])
    return totals


def _race(
    ours: str, others: tuple[str, ...], grid: Grid, seed: int, panels: Mapping[str, Panel]
) -> list[Point]:
    points, cells = [], len(panels) * len(grid["epsilon"])
    for state, panel in panels.items():
        gains = panel.density
        at_random, best = float(gains.mean(axis=1).sum()), float(gains.sum(axis=0).max())
        for epsilon in grid["epsilon"]:
            key = ("race", seed, state, epsilon, grid["games"])
            totals = once(panels, key, partial(_cell, gains, epsilon, grid["games"], seed, state))
            notes = {name: float(total.mean()) for name, total in totals.items()}
            notes |= {"at random": at_random, "best hospital": best}
            for other in others:
                theirs = totals[other]
                where, bound = {"state": state, "epsilon": epsilon, "other": other}, notes[other]
                # Each game against the expected gain of the same start: starts differ more than games do.
                ahead = np.tile(totals[ours], len(theirs) // len(gains)) - theirs
                low = high = notes[ours]
                by_start = {"first_start": float(ahead[0]), "starts_ahead": float((ahead >= 0).mean())}
                if other in PLAYED:
                    intervals = len(PLAYED) * cells
                    _, least, most = (float(end) for end in mean_interval(ahead, intervals=intervals))
                    low, high = bound + least, bound + most
                    by_start = dict.fromkeys(by_start, math.nan)  # one game of a start says little of it
                sides = (notes[ours], bound, low, high)
                points.append(Point(where, *sides, ">=", {**notes, **by_start}, lazy=at_random))
    return points


def hospital_race(grid: Grid, seed: int, panels: Mapping[str, Panel]) -> list[Point]:
    """On the hospitals the paper's algorithm gains at least as much as the six others, averaged over starts.

    A datum is all gains of a week. The data may begin in each of their weeks, and go on with the first after
    the last. Gains are expectations, or means of games with their interval. Lazy is to draw a hospital at
    random in each week. Notes are all mean gains, by how much it is ahead where the data begin as they do,
    and at what share of starts it is not behind.
    """
    return _race(PAPERS, (BLOCKS, TUNED, *PLAYED), grid, seed, panels)


def hospital_race_blocks(grid: Grid, seed: int, panels: Mapping[str, Panel]) -> list[Point]:
    """The softmax of whole blocks gains at least as much as that of prefixes. See `hospital_race`."""
    return _race(BLOCKS, (PAPERS, TUNED), grid, seed, panels)
