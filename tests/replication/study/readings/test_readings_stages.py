"""The stages: from panels to the products, on small panels of states that the paper has or has not."""

import json
import math

import numpy as np
import pandas as pd
import pytest

from private_experts.replication.plotting import figures
from private_experts.replication.study.data import panel as panels
from private_experts.replication.study.families import FAMILIES, KINDS
from private_experts.replication.study.hospital_game import game
from private_experts.replication.study.players import rw_meta
from private_experts.replication.study.readings import reading_games, readings_stages, readings_tables, scores
from private_experts.replication.study.readings.reading_games import TREES, period
from tests.replication.study.plays import a_game, a_panel

ASKED = {
    "families": ["trend", "autoregression-1"],
    "strengths": {"wide": [0.01, 1, 100], "narrow": [0.1, 1, 10]},
    "floors": [2, 0],
    "repetitions": 4,
    "block": 3,
    "resamples": 20,
}
LEARNERS = {"family": "trend", "windows": [2, 4], "strengths": {"weak": 0.1, "medium": 1, "strong": 10}}
LEVELS = [math.inf, 0.25]


def run(folder, states):
    """Run both stages on panels of these states; return the paths' stems."""
    paths = [folder / f"{state}.csv" for state in states]
    for number, path in enumerate(paths):
        panels.write(path, a_panel(weeks=11, hospitals=5, seed=number))
    (folder / "provenance.json").write_text(json.dumps({"label": "SYNTHETIC DATA", "kind": "synthetic"}))
    made = {name: folder / f"{name}.csv" for name in ("weekly", "answers")}
    readings_stages.readings_played(paths, LEVELS, ASKED, LEARNERS["windows"], "move", 0.95, 1, **made)
    stems = {name: folder / name for name in ("output", "every", "statements", "figure")}
    given = *made.values(), folder / "provenance.json"
    readings_stages.readings(*given, ASKED, LEARNERS, LEVELS, 0.95, 1, **stems)
    return stems


def games_of_trends(match, *settings):
    return reading_games.family_games(match, reading_games.followed_at_each_level(match), "trend", *settings)


@pytest.fixture(scope="module")
def stems(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figures, "save", lambda *_: None)  # it is drawn where no state has a score
        return run(tmp_path_factory.mktemp("readings"), ["NM", "PA", "CA"])


def test_every_kind_floor_and_tree_has_a_score_and_every_reading_a_row(stems):
    table = pd.read_csv(stems["output"].with_suffix(".csv"))
    kinds = table[table["floor"].notna()]
    assert kinds["what"].tolist() == ["trend", "autoregression"] * 2
    assert kinds["floor"].tolist() == ["2t", "2t", "none", "none"]
    assert table["what"].tolist()[4:] == [f"tree: {tree}" for tree in TREES]
    assert (table["score"] > 0).all()
    assert (table["score_low"] <= table["score_high"]).all()
    every = pd.read_csv(stems["every"].with_suffix(".csv"))
    assert len(every) == 2 * 2 * 2
    assert every["best model, CA"].str.fullmatch("w[24]-(weak|medium|strong)").all()
    assert (every["widths"] > 0).all()
    text = stems["output"].with_suffix(".md").read_text()
    # two levels played
    assert "The rule needs the three states of the paper, and its four privacy levels." in text
    assert (table["less_best_low"].dropna() <= table["less_best_high"].dropna()).all()
    assert kinds.groupby("floor")["least_in"].sum().tolist() == [1, 1]
    assert "SYNTHETIC DATA" in text
    counts = pd.read_csv(stems["statements"].with_suffix(".csv"))
    ratio = counts[counts["statement"] == "1.5x to 3x"]
    assert (ratio[["agrees", "differs", "undecided"]].sum(axis=1) == 3 * len(LEVELS)).all()


def test_the_first_half_is_what_its_weeks_alone_give(stems):
    folder = stems["output"].parent
    weekly = pd.read_csv(folder / "weekly.csv").query("family == 'trend'")
    written = reading_games.of_period(weekly, "first half").query("state == 'NM'")
    half = period(panels.read(folder / "NM.csv"), "first half")
    match = game(half, "NM", LEVELS, ASKED["repetitions"], 1, "move")
    alone = games_of_trends(match, LEARNERS["windows"], ASKED["strengths"], ASKED["floors"])
    expected = reading_games.by_week(alone)
    assert len(half.weeks) == 6
    pd.testing.assert_frame_equal(written[[*expected]].reset_index(drop=True), expected)


def test_states_that_the_paper_lacks_have_no_score_and_do_not_stop_the_run(tmp_path):
    stems = run(tmp_path, ["VT"])
    assert "None of the states" in stems["output"].with_suffix(".md").read_text()
    assert stems["figure"].with_suffix(".svg").exists()


def test_the_paper_reading_plays_as_the_studys_learners_do():
    # What a family's learners earn is what the player records, under the same seed.
    match = a_game(panel=a_panel(weeks=15))
    ours = {
        (mu, name): gains for mu, name, gains in games_of_trends(match, [2, 4], {"one": [0.01, 100]}, [2])
    }
    theirs = {
        (variant.mu, variant.algorithm): variant.earned
        for variant in rw_meta.play_variants(
            match, {"family": "trend", "windows": [2, 4], "strengths": {"weak": 0.01, "strong": 100}}, []
        )
    }
    for window in (2, 4):
        for word, strength in (("weak", 0.01), ("strong", 100)):
            np.testing.assert_array_equal(
                ours[1.0, reading_games.learner(window, strength)], theirs[1.0, f"learner/w{window}-{word}"]
            )


def test_a_floor_costs_rw_meta_where_learners_differ_much():
    gains = np.tile([0.9, 0.1, 0.1, 0.1], (40, 1))
    gains[20:] = gains[20:, ::-1]
    panel = panels.Panel(tuple(map(str, range(40))), tuple("abcd"), gains, np.full(40, 20.0))
    match = game(panel, "NM", [math.inf], 50, 1)
    found = {
        name: gains.sum(axis=0).mean()
        for _, name, gains in games_of_trends(match, [2, 32], {"one": [0.1, 1, 10]}, [2, 0])
    }
    assert found["rw-meta/one/2t"] < found["rw-meta/one/none"] - 0.5


def test_halves_are_the_weeks_in_order_with_the_same_hospitals():
    whole = a_panel(weeks=11)
    parts = [period(whole, name) for name in reading_games.PERIODS]
    assert [len(part.weeks) for part in parts] == [11, 6, 5]
    assert parts[1].weeks + parts[2].weeks == whole.weeks
    np.testing.assert_array_equal(np.vstack([part.density for part in parts[1:]]), whole.density)
    assert {part.hospitals for part in parts} == {whole.hospitals}


def test_the_sentence_tells_strengths_apart_and_names_the_tree_that_is_played():
    listed = scores.statistics(
        (*scores.OF_LEARNERS, *scores.OF_TREES), ["NM", "PA", "CA"], [math.inf, 1.0, 0.5, 0.25]
    )
    learners = [statistic for statistic in listed if statistic.group in scores.OF_LEARNERS]
    trees = [statistic for statistic in listed if statistic.group in scores.OF_TREES]
    assert len(learners) + len(trees) == readings_tables.PRINTED
    logs = {("trend", "wide"): np.full((21, 1), 0.2), ("trend", "narrow"): np.full((21, 1), 0.1)}
    of_trees = {tree: np.full((21, 1), 0.1) for tree in TREES}
    found = readings_tables.Scored(learners, trees, {"2t": logs}, of_trees)

    def written(*strengths):
        played = {"family": "trend", "strengths": dict(zip("abc", strengths, strict=True))}
        return readings_tables.sentence(found, played, ASKED["strengths"])

    chosen = "The rule chooses trend with the strengths 0.1, 1, 10, and the tree that is padded, largest"
    assert chosen in written(0.1, 1, 10)
    assert "The study plays these learners" in written(0.1, 1, 10)
    assert "plays other learners, trend with the strengths 0.01, 1, 100" in written(0.01, 1, 100)


def test_floors_are_named_and_every_family_has_a_kind():
    assert [reading_games.floor_name(rate) for rate in (2, 1, 0, 0.5)] == ["2t", "t", "none", "0.5t"]
    assert reading_games.floor_name(2) == readings_tables.ADMISSIBLE
    assert sorted(FAMILIES) == sorted(family for members in KINDS.values() for family in members)
