"""Comparisons of laws of the containing batch size: where the proxy is loose, and what easy streams give."""

import numpy as np
import pandas as pd

from private_experts.arrays import Array
from private_experts.replication.intervals import bounded_interval
from private_experts.replication.study.batching.amplification import CELL, Law, effective_level, empirical
from private_experts.replication.study.batching.frames import groups


def adjusted(sample: Array, control: Array) -> Array:
    """Return a sample of the same mean, less variance, by a control variate of mean 0 of the same draws."""
    spread = control.var()
    # A constant control has no slope, and the quotient below would be 0 / 0.
    if spread <= 1e-20 * np.mean(control**2):
        return sample
    return sample - np.mean((sample - sample.mean()) * (control - control.mean())) / spread * control


def by_gap(
    simulated: pd.DataFrame, computed: pd.DataFrame, epsilon: float, confidence: float
) -> pd.DataFrame:
    """Return what batching gives as a stream gets easier, beside the proxy's guarantee for every stream."""
    bounds = {key: Law.of(part) for key, part in groups(computed[computed["law"] == "proxy"], CELL)}
    samples = list(groups(simulated[simulated["law"] == "simulation"], [*CELL, "gap"]))
    rows = []
    for (n, mu, t, gap), part in samples:
        sizes, bound = part["size"].to_numpy(), bounds[n, mu, t]
        mean, low, high = bounded_interval(
            # The range is that of 1/B and of its correction together.
            adjusted(1 / sizes, part["control"].to_numpy()),
            2.0,
            intervals=len(samples),
            confidence=confidence,
        )
        rows.append(
            {
                "n": n,
                "mu": mu,
                "round": t,
                "gap": gap,
                "rms": float(mean) ** 0.5,
                "low": max(float(low), 0.0) ** 0.5,
                "high": float(high) ** 0.5,
                "level": effective_level(empirical(sizes), mu, epsilon) / mu,
                "single": float((sizes == 1).mean()),
                "proxy_rms": bound.mean_inverse**0.5,
                "proxy_level": effective_level(bound, mu, epsilon) / mu,
            }
        )
    return pd.DataFrame(rows)
