"""Figures from the evidence on paper 000. This paper's other figures have stages of their own."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from private_experts.algorithms.fresh_scales import regret_bound, scales_for_horizon
from private_experts.algorithms.hedge_bounds import textbook_bound
from private_experts.replication.plotting.direct_labels import label_curves
from private_experts.replication.plotting.figures import finding, grid, not_run, style
from private_experts.replication.plotting.numbers import factor
from private_experts.replication.plotting.palette import BLACK, BLUE, GREEN, VERMILION

SMALLEST = 1e-3  # smaller ratios are drawn at the edge
TIGHT = 0.5  # ratio from which a bound is called tight
WITHOUT = "exponential weights,\nno noise added: bound"
NAMES = {
    "000/theorem-1": "Theorem 1",
    "000/theorem-1-sharper": "Theorem 1, sharper",
    "000/lemma-3": "Lemma 3",
    "000/regret-rw-ftpl": "RW-FTPL's regret",
    "000/regret-worst-streams": "RW-FTPL's regret, worst streams",
    "000/regret-sharper": "RW-FTPL's regret, sharper bound",
    "000/corollary-2": "RW-AdaBatch's regret",
    "000/theorem-3": "RW-Meta's regret, independent learners",
    "000/theorem-3-fresh": "RW-Meta's regret, fresh noise",
    "000/proxy-law": "law of batch sizes",
}


def tightness(evidence: Mapping[str, pd.DataFrame]) -> Figure:
    """Draw values over bounds, a row a claim, the tightest first; for lower bounds, bound over value."""
    # As shares of their bounds: claims of different units can stand on one axis.
    ratios = {name: _ratios(part) for name, part in evidence.items() if "value" in part}
    names = sorted(evidence, key=lambda name: -ratios[name][0].max() if name in ratios else 1)
    with style():
        figure, [[axis]] = grid(1, 1, 1.2 + 0.3 * len(names))
        for row, name in enumerate(names):
            if name not in ratios:
                axis.text(SMALLEST, row, " not run", va="center")
                continue
            middle, low, high = ratios[name]
            rows = row + np.linspace(-0.3, 0.3, len(middle)) if len(middle) > 1 else np.full(1, float(row))
            axis.hlines(rows, low, high, color=BLUE, lw=0.6, alpha=0.4)
            within = high <= 1
            axis.plot(middle[within], rows[within], "o", ms=2, color=BLUE)
            axis.plot(middle[~within], rows[~within], "D", ms=3, color=VERMILION)
        axis.axvline(1, color=BLACK, lw=0.8, ls="--")
        axis.set_xscale("log")
        axis.set_xlim(SMALLEST * 0.9, 2)
        axis.set_yticks(range(len(names)), [NAMES.get(name, name) for name in names])
        axis.set_ylim(len(names) - 0.5, -0.5)
        axis.set_xlabel("measured value / bound")
        tight = sum(bool(middle.max() >= TIGHT) for middle, _, _ in ratios.values())
        beyond = sum(bool((low > 1).any()) for _, low, _ in ratios.values())
        exceeded = f"{beyond} of {len(ratios)} bounds are exceeded" if beyond else "No bound is exceeded"
        finding(figure, f"{exceeded}, and {tight} of {len(ratios)} are attained to within a factor of two")
        return figure


def _ratios(part: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return value / bound, or bound / value for a lower bound, with its interval."""
    if "what" in part:  # no comparison of the program with balls
        part = part[part["what"] != "library"]
    value, low, high, bound = (part[name].to_numpy(dtype=float) for name in ("value", "low", "high", "bound"))
    above = (part["sense"] == "<=").to_numpy()
    with np.errstate(divide="ignore", invalid="ignore"):
        three = [
            np.where(above, up / bound, bound / down)
            for up, down in ((value, value), (low, high), (high, low))
        ]
    return tuple(np.clip(np.nan_to_num(ratio, nan=1.0, posinf=2.0), SMALLEST, 2.0) for ratio in three)


def theorem_3(evidence: Mapping[str, pd.DataFrame]) -> Figure:
    """Draw RW-Meta's regret by rounds, a panel a pair of learners, with bounds for two experts."""
    excesses = []
    pairs = [pair for table in evidence.values() for pair in _by_learners(table)]
    noises_of = [
        {*table.loc[table["best"] == "expectation", "eta"].astype(float)}
        for table in pairs
        if "value" in table
    ]
    # The same noise in all panels, which then differ in their learners alone; the least, where the bound is
    # exceeded most clearly.
    shared = set.intersection(*noises_of) if noises_of else set()
    with style():
        figure, [panels] = grid(1, len(pairs), 2.8, sharey=True)
        for panel, table in zip(panels, pairs, strict=True):
            if "value" not in table:
                not_run(panel)
                continue
            part = table[table["best"] == "expectation"].astype({"T": float, "value": float, "eta": float})
            part = part[part["eta"] == min(shared or part["eta"])].sort_values("T")
            eta, bound = float(part["eta"].iloc[0]), part["bound"].astype(float)
            excesses.append(float((part["value"] / bound).max()))
            rounds = np.geomspace(part["T"].min(), part["T"].max(), 9)
            noises = [np.full(int(horizon), eta) for horizon in rounds]
            fresh = [regret_bound(scales_for_horizon(noise), noise, 2) for noise in noises]
            panel.plot(part["T"], part["value"], "o-", ms=4, color=VERMILION, label="RW-Meta's regret")
            panel.vlines(part["T"], part["low"].astype(float), part["high"].astype(float), color=VERMILION)
            panel.plot(part["T"], bound, "--", color=BLACK, label="Theorem 3 as printed")
            panel.plot(
                rounds, [textbook_bound(noise, 2) for noise in noises], ":", color=GREEN, label=WITHOUT
            )
            panel.plot(rounds, fresh, "-.", color=BLUE, label="fresh noise: bound")
            panel.set_xscale("log")
            panel.set_xticks(part["T"], [f"{horizon:g}" for horizon in part["T"]])
            panel.xaxis.set_minor_locator(NullLocator())
            numbers = panel.get_xticklabels()
            numbers[-1].set_ha("right")  # else it nearly touches the first one of the next panel
            numbers[0].set_ha("left")
            panel.set(yscale="log", xlabel="rounds", title=f"{part['learners'].iloc[0]}, η = {eta:g}")
        panels[0].set_ylabel("regret")
        label_curves(*panels)
        if excesses:
            beyond, most = sum(excess > 1 for excess in excesses), factor(max(excesses))
            learners = f"for {beyond} of {len(excesses)} pairs of learners that read its reports"
            exceeds = f"RW-Meta's regret exceeds the bound of Theorem 3 {learners}, up to {most} times"
            within = f"RW-Meta's regret stays within the bound of Theorem 3, and comes to {most} of it"
            finding(figure, exceeds if beyond else within)
    return figure


def _by_learners(table: pd.DataFrame) -> list[pd.DataFrame]:
    """Return the rows of each pair of learners; of a claim that was not run, the table with its reason."""
    return [part for _, part in table.groupby("learners", sort=False)] if "learners" in table else [table]
