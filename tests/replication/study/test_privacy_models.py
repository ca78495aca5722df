"""The table of privacy models: means, intervals, who is trusted with what, and what locality costs."""

import math

import numpy as np
import pandas as pd
import pytest

from private_experts.replication.study import players, privacy_models
from private_experts.replication.study.estimates import critical_value
from tests.replication.study.estimates import totals_of


@pytest.fixture
def totals() -> pd.DataFrame:
    names = ["hedge", "rw-ftpl", "randomized-prefix", "min-regret"]

    def total(state: str, mu: float, name: str, r: int) -> float:
        return names.index(name) + 1 + 2.0 * (mu == math.inf) + r

    return totals_of(("PA", "NM"), (math.inf, 0.5), names, 3, total)


BEST = {"PA": 10.0, "NM": 8.0}
COMPARED = 13  # intervals of prices and of what learners bring, in each cell


def test_each_cell_is_the_mean_with_an_interval_joint_over_the_table(totals: pd.DataFrame) -> None:
    table = privacy_models.price_numbers(totals, BEST, 0.95)
    assert {*table["algorithm"]} == {"hedge", "rw-ftpl", "randomized-prefix"}  # Min Regret is not compared
    cell = table[(table["state"] == "NM") & (table["mu"] == 0.5) & (table["algorithm"] == "rw-ftpl")].iloc[0]
    assert cell["gain"] == 3.0
    assert cell["gain_pm"] == pytest.approx(critical_value(0.95, 12 + 4 * COMPARED) / math.sqrt(3))
    assert cell["static_regret"] == 5.0
    assert cell["share_of_best_hospital"] == pytest.approx(3 / 8)
    assert (cell["trusted"], cell["promise"]) == ("nobody", "mu-GDP")


def test_epsilon_is_the_pure_level_that_implies_mu(totals: pd.DataFrame) -> None:
    table = privacy_models.price_numbers(totals, BEST, 0.95)
    assert np.isinf(table.loc[table["mu"] == math.inf, "epsilon"]).all()
    corner = 0.4012936743170763  # Phi(-1/4)
    epsilon = math.log((1 - corner) / corner)
    assert table.loc[table["mu"] == 0.5, "epsilon"].to_numpy() == pytest.approx(epsilon)


LEVELS = {"rw-ftpl": 10.0, "local-learners": 14.0, "central-learners": 17.0, "rw-meta": 13.0}
LEVELS |= {
    "min-noise": 8.0,
    "tree-tight": 9.0,
    "tree-honaker": 9.5,
    "square-root": 11.0,
    "optimised-sums": 10.5,
}


@pytest.fixture
def priced() -> pd.DataFrame:
    def total(state: str, mu: float, name: str, r: int) -> float:
        return LEVELS[name] + r % 2 * (name != "rw-ftpl")

    played = totals_of(("PA", "NM"), (math.inf, 0.5), LEVELS, 8, total)
    return privacy_models.price_numbers(played, BEST, 0.95)


def test_prices_are_central_less_local_and_what_learners_bring_is_learners_less_leader(
    priced: pd.DataFrame,
) -> None:
    private, without = (
        priced[(priced["state"] == "PA") & (priced["mu"] == mu)].set_index("algorithm")
        for mu in (0.5, math.inf)
    )
    # to the strongest sums, and to learners
    prices = {"rw-ftpl": 1.5, "local-learners": 3.0, "rw-meta": 4.0}
    brought = {"local-learners": 4.5, "central-learners": 6.0}
    for name, expected in (("price", prices), ("brought", brought)):
        assert private[name].dropna().to_dict() == pytest.approx(expected)
    spread = critical_value(0.95, 4 * (len(LEVELS) + COMPARED)) * np.std([0, 1] * 4, ddof=1) / math.sqrt(8)
    assert private.loc["rw-ftpl", "price_pm"] == pytest.approx(spread)
    # equal repetitions say nothing where there is noise
    assert private.loc["rw-meta", "price_pm"] == math.inf
    assert without.loc["rw-meta", "price_pm"] == 0


def test_what_is_compared_plays_and_every_central_leader_of_sums_is_among_it() -> None:
    known = players.contenders()
    assert {known[name].model for name in privacy_models.CENTRAL} == {"local"}
    assert {known[name].model for names in privacy_models.CENTRAL.values() for name in names} == {"central"}
    for name, others in privacy_models.LEADERS.items():
        assert {known[other].model for other in others} == {known[name].model}
    assert {*players.module("prefix-sums").SHOWN} <= {*privacy_models.SUMS}
    assert sum(map(len, [*privacy_models.CENTRAL.values(), *privacy_models.LEADERS.values()])) == COMPARED


def test_the_figure_has_a_panel_a_state_and_a_row_an_algorithm(totals: pd.DataFrame) -> None:
    table = privacy_models.price_numbers(totals, BEST, 0.95)
    figure = privacy_models.prices_figure(table)
    assert [axis.get_title() for axis in figure.axes] == ["PA", "NM"]
    rows = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert rows == ["RW-FTPL (local)", "randomised prefix (central)", "Hedge (no privacy)"]
    for axis, best in zip(figure.axes, (10.0, 8.0), strict=True):
        marks = {drawn.get_label(): drawn.lines[0].get_xdata().tolist() for drawn in axis.containers}
        for label, more in (("μ = ∞", 3), ("μ = 0.5", 1)):
            assert marks[label] == pytest.approx([(place + more) / best for place in (2, 3, 1)])
    title = figure.get_suptitle().replace("\n", " ")
    assert title.endswith("in 4 of 4 cells (state and μ): randomised prefix (central)")


OWN = ("own-counts-rw-ftpl", "own-counts-rw-meta", "own-counts-posterior-means")


def test_noise_on_own_counts_has_rows_in_the_table_and_not_in_the_figure(totals: pd.DataFrame) -> None:
    again = {"rw-ftpl": OWN, "hedge": ("own-counts-learners", "posterior-means")}
    copies = [
        totals[totals["algorithm"] == name].assign(algorithm=own) for name in again for own in again[name]
    ]
    table = privacy_models.price_numbers(pd.concat([totals, *copies]), BEST, 0.95)
    assert set(table["algorithm"]) == {"hedge", "rw-ftpl", "randomized-prefix", *OWN}
    shown = privacy_models.prices_table(table)
    own = shown[shown["algorithm"].str.endswith(", own counts")]
    names = ("RW-FTPL, own counts", "RW-Meta, own counts", "posterior means, own counts")
    assert (*own["algorithm"],) == names * 2
    assert set(own["who is trusted"]) == {"nobody"}
    joint = critical_value(0.95, 24 + 4 * COMPARED)  # of all rows together
    assert table["gain_pm"].max() == pytest.approx(joint / math.sqrt(3))
    assert len(privacy_models.prices_figure(table).axes[0].get_yticks()) == 3
