"""The study on all states: its table and its figure."""

import numpy as np
import pandas as pd
import pytest

from private_experts.replication.study import generality
from private_experts.replication.study.data.panel import Panel
from tests.replication.study.data.weekly import WEEKS
from tests.replication.study.estimates import cells_of


@pytest.fixture
def states():
    rows = [
        {"state": state, "mu": mu, "hospitals": n, "ratio_to_min_noise": r, "ratio_to_min_noise_pm": 0.1}
        for state, n, r in (("NM", 24, 1.4), ("PA", 146, 2.0), ("VT", 12, 1.0))
        for mu in (np.inf, 1.0)
    ]
    return pd.DataFrame(rows)


def test_generality_has_a_row_a_state():
    frame = pd.concat([cells_of(), cells_of().assign(state="PA")])
    frame["hospitals"] = 24
    frame["weeks"] = [94 if state == "NM" else 72 for state in frame["state"]]
    shown = generality.ratios_table(frame)
    assert shown["state"].tolist() == ["NM", "PA"]
    assert shown["weeks"].tolist() == [94, 72]
    assert shown["RW-Meta / Min Noise, μ = ∞"].iloc[0] == "2.00 ± 0.10"


def test_states_without_reports_are_told_from_small_ones():
    def panel(weeks, hospitals):
        return Panel(WEEKS[:weeks], ("010001",) * hospitals, np.zeros((weeks, hospitals)), np.ones(weeks))

    panels = {"NM": panel(3, 2), "VT": panel(2, 1), "MP": panel(2, 0), "ZZ": panel(0, 0), "WY": panel(2, 3)}
    kept, left_out = generality.large_enough(panels, 2)
    assert list(kept) == ["NM", "WY"]
    assert left_out == {"smaller": 2, "absent": 1}
