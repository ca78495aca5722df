"""Comparisons of laws of the containing batch size: where the proxy is loose, and what easy streams give."""

import numpy as np
import pandas as pd

from private_experts.arrays import Array
from private_experts.replication.intervals import bounded_interval, clopper_pearson
from private_experts.replication.study.batching.amplification import CELL, Law, effective_level, empirical
from private_experts.replication.study.batching.frames import groups
from private_experts.ties import difference


def adjusted(sample: Array, control: Array) -> Array:
    """Return a sample with the same mean and less variance, by a control variate of mean 0 of the same repetitions."""
    spread = control.var()
    if spread <= 1e-20 * np.mean(control**2):
        return sample
    return sample - np.mean((sample - sample.mean()) * (control - control.mean())) / spread * control


def survivals(computed: pd.DataFrame, simulated: pd.DataFrame, confidence: float) -> pd.DataFrame:
    """Return P(B > b) of all laws on data without gains, for b = 0, 1, 2, 4, ..., with joint intervals."""
    drawn = simulated[simulated["gap"] == 0]
    most = int(drawn["size"].to_numpy().max())
    b = np.concatenate([[0], 2 ** np.arange(most.bit_length())])
    samples = list(groups(drawn, [*CELL, "law"]))
    parts = []
    for (n, mu, t, law), part in groups(computed, [*CELL, "law"]):
        larger = Law.of(part).survival(b)
        facts = {"n": n, "mu": mu, "round": t, "law": law, "b": b}
        parts.append(pd.DataFrame({**facts, "survival": larger, "low": larger, "high": larger}))
    for (n, mu, t, law), part in samples:
        sizes = part["size"].to_numpy()
        counts = (sizes[:, None] > b).sum(axis=0)
        low, high = clopper_pearson(counts, sizes.size, intervals=len(samples) * (b.size - 1), confidence=confidence)
        facts = {"n": n, "mu": mu, "round": t, "law": law, "b": b}
        parts.append(pd.DataFrame({**facts, "survival": counts / sizes.size, "low": low, "high": high}))
    return pd.concat(parts, ignore_index=True)


def looseness(computed: pd.DataFrame, simulated: pd.DataFrame, confidence: float) -> pd.DataFrame:
    """Split the difference of the mean of 1/B between proxy and simulation into its three causes.

    `drift` is proxy - proxy-still; `constant`, proxy-still - stay-simulated, is Theorem 1's loss; `steps`, stay-
    simulated - simulation, is that the proxy asks for a large gap at each of the last rounds. Half-widths are `..._pm`.
    """
    drawn = simulated[simulated["gap"] == 0]
    exact = dict(groups(computed, CELL))
    intervals = 4 * len(exact)
    rows = []
    for (n, mu, t), part in groups(drawn, CELL):
        row = {"n": n, "mu": mu, "round": t}
        row |= {name: Law.of(law).mean_inverse for (name,), law in groups(exact[n, mu, t], ["law"])}
        control = part[part["law"] == "simulation"]["control"].to_numpy()
        samples = {name: 1 / law["size"].to_numpy() for (name,), law in groups(part, ["law"])}
        samples["steps"] = samples["stay-simulated"] - samples["simulation"]
        for name, sample in samples.items():
            mean, low, _ = bounded_interval(adjusted(sample, control), 2.0, intervals=intervals, confidence=confidence)
            row |= {name: mean, f"{name}_pm": mean - low}
        rows.append(row)
    table = pd.DataFrame(rows)
    table["drift"] = difference(table["proxy"], table["proxy-still"])
    table["constant"] = difference(table["proxy-still"], table["stay-simulated"])
    table["constant_pm"] = table["stay-simulated_pm"]
    return table


def by_gap(simulated: pd.DataFrame, computed: pd.DataFrame, epsilon: float, confidence: float) -> pd.DataFrame:
    """Return how much batching gives as a stream gets easier, beside what the proxy guarantees for every stream."""
    bounds = {key: Law.of(part) for key, part in groups(computed[computed["law"] == "proxy"], CELL)}
    samples = list(groups(simulated[simulated["law"] == "simulation"], [*CELL, "gap"]))
    rows = []
    for (n, mu, t, gap), part in samples:
        sizes, bound = part["size"].to_numpy(), bounds[n, mu, t]
        mean, low, high = bounded_interval(
            adjusted(1 / sizes, part["control"].to_numpy()), 2.0, intervals=len(samples), confidence=confidence
        )
        rows.append(
            {
                "n": n, "mu": mu, "round": t, "gap": gap,
                "rms": float(mean) ** 0.5, "low": max(float(low), 0.0) ** 0.5, "high": float(high) ** 0.5,
                "level": effective_level(empirical(sizes), mu, epsilon) / mu,
                "single": float((sizes == 1).mean()),
                "proxy_rms": bound.mean_inverse**0.5,
                "proxy_level": effective_level(bound, mu, epsilon) / mu,
            }
        )  # fmt: skip
    return pd.DataFrame(rows)
