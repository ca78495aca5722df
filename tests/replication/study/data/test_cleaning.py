"""Cleaning, apart from what `test_cleaning_by_the_rules` tests: weeks, columns, and what is refused how."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from private_experts.errors import InputError
from private_experts.replication.study.data.cleaning import clean_all
from private_experts.replication.study.data.hospital_reports import SUPPRESSED, columns_used
from tests.each import each
from tests.replication.study.data.weekly import LAX, NAN, STEADY, WEEKS, clean_nm, table, week_by_week

# ---------------------------------------------------------------- weeks


def test_a_contradiction_outside_the_window_does_not_matter():
    reports = table(STEADY, week_by_week("990001", [11], [100]))
    panel, _ = clean_nm(reports, replace(LAX, first_week=WEEKS[1]))
    assert panel.density.shape == (4, 1)
    assert clean_nm(STEADY)[1].bed_faults_week == ""


def test_a_window_without_reports_names_both_spans():
    with pytest.raises(InputError) as caught:
        clean_nm(STEADY, replace(LAX, first_week="2022-01-01", last_week="2022-12-31"))
    (line,) = str(caught.value).splitlines()
    assert all(week in line for week in ("2022-01-01", "2022-12-31", WEEKS[0], WEEKS[-1]))


def test_weeks_missing_in_between_are_counted_and_the_rest_are_consecutive_rounds():
    cases = {
        WEEKS: 0,
        (WEEKS[0], WEEKS[2], WEEKS[3]): 1,
        (WEEKS[0], WEEKS[4]): 3,
        ("2021-01-01", "2021-12-31"): 51,
        ("2021-01-01", "2021-01-07", "2021-01-15"): 0,  # a week dated a day early is no gap
        ("2021-01-01",): 0,
    }
    names = [f"S{n}" for n in range(len(cases))]
    parts = [week_by_week("010001", [1] * 5, [2] * 5, *case) for case in zip(names, cases, strict=True)]
    panels, qualities = clean_all(table(*parts), names, LAX)
    assert [panels[name].weeks for name in names] == [*cases]
    assert [quality.weeks_missing_between for quality in qualities] == [*cases.values()]


def test_the_weeks_of_a_state_are_those_in_which_one_of_its_hospitals_reports():
    reports = table(
        week_by_week("010001", [1, None, 2], [4, 0, 4], weeks=WEEKS[1:4]),
        week_by_week("050001", [3] * 5, [4] * 5, "CA"),
        week_by_week("360001", [3] * 2, [4] * 2, "NY", weeks=("2020-08-07", WEEKS[4])),
    )
    panels, qualities = clean_all(reports, ["NM", "CA", "NY"], replace(LAX, first_week=WEEKS[0]))
    assert panels["NM"].weeks == (WEEKS[1], WEEKS[3])
    assert panels["CA"].weeks == WEEKS
    assert panels["NY"].weeks == (WEEKS[4],)
    np.testing.assert_array_equal(panels["NM"].density[:, 0], [0.25, 0.5])
    found = [(q.rows, q.weeks, q.weeks_missing_between, q.first_week, q.last_week) for q in qualities]
    assert found == [
        (2, 2, 1, WEEKS[1], WEEKS[3]),
        (5, 5, 0, WEEKS[0], WEEKS[4]),
        (1, 1, 0, WEEKS[4], WEEKS[4]),
    ]


def test_a_state_without_reports_gets_a_panel_without_weeks_and_hospitals():
    panels, qualities = clean_all(STEADY, ["VT", "NM"], LAX)
    assert list(panels) == ["VT", "NM"]
    assert [quality.state for quality in qualities] == ["VT", "NM"]
    assert (panels["VT"].weeks, panels["VT"].hospitals) == ((), ())
    assert panels["VT"].density.shape == (0, 0)
    assert panels["VT"].smallest_beds.shape == (0,)
    assert {value for value in qualities[0].row().values() if isinstance(value, int)} == {0}
    assert panels["NM"].hospitals == ("990001",)


# ---------------------------------------------------------------- duplicates


@each(("patients", "beds"), [(11, 100), (10, 99), (NAN, 100), (SUPPRESSED, 100)])
def test_contradicting_duplicates_are_refused_with_hospital_and_week(patients, beds):
    with pytest.raises(InputError) as caught:
        clean_nm(table(STEADY, week_by_week("990001", [patients], [beds], weeks=[WEEKS[2]])))
    (line,) = str(caught.value).splitlines()
    assert all(word in line for word in ("NM", "990001", WEEKS[2]))


# ---------------------------------------------------------------- what is doubted

LONG = (*WEEKS, "2021-02-05", "2021-02-12", "2021-02-19")


def doubts(states, weeks=LONG, limit=4):
    """Return what is doubted in states of so many calm hospitals, and others whose figures are given."""
    names, parts = [f"S{k}" for k in range(len(states))], []
    for name, (calm, others) in zip(names, states, strict=True):
        own = [([10 + n / 8] * len(weeks), [100 + n] * len(weeks)) for n in range(calm)]
        parts += [week_by_week(f"97{n:04}", *figures, name, weeks) for n, figures in enumerate(own)]
        parts += [week_by_week(f"01{n:04}", *figures, name, weeks) for n, figures in enumerate(others)]
    _, qualities = clean_all(table(*parts), names, replace(LAX, carried_weeks=limit))
    return [quality.doubts for quality in qualities]


def changed(times):
    return [20] * 4 + [20 * times] * 4


def test_figures_that_cannot_be_what_their_columns_say_are_doubted():
    """Of one hospital or several alike, beside eight others; for more than four weeks nothing is carried."""
    five, whole, few, ends = [5] * 8, [20] * 8, [5, *[NAN] * 7], [*[5] * 7, NAN]
    late = (
        "9 of 88 figures would be carried forward for more than 4 weeks (hospital.carried_weeks), the first "
        "of hospital 010000 in the week 2021-02-05 (5 patients, 20 beds); fill column "
        "patients, raise that limit"
    )
    unit = "5 of 104 figures are of a week in which a third of the bed counts are 2 "
    low = "1 of 72 figures of column beds are below 1, the first of hospital 01"
    full = "5 of 72 figures have as many patients as beds, or more, the first of"
    none = "15 of 104 figures have no bed count within 4 weeks "
    cases = [
        (1, five, whole, ""),
        (1, five, [20, 0.9, *[20] * 6], low),
        (1, five, [20, 5001, *[20] * 6], "1 of 72 figures of column beds are above 5000"),
        (1, [5] * 7 + [200], whole, ""),
        (1, [5] * 7 + [201], whole, "1 of 72 figures have more than 10 times as many patients as beds"),
        (1, [30] * 4 + [5] * 4, whole, ""),  # more than 1 %, but few
        (1, [20] * 5 + [5] * 3, whole, full),
        (1, [4] * 8, [4] * 8, ""),  # perhaps suppressed
        (1, few, whole, ""),  # three figures of 72 are carried for longer
        (3, few, whole, late),
        *((4, five, changed(7), ""), (5, five, changed(1.9), "")),
        *((5, five, changed(times), unit) for times in (2, 1 / 2, 7)),
        (8, ends, whole, ""),  # of sixteen hospitals
        (9, ends, whole, "9 of 136 figures would be carried forward in the last week"),
        *((8, five, beds, "") for beds in ([20] * 5 + [NAN] * 3, [NAN] * 4 + [20] * 4)),
        # On either side of the one bed count.
        *((5, five, beds, none) for beds in ([20, *[NAN] * 7], [*[NAN] * 7, 20])),
    ]
    found = doubts([(8, [(patients, beds)] * count) for count, patients, beds, _ in cases])
    for case, lines in zip(cases, found, strict=True):
        assert bool(lines) == bool(case[-1]), case
        assert not lines or lines[0].startswith(case[-1]), case
    assert [len(found[n]) for n in (9, 12, 13, 14)] == [1] * 4


def test_a_hospital_most_of_whose_figures_are_carried_is_doubted_in_any_state_by_the_limit_of_the_config():
    weeks = [f"{day:%Y-%m-%d}" for day in pd.date_range("2021-01-01", periods=20, freq="7D")]

    def found(limit, *known):
        return doubts([(40, [([5] * n + [NAN] * (20 - n), [20] * 20)]) for n in known], weeks, limit)

    nothing, (first,) = found(4, 6, 5)
    assert nothing == []  # ten are carried for longer
    assert first.startswith(
        "11 of 820 figures would be carried forward for more than 4 weeks (hospital.carried_weeks), most of "
        f"the hospital's, the first of hospital 010000 in the week {weeks[9]} (5 patients, 20 beds); fill"
    )
    assert found(9, 1) == [[]]
    assert found(8, 1)[0][0].startswith("11 of 820 figures would be carried forward for more than 8 weeks")


def test_a_hospital_with_more_patients_than_beds_in_most_weeks_is_doubted_in_any_state():
    nothing, (first,) = doubts([(88, [([30] * n + [5] * (8 - n), [20] * 8)]) for n in (4, 5)])
    assert nothing == []
    assert first.startswith("5 of 712 figures have as many patients as beds, or more")


@each("column", ["beds", "patients"])
def test_one_figure_in_most_hospitals_of_a_week_is_doubted(column):
    cases = [
        (9, 8, 5, 8, True),
        (9, 8, 5, 1, True),  # a week is enough
        (8, 8, 5, 8, False),  # not most
        (5, 4, 5, 8, True),
        (4, 0, 5, 8, False),  # as may be by chance
        (9, 8, 4, 8, column == "beds"),  # all patients may be suppressed
    ]

    def figures(n, figure, weeks):
        same = [figure if week < weeks else 6 + n / 8 for week in range(8)]
        return (same, [200 + n] * 8) if column == "patients" else ([1 + n / 8] * 8, same)

    states = [
        (others, [figures(n, figure, weeks) for n in range(alike)])
        for alike, others, figure, weeks, _ in cases
    ]
    what = {"beds": "bed count", "patients": "figure of patients"}[column]
    for (alike, others, _, weeks, is_doubted), found in zip(cases, doubts(states), strict=True):
        part = f"{alike * weeks} of {8 * (alike + others)} figures"
        says = f"{part} are of a week in which most hospitals have one {what}"
        assert [line.startswith(says) for line in found] == [True] * is_doubted


@each(("smallest", "kept"), [(10, True), (10.1, False)])
@each("mend", [False, True])
def test_the_fewest_beds_of_any_week_decide_who_is_small_but_for_mended_ones(smallest, kept, mend):
    reports = table(STEADY, week_by_week("010001", [1] * 5, [20, 20, 10, 20, 20]))
    panel, quality = clean_nm(reports, replace(LAX, smallest_beds=smallest, mend_beds=mend))
    assert ("010001" in panel.hospitals) is (kept or mend)
    assert (quality.left_out_small, quality.beds_briefly_low) == (not (kept or mend), 1)


# ---------------------------------------------------------------- which column


@each("purpose", ["patients", "beds", "participation"])
def test_the_first_column_that_the_data_has_is_used(purpose):
    rules = replace(LAX, **{purpose: ("absent", "second", "third")})
    reports = STEADY.assign(second=20.0, third=30.0)
    assert columns_used(reports, rules.columns)[purpose] == "second"
    assert columns_used(reports.drop(columns="second"), rules.columns)[purpose] == "third"
    _, quality = clean_nm(reports, rules)
    assert quality.row()[f"column_{purpose}"] == "second"
    with pytest.raises(InputError, match=rf"hospital\.columns\.{purpose}.*absent, second, third"):
        columns_used(STEADY, rules.columns)


def test_the_chosen_columns_are_those_that_are_counted_with():
    reports = STEADY.assign(second=50.0, third=25.0, fourth=7.0)
    rules = replace(
        LAX, patients=("third",), beds=("second",), participation=("fourth",), participation_minimum=35
    )
    panel, _ = clean_nm(reports, rules)
    np.testing.assert_array_equal(panel.density, np.full((5, 1), 0.5))
    assert clean_nm(reports, replace(rules, participation_minimum=36))[0].hospitals == ()


# ---------------------------------------------------------------- nothing usable


@each(
    ("patients", "beds", "why"),
    [
        (10, SUPPRESSED, "column beds has no positive bed count; choose another column or state"),
        (10, 0, "column beds has no positive bed count"),
        (-1, 40, "column patients has no usable figure; choose another column or state"),
        (SUPPRESSED, 40, "column patients has only suppressed figures; choose another state"),
    ],
)
def test_a_state_of_which_nothing_usable_is_left_is_refused_with_the_column_if_it_is_required(
    patients, beds, why
):
    reports = table(week_by_week("010001", [patients] * 5, [beds] * 5), STEADY.assign(state="CA"))
    for required in (None, ["NM"]):
        with pytest.raises(InputError, match=f"^NM: {why}"):
            clean_all(reports, ["CA", "NM"], LAX, required)
    panels, _ = clean_all(reports, ["CA", "NM"], LAX, ["CA"])
    # Stand-ins alone are played in a state that nobody requires.
    assert len(panels["NM"].hospitals) == (patients == SUPPRESSED)
