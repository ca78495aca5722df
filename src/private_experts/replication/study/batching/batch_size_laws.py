"""Laws of the size of the batch that holds a datum: simulated, bounded, and the steps between the two.

Each of these is stochastically larger than the one before: the bound `proxy`; `proxy-still`, which uses that
only noise shrinks the gap; `stay-simulated`, which simulates P(gap stays large) instead of bounding it by
Theorem 1; and the algorithm itself, which needs a large gap only when a batch begins.
[mathematics/000.md#looseness]

All simulated laws of one n come from the same walks, so their differences are paired.
"""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd

from private_experts.arrays import Array, Ints
from private_experts.randomness import rng_for
from private_experts.walks.batch_rules import Rule, paper_rule
from private_experts.walks.batch_size import gap_exceeds, never_rising, proxy_survival, threshold, windows
from private_experts.walks.gap import two_largest

_RARE = 1e-15


def noise_scale(n: int, mu: float) -> float:
    """Return the least noise that makes gains in [0, 1], of L2 sensitivity sqrt(n), mu-GDP locally."""
    # Gains in [0, 1] of n experts move by at most sqrt(n) in L2.
    return math.sqrt(n) / mu


def sizes_by_rule(gaps: Array, rule: Rule, rounds: Sequence[int]) -> Ints:
    """Return sizes (len(rounds), repetitions) of the batches that contain certain rounds, by simulated gaps.

    Row s of the gaps holds those of RW-FTPL's noisy totals after s rounds, for any number of experts: when a
    batch ends, RW-AdaBatch has the same totals. [000, Section 3.1]
    """
    size = np.zeros(gaps.shape[1], dtype=np.int64)
    end = np.zeros_like(size)
    sizes_of: dict[int, Ints] = {}
    for completed in range(max(rounds)):
        # Only where a batch has just ended are totals looked at; in between the gap may be anything.
        idle = np.flatnonzero(end == completed)
        # The rule's row never falls, so the number of thresholds reached is the size.
        size[idle] = np.searchsorted(rule[completed], gaps[completed, idle], side="right")
        end[idle] = completed + size[idle]
        if completed + 1 in rounds:
            sizes_of[completed + 1] = size.copy()
    return np.stack([sizes_of[t] for t in rounds])


@functools.lru_cache(maxsize=4)
def proxy(t: int, eta: float, n: int, alpha: float, largest: int, rho: float = 1.0) -> Array:
    """Return `proxy_survival`, and remember it: `tighter_survival` asks for it again."""
    found = proxy_survival(t, eta, n, alpha, largest, rho)
    found.flags.writeable = False
    return found


def still_survival(t: int, eta: float, n: int, alpha: float, largest: int, rho: float = 1.0) -> Array:
    """Return `proxy_survival` for data without gains: batches allow for drift `rho`, but there is none."""
    return proxy_survival(t, eta, n, alpha, largest, rho, drift=0.0)


def tighter_survival(t: int, eta: float, n: int, alpha: float, largest: int, rho: float = 1.0) -> Array:
    """Return the larger of `proxy_survival` and of the same with Levy's inequality in the place of Theorem 1.

    For two experts the only loss is that of Levy's inequality: discrete time.
    [mathematics/000.md#proxy-law-tighter]
    """
    levy = proxy_survival(t, eta, n, alpha, largest, rho, bound="levy")
    # Both are valid bounds, and which is the larger depends on round and size.
    return np.maximum(levy, proxy(t, eta, n, alpha, largest, rho))


def one_look_survival(t: int, eta: float, n: int, alpha: float, largest: int, rho: float = 1.0) -> Array:
    """Return P(gap is large at the first decision of the window): the proxy without its bracket."""
    k, first, _ = windows(t, eta, n, alpha, largest, rho)
    return never_rising(gap_exceeds(k, first, eta, n))


@dataclass(frozen=True)
class Walks:
    """Walks with steps N(0, I_n); row s of an array (steps, repetitions) is the state after s + 1 steps.

    Only one expert ever has gains. So its coordinate, and the two largest of the others, determine the gap.
    """

    n: int
    first: Array
    second: Array
    favoured: Array

    def gaps(self, eta: float, gain: float = 0.0) -> Array:
        """Return gaps of RW-FTPL's totals after 0, 1, ... rounds, where one expert gains `gain` in each."""
        favoured = eta * self.favoured + gain * np.arange(self.first.shape[0])[:, None]
        first = eta * self.first
        return np.maximum(first, favoured) - np.maximum(np.minimum(first, favoured), eta * self.second)


def draw_walks(n: int, steps: int, repetitions: int, rng: np.random.Generator) -> Walks:
    """Draw walks with the given number of steps."""
    total = np.zeros((repetitions, n))
    first, second, favoured = np.empty((3, steps, repetitions))
    for step in range(steps):
        total += rng.standard_normal(total.shape)
        # Of the experts without gains only the two largest can lead or be second.
        others, favoured[step] = total[:, 1:], total[:, 0]
        first[step], second[step] = two_largest(others) if n > 2 else (others[:, 0], -np.inf)
    return Walks(n, first, second, favoured)


def containing_sizes(
    gaps: Array, eta: float, n: int, alpha: float, horizon: int, rounds: Sequence[int], rho: float = 1.0
) -> Ints:
    """Return sizes (rounds, repetitions) of the batches with these rounds; gaps[s] is that after s rounds."""
    return sizes_by_rule(gaps, _rule(horizon, eta, n, alpha, rho), rounds)


_rule = functools.lru_cache(maxsize=4)(paper_rule)  # streams with other gains ask again


def staying_sizes(gaps: Array, t: int, large: Array) -> Ints:
    """Return the largest b + 1 whose gap was large, `large[b - 1]`, at all decisions for a smaller batch."""
    # The gap was large at all decisions of the window if its least value was.
    least = np.minimum.accumulate(gaps[t - 1 :: -1][:t], axis=0)  # over the last 1, 2, ..., t states
    window = np.minimum(np.arange(large.size), t - 1)
    return (1 + (least[window] >= large[:, None]).sum(axis=0)).astype(np.int64)


def _control(gaps: Array, t: int, eta: float, n: int, alpha: float, largest: int) -> Array:
    """Return a control variate of mean 0 for 1/B: 1 - sum_b 1{B > b} / (b (b + 1)) with another event."""
    k, first, _ = windows(t, eta, n, alpha, largest)
    b = np.arange(1, largest + 1)
    # 1/B = 1 - sum 1{B > b} / (b (b + 1)); an event close to B > b whose probability is known takes out most
    # of the noise.
    return (1 / (b * (b + 1))) @ (gap_exceeds(k, first, eta, n)[:, None] - (gaps[first] >= k[:, None]))


def from_survival(larger: Array) -> tuple[Ints, Array]:
    """Return sizes and weights of a law from its survival at 0, 1, ...; the last size gets the rest."""
    weights = -np.diff(larger, append=0.0)
    # Sizes of probability 1e-15 are mostly rounding, and would make tables of a million rows.
    weights[weights <= _RARE] = 0.0
    weights[0] += 1 - weights.sum()  # what was too rare to keep: to the smallest size, on the safe side
    kept = np.flatnonzero(weights)
    return kept + 1, weights[kept]


# The laws that are computed, each with the drift that the algorithm allows for.
COMPUTED: dict[str, tuple[Callable[..., Array], float]] = {
    "proxy": (proxy, 1.0),
    "tighter": (tighter_survival, 1.0),
    "proxy-still": (still_survival, 1.0),
    "one-look": (one_look_survival, 1.0),
    "proxy-without-drift": (proxy, 0.0),
}


def computed(
    n: int,
    levels: Sequence[float],
    horizon: int,
    rounds: Sequence[int],
    alpha: float,
) -> pd.DataFrame:
    """Return the laws (size, weight) of `COMPUTED`, for each privacy level and round before the horizon."""
    parts = []
    for mu, t, law in product(levels, rounds, COMPUTED):
        bound, rho = COMPUTED[law]
        sizes, weights = from_survival(bound(t, noise_scale(n, mu), n, alpha, horizon - t, rho))
        parts.append(
            pd.DataFrame({"law": law, "n": n, "mu": mu, "round": t, "size": sizes, "weight": weights})
        )
    return pd.concat(parts, ignore_index=True)


def simulated(
    n: int,
    levels: Sequence[float],
    horizon: int,
    rounds: Sequence[int],
    gaps: Sequence[float],
    repetitions: int,
    alpha: float,
    seed: int,
) -> pd.DataFrame:
    """Draw containing batch sizes, with walks' control variates, by privacy level, round, law and gap."""
    # The walks do not depend on the level: noise scales them, so all levels share one draw.
    walks = draw_walks(n, max(rounds), repetitions, rng_for(seed, "walks", n))
    parts = []

    def keep(law: str, mu: float, sizes: Ints, gap: float = 0.0) -> None:
        for t, of_round in zip(rounds, sizes, strict=True):
            facts = {
                "law": law,
                "n": n,
                "mu": mu,
                "round": t,
                "gap": gap,
                "repetition": np.arange(repetitions),
            }
            parts.append(pd.DataFrame({**facts, "size": of_round, "control": controls[t]}))

    for mu in levels:
        eta = noise_scale(n, mu)
        still = walks.gaps(eta)
        controls = {t: _control(still, t, eta, n, alpha, horizon - t) for t in rounds}
        for gap in dict.fromkeys([0.0, *map(float, gaps)]):
            met = walks.gaps(eta, gap)
            keep("simulation", mu, containing_sizes(met, eta, n, alpha, horizon, rounds), gap)
        sizes = containing_sizes(still, eta, n, alpha, horizon, rounds, rho=0.0)
        keep("simulation-without-drift", mu, sizes)
        large = {t: threshold(t, np.arange(1, horizon - t + 1), eta, n, alpha) for t in rounds}
        keep("stay-simulated", mu, np.stack([staying_sizes(still, t, large[t]) for t in rounds]))
    return pd.concat(parts, ignore_index=True)
