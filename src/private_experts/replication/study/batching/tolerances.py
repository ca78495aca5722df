"""The laws of batch sizes at several tolerances alpha of RW-AdaBatch: the bounds, and the algorithm itself.

At the study's own tolerance they are those of `batch_size_laws`, on the same walks.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from private_experts.randomness import rng_for
from private_experts.replication.study.batching import batch_size_laws

BOUNDS = ("proxy", "tighter")  # for all data


def computed(
    n: int, levels: Sequence[float], horizon: int, rounds: Sequence[int], tolerances: Sequence[float]
) -> pd.DataFrame:
    """Return the `BOUNDS`; see `batch_size_laws.computed`."""
    parts = {each: batch_size_laws.computed(n, levels, horizon, rounds, each, BOUNDS) for each in tolerances}
    return pd.concat(parts, names=["tolerance"]).reset_index("tolerance").reset_index(drop=True)


def simulated(
    n: int,
    levels: Sequence[float],
    horizon: int,
    rounds: Sequence[int],
    repetitions: int,
    tolerances: Sequence[float],
    seed: int,
) -> pd.DataFrame:
    """Draw the algorithm's containing batch sizes on data without gains; see `batch_size_laws.simulated`."""
    walks = batch_size_laws.draw_walks(n, max(rounds), repetitions, rng_for(seed, "walks", n))
    parts = []
    for mu in levels:
        eta = batch_size_laws.noise_scale(n, mu)
        gaps = walks.gaps(eta)
        for tolerance in tolerances:
            drawn = batch_size_laws.containing_sizes(gaps, eta, n, tolerance, horizon, rounds)
            for t, sizes in zip(rounds, drawn, strict=True):
                facts = {"tolerance": tolerance, "law": "simulation", "n": n, "mu": mu, "round": t, "gap": 0.0}
                parts.append(pd.DataFrame({**facts, "repetition": np.arange(repetitions), "size": sizes}))
    return pd.concat(parts, ignore_index=True)
