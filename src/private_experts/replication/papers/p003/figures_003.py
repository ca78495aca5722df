"""Figures of paper 003: KL risk against rounds, distributions and labels; exact privacy levels."""

import math
from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from private_experts.replication.plotting.direct_labels import label_curves
from private_experts.replication.plotting.figures import curve, finding, not_run, style
from private_experts.replication.plotting.numbers import factor, percent, rounds
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
    colour, dashes, marker = _LOOKS[algorithm]
    errors = [table["value"] - table["low"], table["high"] - table["value"]]
    looks = {"fmt": marker, "ls": dashes, "color": colour, "ms": 4, "lw": 1.1, "label": _LABELS[algorithm]}
    axis.errorbar(x, table["value"], yerr=errors, **looks)
    axis.plot(x, table[bound], marker=marker, mfc="white", ls=":", color=colour, ms=4, lw=0.8)


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
        figure = Figure(figsize=(7.4, 3.4), layout="constrained")
        by_rounds, by_experts = figure.subplots(1, 2)
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


def label_growth(evidence: Evidence) -> Figure:
    """Draw KL risk against the number of labels, for randomised response and Algorithm 2."""
    names = ["risk", "risk_low", "risk_high", "risk_bound"]
    with style():
        figure = Figure(figsize=(5.4, 3.4), layout="constrained")
        axis = figure.subplots()
        if not _empty(axis, evidence):
            table, risks = evidence["003/labels"], {}
            for name in ("algorithm 2", "randomised response"):
                part = table[(table["algorithm"] == name) & (table["side"] == "above")].sort_values("M")
                before = part.head(1).rename(columns={f"{name}_before": f"first_{name}" for name in names})
                start = before[["from_M", *(f"first_{name}" for name in names)]]
                start.columns = pd.Index(["M", *names])
                curve_of_name = pd.concat([start, part[["M", *names]]])
                curve_of_name = curve_of_name.rename(
                    columns={"risk": "value", "risk_low": "low", "risk_high": "high"}
                )
                _risk(axis, curve_of_name["M"], curve_of_name, name, "risk_bound")
                risks[name] = curve_of_name.set_index("M")["value"]
            axis.set(xscale="log", yscale="log")
            local, vector = (risks[name] for name in ("randomised response", "algorithm 2"))
            ahead = [f"{labels:g}" for labels in local.index if local[labels] < vector.get(labels, math.inf)]
            others = [f"{labels:g}" for labels in local.index if f"{labels:g}" not in ahead]
            sides = ((ahead, "randomised response"), (others, "Algorithm 2"))
            words = (f"that of {name} at {', '.join(labels)} labels" for labels, name in sides if labels)
            finding(figure, f"The smaller risk is {', and '.join(words)}")
        label_curves(axis)
        axis.set(xlabel="labels M", ylabel="total KL risk")
    return figure


def privacy_levels(evidence: Evidence) -> Figure:
    """Draw the exact privacy level divided by the one asked for, as printed (left) and mended (right)."""
    classes = {
        "three eighths": "2 distributions, 4 labels",
        "nine eightieths": "2 distributions, 10 labels",
        "packed 3 x 10": "3 with 10 labels of their own",
        "packed 2 x 20": "2 with 20 labels of their own",
    }
    panels = {"003/lemma-6/as-printed": "as printed: log(KT)", "003/lemma-6": "mended: log((K + 1) T)"}
    most = {}
    with style():
        figure = Figure(figsize=(7.4, 3.2), layout="constrained")
        axes = figure.subplots(1, 2, sharey=True)
        for axis, (claim, title) in zip(axes, panels.items(), strict=True):
            axis.set(title=f"noise {title}", xlabel="privacy level ε asked for")
            if _empty(axis, {claim: evidence[claim]}):
                continue
            table = evidence[claim]
            table = table[(table["report"] == "algorithm 2") & (table["T"] == 100)].sort_values("eps")
            for (name, label), look in zip(classes.items(), LOOKS, strict=False):
                part = table[table["class"] == name]
                curve(axis, look, part["eps"], part["value"] / part["bound"], label, ms=4)
            axis.axhline(1.0, color=BLACK, lw=1.0)
            axis.set_xscale("log")
            in_figure = table[table["class"].isin([*classes])]
            most[title.partition(":")[0]] = float((in_figure["value"] / in_figure["bound"]).max())
        axes[0].set_ylabel("exact level / ε")
        label_curves(*axes)
        if most:
            words = (f"{percent(share)} of the ε asked for ({name})" for name, share in most.items())
            finding(figure, f"The largest exact level is {', and '.join(words)}")
    return figure
