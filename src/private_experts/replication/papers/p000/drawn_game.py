"""One mechanism's comparisons in the claim on drawn noise, with the limits of its grid."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from private_experts.arrays import Array, Indices, Ints
from private_experts.privacy.guarantees import GaussianDP, PureDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.drawn_samples import (
    NORMAL,
    attack_points,
    copy_points,
    law_points,
    noise_points,
)
from private_experts.replication.papers.p000.gaussian_leaders import best_attack, pair_points

CALLS = 120  # comparisons whose intervals hold jointly; the claim makes no more
LOCAL, CENTRAL = GaussianDP(1.0, "local"), GaussianDP(1.0, "central")
FAINT = GaussianDP(0.25, "local")  # of reports with more noise than gains in [0, 1] may differ
EXACT = GaussianDP(np.inf, "local")  # of reports without noise, so that the choice alone is random
MOVE = float(np.sqrt(2))  # L2 distance of (1, 0) and (0, 1)


class DrawnGame:
    """Compares what a mechanism drew in `repetitions` copies with its law. [verdicts.md#drawn-noise]"""

    def __init__(self, mechanism: str, grid: Grid, repetitions: int, seed: int) -> None:
        self.mechanism, self.grid, self.copies, self.seed = mechanism, grid, repetitions, seed
        self.rounds: int = grid["T"]
        self._limits = {"least": grid["least"], "most": grid["most"], "cells": CALLS}

    def rng(self, *key: str | int) -> np.random.Generator:
        """Return the generator of one play."""
        return rng_for(self.seed, "drawn noise", self.mechanism, self.copies, *key)

    def noise(self, *key: str | int) -> SimulatedNoise:
        """Return the source of noise of one play."""
        return SimulatedNoise(self.rng("noise", *key))

    def where(self, part: str) -> dict[str, Any]:
        """Return the first columns of the evidence."""
        return {"mechanism": self.mechanism, "part": part}

    def normal(self, part: str, noise: Array, slacks: float = 1.0) -> Iterator[Point]:
        """Compare noise (copies, rounds, n) with independent standard normals, by so many slacks."""
        slack = slacks * self.grid["slack"]
        return noise_points(self.where(part), noise, NORMAL, slack=slack, cells=CALLS)

    def pairs(self, part: str, actions: Indices, gaps: Array, covariance: Array) -> Iterator[Point]:
        """Compare actions (T, copies) of two experts by `pair_points`."""
        slack = self.grid["slack"] / 2
        return pair_points(self.where(part), actions, gaps, covariance, slack=slack, cells=CALLS)

    def sequences(self, part: str, actions: Indices, law: Mapping[tuple[int, ...], float]) -> Iterator[Point]:
        """Compare plays (T, copies) with the law of whole plays, in every two rounds, and copies in pairs."""
        n = 1 + max(max(sequence) for sequence in law)
        pairs: list[tuple[int, ...]] = [*combinations(range(len(actions)), 2)] or [(0,)]
        share = CALLS * (len(pairs) + 2)
        for rounds in pairs:
            numbers: dict[int, float] = defaultdict(float)
            for sequence, chance in law.items():
                numbers[sum(sequence[t] * n**place for place, t in enumerate(rounds))] += chance
            where = {**self.where(part), "rounds": " and ".join(str(t + 1) for t in rounds)}
            played = as_number(actions[[*rounds]], n)
            yield from law_points(where, played, numbers, slack=self.grid["slack"] / 2, cells=share)
        alike = np.zeros((len(actions), n))
        for sequence, chance in law.items():
            alike[np.arange(len(actions)), sequence] += chance
        squares = (alike**2).sum(axis=1)
        yield from copy_points(self.where(part), actions, squares, slack=self.grid["slack"], cells=share)

    def attack(
        self, part: str, sides: tuple[Array, Array], shift: Array, covariance: Array
    ) -> Iterator[Point]:
        """Attack published vectors (copies, k), which all together are 1-GDP, by `best_attack`."""
        return best_attack(self.where(part), sides, shift, covariance, CENTRAL, **self._limits)

    def attack_plays(
        self, plays: Callable[[Array, str], Indices], guarantee: GaussianDP | PureDP = LOCAL, n: int = 2
    ) -> Iterator[Point]:
        """Attack whole plays by a first datum that favours expert 0, or all others."""
        sides = []
        for side, favoured in (("first", 0.0), ("second", 1.0)):
            gains = np.full((2, n), 0.5)
            gains[0], gains[0, 0] = 1 - favoured, favoured
            sides.append(as_number(plays(gains, side), n))
        return attack_points(self.where("plays"), sides[0], sides[1], guarantee, **self._limits)


def as_number(actions: Indices, n: int) -> Ints:
    """Return each copy's actions (T, copies) as one number."""
    result: Ints = np.tensordot(n ** np.arange(len(actions)), actions, axes=1)
    return result
