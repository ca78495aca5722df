"""Figure 1 for rules of batches that spend the tolerance, beside the paper's. Not in the paper.

[mathematics/000.md#exact-rule]
"""

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from private_experts.arrays import Array, Ints
from private_experts.privacy.gaussian_mechanism import tradeoff
from private_experts.randomness import rng_for
from private_experts.replication.plotting.direct_labels import label_curves
from private_experts.replication.plotting.figures import few, finding, style
from private_experts.replication.plotting.numbers import factor, level, with_ends
from private_experts.replication.plotting.palette import BLUE, GREEN, VERMILION
from private_experts.replication.study.batching import batch_size_laws
from private_experts.replication.study.batching.amplification import Law, empirical, tradeoff_curve
from private_experts.replication.study.batching.figure_1 import GRID, LARGEST, panels_of
from private_experts.replication.study.intervals import bounded_interval
from private_experts.walks.lead_tolerance import LeadTolerance

RULES = {
    "paper": ("ComputeDelay (the paper's)", BLUE),
    "sharper": ("sharper bound", GREEN),
    "exact": ("exact probability", VERMILION),
}
CAPTION = (
    "The root of the mean of 1/B for the batch of size B that holds a datum, when batches spend the same "
    "tolerance by three rules. It is a mean of levels mu/sqrt(B) in squares, and no level itself. "
    "At most: on every stream, by the proxy law; simulated: on data without gains ({repetitions} "
    "runs, intervals joint at {confidence:g} %). Type II: of a test between two values of the datum that "
    "raises 5 % false alarms, the share it misses, at least; alone: without batching. All rules have the "
    "same bound on the regret. Only the first is the paper's. " + GRID
)
ALPHA = 0.05  # the type I error at which the table shows type II errors
_LARGEST = 128  # size of a batch up to which laws are bounded; the rest is put there, to the safe side


def laws(
    experts: Sequence[int],
    levels: Sequence[float],
    horizon: int,
    t: int,
    repetitions: int,
    alpha: float,
    seed: int,
) -> pd.DataFrame:
    """Return what is guaranteed of the size of the batch of round `t`, and simulated sizes, by rule.

    - returns: Columns n, mu, round, rule, kind (``guaranteed`` or ``simulated``), size, weight.
    """
    parts = []
    for n in experts:
        # All rules on the same walks, so that their differences are not those of two samples.
        walks = batch_size_laws.draw_walks(n, t, repetitions, rng_for(seed, "figure 1 by rule", n))
        for mu, rule in product(levels, RULES):
            eta = batch_size_laws.noise_scale(n, mu)
            guaranteed, sizes = _of_rule(rule, walks.gaps(eta), eta, n, horizon, t, alpha)
            simulated = empirical(sizes)
            for kind, law in (("guaranteed", guaranteed), ("simulated", simulated)):
                facts = {"n": n, "mu": mu, "round": t, "rule": rule, "kind": kind}
                parts.append(pd.DataFrame({**facts, "size": law.sizes, "weight": law.weights}))
    return pd.concat(parts, ignore_index=True)


def _of_rule(
    rule: str, gaps: Array, eta: float, n: int, horizon: int, t: int, alpha: float
) -> tuple[Law, Ints]:
    # A smaller batch hides less, so a law that is cut off there still guarantees what it says.
    largest = min(horizon - t, _LARGEST)
    if rule == "paper":
        survival = batch_size_laws.proxy(t, eta, n, alpha, largest, 1.0)
        sizes = batch_size_laws.containing_sizes(gaps, eta, n, alpha, horizon, [t])[0]
    else:
        tolerance = LeadTolerance("exact" if rule == "exact" else "sharper", eta, n, alpha)
        survival, sizes = tolerance.proxy_survival(t, largest), containing(gaps, tolerance, horizon, t)
    return Law(np.arange(1, len(survival) + 1), -np.diff(survival, append=0.0)), sizes


def containing(gaps: Array, tolerance: LeadTolerance, horizon: int, t: int) -> Ints:
    """Return the sizes of batches with round `t`, from RW-FTPL's gaps, shape (at least t, repetitions)."""
    # Most batches are single rounds. From one longer batch to the next all are, which needs no search.
    longer = gaps[:t] >= tolerance.least_lead(2, np.arange(2, t + 2))[:, None]
    starts = np.where(longer, np.arange(t)[:, None], t)
    following = np.minimum.accumulate(starts[::-1], axis=0)[::-1]  # after so many rounds, the next longer one
    size = np.ones(gaps.shape[1], dtype=np.int64)
    end, before = np.zeros_like(size), np.arange(len(size))  # those whose batch with the round is to come
    while before.size:
        completed = following[end[before], before]
        size[before] = 1
        before, completed = before[completed < t], completed[completed < t]
        size[before] = tolerance.sizes(gaps[completed, before], completed, horizon - completed)
        end[before] = completed + size[before]
        before = before[end[before] < t]
    return size


def curves(of_rules: pd.DataFrame, alphas: Array) -> pd.DataFrame:
    """Return curves: columns n, mu, round, rule, kind, alpha, beta. Without batching no rule or kind."""
    keys = ["n", "mu", "round", "rule", "kind"]
    # Batches of 1 are the mechanism itself: what curves are compared with.
    alone = of_rules[keys[:3]].drop_duplicates().assign(rule="none", kind="none", size=1, weight=1.0)
    parts = []
    for key, part in pd.concat([of_rules, alone]).groupby(keys, sort=False):
        beta = tradeoff_curve(Law.of(part), float(part["mu"].iloc[0]), alphas)
        parts.append(pd.DataFrame({**dict(zip(keys, key, strict=True)), "alpha": alphas, "beta": beta}))
    return pd.concat(parts, ignore_index=True)


def summary(of_rules: pd.DataFrame, repetitions: int, confidence: float) -> pd.DataFrame:
    """Return for each rule the root of the mean of 1/B: at most on every stream, and true, with interval.

    - returns: Columns n, mu, round, rule, at_most, root_mean, low, high, type_II, alone. The latter are type
      II errors at `ALPHA`: at least on every stream, and without batching.
    """
    keys = ["n", "mu", "round", "rule"]
    cells = list(of_rules.groupby(keys, sort=False))
    rows = []
    for key, part in cells:
        bound, drawn = (Law.of(part[part["kind"] == kind]) for kind in ("guaranteed", "simulated"))
        counts = np.rint(drawn.weights * repetitions).astype(np.int64)
        sample = np.repeat(1 / drawn.sizes, counts)
        # 1/B lies in (0, 1] and may be 1 in nearly all runs: a normal interval would have no width there.
        mean, low, high = bounded_interval(sample, span=1.0, intervals=len(cells), confidence=confidence)
        # The root is monotone, so it may be taken of the ends.
        ends = {
            "root_mean": math.sqrt(mean),
            "low": math.sqrt(max(low, 0.0)),
            "high": math.sqrt(min(high, 1.0)),
        }
        mu, alpha = float(part["mu"].iloc[0]), np.array([ALPHA])
        errors = {
            "type_II": float(tradeoff_curve(bound, mu, alpha)[0]),
            "alone": float(tradeoff(ALPHA, mu)),
        }
        at_most = math.sqrt(bound.mean_inverse)
        rows.append({**dict(zip(keys, key, strict=True)), "at_most": at_most, **ends, **errors})
    return pd.DataFrame(rows)


# Kind of the curve: its label, and the line style of each rule.
KINDS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "simulated": ("", ("-", (0, (8, 2)), "-.")),
    "guaranteed": (", guaranteed", (":", (0, (3, 2)), (0, (3, 1, 1, 1, 1, 1)))),
}


def rules_figure(table: pd.DataFrame) -> Figure:
    """Draw by how much batching raises the type II error, from the trade-off curves of `curves`."""
    table = table[table["n"].isin(few(table["n"], 3)) & table["alpha"].le(LARGEST)]
    most = {}
    with style():
        figure, panels = panels_of(table, sharex=True, sharey="col")
        (first, _), (last, _) = next(iter(panels)), list(panels)[-1]
        for (n, mu), panel in panels.items():
            cell = table[(table["n"] == n) & (table["mu"] == mu)]
            alone = cell[cell["rule"] == "none"]["beta"].to_numpy()
            for number, (rule, (label, colour)) in enumerate(RULES.items()):
                for kind, (words, dashes) in KINDS.items():
                    part = cell[(cell["rule"] == rule) & (cell["kind"] == kind)]
                    name = f"{label}{words}"
                    panel.plot(
                        part["alpha"],
                        part["beta"] - alone,
                        color=colour,
                        ls=dashes[number],
                        lw=1.1,
                        label=name,
                    )
                    most[n, mu, rule, kind] = float((part["beta"] - alone).max())
            panel.set(xlim=(0, LARGEST), ylim=(0, None), xticks=(0, 0.2, 0.4))
            if n == last:
                panel.set_xlabel("type I error")
        label_curves(*(panel for (n, _), panel in panels.items() if n == first))
        cells = list(panels)
        times = [most[*cell, "exact", "guaranteed"] / most[*cell, "paper", "guaranteed"] for cell in cells]
        ends = f"{factor(min(times))} to {factor(max(times))} times what the paper's rule guarantees"
        finding(
            figure,
            f"With the exact rule the guaranteed increase is {ends} (datum of round "
            f"{int(table['round'].iloc[0])})",
        )
    return figure


def rules_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return the summary, for readers."""
    rows: dict[Any, dict[str, object]] = {}
    for row in table.to_dict("records"):
        line = rows.setdefault((row["n"], row["mu"]), {"n": int(row["n"]), "μ": level(row["mu"])})
        line["type II alone"] = f"{row['alone']:.3f}"
        label = RULES[row["rule"]][0]
        line[f"{label}: at most"] = f"{row['at_most']:.3f}"
        line[f"{label}: simulated"] = with_ends(row["root_mean"], row["low"], row["high"], 3)
        line[f"{label}: type II"] = f"{row['type_II']:.3f}"
    return pd.DataFrame(rows.values())
