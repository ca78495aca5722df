"""Why the analytic law of batch sizes is loose, and at which type I errors. [000, Section 4]

[mathematics/000.md#looseness]
"""

import math
from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
from scipy.special import ndtr

from private_experts.arrays import Array
from private_experts.privacy.gaussian_mechanism import delta
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p000.sampled_points import mean_point
from private_experts.replication.study.batching.amplification import Law, adjusted, log_delta
from private_experts.replication.study.batching.batch_size_laws import (
    containing_sizes,
    draw_walks,
    from_survival,
    noise_scale,
    simulated,
    still_survival,
)
from private_experts.replication.study.batching.frames import groups
from private_experts.replication.study.intervals import mean_interval
from private_experts.walks.batch_size import proxy_survival, threshold
from private_experts.walks.gap import survival

ALPHA = 0.01
_SIZES = (1, 8, 32)  # of batches, in the notes
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(64)
# Where it is; the computed laws; sizes B in simulation; 1/B under the laws stay-simulated and simulation.
_Cell = tuple[dict[str, Any], dict[str, Array], Array, Array, Array]


def _mean_inverses(laws: Mapping[str, Array]) -> dict[str, float]:
    """Return by name the mean of 1/B under each law of survival probabilities at 0, 1, ..."""
    return {name: Law(*from_survival(larger)).mean_inverse for name, larger in laws.items()}


def half_normal_survival(t: int, eta: float, n: int, alpha: float, largest: int) -> Array:
    """Return P(B > b) for b = 0, ..., `largest` on data without gains, from below, without Lemmas 4 and 5.

    A large gap stays large if the leader falls, and the best challenger rises, by less than what is left of
    it. By Lemma 3 both are stochastically at most half-normal, and their sum is integrated as it is.
    [mathematics/000.md#looseness]
    """
    b = np.arange(1, largest + 1)
    first = np.maximum(0, t - b)
    steps = t - 1 - first
    total = 6 * (1 + _NODES)[:, None]
    fall = total / 2 * (1 + _NODES)
    rise = total - fall
    rising = (n - 1) * (2 * ndtr(rise) - 1) ** (n - 2) * np.exp(-(rise**2) / 2)
    density = 2 / math.pi * (np.exp(-(fall**2) / 2) * rising) @ _WEIGHTS * total[:, 0] / 2
    level = threshold(t, b, eta, n, alpha)[:, None] + eta * np.sqrt(steps)[:, None] * total[:, 0]
    # P(gap > k + fall) averaged over the fall, since the gap and later steps are independent.
    survivals = survival(level / (eta * np.sqrt(first + 1))[:, None], n) @ (6 * _WEIGHTS * density)
    return np.maximum.accumulate(np.concatenate([[1.0], np.minimum(survivals, 1.0)])[::-1])[::-1]


def _parts(grid: Grid, repetitions: int, seed: int) -> list[_Cell]:
    """Return the laws of batch sizes of each cell, computed and simulated."""
    horizon, t = grid["T"], grid["t"]
    own = int(rng_for(seed, "causes", repetitions).integers(2**31))  # more repetitions are a new experiment
    cells = []
    for n in grid["n"]:
        samples_table = simulated(n, grid["mu"], horizon, [t], (), repetitions, ALPHA, own)
        for (mu,), part in groups(samples_table, ["mu"]):
            cell = (t, noise_scale(n, mu), n, ALPHA, horizon - t)
            laws = {"proxy": proxy_survival, "still": still_survival, "half-normal": half_normal_survival}
            larger = {name: law(*cell) for name, law in laws.items()}
            samples = dict(groups(part, ["law"]))
            control, sizes = (samples[("simulation",)][name].to_numpy() for name in ("control", "size"))
            # The control's mean is known, and it moves with 1/B: shares of a small distance need that spread
            # gone.
            stay = adjusted(1 / samples[("stay-simulated",)]["size"].to_numpy(), control)
            cells.append(({"n": n, "mu": mu, "t": t}, larger, sizes, stay, adjusted(1 / sizes, control)))
    return cells


def drift_is_the_cause(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """At least half of the distance between analytic and simulated law comes from the assumed drift.

    Distances are in the mean of 1/B, the share of a datum's squared level that remains. The value is the
    drift's part minus half of the distance; notes say the share, also in E[B] and in P(B > b).
    """
    cells = _parts(grid, repetitions, seed)
    points = []
    for where, laws, sizes, _, played in cells:
        means, proxy, still = _mean_inverses(laws), laws["proxy"], laws["still"]
        drift, distance = means["proxy"] - means["still"], means["proxy"] - played
        notes = {"share of the drift": drift / float(distance.mean())}
        # 1/B is what privacy depends on; E[B] weighs large batches, which are rare, most.
        notes["share in E[B]"] = float((still - proxy).sum() / (sizes.mean() - proxy.sum()))
        for b in _SIZES[1:]:
            # A tail that neither law reaches would divide by 0.
            notes[f"share in P(B > {b})"] = float(
                (still[b] - proxy[b]) / max((sizes > b).mean() - proxy[b], 1e-9)
            )
        points.append(mean_point(where, drift - distance / 2, 0.0, len(cells), ">=", notes))
    return points


def causes(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """What Theorem 1 gives away without drift costs more than the drift, and than the demand in every round.

    The demand is for a large gap in each of the last rounds, where one at the beginning would do. Notes say
    the shares of four steps: Theorem 1's is split into Lemmas 4 and 5, and the leader's fall and the
    challengers' rise, each at its worst.
    """
    cells = _parts(grid, repetitions, seed)
    points = []
    for where, laws, _, stay, played in cells:
        means = _mean_inverses(laws)
        # Four steps from the guaranteed law to the played one, each of which gives up one assumption more.
        distance = float((means["proxy"] - played).mean())
        drift, rounds = means["proxy"] - means["still"], stay - played
        parts = {
            "drift": drift,
            "Lemmas 4 and 5": means["still"] - means["half-normal"],
            "fall and rise apart": means["half-normal"] - float(stay.mean()),
            "every round": float(rounds.mean()),
        }
        notes = {name: part / distance for name, part in parts.items()}
        for name, other in (("drift", drift), ("every round", rounds)):
            # Differences in each repetition: both sides come from the same walks, so most of their noise
            # cancels.
            sample, place = means["still"] - stay - other, {**where, "than": name}
            points.append(mean_point(place, sample, 0.0, 2 * len(cells), ">=", notes))
    return points


def moderate_errors(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The analytic law is looser at moderate type I errors than at low ones, by a given factor.

    Looseness is the share of the guaranteed delta(epsilon) that exceeds the true one; a large epsilon asks
    for low errors. The control variate is the event that the gap is too small for a second round, whose
    probability is known.
    """
    cells = list(product(grid["n"], grid["mu"]))
    horizon, t = grid["T"], grid["t"]
    points = []
    for n, mu in cells:
        eta = noise_scale(n, mu)
        gaps = draw_walks(n, t, repetitions, rng_for(seed, "looseness", n, mu, repetitions)).gaps(eta)
        sizes = containing_sizes(gaps, eta, n, ALPHA, horizon, [t])[0]
        larger = proxy_survival(t, eta, n, ALPHA, horizon - t)
        proxy = Law(*from_survival(larger))
        moderate, low = (
            1
            - delta(epsilon=epsilon, mu=mu / np.sqrt(sizes))
            / float(np.exp(log_delta(proxy, mu, np.array(epsilon))))
            for epsilon in (0.0, grid["epsilon"] * mu)
        )
        two = threshold(t, 1, eta, n, ALPHA)
        # Known by the law of the gap at equal means.
        single = (gaps[t - 1] < two) - (1 - survival(two, n, eta * math.sqrt(t)))
        sample = adjusted(moderate - grid["factor"] * low, single)
        excesses = {"excess at 0": moderate, f"excess at {grid['epsilon']} mu": low}
        notes: dict[str, float] = {}
        for name, excess in excesses.items():
            share, _, end = mean_interval(adjusted(excess, single), intervals=2 * len(cells))
            notes |= {name: float(share), f"{name}, half-width": float(end - share)}
        notes |= {f"P(B > {b}), simulated": float((sizes > b).mean()) for b in _SIZES}
        notes |= {f"P(B > {b}), analytic": float(larger[b]) for b in _SIZES}
        points.append(mean_point({"n": n, "mu": mu, "t": t}, sample, 0.0, len(cells), ">=", notes))
    return points
