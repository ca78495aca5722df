"""Curves of amplification in few signs: they are those of Figure 1, at every tolerance."""

import numpy as np
import pandas as pd
import pytest

from private_experts.replication.report.explorer import amplifications
from private_experts.replication.report.explorer.compact import ERROR, LOG_DELTA
from private_experts.replication.study.batching import amplification
from tests.replication.report.explorer.conftest import CONFIDENCE, HORIZON, Left

Tables = tuple[pd.DataFrame, pd.DataFrame]


@pytest.fixture(scope="module")
def laws(made: Left) -> dict[float, Tables]:
    computed, simulated = pd.read_csv(made.computed), pd.read_csv(made.simulated)
    return {
        tolerance: (computed[computed["tolerance"] == tolerance], simulated[simulated["tolerance"] == tolerance])
        for tolerance in (0.01, 0.1)
    }


@pytest.fixture(scope="module")
def written(laws: dict[float, Tables]) -> dict[str, object]:
    return amplifications.curves(laws, HORIZON, CONFIDENCE)


def test_each_cell_is_that_of_figure_1_at_its_tolerance(laws: dict[float, Tables], written: dict) -> None:
    errors = np.array(written["errors"]) * ERROR
    for tolerance, tables in laws.items():
        grid = amplification.cells(*tables, HORIZON, 1 - (1 - CONFIDENCE) / len(laws))
        for cell in grid:
            mine = {"n": "3", "mu": f"{cell.mu:g}", "round": f"{cell.t}", "tolerance": f"{tolerance:g}"}
            (found,) = (each for each in written["cells"] if mine.items() <= each.items())
            known = {
                "simulation": [amplification.empirical(cell.sample), *cell.band],
                "analytic": [cell.bounds["proxy"]],
                "tighter": [cell.bounds["tighter"]],
            }
            for name, of in known.items():
                # The type I errors are rounded too, and curves are steep where they begin.
                for values, law in zip(found["tradeoff"][name], of, strict=True):
                    assert np.array(values) * ERROR == pytest.approx(
                        amplification.tradeoff_curve(law, cell.mu, errors), abs=2e-4
                    )
    assert len(written["cells"]) == len(laws) * 4


def test_profiles_are_logarithms_of_delta_with_the_lower_end_first(written: dict) -> None:
    for cell in written["cells"]:
        value, low, high = (np.array(line) * LOG_DELTA for line in cell["delta"]["simulation"])
        assert np.all(low <= value)
        assert np.all(value <= high)
        (alone,) = cell["delta"]["unamplified"]
        assert np.all(np.diff(alone) < 0)
        assert np.all(value <= np.array(alone) * LOG_DELTA + LOG_DELTA)


def test_a_delta_of_nothing_has_a_finite_logarithm() -> None:
    assert amplifications.log_delta(np.array([0.0, 1e-3])).tolist() == pytest.approx([-12, -3])
