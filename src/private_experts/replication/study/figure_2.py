"""Figure 2: cumulative gain against weeks, by state and privacy level, and one cell alone. [000, Figure 2]"""

import math

import pandas as pd
from matplotlib.figure import Figure

from private_experts.replication.plotting.direct_labels import label_curves
from private_experts.replication.plotting.figures import curve, finding, grid, style
from private_experts.replication.plotting.numbers import level
from private_experts.replication.plotting.palette import BLACK, ORANGE
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.hospital_game import LEARNER
from private_experts.replication.study.players import contenders
from private_experts.ties import first_largest

LINES = ("rw-meta", "rw-ftpl", "min-noise", "min-regret")
# of the cell that is drawn alone, or else the strongest privacy: the middle one of the paper's three
CELL_LEVEL = 0.5
OTHER_WORDS = "the planner with\nother forecasts"
STATES = {"NM": "New Mexico", "PA": "Pennsylvania", "CA": "California"}  # those of the paper
# Who plays, in words for readers who know none of the names.
WORDS = {
    "rw-meta": "the planner,\nfrom private reports",
    "rw-ftpl": "adds up the\nprivate reports",
    "min-noise": "sees true numbers,\nleast noise",
    "min-regret": "sees true numbers,\nbest bound",
}


def gains_figure(curves: pd.DataFrame, best_hospital: dict[str, float]) -> Figure:
    """Draw Figure 2 (mean cumulative gain by week), one row a state and one column a privacy level."""
    states, levels, looks = list(best_hospital), list(dict.fromkeys(curves["mu"])), contenders()
    ahead = 0
    with style():
        figure, axes = grid(len(states), len(levels), 0.9 + len(states), sharex=True, sharey=True)
        for line, state in zip(axes, states, strict=True):
            for panel, mu in zip(line, levels, strict=True):
                part = curves[(curves["state"] == state) & (curves["mu"] == mu)]
                wide = part.pivot(index="week", columns="algorithm", values="gain")
                learners = wide[[name for name in wide if str(name).startswith(LEARNER)]]
                panel.fill_between(
                    wide.index,
                    learners.min(axis=1),
                    learners.max(axis=1),
                    color=ORANGE,
                    alpha=0.35,
                    lw=0,
                    label="learners,\nworst to best",
                )
                panel.axhline(best_hospital[state], color=BLACK, ls=":", lw=1, label="best hospital, total")
                for name in LINES:
                    shown = looks[name]
                    label = f"{shown.label} (central)" if shown.model == "central" else shown.label
                    curve(panel, (shown.colour, shown.dashes, ""), wide.index, wide[name], label)
                last = wide.iloc[-1]
                ahead += int(last["rw-meta"] > max(last[name] for name in LINES[1:]))
                if state == states[0]:
                    panel.set_title(f"μ = {level(mu)}")
                if state == states[-1]:
                    panel.set_xlabel("week")
            line[0].set_ylabel(state)
        figure.supylabel("cumulative gain", fontsize="medium")
        label_curves(*axes[-1])
        others = "RW-FTPL, Min Noise and Min Regret"
        finding(figure, f"RW-Meta ends ahead of {others} in {ahead} of {axes.size} cells (state and level)")
    return figure


def draw_cell(
    curves: pd.DataFrame, panel: Panel, state: str, other_kind: pd.DataFrame | None = None
) -> Figure:
    """Draw one cell of Figure 2 with a spread of one standard deviation over repetitions, for newcomers.

    `other_kind` has the curves of games with Gaussian processes, which the printed table does not exclude.
    """
    finite = [mu for mu in dict.fromkeys(curves["mu"]) if math.isfinite(mu)]
    # A level of the config; without the usual one, the most private.
    mu = CELL_LEVEL if CELL_LEVEL in finite else min(finite, default=math.inf)
    part = curves[(curves["state"] == state) & (curves["mu"] == mu)].set_index("algorithm")
    looks = contenders()
    weeks = len(panel.weeks)
    # The best in the whole period, not week by week: static regret is against one hospital.
    best = panel.density[:, first_largest(panel.density.sum(axis=0))]
    with style():
        figure, [[axes]] = grid(1, 1, 2.9)
        in_hindsight = "the best single hospital,\nin hindsight"
        curve(axes, (BLACK, ":", ""), range(1, weeks + 1), best.cumsum(), in_hindsight)
        for name in LINES:
            weekly = part.loc[name]
            axes.fill_between(
                weekly["week"],
                weekly["gain"] - weekly["spread"],
                weekly["gain"] + weekly["spread"],
                color=looks[name].colour,
                alpha=0.2,
                lw=0,
            )
            look = looks[name].colour, looks[name].dashes, ""
            curve(axes, look, weekly["week"], weekly["gain"], WORDS[name])
        if other_kind is not None:
            theirs = other_kind[(other_kind["state"] == state) & (other_kind["mu"] == mu)]
            theirs = theirs[theirs["algorithm"] == "rw-meta"]
            look = looks["rw-meta"].colour, (0, (2, 2)), ""
            curve(axes, look, theirs["week"], theirs["gain"], OTHER_WORDS)
        privacy = f"privacy level {level(mu)}" if math.isfinite(mu) else "without privacy"
        where = STATES.get(state, state)
        axes.set_xlabel(f"week with data ({where}, {len(panel.hospitals)} hospitals, {privacy})")
        axes.set_ylabel("gain so far: shares of beds\nwith COVID patients, summed")
        label_curves(axes)
        ends = {name: part.loc[part.index == name, "gain"].iloc[-1] for name in LINES}
        behind, rivals = sum(value < ends["rw-meta"] for value in ends.values()), len(ends) - 1
        whom = "all its rivals" if behind == rivals else f"{behind} of its {rivals} rivals"
        hospital = "more" if ends["rw-meta"] > best.sum() else "less"
        title = (
            f"From private reports the planner gains more than {whom}, and {hospital} than the best single "
            "hospital"
        )
        finding(figure, title)
    return figure
