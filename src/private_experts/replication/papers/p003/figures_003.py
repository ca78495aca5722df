"""The figure of paper 003: KL risk against rounds and against distributions."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from private_experts.replication.plotting.direct_labels import label_curves
from private_experts.replication.plotting.figures import bars, curve, finding, grid, not_run, style
from private_experts.replication.plotting.numbers import factor, rounds
from private_experts.replication.plotting.palette import BLACK, LOOKS

Evidence = Mapping[str, pd.DataFrame]

_LABELS = {
    "algorithm 1": "Algorithm 1",
    "algorithm 2": "Algorithm 2",
    "randomised response": "randomised response",
    "centred reports": "centred reports",
}
_LOOKS = dict(zip(_LABELS, LOOKS, strict=False))
_CLASS = "needle 0.9"


def _empty(axis: Axes, evidence: Evidence) -> bool:
    """Return whether evidence is missing, and if so say it in the panel."""
    if all("value" in table for table in evidence.values()):
        return False
    not_run(axis)
    return True


def _risk(axis: Axes, x: pd.Series, table: pd.DataFrame, algorithm: str, bound: str) -> None:
    """Draw measured risks with intervals, and their bound as a thin line with open markers."""
    colour, _, marker = _LOOKS[algorithm]
    curve(axis, _LOOKS[algorithm], x, table["value"], _LABELS[algorithm], yerr=bars(table), ms=4)
    open_marks = "open marks:\nbounds" if algorithm == "algorithm 1" else None
    curve(axis, (colour, ":", marker), x, table[bound], open_marks, mfc="white", ms=4, lw=0.8)


def _compared(risks: Mapping[str, pd.Series]) -> str:
    """Say how the last risk compares with the others in the longest game that all have."""
    common = set.intersection(*({*risk.index} for risk in risks.values()))
    if not common:
        return f"{', '.join(map(_LABELS.__getitem__, risks))} were not measured in games of the same length"
    longest, (*others, least) = max(common), risks
    ratios = (
        f"{_LABELS[name]} has {factor(risks[name][longest] / risks[least][longest])} times" for name in others
    )
    return f"At T = {rounds(longest)} {', and '.join(ratios)} the risk of {_LABELS[least]}"


def risk_growth(evidence: Evidence) -> Figure:
    """Draw KL risk against T (left) and K (right) with the bounds, log-log."""
    risks: dict[str, pd.Series] = {}
    with style():
        figure, [[by_rounds, by_experts]] = grid(1, 2, 3.2)
        of_claim = {
            "algorithm 1": "003/theorem-4",
            "algorithm 2": "003/theorem-5",
            "centred reports": "003/centred-reports",
        }
        tables = {name: evidence[claim] for name, claim in of_claim.items()}
        if not _empty(by_rounds, tables):
            # the claim about centred reports has rows of bounds, too
            most = int(tables["algorithm 2"]["K"].max())
            for name, table in tables.items():
                part = table[
                    (table["class"] == _CLASS) & (table["features"] == "one") & (table["eps"] == 1.0)
                ]
                part = part[part["K"] == most].sort_values("T")
                _risk(by_rounds, part["T"], part, name, "bound")
                risks[name] = part.set_index("T")["value"]
                if name == "algorithm 2":
                    by_rounds.plot(part["T"], part["trivial"], color=BLACK, lw=1.0, label="$T \\log K$")
            by_rounds.set(xscale="log", yscale="log", title=f"K = {most}, ε = 1")
        attained = {"": evidence["003/bound-attained"]}
        if not _empty(by_experts, attained):
            table = attained[""]
            middle = sorted(table["T"].unique())[len(table["T"].unique()) // 2]
            for name, part in table[table["T"] == middle].groupby("algorithm", sort=True):
                part = part.sort_values("K")
                _risk(by_experts, part["K"], part, str(name), "upper_bound")
            by_experts.set(xscale="log", yscale="log", title=f"T = {rounds(middle)}, ε = 1")
        by_rounds.set(xlabel="rounds T", ylabel="total KL risk")
        by_experts.set(xlabel="distributions K")
        label_curves(by_rounds)
        label_curves(by_experts)
        if risks:
            finding(figure, _compared(risks))
    return figure
