"""What a privacy model gains: local and central algorithms of all papers on the hospitals, at equal privacy.

To compare RW-Meta with Min Noise mixes two questions, of locality and of learners. Here each local algorithm
is compared with what is central and else alike, and learners with leaders of the same model.
[mathematics/000.md#locality]
"""

import itertools
import math
from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from private_experts.arrays import Array
from private_experts.errors import InputError
from private_experts.privacy.conversions import pure_within
from private_experts.privacy.guarantees import GaussianDP
from private_experts.replication.plotting.figures import curve, few, finding, grid, legend, style
from private_experts.replication.plotting.numbers import level, with_interval
from private_experts.replication.plotting.palette import BLACK, LOOKS
from private_experts.replication.study.estimates import Estimate, critical_value, largest, least, mean
from private_experts.replication.study.hospital_game import LEARNER
from private_experts.replication.study.players import TRUST, Contender, contenders
from private_experts.replication.study.tied import ascending, best

# Central leaders of prefix sums. The strongest stands for them; its interval covers all of them.
SUMS = ("min-noise", "tree-tight", "tree-honaker", "square-root", "optimised-sums")
# The price of locality: what these gain more than a local algorithm.
CENTRAL = {"rw-ftpl": SUMS, "local-learners": ("central-learners",), "rw-meta": ("central-learners",)}
# What learners bring: how much more they gain than these leaders.
LEADERS = {"local-learners": ("rw-ftpl",), "central-learners": SUMS}
# What the figure leaves to the table: of many that are alike it draws the strongest, and what papers name.
LEFT_OUT = (
    *("rw-meta-fresh", "laplace-fixed-share", "dyadic-leader", "dyadic-softmax", "fixed-share"),
    *("tree-tight", "tree-honaker", "square-root"),
    *("own-counts-rw-ftpl", "own-counts-rw-meta", "own-counts-posterior-means"),
)
CAPTION = (
    "What each privacy model gains: total gain over {weeks}, mean of {repetitions} repetitions. Local "
    "algorithms see noisy reports; central ones see true figures. Every private algorithm is mu-GDP for "
    "one person in one week. The largest epsilon of pure differential privacy that implies it is "
    "{epsilons}. The restarting leader uses that. A softmax (dyadic softmax, randomised prefix) has "
    "bounded range, and uses twice that. Laplace noise (fixed share, dyadic leader) uses the epsilon of "
    "its own trade-off curve, which is larger too. The shrinking dartboard takes no larger steps than its "
    "regret bound allows, and so spends less than mu. Hedge and fixed share without noise protect "
    "nothing. On own counts each hospital adds noise for its own beds; everywhere else noise is for the "
    "smallest hospital of the week, or of all weeks. The figure leaves own counts out. The restarting "
    "leader expects gains in [0, 1]. Here its gains are in units of what one person can change, and so it "
    "restarts needlessly where privacy is weak. The price of locality is central less local: of the "
    "best leader of a curator's sums for RW-FTPL, and of a curator's learners for local "
    "learners and for RW-Meta. A curator's credits are means over the shortest window, eight weeks in the "
    "study. This was settled after looking at gains, and it raises most prices. ± are CLT intervals that "
    "hold jointly over the table at {confidence:g} % (Bonferroni)."
)


def epsilons(levels: list[float]) -> str:
    """Return in words the epsilon of pure differential privacy that belongs to each mu."""
    finite = [mu for mu in levels if mu != float("inf")]
    return ", ".join(
        f"{pure_within(GaussianDP(mu, 'central')).epsilon:.3g} for mu = {level(mu)}" for mu in finite
    )


def tabled(played: Iterable[str]) -> dict[str, Contender]:
    """Return the table's contenders among those that played, in order; refuse an algorithm in no `SHOWN`."""
    known, names = contenders(), {name for name in played if not name.startswith(LEARNER)}
    if unknown := sorted(names - known.keys()):
        raise InputError(
            f"{unknown[0]} is in no SHOWN of study/players, which says how to show it; add it there"
        )
    return {name: shown for name, shown in known.items() if name in names and shown.tabled}


def row_title(shown: Contender) -> str:
    """Return a contender's label with its privacy model, unless the label names it."""
    return shown.label if shown.label.endswith(shown.model) else f"{shown.label} ({shown.model})"


def compare(samples: Mapping[str, Array], name: str, z: float, exact: bool) -> dict[str, Estimate]:
    """Return the price of locality and what learners bring; what an algorithm lacks is not a number."""
    found = {"price": (math.nan, math.nan), "brought": (math.nan, math.nan)}
    sample = samples[name]
    if others := [samples[other] for other in CENTRAL.get(name, ()) if other in samples]:
        found["price"] = largest(mean(other - sample, z, exact) for other in others)
    if others := [samples[other] for other in LEADERS.get(name, ()) if other in samples]:
        found["brought"] = least(mean(sample - other, z, exact) for other in others)
    return found


def price_numbers(totals: pd.DataFrame, best_hospital: dict[str, float], confidence: float) -> pd.DataFrame:
    """Return mean total gains and prices with intervals, one row for each state, level and algorithm."""
    order = tabled(totals["algorithm"].unique())
    cells = {
        (state, float(mu)): {  # type: ignore[arg-type]
            str(name): part["total"].to_numpy() for name, part in cell.groupby("algorithm")
        }
        for (state, mu), cell in totals.groupby(["state", "mu"], sort=False)
    }
    others = sum(len(names) for names in (*CENTRAL.values(), *LEADERS.values()))
    # Jointly over the whole table, as its rows are compared: an interval for each gain and for each rival.
    z = critical_value(confidence, len(cells) * (len(order) + others))
    rows = []
    for (state, mu), samples in cells.items():
        for name, shown in order.items():
            gain, half_width = mean(samples[name], z, mu == math.inf)
            row = {
                "state": state,
                "mu": mu,
                "epsilon": pure_within(GaussianDP(mu, "central")).epsilon,
                "algorithm": name,
                "label": shown.label,
                "paper": shown.paper,
                "trusted": shown.trusted,
                "promise": shown.promise,
                "gain": gain,
                "gain_pm": half_width,
                "share_of_best_hospital": gain / best_hospital[str(state)],
                "static_regret": best_hospital[str(state)] - gain,
            }
            for what, (value, within) in compare(samples, name, z, mu == math.inf).items():
                row |= {what: value, f"{what}_pm": within}
            rows.append(row)
    places = {name: place for place, name in enumerate(order)}
    table = pd.DataFrame(rows)
    return table.sort_values(
        ["state", "algorithm"], key=lambda column: column.map(places).fillna(0), kind="stable"
    )


def prices_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return the readers' table: a row for each state and algorithm; for each level, gain and price."""
    rows = []
    for state, of_state in table.groupby("state", sort=False):
        for _, part in of_state.groupby("algorithm", sort=False):
            first = part.iloc[0]
            row = {"state": state, "algorithm": first["label"], "who is trusted": first["trusted"]}
            row["promise"] = first["promise"]
            for mu, gain, half_width in zip(part["mu"], part["gain"], part["gain_pm"], strict=True):
                row[f"μ = {level(mu)}"] = with_interval(gain, half_width, digits=1)
            for mu, price, half_width in zip(part["mu"], part["price"], part["price_pm"], strict=True):
                text = "" if math.isnan(price) else with_interval(price, half_width)
                row[f"price of locality, μ = {level(mu)}"] = text
            rows.append(row)
    return pd.DataFrame(rows)


def prices(table: pd.DataFrame) -> pd.DataFrame:
    """Return what locality costs and what learners bring, one row for each state and level."""
    columns = {
        "price of locality, leader": ("rw-ftpl", "price"),
        "price of locality, learners": ("local-learners", "price"),
        "central learners - RW-Meta": ("rw-meta", "price"),
        "learners bring, local": ("local-learners", "brought"),
        "learners bring, central": ("central-learners", "brought"),
    }
    rows = []
    for (state, mu), cell in table.groupby(["state", "mu"], sort=False):
        of = {record["algorithm"]: record for record in cell.to_dict("records")}
        row = {"state": state, "μ": level(float(mu))}  # type: ignore[arg-type]
        for title, (name, what) in columns.items():
            row[title] = with_interval(of[name][what], of[name][f"{what}_pm"])
        rows.append(row)
    return pd.DataFrame(rows)


def prices_figure(table: pd.DataFrame) -> Figure:
    """Draw mean totals over the best hospital's, a row an algorithm, a panel a state, by privacy level.

    The algorithms are in the order of their gain at the largest finite level, grouped by who sees the true
    figures.
    """
    states, levels = list(dict.fromkeys(table["state"])), few(table["mu"])[::-1]
    first = max((mu for mu in levels if mu < math.inf), default=math.inf)
    order = {name: shown for name, shown in tabled(table["algorithm"]).items() if name not in LEFT_OUT}
    shares = table[table["mu"] == first].groupby("algorithm")["share_of_best_hospital"].mean()
    models = list(TRUST.values())
    names = [*order]
    by_gain = [names[place] for place in ascending([-shares[name] for name in names])]
    rows = sorted(by_gain, key=lambda name: models.index(order[name].model))
    with style():
        figure, [panels] = grid(1, len(states), 1.4 + 0.2 * len(rows), sharex=True, sharey=True)
        for panel, state in zip(panels, states, strict=True):
            of_state = table[table["state"] == state].set_index("algorithm").loc[rows]
            panel.axvline(1, color=BLACK, lw=0.7, ls=(0, (1, 2)), label="best hospital")
            for number, (mu, (colour, _, marker)) in enumerate(zip(levels, LOOKS, strict=False)):
                part = of_state[of_state["mu"] == mu]
                scale = part["share_of_best_hospital"] / part["gain"]
                places = np.arange(len(rows)) + 0.12 * (number - (len(levels) - 1) / 2)
                look, within = (colour, "none", marker), part["gain_pm"] * scale
                curve(panel, look, part["share_of_best_hospital"], places, f"μ = {level(mu)}", xerr=within)
            for above, below in itertools.pairwise(range(len(rows))):
                if order[rows[above]].model != order[rows[below]].model:
                    panel.axhline(above + 0.5, color=BLACK, lw=0.6)
            panel.set_title(str(state))
        panels[0].set_yticks(range(len(rows)), [row_title(order[name]) for name in rows])
        panels[0].set_ylim(len(rows) - 0.5, -0.5)
        panels[len(states) // 2].set_xlabel("total gain / best hospital's total")
        legend(figure, panels[0], columns=len(levels) + 1)
        # Of those that tie, as the same learners do without noise, the first counts.
        private = [name for name in order if order[name].model != TRUST["everybody"]]
        cells = [
            best(dict(cell.set_index("algorithm")["gain"].loc[private]))
            for _, cell in table.groupby(["state", "mu"], sort=False)
        ]
        most = best({name: cells.count(name) for name in private})
        counted = f"{cells.count(most)} of {len(cells)} cells (state and μ)"
        finding(figure, f"First of the private algorithms in {counted}: {row_title(order[most])}")
    return figure
