"""The specification curve: all universes ordered by an estimate, and below it which options they stand for.

[Simonsohn, Simmons and Nelson 2020.] There are too many universes to mark each by itself. So they are put into bins
along the curve, and the shade of a bin is the share of its universes that have an option.
"""

import itertools
from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from private_experts.replication.plotting.figures import finding, legend, style
from private_experts.replication.plotting.numbers import level, percent
from private_experts.replication.plotting.palette import BLACK, BLUE, GREY, VERMILION
from private_experts.replication.study.multiverse.decomposition import CALLED
from private_experts.replication.study.multiverse.universe_verdicts import papers
from private_experts.replication.study.statements import RATIO

BINS = 50
DECISIVE = 3  # choices that are marked below the curve
LOOKS = {
    "agrees": ("holds", BLUE, "o", 3),
    "undecided": ("undecided", GREY, "|", 4),
    "differs": ("fails", VERMILION, "x", 2),
}
_TICKS = (0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4)
_TALLER = 0.135  # inches for each row of options


def options(answered: pd.DataFrame, choices: Sequence[str]) -> list[tuple[str, Any]]:
    """Return what is marked below the curve, from top to bottom: the choices that vary with each of their options."""
    there = {name: answered[name].drop_duplicates() for name in choices}
    ordered = {name: found.tolist() if name == "mu" else sorted(found) for name, found in there.items()}
    return [(name, option) for name, found in ordered.items() if len(found) > 1 for option in found]


def decisive(answered: pd.DataFrame, choices: Sequence[str], most: int = DECISIVE) -> list[str]:
    """Return the choices, the level among them, whose options differ most in their mean estimate, in their order."""
    values = answered[np.isfinite(answered["value"])]
    logs = np.log(values["value"]) - np.log(values["value"]).groupby(values["state"]).transform("mean")
    spread = {name: float(logs.groupby(values[name]).mean().var(ddof=0)) for name in ("mu", *choices)}
    kept = sorted(spread, key=lambda name: -spread[name])[:most]
    return [name for name in spread if name in kept]


def marked(ordered: pd.DataFrame, rows: Sequence[tuple[str, Any]], bins: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the share of each bin's universes that have each option, shape (options, bins)."""
    edges = np.linspace(0, len(ordered), bins + 1).round().astype(int)
    having = np.array([(ordered[name] == option).to_numpy(dtype=np.float64) for name, option in rows])
    return np.array([having[:, low:high].mean(axis=1) for low, high in itertools.pairwise(edges)]).T


def named(name: str, option: Any) -> str:
    """Return an option for readers."""
    words = {
        "mu": lambda: level(float(option)),
        "participation_minimum": lambda: "all" if float(option) == 0 else f"at least {float(option):g}",
        "smallest_beds": lambda: f"at least {float(option):g}",
        "suppressed_value": lambda: f"{float(option):g}",
        "patients": lambda: str(option).removesuffix("_7_day_avg").removeprefix("total_adult_patients_hospitalized_"),
    }
    return words.get(name, lambda: str(option).replace("-", " "))().replace("_", " ")


def draw(answered: pd.DataFrame, choices: Sequence[str]) -> Figure:
    """Draw RW-Meta's gain over that of Min Noise in the paper's universes, one column a state."""
    asked = papers(answered[answered["question"] == RATIO.name])
    states, rows = list(dict.fromkeys(asked["state"])), options(asked, decisive(asked, choices))
    upper, lower = 2.0, _TALLER * len(rows)
    with style():
        figure, axes = plt.subplots(
            2, len(states), figsize=(2.6 + 1.6 * len(states), 0.9 + upper + lower), squeeze=False, sharex=True,
            sharey="row", layout="constrained", gridspec_kw={"height_ratios": [upper, lower]},
        )  # fmt: skip
        for place, state in enumerate(states):
            ordered = asked[(asked["state"] == state) & np.isfinite(asked["value"])].sort_values("value")
            _curve(axes[0, place], ordered)
            axes[0, place].set_title(str(state))
            _options(axes[1, place], ordered, rows)
        axes[0, 0].set_ylabel("RW-Meta / Min Noise")
        figure.get_layout_engine().set(w_pad=0.1)  # type: ignore[union-attr, call-arg]
        legend(figure, *axes[0], columns=5)
        agreeing = (asked["answer"] == "agrees").groupby(asked["state"], sort=False).mean()
        shares = ", ".join(f"{percent(share)} in {state}" for state, share in agreeing.items())
        much = f"{RATIO.low:g} to {RATIO.high:g} times what Min Noise gains"
        finding(figure, f"RW-Meta gains {much} in this share of the universes: {shares}")
    return figure


def _curve(panel: Axes, ordered: pd.DataFrame) -> None:
    """Draw the ratios of one state, with their intervals, by answer."""
    along = np.arange(len(ordered)) / max(len(ordered), 1)
    panel.axhspan(RATIO.low, RATIO.high, color="#999999", alpha=0.15, lw=0, label="the paper's 1.5 to 3")
    panel.fill_between(
        along, ordered["low"], ordered["high"], color="#555555", alpha=0.4, lw=0, label="intervals", rasterized=True
    )
    for answer, (label, colour, marker, order) in LOOKS.items():
        these = (ordered["answer"] == answer).to_numpy()
        panel.plot(
            along[these], ordered["value"][these], marker, color=colour, ms=2.2, mew=0.6, label=label, zorder=order,
            rasterized=True,
        )  # fmt: skip
    panel.axhline(1, color=BLACK, lw=0.7, ls=":")
    panel.set_yscale("log", base=2)
    panel.yaxis.set_major_locator(FixedLocator(_TICKS))
    panel.yaxis.set_major_formatter(FuncFormatter(lambda ratio, _: f"{ratio:g}"))
    panel.yaxis.set_minor_locator(NullLocator())
    panel.set_xlim(0, 1)


def _options(panel: Axes, ordered: pd.DataFrame, rows: Sequence[tuple[str, Any]]) -> None:
    """Shade the options of one state's universes, and name them."""
    bins = max(1, min(BINS, len(ordered)))
    panel.imshow(
        marked(ordered, rows, bins), cmap="Greys", vmin=0, vmax=1, aspect="auto", interpolation="nearest",
        extent=(0, 1, len(rows) - 0.5, -0.5),
    )  # fmt: skip
    names = [name for name, _ in rows]
    firsts = [place for place, name in enumerate(names) if place == 0 or names[place - 1] != name]
    for place in firsts[1:]:
        panel.axhline(place - 0.5, color=BLUE, lw=0.8)
    called = {**CALLED, "mu": "privacy level μ", "family": "learners"}
    words = [named(name, option) for name, option in rows]
    panel.set_yticks(
        range(len(rows)),
        [f"{called[names[place]]}: {word}" if place in firsts else word for place, word in enumerate(words)],
        fontsize=6,
    )
    panel.grid(visible=False)
    panel.tick_params(left=False)
    panel.set_xlabel("universes, ordered by ratio")
    panel.set_xticks([0, 0.5, 1])
    panel.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.0f} %"))
