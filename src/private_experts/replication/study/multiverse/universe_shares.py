"""In what share of the universes a statement holds, with an interval where only a sample of them was played."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from private_experts.arrays import Array
from private_experts.replication.intervals import clopper_pearson
from private_experts.replication.plotting.numbers import level
from private_experts.replication.study.multiverse.universe_verdicts import PAPER
from private_experts.replication.study.statements import STATEMENTS

NOT_HOLDING = {"differs": "fails", "undecided": "undecided"}
WORDS = {statement.name: statement.words for statement in STATEMENTS}
MEAN, ALL = "mean of levels", "all"
CAPTION = (
    "Share of universes in which each statement of the paper about Table 2 holds, in per cent, then that in which it "
    "fails; in the rest it is undecided. Universes vary every choice that the paper leaves open at once: {universes} "
    "of {all} of each state, drawn in balanced blocks; in brackets is the interval for all universes at "
    "{confidence:g} %. Ours is no choice of the paper: it is the same universes with one change of ours. {repetitions} "
    "repetitions. In each universe the answer is given as for Table 2. Universes without a game, with fewer than two "
    "hospitals: {empty}."
)


def share_interval(
    holds: Array, asked: Array, universes: Array, blocks: int, confidence: float
) -> tuple[float, float, float]:
    """Return the share of all universes in which a statement holds, from a sample of blocks, and its interval.

    That of Korn and Graubard (1998) for clusters: Clopper and Pearson's, for as many independent draws as would have
    the variance seen between blocks, but never more than universes. [mathematics/000.md#multiverse]
    """
    share, drawn = float(holds.sum() / asked.sum()), len(holds)
    if drawn == blocks:
        return share, share, share
    if drawn < 2:
        return share, 0.0, 1.0
    draws = float(universes.sum())
    apart = holds - share * asked  # how far each block's count is from the one that the share predicts
    variance = (1 - drawn / blocks) * apart.var(ddof=1) / drawn / asked.mean() ** 2
    if 0 < share < 1 and variance > 0:
        right = (1 + confidence) / 2
        slack = (stdtrit(draws - 1, right) / stdtrit(drawn - 1, right)) ** 2  # few blocks tell their spread badly
        draws = min(draws, slack * share * (1 - share) / variance)
    low, high = clopper_pearson(share * draws, draws, confidence=confidence)
    return share, float(low), float(high)


def shares(answered: pd.DataFrame, by: Sequence[str], blocks: int, confidence: float) -> pd.DataFrame:
    """Return the shares in which the statement holds, fails and is undecided; without ``state`` in `by` of all."""
    rows, states = [], 1 if "state" in by else answered["state"].nunique()
    for key, part in answered.assign(agrees=answered["answer"] == "agrees").groupby([*by], sort=False, dropna=False):
        members = part.groupby(["state", "block"])
        holds, low, high = share_interval(
            members["agrees"].sum().to_numpy(dtype=np.float64),
            np.asarray(members.size(), dtype=np.float64),
            np.asarray(members["universe"].nunique(), dtype=np.float64),
            states * blocks,
            confidence,
        )
        row = dict(zip(by, key, strict=True)) | {
            "answers": len(part),
            "universes": int(members["universe"].nunique().sum()),
        }
        row |= {"holds": holds, "holds_low": low, "holds_high": high}
        rows.append(row | {word: float((part["answer"] == answer).mean()) for answer, word in NOT_HOLDING.items()})
    return pd.DataFrame(rows)


def in_words(row: Mapping[Any, float]) -> str:
    """Return the share in which a statement holds, with its interval, and that in which it fails."""
    per_cent = {name: f"{100 * row[name]:.0f}" for name in ("holds", "holds_low", "holds_high", "fails")}
    interval = f" [{per_cent['holds_low']}, {per_cent['holds_high']}]" if row["holds_low"] < row["holds_high"] else ""
    return f"{per_cent['holds']}{interval}; {per_cent['fails']}"


def in_all(answered: pd.DataFrame, blocks: int, confidence: float) -> pd.DataFrame:
    """Return the `shares` by statement, whose, state and level; after the states come `ALL` of them together."""
    by = ["statement", "whose"]
    together = shares(answered, [*by, "mu"], blocks, confidence).assign(state=ALL)
    both = pd.concat([shares(answered, [*by, "state", "mu"], blocks, confidence), together], ignore_index=True)
    return both.iloc[both.groupby(by, sort=False).ngroup().argsort(kind="stable")]


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Return the shares for readers, a column for each level: the paper's of each state and of all, ours of all."""
    levels, rows = [*dict.fromkeys(mu for mu in table["mu"] if mu == mu)], []
    told = table[(table["whose"] == PAPER) | (table["state"] == ALL)]
    for (statement, whose, state), part in told.groupby(["statement", "whose", "state"], sort=False):
        said = {MEAN if row["mu"] != row["mu"] else level(row["mu"]): in_words(row) for row in part.to_dict("records")}
        row = {"statement": WORDS[str(statement)], "algorithms": whose, "state": state}
        row |= {f"μ = {level(mu)}": said.get(level(mu), "") for mu in levels}
        rows.append(row | {MEAN: said.get(MEAN, "")})
    return pd.DataFrame(rows)
