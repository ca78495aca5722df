"""Answers to the paper's statements."""

import numpy as np
import pandas as pd
import pytest

from private_experts.replication.hospital.cells import ESTIMATES
from private_experts.replication.hospital.statements import STATEMENTS, Statement, answers, tally


@pytest.mark.parametrize(
    ("value", "half_width", "answer"),
    [
        (2.0, 0.4, "agrees"),
        (1.6, 0.2, "undecided"),
        (1.2, 0.2, "differs"),
        (3.1, 0.2, "undecided"),
        (3.5, 0.2, "differs"),
    ],
)
def test_a_band_is_asked_with_the_whole_interval(value, half_width, answer):
    assert Statement("band", "in the band", "x", 1.5, 3.0).ask({"x": value, "x_pm": half_width}) == answer


def test_an_interval_wider_than_the_band_is_undecided():
    assert Statement("band", "in the band", "x", 1.5, 3.0).ask({"x": 2.0, "x_pm": 5.0}) == "undecided"


def test_every_statement_asks_an_estimate_that_has_an_interval():
    assert {statement.estimate for statement in STATEMENTS} <= set(ESTIMATES)


def row(**estimates):
    return dict.fromkeys(ESTIMATES, 0.0) | {f"{name}_pm": 0.1 for name in ESTIMATES} | estimates


def test_tally_counts_states_by_level():
    table = pd.DataFrame(
        [
            {"state": "NM", "mu": np.inf, **row(lead=1.0, static_regret=-1.0)},
            {"state": "PA", "mu": np.inf, **row(lead=-1.0, static_regret=-1.0)},
            {"state": "NM", "mu": 1.0, **row(lead=0.05, static_regret=1.0)},
        ]
    )
    counts = tally(answers(table))
    best = counts[counts["statement"] == STATEMENTS[0].words].set_index("mu")
    assert best.loc[np.inf, ["agrees", "undecided", "differs"]].tolist() == [1, 0, 1]
    assert best.loc[1.0, ["agrees", "undecided", "differs"]].tolist() == [0, 1, 0]
    regret = counts[counts["statement"] == STATEMENTS[-1].words].set_index("mu")
    assert regret.loc[np.inf, "agrees"] == 2
    assert regret.loc[1.0, "differs"] == 1
