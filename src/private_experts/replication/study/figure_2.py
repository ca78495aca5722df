"""Figure 2: cumulative gain against weeks, by state and privacy level. [000, Figure 2]"""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from private_experts.replication.plotting.direct_labels import label_curves
from private_experts.replication.plotting.figures import finding, style
from private_experts.replication.plotting.numbers import level
from private_experts.replication.plotting.palette import BLACK, ORANGE
from private_experts.replication.study.hospital_game import LEARNER
from private_experts.replication.study.players import contenders

LINES = ("rw-meta", "rw-ftpl", "min-noise", "min-regret")


def draw(curves: pd.DataFrame, best_hospital: dict[str, float]) -> Figure:
    """Draw Figure 2 (mean cumulative gain by week), one row a state and one column a privacy level."""
    states, levels, looks = list(best_hospital), list(dict.fromkeys(curves["mu"])), contenders()
    ahead = 0
    with style():
        figure, axes = plt.subplots(
            len(states), len(levels), figsize=(2.2 + 1.6 * len(levels), 0.9 + 1.5 * len(states)),
            sharex=True, sharey=True, squeeze=False, layout="constrained",
        )  # fmt: skip
        for line, state in zip(axes, states, strict=True):
            for panel, mu in zip(line, levels, strict=True):
                part = curves[(curves["state"] == state) & (curves["mu"] == mu)]
                wide = part.pivot(index="week", columns="algorithm", values="gain")
                learners = wide[[name for name in wide if str(name).startswith(LEARNER)]]
                panel.fill_between(
                    wide.index, learners.min(axis=1), learners.max(axis=1), color=ORANGE, alpha=0.35, lw=0,
                    label="learners,\nworst to best",
                )  # fmt: skip
                panel.axhline(best_hospital[state], color=BLACK, ls=":", lw=1, label="best hospital, total")
                for name in LINES:
                    shown = looks[name]
                    label = f"{shown.label} (central)" if shown.model == "central" else shown.label
                    panel.plot(wide.index, wide[name], color=shown.colour, ls=shown.dashes, lw=1.2, label=label)
                last = wide.iloc[-1]
                ahead += int(last["rw-meta"] > max(last[name] for name in LINES[1:]))
                if state == states[0]:
                    panel.set_title(f"μ = {level(mu)}")
                if state == states[-1]:
                    panel.set_xlabel("week")
            line[0].set_ylabel(f"{state}\ncumulative gain")
        label_curves(*axes[-1])
        others = "RW-FTPL, Min Noise and Min Regret"
        finding(figure, f"RW-Meta ends ahead of {others} in {ahead} of {axes.size} cells (state and level)")
    return figure
