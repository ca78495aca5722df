"""Privacy from laws of the containing batch size, also on easier streams.

A datum in a batch of size B enjoys (mu / sqrt(B))-GDP.
[mathematics/000.md#ex-post] [mathematics/000.md#trade-off-curves]
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
import pandas as pd

from private_experts.arrays import Array, Ints
from private_experts.privacy import gaussian_mechanism, gaussian_mixtures
from private_experts.replication.study.batching.frames import groups
from private_experts.replication.study.intervals import bounded_interval, dkw

T = TypeVar("T")

CELL = ["n", "mu", "round"]


class Law(NamedTuple):
    """A law of batch sizes: the sizes in rising order, and their weights."""

    sizes: Ints
    weights: Array

    @classmethod
    def of(cls, frame: pd.DataFrame) -> "Law":
        """Return the law of a frame's columns size and weight."""
        return cls(frame["size"].to_numpy(), frame["weight"].to_numpy())

    def survival(self, b: Ints) -> Array:
        """Return P(size > b), elementwise."""
        # Summed from above: 1 less a sum from below would leave rounding errors of what is rare.
        larger = np.append(np.cumsum(self.weights[::-1])[::-1], 0.0)
        return np.asarray(larger[np.searchsorted(self.sizes, b, side="right")] / larger[0])

    @property
    def mean_inverse(self) -> float:
        """The mean of 1/B: the factor by which batching lowers a datum's squared level, on average."""
        return float((self.weights / self.sizes).sum())


def empirical(sizes: Ints) -> Law:
    """Return the empirical law of a sample."""
    values, counts = np.unique(sizes, return_counts=True)
    return Law(values.astype(np.int64), counts / sizes.size)


def envelopes(sizes: Ints, largest: int, half_width: float) -> tuple[Law, Law]:
    """Return laws stochastically below and above all within `half_width` of a sample's distribution function.

    By Lemma 1 their trade-off curves enclose that of the law sampled from, whenever it lies in the band
    (`dkw`).
    """
    law = empirical(sizes)
    # 1 and the largest size take the mass that the band leaves open, each to its own side.
    values = np.unique(np.concatenate([[1], law.sizes, [largest]]))
    upto = 1 - law.survival(values)
    # More weight on small sizes is the stochastically smaller law, which promises less.
    low = np.minimum(upto + half_width, 1.0)
    high = np.where(values < largest, np.maximum(upto - half_width, 0.0), 1.0)
    return Law(values, np.diff(low, prepend=0.0)), Law(values, np.diff(high, prepend=0.0))


def tradeoff_curve(law: Law, mu: float, alphas: Array) -> Array:
    """Return the type II errors of the best tests between two values of a datum. [000, Lemma 2]"""
    return gaussian_mixtures.mixture_tradeoff(alphas, law.weights, mu / np.sqrt(law.sizes))


def log_delta(law: Law, mu: float, epsilons: Array) -> Array:
    """Return log delta at each epsilon. [000, Corollary 3]"""
    return gaussian_mixtures.mixture_log_delta(epsilons, law.weights, mu / np.sqrt(law.sizes))


def effective_level(law: Law, mu: float, epsilon: float) -> float:
    """Return the effective level: that of the single Gaussian mechanism with the same delta at `epsilon`."""
    # One number for a whole curve: the Gaussian level with the same delta at this epsilon.
    return float(
        gaussian_mechanism.calibrate_mu(
            epsilon=epsilon, delta=np.exp(log_delta(law, mu, np.asarray(epsilon)))
        )
    )


class Cell(NamedTuple):
    """What is known about one datum's batch on data without gains: bounds by name, a sample with its band."""

    n: int
    mu: float
    t: int
    bounds: dict[str, Law]
    sample: Ints
    band: tuple[Law, Law]


def cells(computed: pd.DataFrame, simulated: pd.DataFrame, horizon: int, confidence: float) -> list[Cell]:
    """Return the cells of a grid from `batch_size_laws`' two tables. Bands hold jointly at `confidence`."""
    drawn = simulated[(simulated["law"] == "simulation") & (simulated["gap"] == 0)]
    samples = {key: part["size"].to_numpy() for key, part in groups(drawn, CELL)}
    result = []
    for (n, mu, t), part in groups(computed, CELL):
        bounds = {name: Law.of(law) for (name,), law in groups(part, ["law"])}
        sample = samples[n, mu, t]
        # Joint over all cells of the figure, as it is read as one.
        band = envelopes(sample, horizon, dkw(sample.size, len(samples), confidence))
        result.append(Cell(n, mu, t, bounds, sample, band))
    return result


def _curves(cell: Cell) -> Iterator[tuple[str, list[Law]]]:
    """Yield names and laws. A sampled law has its band's two laws after it, the less private one first."""
    yield "unamplified", [Law(np.array([1]), np.array([1.0]))]
    yield "analytic", [cell.bounds["proxy"]]
    yield "tighter", [cell.bounds["tighter"]]
    yield "simulation", [empirical(cell.sample), *cell.band]


def _with_ends(values: list[T]) -> list[T]:
    """Return a value and the two ends of its interval, which are the value itself where the law is known."""
    return values if len(values) == 3 else values * 3


def tradeoff_curves(grid: Sequence[Cell], alphas: Array) -> pd.DataFrame:
    """Return trade-off curves (alpha, beta, low, high): unamplified, both bounds, simulated with band."""
    parts = []
    for cell in grid:
        for name, laws in _curves(cell):
            beta, low, high = _with_ends([tradeoff_curve(law, cell.mu, alphas) for law in laws])
            facts = {"n": cell.n, "mu": cell.mu, "round": cell.t, "curve": name, "alpha": alphas}
            parts.append(pd.DataFrame({**facts, "beta": beta, "low": low, "high": high}))
    return pd.concat(parts, ignore_index=True)


def profiles(grid: Sequence[Cell], points: int = 41) -> pd.DataFrame:
    """Return the same curves as privacy profiles: delta (low, high) for epsilon from 0 to 4 mu."""
    parts = []
    for cell in grid:
        epsilons = np.linspace(0, 4 * cell.mu, points)
        for name, laws in _curves(cell):
            delta, high, low = _with_ends([np.exp(log_delta(law, cell.mu, epsilons)) for law in laws])
            facts = {"n": cell.n, "mu": cell.mu, "round": cell.t, "curve": name, "epsilon": epsilons}
            parts.append(pd.DataFrame({**facts, "delta": delta, "low": low, "high": high}))
    return pd.concat(parts, ignore_index=True)


def summary(
    grid: Sequence[Cell], alpha: float = 0.05, delta: float = 1e-6, epsilon: float = 1.0
) -> pd.DataFrame:
    """Return the type II error at `alpha`, epsilon at `delta`, effective level at `epsilon`, RMS level."""
    rows = []
    for cell in grid:
        for name, laws in _curves(cell):
            row: dict[str, object] = {"n": cell.n, "mu": cell.mu, "round": cell.t, "curve": name}
            measures = {
                "beta": [float(tradeoff_curve(law, cell.mu, np.array([alpha]))[0]) for law in laws],
                "epsilon": [
                    float(gaussian_mixtures.mixture_epsilon(delta, law.weights, cell.mu / np.sqrt(law.sizes)))
                    for law in laws
                ],
                "level": [effective_level(law, cell.mu, epsilon) for law in laws],
                "rms": [cell.mu * law.mean_inverse**0.5 for law in laws],
            }
            for measure, values in measures.items():
                value, *ends = _with_ends(values)
                row |= {measure: value, f"{measure}_low": min(ends), f"{measure}_high": max(ends)}
            rows.append(row)
    return pd.DataFrame(rows)


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
