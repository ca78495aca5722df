"""The paper's statements about Table 2, asked of one cell at a time."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

Answer = Literal["agrees", "differs", "undecided"]


@dataclass(frozen=True)
class Statement:
    """A statement as a band that an estimate must lie in.

    Parameters
    ----------
    name, words : str
        Short name, and the statement as it is asked here.
    estimate : str
        Column of `cells` that is asked.
    low, high : float
        The band. The answer is ``agrees`` when the estimate's whole interval lies in it, ``differs`` when the
        interval lies outside, and ``undecided`` when it straddles an end.
    """

    name: str
    words: str
    estimate: str
    low: float = -float("inf")
    high: float = float("inf")

    def ask(self, cell: Mapping[Any, Any]) -> Answer:
        """Ask one cell."""
        value, half_width = float(cell[self.estimate]), float(cell[f"{self.estimate}_pm"])
        if self.low < value - half_width and value + half_width < self.high:
            return "agrees"
        if value + half_width < self.low or self.high < value - half_width:
            return "differs"
        return "undecided"


STATEMENTS = (
    Statement("best", "RW-Meta gains more than RW-FTPL, Min Noise and Min Regret", "lead", low=0.0),
    Statement("1.5x to 3x", "RW-Meta gains 1.5 to 3 times what Min Noise does", "ratio_to_min_noise", 1.5, 3.0),
    Statement(
        "about 90 %",
        "RW-Meta gains 85 % or more of what the best linear model does",
        "ratio_to_best_linear",
        low=0.85,
    ),
    Statement("negative regret", "RW-Meta gains more than the best single hospital", "static_regret", high=0.0),
)


def answers(cells: pd.DataFrame) -> pd.DataFrame:
    """Return every statement's answer in every cell: state, mu, then a column a statement."""
    asked: dict[str, Callable[[Mapping[Any, Any]], Answer]] = {each.name: each.ask for each in STATEMENTS}
    rows = cells.to_dict("records")
    columns = {name: [ask(row) for row in rows] for name, ask in asked.items()}
    return cells[["state", "mu"]].assign(**columns)


def tally(answered: pd.DataFrame) -> pd.DataFrame:
    """Count the states by statement, level and answer."""
    rows = [
        {
            "statement": statement.words,
            "mu": mu,
            **{answer: int((part[statement.name] == answer).sum()) for answer in ("agrees", "undecided", "differs")},
        }
        for statement in STATEMENTS
        for mu, part in answered.groupby("mu", sort=False)
    ]
    return pd.DataFrame(rows)
