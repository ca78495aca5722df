"""What is said of the slope, from rows of the two tables."""

from private_experts.replication.study.published import TABLE_2
from private_experts.replication.study.readings import slope

ROWS = [{"state": state, "mu": str(mu), "ratio_to_best_linear": "0.5"} for state, mu in TABLE_2]
COLUMNS = [
    {"patients": patients, "mu": mu, "weeks": "107", "ratio_to_best_linear": ratio}
    | {"ratio_to_min_noise": rival, "ratio_to_min_noise_pm": "0.05"}
    for patients, ratios in (
        ("confirmed", (("0.971", "0.91"), ("0.949", "0.94"))),
        ("confirmed and suspected", (("0.938", "1.24"), ("0.961", "0.96"))),
    )
    for mu, (ratio, rival) in zip(("inf", "0.25"), ratios, strict=True)
]


def test_both_ends_are_means_over_the_printed_states():
    rows = [row | {"ratio_to_best_linear": "0.8"} if row["state"] == "CA" else row for row in ROWS]
    rows = [row | {"ratio_to_best_linear": "0.7"} if row["mu"] == "0.25" else row for row in rows]
    assert (
        slope.ends(rows) == "0.60 at μ = ∞ and 0.70 at μ = 0.25, where the printed totals give 0.90 and 0.87"
    )
    of_vermont = [{"state": "VT", "mu": "1.0", "ratio_to_best_linear": "9"}]
    assert slope.ends([*of_vermont, *rows]) == slope.ends(rows)


def test_each_column_has_its_ratios_from_level_to_level_and_says_where_the_planner_trails():
    confirmed, both = "0.97, 0.95 with confirmed patients", "0.94, 0.96 with confirmed and suspected patients"
    rival = "there Min Noise gains more than RW-Meta"
    ratios = f"{confirmed} and {both} (μ = ∞, 0.25; 107 weeks)"
    # 0.96 may be 1 by its interval, and 0.94 and 0.91 may not.
    assert slope.by_column(COLUMNS) == f"{ratios}; {rival} at μ = ∞ and 0.25, and at no level, respectively"
    assert slope.by_column(COLUMNS[2:]).endswith(f"{rival} at no level")
    assert "; 107 weeks)" in slope.by_column([COLUMNS[0] | {"weeks": "94"}, *COLUMNS[1:]])


def test_of_each_rival_the_cells_are_counted_in_which_the_printed_ratio_is_larger():
    rows = [row | {"ratio_to_min_noise": "9" if row["state"] == "CA" else "1"} for row in ROWS]
    assert slope.below_print(rows) == "8 of 12 (over Min Noise), 12 of 12 (over the best linear model)"
    assert slope.below_print([]) == ""


def test_nothing_is_said_where_nothing_is_printed():
    assert slope.sentence([], COLUMNS) == ""
    assert slope.sentence(ROWS[:1], COLUMNS) == ""
    said = slope.sentence(ROWS, COLUMNS)
    assert slope.ends(ROWS) in said
    assert slope.by_column(COLUMNS) in said


def test_a_slope_is_wrong_where_it_goes_the_other_way_than_in_print():
    for here, is_wrong in (("0.6", True), ("0.5", False), ("0.4", False)):
        rows = [row | {"ratio_to_best_linear": here} if row["mu"] == "0.25" else row for row in ROWS]
        assert ("the slope is wrong: the ratio" in slope.sentence(rows, COLUMNS)) is is_wrong
