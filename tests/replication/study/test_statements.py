"""Answers to the paper's statements."""

from dataclasses import replace

import numpy as np
import pandas as pd

from private_experts.replication.study.statements import (
    BEST,
    BEST_LINEAR,
    BEST_LINEAR_MEAN,
    BEST_OF_ALL,
    RATIO,
    RATIO_LOCAL,
    RATIO_OF_ALL,
    RATIO_REGRET,
    SECOND_LOCAL,
    SECOND_OF_ALL,
    STATEMENTS,
    Statement,
    answers,
    elsewhere,
    games_of,
    in_words,
    tally,
)
from tests.replication.study.estimates import ESTIMATES

BAND = Statement("band", "in the band", "x", 1.5, 3.0, smallest_mu=0.5)


def answer(*cells, statement=BAND):
    """Ask about cells, each a value with its half-width, at mu = 1, 2, ..."""
    table = pd.DataFrame([{"mu": mu, "x": x, "x_pm": pm} for mu, (x, pm) in enumerate(cells, start=1)])
    return [statement.answer(measured) for measured in statement.measured(table)]


def test_a_band_is_asked_with_the_whole_interval():
    posed = {
        (2.0, 0.4): "agrees",
        (1.6, 0.2): "undecided",
        (1.2, 0.2): "differs",
        (3.1, 0.2): "undecided",
        (3.5, 0.2): "differs",
        (1.75, 0.25): "agrees",
        (2.0, 5.0): "undecided",
        (np.nan, 0.1): "undecided",
    }
    assert answer(*posed) == [*posed.values()]


def test_of_a_mean_only_the_mean_is_asked():
    of_mean = replace(BAND, of_mean=True)
    assert answer((1.0, 0.1), (3.0, 0.1), statement=of_mean) == ["agrees"]
    # 0.7 / sqrt(2) is less than 0.5, and 0.72 / sqrt(2) is more
    assert answer((2.0, 0.7), (2.0, 0.7), statement=of_mean) == ["agrees"]
    assert answer((2.0, 0.72), (2.0, 0.72), statement=of_mean) == ["undecided"]


def test_the_band_of_a_single_cell_is_its_interval_to_the_last_digit():
    for value, half_width in np.random.default_rng(1).random((200, 2)):
        [measured] = BAND.measured(pd.DataFrame([{"mu": 1.0, "x": value, "x_pm": half_width}]))
        assert measured[1:] == (value, value - half_width, value + half_width)


def test_a_statement_is_not_asked_below_its_levels():
    table = pd.DataFrame([{"state": "NM", "mu": mu, **row(static_regret=1.0)} for mu in (0.5, 0.25)])
    assert answers(table)["negative regret"].tolist() == ["differs", "not asked"]
    assert tally(answers(table)).query("statement == @STATEMENTS[-1].words")["mu"].tolist() == [0.5]


def test_a_statement_about_privacy_is_not_asked_without_any():
    finite = replace(BAND, finite=True)
    assert [finite.speaks_of(mu) for mu in (np.inf, 1.0, 0.5, 0.25)] == [False, True, True, False]
    assert BAND.speaks_of(np.inf)


def test_statements_about_estimates_that_are_not_there_are_left_out():
    table = pd.DataFrame([{"state": "NM", "mu": 1.0, **row()}]).drop(columns="lead_over_central")
    answered = answers(table)
    assert BEST_OF_ALL.name not in answered
    assert BEST_OF_ALL.words not in set(tally(answered)["statement"])
    assert BEST.name in answered


def row(**estimates):
    return dict.fromkeys(ESTIMATES, 0.0) | {f"{name}_pm": 0.1 for name in ESTIMATES} | estimates


def test_tally_counts_states_by_level():
    table = pd.DataFrame(
        [
            {"state": "NM", "mu": np.inf, **row(lead=1.0, static_regret=-1.0)},
            {"state": "PA", "mu": np.inf, **row(lead=-1.0, static_regret=-1.0)},
            {"state": "NM", "mu": 1.0, **row(lead=0.05, static_regret=1.0)},
        ]
    )
    counts = tally(answers(table))
    best, regret = (counts[counts["statement"] == STATEMENTS[n].words].set_index("mu") for n in (0, -1))
    outcomes = ["agrees", "undecided", "differs"]
    assert best.loc[[np.inf, 1.0], outcomes].to_numpy().tolist() == [[1, 0, 1], [0, 1, 0]]
    assert regret.loc[[np.inf, 1.0], outcomes].to_numpy().tolist() == [[2, 0, 0], [0, 0, 1]]


def test_a_statement_about_a_mean_counts_each_state_once():
    ratios = {"NM": (0.8, 1.0), "PA": (0.6, 0.7)}
    table = pd.DataFrame(
        [
            {"state": state, "mu": mu, **row(ratio_to_best_linear=ratio, ratio_to_best_linear_pm=0.01)}
            for state, of_state in ratios.items()
            for mu, ratio in zip((np.inf, 1.0), of_state, strict=True)
        ]
    )
    answered = answers(table)
    assert answered[BEST_LINEAR_MEAN.name].tolist() == ["agrees", "agrees", "differs", "differs"]
    counts = tally(answered)
    [mean] = counts[counts["statement"] == BEST_LINEAR_MEAN.words].to_dict("records")
    assert np.isnan(mean["mu"])
    assert [mean[outcome] for outcome in ("agrees", "undecided", "differs")] == [1, 0, 1]


def test_a_range_that_the_paper_states_on_the_task_is_said_to_be_read_as_in_every_cell():
    read = {entry.name for entry in STATEMENTS if "if read as: in every cell" in in_words(entry.name)}
    assert read == {entry.name for entry in (RATIO, RATIO_LOCAL, RATIO_REGRET, RATIO_OF_ALL, BEST_LINEAR)}
    # The paper has neither other central algorithms than its own, nor RW-FTPL in its table.
    ours = {entry.name for entry in STATEMENTS if "(a question of ours)" in in_words(entry.name)}
    assert ours == {entry.name for entry in (BEST_OF_ALL, RATIO_OF_ALL, SECOND_LOCAL, SECOND_OF_ALL)}
    assert in_words("something else") == "Something else"


def test_how_many_states_agree_is_told_at_the_strongest_privacy():
    rows = [("x", "", 1, 2, 3), (BEST.words, "inf", 9, 1, 0), (BEST.words, "0.25", 3, 5, 2)]
    names = ("statement", "mu", "agrees", "undecided", "differs")
    assert elsewhere(dict(zip(names, row, strict=True)) for row in rows) == {
        "agrees": 3,
        "undecided": 5,
        "differs": 2,
        "mu": "0.25",
        "states": 10,
    }


def test_the_games_that_decide_a_statement_are_those_of_its_points():
    rows = [
        {"statement": name, "repetitions": games} for name, games in (("a", "50"), ("a", "400"), ("b", "9"))
    ]
    assert [games_of(rows, name) for name in "abc"] == ["50 to 400", "9", ""]
