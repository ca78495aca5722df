"""Table 2: the paper's own values stand beside ours only where they can be compared."""

import numpy as np

from private_experts.replication.study import published, table_2
from tests.replication.study.estimates import cells_of, totals_of


def test_published_totals_are_in_the_csv_only_when_all_weeks_are_there():
    full = table_2.table_numbers(cells_of(), {"NM": (published.WEEKS, 24)})
    assert full["published_rw_meta"].tolist() == [40.14, 31.19]
    assert "published_rw_meta" not in table_2.table_numbers(cells_of(), {"NM": (72, 24)})


def test_gains_are_those_of_a_week_here_and_in_the_paper():
    short = table_2.table_numbers(cells_of(), {"NM": (50, 24)})
    row = table_2.readers_table(short).iloc[0]
    assert row["RW-Meta, a week"] == "0.040 ± 0.002 [paper 0.271]"  # 2.0 / 50 and 40.14 / 148
    assert row["best hospital, a week"] == "0.060"


def test_ratios_come_first_and_have_no_unit_so_the_published_ones_stand_beside_ours():
    short = table_2.table_numbers(cells_of(), {"NM": (72, 24)})
    assert short["published_ratio_to_min_noise"].iloc[0] == 40.14 / 26.48
    assert short["published_ratio_to_min_regret"].iloc[1] == 31.19 / 13.25
    shown = table_2.readers_table(short)
    assert list(shown)[2:5] == ["RW-Meta / best linear", "RW-Meta / Min Noise", "RW-Meta / Min Regret"]
    row = shown.iloc[0]
    assert row["RW-Meta / best linear"] == f"2.00 ± 0.10 [paper {40.14 / 43.91:.2f}]"
    assert "paper" not in row["RW-Meta / RW-FTPL"]


def test_a_state_that_the_paper_lacks_shows_no_published_value():
    other = table_2.table_numbers(cells_of().assign(state="VT"), {"VT": (published.WEEKS, 12)})
    assert "paper" not in "".join(table_2.readers_table(other).iloc[0].astype(str))


def test_the_strongest_central_algorithm_is_named_and_the_fresh_variant_shown_where_it_played():
    row = table_2.readers_table(table_2.table_numbers(cells_of(), {"NM": (72, 24)})).iloc[0]
    assert row["strongest central, a week"] == "0.028 ± 0.001 (square-root sums)"
    assert "RW-Meta, fresh noise, a week" not in row
    fresh = table_2.table_numbers(cells_of(fresh=1.5, fresh_pm=0.2), {"NM": (72, 24)})
    assert table_2.readers_table(fresh).iloc[0]["RW-Meta, fresh noise, a week"] == "0.021 ± 0.003"


def test_algorithms_whose_means_differ_by_their_last_bits_tie():
    gains = {"rw-meta": 3.0, "rw-ftpl": 1.0, "min-noise": 2.0, "min-regret": np.nextafter(2.0, 3)}
    gains |= {"learner/w8-weak": 0.3, "learner/w8-strong": 0.1 + 0.2}
    played = totals_of(("NM",), (np.inf,), gains, 4, lambda state, mu, name, r: gains[name])
    row = table_2.cells(played, {"NM": 3.0}, 0.95, ["min-noise", "min-regret"]).iloc[0]
    assert (row["best_linear_name"], row["central_name"]) == ("w8-weak", "min-noise")
