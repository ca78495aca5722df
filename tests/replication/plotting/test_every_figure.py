"""Every figure says its finding, names its curves, reads in grey, and is as the words about it say."""

import re

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.text import Text

from private_experts.replication.ledger.ledger import MAIN_FIGURES
from private_experts.replication.papers.p000 import figures_000
from private_experts.replication.papers.p004 import figures_004
from private_experts.replication.plotting import figures
from private_experts.replication.plotting.direct_labels import label_curves
from private_experts.replication.study import figure_2, generality
from private_experts.replication.study.own_counts import own_counts_tables
from private_experts.replication.study.readings import readings_figure
from private_experts.replication.study.readings.readings_tables import ADMISSIBLE
from tests.each import each
from tests.replication.ledger.ledgers import KNOWN as LEDGER
from tests.replication.ledger.ledgers import ROOT
from tests.replication.plotting import drawings, legible, words

PAPERS = "".join((ROOT / f"paper/{name}.tex").read_text(encoding="utf-8") for name in ("report", "theorems"))
OF_PAPERS = {*re.findall(r"\\figureof\{([\w-]+)\}", PAPERS)}


def test_every_figure_of_the_ledger_is_drawn_here_and_eight_tell_the_story():
    assert {*drawings.DRAWINGS} == {*LEDGER.figures} > OF_PAPERS | {*MAIN_FIGURES}
    assert (len(OF_PAPERS), len({*MAIN_FIGURES}), len(MAIN_FIGURES)) == (5, 8, 8)


@each("stem", drawings.DRAWINGS)
def test_a_figure_can_be_read_and_its_words_are_true(stem):
    figure = drawings.DRAWINGS[stem]()
    words.check(stem, figure)
    assert legible.problems(figure) == []
    if stem in OF_PAPERS:  # no exponent, which is smaller than other letters
        assert [text.get_text() for text in figure.findobj(Text) if "^" in text.get_text()] == []


def test_a_printed_page_has_room_for_the_whole_width():
    preamble = (ROOT / "paper/preamble.tex").read_text(encoding="utf-8")
    (margin,) = re.findall(r"a4paper.*\n.*\[margin=([\d.]+)cm\]\{geometry\}", preamble)
    assert 21 - 2 * float(margin) >= 2.54 * figures.WIDTH
    assert preamble.count(r"\includegraphics") == preamble.count(r"\includegraphics[width=\linewidth]") == 1
    assert r"\includegraphics" not in PAPERS


@each("stem", drawings.OF_HOSPITALS)
def test_it_can_be_drawn_and_read_with_a_single_state_as_well(stem):
    assert legible.wrong(drawings.OF_HOSPITALS[stem](("NM",))) == []


# -------------------------------------------------------------------------------- what other data would say


def title(figure):
    return " ".join(figure.get_suptitle().split())


def test_the_title_of_theorem_3_says_whether_it_is_exceeded():
    point = {"learners": "contrary", "eta": 1.5, "T": [200, 800], "best": "expectation", "bound": 30.0}
    for value, said in (
        (
            60.0,
            "exceeds the bound of Theorem 3 for 1 of 1 pairs of learners that read its reports, up to 2.0",
        ),
        (15.0, "stays within the bound of Theorem 3, and comes to 0.5 of it"),
    ):
        part = pd.DataFrame(point | dict.fromkeys(("value", "low", "high"), value))
        end = " times" * (value > 30)
        assert title(figures_000.theorem_3({"a": part})) == f"RW-Meta's regret {said}{end}"


def test_the_title_of_figure_2_counts_the_cells_in_which_rw_meta_leads():
    games = drawings.weekly(["NM", "PA"])
    assert "in 8 of 8 cells" in title(figure_2.gains_figure(games, {"NM": 1.0, "PA": 1.0}))
    games.loc[(games["algorithm"] == "min-noise") & (games["state"] == "PA"), "gain"] += 100
    assert "in 4 of 8 cells" in title(figure_2.gains_figure(games, {"NM": 1.0, "PA": 1.0}))


def test_the_title_of_all_states_counts_those_whose_whole_interval_lies_above_one():
    table = drawings.ratios(["NM"])
    found = title(generality.ratios_figure(table))
    assert "more than Min Noise in 9 of 10 states, and 1.5 to 3 times as much in 4" in found
    wide = table.assign(ratio_to_min_noise_pm=9.0)
    assert "more than Min Noise in 0 of 10 states" in title(generality.ratios_figure(wide))


def test_the_title_of_the_readings_compares_kinds_with_the_printed_floor():
    table, whole = drawings.readings(["NM"])
    table.loc[table["floor"] != ADMISSIBLE, "score_low"] = 9.0  # of another floor, and apart
    start = f"Nearest to the printed table with its floor {ADMISSIBLE}: trend; "
    for rows, ends in (
        (table, "all intervals overlap with its own"),
        (table.assign(score_low=[0.05, 0.21, 0.05, 0.05]), "its interval lies below those of 1 of 1 others"),
        (table[table["what"] == "trend"], "no other kind was played"),
    ):
        assert title(readings_figure.scores_figure(rows, whole)) == start + ends


def test_the_title_of_own_counts_is_of_all_levels_with_privacy():
    table = drawings.own_counts(["NM", "PA"]).assign(own_posterior_means=30.0, same_rw_meta=10.0)
    table["own_rw_meta"] = table["state"].map({"NM": 15.0, "PA": 20.0})
    assert title(own_counts_tables.own_counts_figure(table)) == (
        "With privacy RW-Meta gains 1.5 to 2.0 times as much on own counts as with the paper's noise; there "
        "posterior means gain 1.5 to 2.0 times as much as RW-Meta"
    )


def test_the_title_of_algorithm_3_is_of_what_is_certain():
    points = {"T": [10, 20], "value": [1.0, 2.0], "low": [0.9, 1.5], "high": 3.0}
    table = pd.DataFrame(points | {"route": "simulated", "epsilon": 0.5})
    found = title(figures_004.privacy_loss({"004/theorem-5-2-privacy/as-printed": table}))
    assert "at least 3.0 times the privacy that it claims at T = 20" in found


# -------------------------------------------------------------------------------- what the checks find


def bad(count=2, named=True, width=figures.WIDTH, letters=9, **looks):
    with figures.style():
        figure, axis = plt.subplots(figsize=(width, 3), layout="constrained")
        for number in range(count):
            axis.plot([1, 2, 3], [1, 2, 3 + number / 100], label=f"curve {number}", **looks)
        if named:
            label_curves(axis)
        figures.finding(figure, "Some curves rise together")
        figure._suptitle.set_fontsize(letters)
    return figure


def titled(words):
    figure = bad()
    figure._suptitle.set_text(words)
    return figure


def test_exponents_of_an_axis_are_as_large_as_other_letters():
    figure = bad()
    figure.axes[0].set(xscale="log", xlim=(1, 1e9))
    assert legible.problems(figure) == []
    assert any("10^{6}" in text.get_text() for text in figure.axes[0].get_xticklabels())
    figure.axes[0].tick_params(labelsize=7)
    assert any("has letters of 4.9 pt" in problem for problem in legible._print(figure))


def test_names_of_curves_that_end_together_lie_apart():
    figure = bad(6, color="black")
    assert not [problem for problem in legible.problems(figure) if "lies on" in problem]
    heights = [label.get_window_extent().y0 for label in figure.axes[0].texts]
    assert heights == sorted(heights)  # in the order of the curves' ends


@each(
    ("make", "found"),
    [
        (lambda: bad(7), "a panel shows 7 series"),
        (lambda: bad(named=False), "are drawn or named, but not both"),
        (lambda: bad(color="black"), "'curve 0' and 'curve 1' are the same in grey"),
        (lambda: plt.figure(), "it has no title that says a finding"),
        (lambda: bad(width=7), "it is 7.0 inches wide, and would be scaled to the page's 6.3"),
        (lambda: bad(letters=6.5), "'Some curves rise together' has letters of 6.5 pt"),
        (lambda: titled("From $10^9$ on a curve rises"), "has letters of 6.3 pt"),
        (lambda: titled("From 10⁹ on a curve rises"), "has letters of 5.4 pt"),
    ],
)
def test_what_cannot_be_read_is_found(make, found):
    assert any(found in problem for problem in legible.wrong(make()))


def test_a_name_ends_where_its_line_leaves_the_panel():
    with figures.style():
        figure, axis = plt.subplots(layout="constrained")
        axis.plot([0, 10], [0, 100], label="steep")
        axis.set(xlim=(0, 10), ylim=(0, 50))
        label_curves(axis)
    legible.settle(figure)
    assert axis.texts[0].xy == pytest.approx((0.5, 1.0), abs=0.02)
