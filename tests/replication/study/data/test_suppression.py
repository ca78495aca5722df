"""How far one person moves a cleaned figure: by formulas, and by cleaning reports of neighbouring weeks."""

import json
import math
import warnings
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from private_experts.errors import InputError
from private_experts.replication.study.data import data_stages
from private_experts.replication.study.data.cleaning import Cleaning, clean_all
from private_experts.replication.study.data.hospital_reports import SUPPRESSED
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.data.suppression import (
    Exposure,
    covering_reach,
    density_reach,
    exposure,
    growth,
    reach,
    reach_numbers,
    reach_table,
    steps,
)
from private_experts.replication.study.formats import EXPOSURE
from private_experts.replication.study.hospital_game import game
from tests.each import each
from tests.replication.study.data.weekly import week_by_week

WEEKS = ("2021-01-01", "2021-01-08", "2021-01-15")
RULES = Cleaning(("patients",), ("beds",), ("beds",), 2.0, 0.0, 0.0, "2020-08-07", "2023-06-04")
BEDS = np.array([[6.0, 20.0], [7.0, 20.0], [8.0, 20.0]])


def published(days: float) -> float:
    """Return what the file says of so many patient-days in a week: the average, rounded, or suppressed."""
    average = days / 7
    return SUPPRESSED if 0 < average < 4 else round(average, 1)


@cache
def densities(missing: bytes, value: float) -> dict[tuple[int, int, int], np.ndarray]:
    """Return the densities of hospital h, all weeks, if one week has so many patient-days, through a file.

    Keys are (h, week, patient-days). All are hospitals of one file, so that it is cleaned once.
    """
    absent = np.frombuffer(missing, dtype=bool).reshape(3, 2)
    keys = list(product(range(2), range(3), range(0, 50)))
    rows = [
        {
            "hospital_pk": f"{place:06d}",
            "collection_week": WEEKS[t],
            "state": "NM",
            "beds": BEDS[t, h],
            "patients": math.nan if absent[t, h] else published(days if t == week else 70),
        }
        for place, (h, week, days) in enumerate(keys)
        for t in range(3)
    ]
    panels, _ = clean_all(pd.DataFrame(rows), ["NM"], replace(RULES, suppressed_value=value))
    return dict(zip(keys, panels["NM"].density.T, strict=True))


SMALLEST = 1 / BEDS.min(axis=1, keepdims=True)


def levels_by_brute_force(
    missing: np.ndarray, value: float, adjacency: str, reach: np.ndarray = SMALLEST
) -> float:
    """Return one person's largest level in one week, over counts up to 7 patients, by cleaning both files.

    The noise of each week and hospital is in proportion to `reach`, by default that of the smallest for all.
    """
    known = densities(missing.tobytes(), value)
    scales = np.broadcast_to(math.sqrt(2 if adjacency == "move" else 1) * reach, BEDS.shape)
    most = 0.0
    for week in range(3):
        # What a person who comes, or goes, changes in each hospital: the worst over the counts before.
        changes = [
            max(
                float((((known[h, week, days + 7] - known[h, week, days]) / scales[:, h]) ** 2).sum())
                for days in range(43)
            )
            for h in range(2)
        ]
        most = max(most, math.sqrt(sum(changes) if adjacency == "move" else max(changes)))
    return most


NONE = np.zeros((3, 2), dtype=bool)
LATER = np.array([[False, False], [True, False], [True, False]])


@each("adjacency", ["move", "removal"])
@each("value", [0.0, 2.0, 4.0])
@each("missing", [NONE, LATER])
def test_the_level_is_the_largest_that_neighbouring_files_show_and_covering_noise_keeps_the_promise(
    missing: np.ndarray, value: float, adjacency: str
) -> None:
    def shown(reach: np.ndarray = SMALLEST) -> float:
        return levels_by_brute_force(missing, value, adjacency, reach)

    everywhere, own = np.ones_like(missing), ~missing
    found = [
        growth(BEDS, everywhere, own, value, adjacency, on_own_counts) for on_own_counts in (False, True)
    ]
    assert found == pytest.approx([shown(), shown(1 / BEDS)], rel=1e-9)
    # The promise is kept, and with less noise it would not be.
    covering = covering_reach(BEDS, everywhere, own, value)
    assert shown(covering) == pytest.approx(1.0, rel=1e-9)
    assert shown(0.99 * covering) > 1.009
    # One noise for all, as a game with a derived reach has it; `one` of the figures that a person moves.
    panel = Panel(WEEKS, ("010000", "010001"), np.zeros((3, 2)), BEDS.min(axis=1), BEDS, covering)
    derived = game(panel, "NM", [1.0], 2, 1, adjacency, "derived")
    np.testing.assert_array_equal(derived.own_reach, covering)
    one = derived.sensitivity[:, None] / math.sqrt(derived.moved)
    assert shown(one) <= 1 + 1e-9
    assert adjacency == "move" or shown(0.99 * one) > 1.009


def test_a_hospital_that_is_not_open_raises_no_noise_for_all() -> None:
    beds = np.array([[100.0, 5.0], [100.0, 5.0], [100.0, 5.0]])
    is_open = np.array([[True, False], [True, True], [False, False]])
    covering = covering_reach(beds, is_open, is_open, 2.0)
    np.testing.assert_allclose(covering, [[0.029, 0.029], [0.029, 0.58], [0.029, 0.58]])


def test_weeks_of_one_figure_share_what_it_may_spend() -> None:
    beds, everywhere = np.full((5, 1), 100.0), np.ones((5, 1), dtype=bool)
    own = np.array([[False], [True], [False], [False], [True]])  # nobody is in the first week
    closed = everywhere.copy()
    closed[3] = False
    for is_open, weeks in ((everywhere, [1, 3, 3, 3, 1]), (closed, [1, 2, 2, 1, 1])):
        found = covering_reach(beds, is_open, own, 2.0)[:, 0]
        np.testing.assert_allclose(found, 0.029 * np.sqrt(weeks))


def test_in_the_smallest_hospital_the_level_grows_by_the_reach_and_carried_weeks_add_in_squares() -> None:
    everywhere = np.ones((3, 2), dtype=bool)
    beds = np.full((3, 2), 10.0)
    for adjacency in ("removal", "move"):
        assert growth(beds, everywhere, everywhere, 2.0, adjacency) == pytest.approx(2.9)
    assert growth(beds, everywhere, ~LATER, 2.0, "removal") == pytest.approx(2.9 * math.sqrt(3))
    assert growth(beds, everywhere, ~everywhere, 2.0, "removal") == 0.0


@each(("value", "patients"), [(0.0, 4.9), (1.0, 3.9), (2.0, 2.9), (3.0, 3.0), (4.0, 4.0)])
def test_the_reach_is_that_of_the_worse_edge(value: float, patients: float) -> None:
    assert reach(value) == pytest.approx(patients)
    assert density_reach(np.array([100.0]), value)[0] == pytest.approx(patients / 100)
    # A density is never above 1, so small hospitals move less.
    assert density_reach(np.array([patients / 2]), value)[0] < 1.01


@each(
    ("first", "last", "other", "near"),
    [(666, 27, 34, 1), (665, 27, 34, 0), (685, 34, 27, 1), (686, 34, 27, 0)],
)
def test_a_hospital_at_the_filter_is_one_that_a_person_takes_across_it(
    first: int, last: int, other: int, near: int
) -> None:
    """Two weeks of so many patient-days; in the last one a person more or less changes them to `other`."""
    rules = replace(RULES, participation=("patients",), participation_minimum=100)

    def cleaned(days: int) -> tuple[int, int]:
        figures = [published(first), published(days)]
        reports = week_by_week("010001", figures, [200.0] * 2, weeks=WEEKS)
        panels, [quality] = clean_all(reports, ["NM"], rules, required=[])
        return len(panels["NM"].hospitals), quality.exposure.at_the_filter

    assert cleaned(last)[1] == near
    assert (cleaned(last)[0] != cleaned(other)[0]) == near


def test_cells_are_counted_where_the_hospital_is_open() -> None:
    figures = np.array([[2.0, 4.0], [np.nan, 4.9], [9.0, 5.0]])
    suppressed = np.array([[True, False], [False, False], [False, False]])
    is_open = np.array([[True, True], [True, True], [False, True]])
    found = exposure(figures, suppressed, BEDS, is_open, 2.0)
    assert (found.cells, found.suppressed, found.at_the_edge, found.carried) == (5, 1, 2, 1)
    for adjacency, on_own_counts in product(("move", "removal"), (False, True)):
        name = f"growth_{'own_' * on_own_counts}{adjacency}"
        factor = growth(BEDS, is_open, is_open & ~np.isnan(figures), 2.0, adjacency, on_own_counts)
        assert getattr(found, name) == factor
    empty = np.zeros((3, 0))
    assert exposure(empty, empty > 0, empty, empty > 0, 2.0) == Exposure(reach=pytest.approx(2.9))
    panel = Panel(WEEKS, (), empty, np.ones(3), empty, empty)
    assert game(panel, "NM", [1.0], 2, 1, "move", "derived").gains.size == 0


def test_the_furthest_pairs_are_those_of_the_two_edges_and_one_patient_above() -> None:
    assert steps(2.0) == [(0, 2), (2, 4.9), (4, 5)]
    with warnings.catch_warnings(action="error"):  # nothing but a bed count that is doubted elsewhere
        found = density_reach(np.array([5e-324, 1.0, 1.5, 3.0]), 2.0)
    assert found == pytest.approx([1, 1, 1, 2 / 3])
    assert covering_reach(*(np.zeros((0, 1), dtype) for dtype in (float, bool, bool)), 2.0).shape == (0, 1)


def test_a_share_of_no_figures_is_none_and_of_one_is_whole() -> None:
    found = [{"state": state, **Exposure(cells, cells).__dict__} for state, cells in (("NM", 0), ("OH", 1))]
    table = reach_table(reach_numbers(pd.DataFrame(found), [1.0], "move", 1.0))
    assert table["suppressed"].tolist() == ["0 %", "100 %"]


def test_the_table_has_the_weeks_of_its_states_in_its_label(tmp_path: Path) -> None:
    rows = [{"state": state, **dict.fromkeys(EXPOSURE[1:], 1.0)} for state in ("NM", "OH")]
    (tmp_path / "exposure.csv").write_text(pd.DataFrame(rows).to_csv(index=False), encoding="utf-8")
    label = {"label": "reports, 1 to 9 weeks by state, mine", "kind": "file", "weeks": {"NM": 9, "OH": 1}}
    (tmp_path / "provenance.json").write_text(json.dumps(label), encoding="utf-8")
    paths = tmp_path / "exposure.csv", tmp_path / "provenance.json", tmp_path / "table"
    data_stages.suppression(*paths, [1.0], ["NM"])
    assert "Data: reports, 9 weeks, mine." in (tmp_path / "table.md").read_text(encoding="utf-8")


def test_the_table_has_the_real_level_of_each_promised_one() -> None:
    found = pd.DataFrame([{"state": "NM", **Exposure(10, 2, 1, 0, 2.9, 2.8, 2.9, 3).__dict__}])
    table = reach_numbers(found, [math.inf, 1.0, 0.5], "move", 1.0)
    assert table.loc[0, ["mu_1", "mu_0.5"]].tolist() == pytest.approx([2.8, 1.4])
    assert "mu_inf" not in table
    covered = reach_numbers(found, [1.0], "removal", 2.9)
    assert covered.loc[0, "mu_1"] == pytest.approx(1.0)
    derived = reach_numbers(found, [1.0, 0.5], "removal", "derived")
    assert derived.loc[0, ["assumed", "mu_1", "mu_0.5"]].tolist() == [2.9, 1.0, 0.5]
    for_readers = reach_table(table)
    assert for_readers.loc[0, ["suppressed", "at the edge", "possible"]].tolist() == ["20 %", "10 %", "2.9"]
    assert for_readers.loc[0, "μ = 0.5 is really"] == "1.40"
    assert for_readers.loc[0, "at the filter"] == 3


def test_a_reach_is_a_factor_of_the_noise_and_one_that_is_none_is_refused() -> None:
    panel = Panel(WEEKS, ("010000", "010001"), np.zeros((3, 2)), BEDS.min(axis=1), BEDS)

    def sensitivity(reach: Any) -> Any:
        return game(panel, "NM", [1.0], 2, 1, "move", reach).sensitivity

    np.testing.assert_allclose(sensitivity(reach(2.0)), 2.9 * sensitivity(1.0))
    for wrong, why in (
        ("derived", "^NM: how far one person moves a cleaned figure is not there; write panels"),
        ("guessed", r"^hospital\.reach: guessed is not allowed; write 1, .* or derived$"),
        (0.5, r"^hospital\.reach"),
    ):
        with pytest.raises(InputError, match=why):
            sensitivity(wrong)
