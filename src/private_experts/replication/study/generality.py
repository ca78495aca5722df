"""Generality: the same study on every state with enough hospitals. The paper does not have this."""

from collections.abc import Mapping
from math import inf, isnan

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from private_experts.replication.plotting.figures import SERIES, curve, few, finding, grid, legend, style
from private_experts.replication.plotting.numbers import level, with_interval
from private_experts.replication.plotting.palette import BLACK, LOOKS
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.statements import RATIO
from private_experts.replication.study.tied import ascending

CAPTION = (
    "RW-Meta beside Min Noise, the paper's central baseline, and beside the strongest of the central "
    "algorithms that played, in the {states} states with at least {smallest} hospitals, over "
    "{weeks}. Left out are {smaller} states with fewer hospitals and {absent} without reports. "
    "{repetitions} repetitions; intervals hold jointly at {confidence:g} % (Bonferroni)."
)
STATEMENTS_CAPTION = (
    "How many of {states} states agree with each statement that the paper makes about its three states: "
    "{bands}. Statements about the strongest central algorithm are ours."
)

# Column: its title, and the digits that are shown.
MEASURES = {
    "ratio_to_min_noise": ("RW-Meta / Min Noise", 2),
    "ratio_to_central": ("RW-Meta / strongest central", 2),
    "static_regret": ("static regret", 1),
}


def large_enough(panels: Mapping[str, Panel], smallest: int) -> tuple[dict[str, Panel], dict[str, int]]:
    """Return the panels with so many hospitals, and how many states have fewer, or are `absent`."""
    large = {state: panel for state, panel in panels.items() if len(panel.hospitals) >= smallest}
    # A state without reports has no hospitals either, and would count twice.
    absent = sum(not panel.weeks for panel in panels.values())
    return large, {"smaller": len(panels) - len(large) - absent, "absent": absent}


def ratios_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table of all states for readers: a row a state, with the ratio to Min Noise by level."""
    rows = []
    for state, part in table.groupby("state", sort=False):
        row = {"state": str(state), **{name: int(part[name].iloc[0]) for name in ("weeks", "hospitals")}}
        for name, (title, digits) in MEASURES.items():
            for estimates in part.to_dict("records"):
                row[f"{title}, μ = {level(estimates['mu'])}"] = with_interval(
                    estimates[name], estimates[f"{name}_pm"], digits
                )
        rows.append(row)
    return pd.DataFrame(rows)


def shown_statements(counts: pd.DataFrame) -> pd.DataFrame:
    """Return the counts for readers."""
    levels = ["all" if isnan(mu) else level(mu) for mu in counts["mu"]]
    return counts.assign(mu=levels).rename(columns={"mu": "μ"})


def ratios_figure(table: pd.DataFrame) -> Figure:
    """Draw RW-Meta / Min Noise by state and level. States are in order of it at the largest finite level."""
    levels = few(table["mu"], SERIES - 1)[::-1]
    first = max((mu for mu in levels if mu < inf), default=inf)
    at_first = table[table["mu"] == first]
    order = at_first["state"].iloc[ascending(at_first["ratio_to_min_noise"])].tolist()
    place = {state: number for number, state in enumerate(order)}
    hospitals = dict(zip(table["state"], table["hospitals"], strict=True))
    with style():
        figure, [[axis]] = grid(1, 1, 1.4 + 0.17 * len(order))
        for number, mu in enumerate(levels):
            part = table[table["mu"] == mu]
            colour, _, marker = LOOKS[number % len(LOOKS)]
            shift = 0.5 * (number / max(len(levels) - 1, 1) - 0.5)
            places = np.array([place[state] for state in part["state"]]) + shift
            look, half_widths = (colour, "none", marker), part["ratio_to_min_noise_pm"]
            curve(axis, look, part["ratio_to_min_noise"], places, f"μ = {level(mu)}", xerr=half_widths)
        axis.axvspan(RATIO.low, RATIO.high, color="#999999", alpha=0.12, lw=0, label="the paper's 1.5 to 3")
        axis.axvline(1, color=BLACK, lw=0.8, ls=":", label="equal gains")
        axis.set_yticks(range(len(order)), [f"{state} ({hospitals[state]})" for state in order])
        axis.set_ylim(-0.7, len(order) - 0.3)
        axis.set_xlabel("total gain of RW-Meta / total gain of Min Noise")
        axis.set_ylabel("state (hospitals)")
        legend(figure, axis, columns=len(levels) + 2)
        ratios, half_widths = at_first["ratio_to_min_noise"], at_first["ratio_to_min_noise_pm"]
        more = int((ratios - half_widths > 1).sum())
        # As the table of statements counts: the whole interval.
        within = int(((ratios - half_widths >= RATIO.low) & (ratios + half_widths <= RATIO.high)).sum())
        finding(
            figure,
            f"At μ = {level(first)} RW-Meta gains more than Min Noise in {more} of {len(order)} states, "
            f"and {RATIO.low:g} to {RATIO.high:g} times as much in {within}",
        )
    return figure
