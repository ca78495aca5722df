"""Some sentences a statement: in how many universes it holds, where most and least, what matters most, and ours."""

from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

from private_experts.replication.plotting.numbers import level
from private_experts.replication.study.multiverse.decomposition import CALLED, mean_shares
from private_experts.replication.study.multiverse.universe_shares import MEAN, shares
from private_experts.replication.study.multiverse.universe_verdicts import PAPER, QUESTIONS, papers

CAPTION = (
    "What the paper's statements about Table 2 are worth when every choice that it leaves open is varied at once: "
    "{universes} of {all} universes of each state, in balanced blocks drawn at random, {repetitions} repetitions. In "
    "brackets are intervals for all universes at {confidence:g} %. What we changed is no choice of the paper, and "
    "stands beside it as ours."
)


def sentences(answered: pd.DataFrame, decomposed: pd.DataFrame, blocks: int, confidence: float) -> pd.DataFrame:
    """Return for each question its counts over all states and levels, what matters most, and the sentence."""
    pooled = {
        (row["question"], row["whose"]): row
        for row in shares(answered, ["question", "whose"], blocks, confidence).to_dict("records")
    }
    each = shares(papers(answered), ["question", "state", "mu"], blocks, confidence)
    matter, rows = mean_shares(decomposed), []
    for question in (each for each in QUESTIONS if (each.name, PAPER) in pooled):
        found = pooled[question.name, PAPER]
        row = {
            **found,
            "statement": question.words,
            "matters_most": "",
            "share_of_variance": float("nan"),
        }
        text = f"Over all states and levels it holds in {_per_cent(found['holds'])}{_interval(found)} of the universes "
        text += f"and fails in {_per_cent(found['fails'])}. {_range(each[each['question'] == question.name])}."
        if question.name in matter:
            mattering = matter[question.name].filter(items=[*CALLED])
            row["matters_most"], row["share_of_variance"] = str(mattering.idxmax()), float(mattering.max())
            most = f"{CALLED[row['matters_most']]} ({_per_cent(row['share_of_variance'])} of the variance)"
            text += f" What matters most: {most}."
        ours = {
            whose: row["holds"] for (name, whose), row in pooled.items() if name == question.name and whose != PAPER
        }
        if ours:
            told = ", ".join(f"{_per_cent(holds)} ({whose.removeprefix('ours: ')})" for whose, holds in ours.items())
            text += f" With ours it holds in {told}."
        rows.append({**row, "sentence": text, **ours})
    return pd.DataFrame(rows)


def _per_cent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _interval(row: Mapping[Hashable, Any]) -> str:
    low, high = f"{100 * row['holds_low']:.0f}", f"{100 * row['holds_high']:.0f}"
    return f" ({low} to {high} %)" if low != high else ""


def _range(cells: pd.DataFrame) -> str:
    """Say in how many universes of the least and of the most favourable cell a statement holds."""
    rows = cells.to_dict("records")
    least, most = (end(rows, key=lambda row: row["holds"]) for end in (min, max))
    if least["holds"] == most["holds"]:
        return f"In {_per_cent(least['holds'])} in every state and at every level"
    return f"From {_per_cent(least['holds'])} ({_where(least)}) to {_per_cent(most['holds'])} ({_where(most)})"


def _where(row: Mapping[Hashable, Any]) -> str:
    return str(row["state"]) + (f", {MEAN}" if row["mu"] != row["mu"] else f" at μ = {level(row['mu'])}")


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Return the sentences for readers."""
    return table[["statement", "sentence"]]
