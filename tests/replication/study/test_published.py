from math import inf

from private_experts.replication.study.published import (
    HOSPITALS,
    TABLE_2,
    beds_difference,
    covered,
    printed,
    shape_difference,
)
from tests.each import each


def test_the_table_has_three_states_at_four_levels():
    assert set(TABLE_2) == {(state, mu) for state in ("NM", "PA", "CA") for mu in (inf, 1.0, 0.5, 0.25)}
    assert set(HOSPITALS) == {"NM", "PA", "CA"}
    assert all(len(cell) == 4 for cell in TABLE_2.values())


def test_the_column_sums_are_those_of_the_printed_table():
    columns = list(zip(*TABLE_2.values(), strict=True))
    assert [round(sum(column), 2) for column in columns] == [470.58, 267.82, 182.55, 524.32]


def test_a_cells_values_come_with_the_ratios_of_rw_meta_and_there_are_none_of_other_states():
    assert printed("NM", 1.0) == {
        **{"rw_meta": 36.87, "min_noise": 22.83, "min_regret": 13.41, "best_linear": 40.69},
        **{"ratio_to_min_noise": 36.87 / 22.83, "ratio_to_min_regret": 36.87 / 13.41},
        "ratio_to_best_linear": 36.87 / 40.69,
    }
    assert printed("VT", 1.0) == {}


@each(
    ("shape", "text"),
    [
        *((("NM", 148, 24), ""), (("PA", 148, 146), ""), (("CA", 148, 293), "")),
        (("VT", 3, 2), ""),  # which the paper lacks
        (("NM", 72, 25), "NM: 72 weeks and 25 hospitals, the paper has 148 and 24 (-76 weeks, +1 hospitals)"),
    ],
)
def test_a_difference_in_shape_is_said_in_full(shape, text):
    assert shape_difference(*shape) == text


def test_the_range_of_smallest_bed_counts_is_compared_with_the_papers():
    difference = beds_difference(["PA", "NM", "CA"], 5.3, 24.6)
    assert difference.startswith("smallest bed count of a week: 5.3 to 24.6, the paper has 4.3 to 14.6")
    assert beds_difference(["NM", "PA", "CA"], 4.33, 14.56) == ""
    assert beds_difference(["NM"], 5.3, 24.6) == ""  # the paper gives the range over its three states


@each(
    ("weeks", "whole"),
    [
        (("2020-08-07", "2023-06-02"), True),  # Fridays
        (("2020-08-09", "2023-06-04"), True),  # Sundays
        (("2020-08-06", "2023-06-07"), True),  # three days
        (("2020-08-05", "2023-06-04"), False),
        (("2020-08-09", "2023-06-09"), False),
        (("2020-08-07",), False),
    ],
)
def test_the_papers_weeks_are_covered_from_its_first_to_its_last(weeks, whole):
    assert covered(weeks) == whole
