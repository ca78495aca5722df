"""The table of privacy models: means, intervals, and who is trusted with what."""

import math

import numpy as np
import pandas as pd
import pytest

from private_experts.replication.study import privacy_models
from private_experts.replication.study.estimates import critical_value


@pytest.fixture
def totals() -> pd.DataFrame:
    rows = [
        {"state": state, "algorithm": name, "mu": mu, "repetition": r, "total": place + mu_cost + r}
        for state in ("PA", "NM")
        for mu, mu_cost in ((math.inf, 2.0), (0.5, 0.0))
        for place, name in enumerate(["hedge", "rw-ftpl", "dyadic-leader", "min-regret"], start=1)
        for r in range(3)
    ]
    return pd.DataFrame(rows)


BEST = {"PA": 10.0, "NM": 8.0}


def test_each_cell_is_the_mean_with_an_interval_joint_over_the_table(totals: pd.DataFrame) -> None:
    table = privacy_models.numbers(totals, BEST, 0.95)
    assert set(table["algorithm"]) == {"hedge", "rw-ftpl", "dyadic-leader"}  # Min Regret is not compared here
    cell = table[(table["state"] == "NM") & (table["mu"] == 0.5) & (table["algorithm"] == "rw-ftpl")].iloc[0]
    assert cell["gain"] == 3.0
    assert cell["gain_pm"] == pytest.approx(critical_value(0.95, 12) / math.sqrt(3))
    assert cell["static_regret"] == 5.0
    assert cell["share_of_best_hospital"] == pytest.approx(3 / 8)
    assert (cell["trusted"], cell["promise"]) == ("nobody", "mu-GDP")


def test_epsilon_is_the_pure_level_that_implies_mu(totals: pd.DataFrame) -> None:
    table = privacy_models.numbers(totals, BEST, 0.95)
    assert np.isinf(table.loc[table["mu"] == math.inf, "epsilon"]).all()
    corner = 0.4012936743170763  # Phi(-1/4)
    assert table.loc[table["mu"] == 0.5, "epsilon"].to_numpy() == pytest.approx(math.log((1 - corner) / corner))


def test_people_read_a_row_an_algorithm_and_a_column_a_level(totals: pd.DataFrame) -> None:
    shown = privacy_models.shown(privacy_models.numbers(totals, BEST, 0.95))
    assert list(shown["algorithm"]) == ["RW-FTPL", "dyadic leader", "Hedge"] * 2
    assert list(shown["state"]) == ["PA"] * 3 + ["NM"] * 3
    assert [name for name in shown if name.startswith("μ")] == ["μ = ∞", "μ = 0.5"]


def test_the_figure_has_a_panel_a_state_and_a_row_an_algorithm(totals: pd.DataFrame) -> None:
    table = privacy_models.numbers(totals, BEST, 0.95)
    figure = privacy_models.draw(table)
    assert [axis.get_title() for axis in figure.axes] == ["PA", "NM"]
    rows = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert rows == ["RW-FTPL (local)", "dyadic leader (central)", "Hedge (no privacy)"]
    for axis, best in zip(figure.axes, (10.0, 8.0), strict=True):
        marks = {container.get_label(): container.lines[0].get_xdata().tolist() for container in axis.containers}
        assert marks["μ = ∞"] == pytest.approx([(place + 3) / best for place in (2, 3, 1)])
        assert marks["μ = 0.5"] == pytest.approx([(place + 1) / best for place in (2, 3, 1)])
    assert figure.get_suptitle().replace("\n", " ").endswith("in 4 of 4 cells (state and μ): dyadic leader (central)")


def test_within_a_privacy_model_the_largest_gain_comes_first(totals: pd.DataFrame) -> None:
    both = pd.concat(
        [totals, totals[totals["algorithm"] == "dyadic-leader"].assign(algorithm="dyadic-softmax", total=99.0)]
    )
    figure = privacy_models.draw(privacy_models.numbers(both, BEST, 0.95))
    rows = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert rows == ["RW-FTPL (local)", "dyadic softmax (central)", "dyadic leader (central)", "Hedge (no privacy)"]


OWN = ("own-counts-rw-ftpl", "own-counts-rw-meta", "own-counts-posterior-means")


def test_noise_on_own_counts_has_rows_in_the_table_and_not_in_the_figure(totals: pd.DataFrame) -> None:
    again = {"rw-ftpl": OWN, "hedge": ("own-counts-learners", "posterior-means")}
    copies = [totals[totals["algorithm"] == name].assign(algorithm=own) for name in again for own in again[name]]
    table = privacy_models.numbers(pd.concat([totals, *copies]), BEST, 0.95)
    assert set(table["algorithm"]) == {"hedge", "rw-ftpl", "dyadic-leader", *OWN}
    shown = privacy_models.shown(table)
    own = shown[shown["algorithm"].str.endswith(", own counts")]
    assert list(own["algorithm"]) == [
        "RW-FTPL, own counts", "RW-Meta, own counts", "posterior means, own counts"
    ] * 2  # fmt: skip
    assert set(own["who is trusted"]) == {"nobody"}
    assert table["gain_pm"].max() == pytest.approx(critical_value(0.95, 24) / math.sqrt(3))  # of all rows together
    assert len(privacy_models.draw(table).axes[0].get_yticks()) == 3
