"""The stages: from reports to the products, in any number of portions."""

import json

import pandas as pd
import pytest

from private_experts.errors import InputError
from private_experts.replication.study.data import synthetic
from private_experts.replication.study.multiverse import multiverse_stages
from private_experts.replication.study.multiverse.decomposition import decomposition
from private_experts.replication.study.multiverse.sentences import sentences
from private_experts.replication.study.multiverse.specification_curve import draw, marked, options
from private_experts.replication.study.multiverse.universe_verdicts import PAPER, QUESTIONS, STRONG, answered
from private_experts.replication.study.statements import SECOND_LOCAL, STATEMENTS, answers
from tests.replication.study.estimates import cells_of
from tests.replication.study.plays import LEARNERS

CHOICES = {
    "suppressed_value": [0, 4],
    "family": ["trend", "pooled-autoregression"],
    "adjacency": ["move"],
    "smallest_beds": [0],
    "participation_minimum": [0, 100],
    "weeks": ["all"],
    "tree_padding": ["padded", "unpadded"],
    "tree_sensitivity": ["largest"],
}
NAMES = [*CHOICES, "patients"]
SETTINGS = {
    "beds": [synthetic.ADULT_BEDS],
    "participation": [synthetic.SUSPECTED],
    "first_week": "2020-01-01",
    "last_week": "2030-01-01",
    "confidence": 0.95,
    "repetitions": 4,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with the reports, and what one state says in one portion and in two."""
    folder = tmp_path_factory.mktemp("multiverse")
    synthetic.reports(("VT",), 8, 1).to_csv(folder / "reports.csv", index=False)
    label = {"label": "SYNTHETIC DATA", "kind": "synthetic"}
    (folder / "provenance.json").write_text(json.dumps(label))
    for portion, portions in ((1, 1), (1, 2), (2, 2)):
        played(folder, folder / f"VT-{portion}-of-{portions}.csv", portion, portions)
    return folder


def played(folder, effects, portion=1, portions=1, **changed):
    given = {"patients": [synthetic.SUSPECTED], "choices": CHOICES, **SETTINGS, **changed}
    multiverse_stages.universes(
        "VT", portion, portions, 1, folder / "reports.csv", effects, learners=LEARNERS, share=0.5,
        privacy_levels=[float("inf"), 0.5], seed=1, **given,
    )  # fmt: skip


def made(folder, effects, stem):
    multiverse_stages.multiverse(
        effects, folder / "provenance.json", 0.5, 4, 0.95,
        folder / stem, folder / f"{stem}-variance", folder / f"{stem}-statements", folder / f"{stem}-figure",
    )  # fmt: skip
    return {path.name.removeprefix(stem): path.read_bytes() for path in sorted(folder.glob(f"{stem}[.-]*"))}


def test_what_is_played_is_the_same_for_any_number_of_portions(folder):
    whole, *dealt = (pd.read_csv(folder / f"VT-{name}.csv") for name in ("1-of-1", "1-of-2", "2-of-2"))
    together = pd.concat(dealt).sort_values("universe", kind="stable", ignore_index=True)
    assert together.equals(whole.sort_values("universe", kind="stable", ignore_index=True))
    assert [part["universe"].nunique() for part in dealt] == [4, 4]


def test_products_come_in_all_formats_and_name_their_data(folder):
    found = made(folder, [folder / "VT-2-of-2.csv", folder / "VT-1-of-2.csv"], "one")
    assert len(found) == 12
    assert b"SYNTHETIC DATA" in found[".md"]
    assert b"RW-Meta gains more than the best single hospital" in found[".tex"]


def test_every_option_of_every_choice_is_played_and_answered(folder):
    effects = pd.read_csv(folder / "VT-1-of-1.csv")
    assert effects.groupby("suppressed_value")["universe"].nunique().tolist() == [4, 4]
    every = answered(effects, NAMES)
    assert {*every["statement"]} == {statement.name for statement in STATEMENTS}
    assert {*every["question"]} == {question.name for question in QUESTIONS}
    assert {*every["whose"]} == {PAPER, STRONG, "ours: no floor", "ours: centred", "ours: fresh noise"}
    rows = options(every[every["question"] == "1.5x to 3x"], ["mu", *NAMES])
    assert [name for name, _ in rows] == [
        *["mu"] * 2, *["suppressed_value"] * 2, *["family"] * 2, *["participation_minimum"] * 2, *["tree_padding"] * 2,
    ]  # fmt: skip
    upper, _ = draw(every, NAMES).axes
    points = sum(len(line.get_xdata()) for line in upper.lines if line.get_label() in ("holds", "undecided", "fails"))
    assert points == 8 * 2  # the paper's universes at two levels, and none of ours


def test_sentences_count_the_papers_universes_and_tell_ours_apart(folder):
    """RW-Meta leads and loses to the strong baseline, and its variants do not lead: no share may mix the three."""
    effects = pd.read_csv(folder / "VT-1-of-1.csv").assign(lead=1.0, lead_pm=0.5, lead_over_central=-1.0)
    effects.loc[effects["variant"] != "rw-meta", "lead"] = -1.0
    every = answered(effects.assign(lead_over_central_pm=0.5), NAMES)
    told = sentences(every, decomposition(every, NAMES, 0.5), 4, 0.95).set_index("question").loc["best"]
    assert (told["holds"], told["fails"], told[STRONG], told["ours: centred"]) == (1, 0, 0, 0)
    assert (told["answers"], told["universes"]) == (16, 8)  # at two levels
    assert "In 100 % in every state and at every level. " in told["sentence"]
    assert told["sentence"].endswith(
        "With ours it holds in 0 % (strong baseline), 0 % (no floor), 0 % (centred), 0 % (fresh noise)."
    )


def test_a_statement_that_does_not_speak_of_rw_meta_has_no_variants(folder):
    every = answered(pd.read_csv(folder / "VT-1-of-1.csv"), NAMES)
    assert {*every.loc[every["question"] == SECOND_LOCAL.name, "whose"]} == {PAPER, STRONG}


def test_answers_are_those_of_one_table_at_a_time():
    """The study's own way, `answers`, is asked of each universe by itself."""
    tables = [cells_of(lead=lead, ratio_to_best_linear=ratio) for lead, ratio in ((1, 0.9), (0.05, 0.97), (-1, 0.93))]
    here = dict.fromkeys(NAMES, "") | {"block": 0, "variant": "rw-meta"}
    effects = pd.concat(
        [table.assign(universe=number, **here) for number, table in enumerate(tables)], ignore_index=True
    )
    effects = effects.assign(
        **{f"{each.estimate}_{half}": effects[each.estimate] for each in STATEMENTS for half in ("even", "odd")}
    )
    every = answered(effects, NAMES).set_index(["statement", "universe", "mu"])["answer"]
    for universe, table in enumerate(tables):
        for row in answers(table).to_dict("records"):
            for statement in STATEMENTS:
                mu = float("nan") if statement.of_mean else row["mu"]
                found = every.get((statement.name, universe, mu), "not asked")
                assert row[statement.name] in (found, "not asked" if statement.of_mean else found)


def test_shades_are_shares_of_the_universes_of_a_bin():
    ordered = pd.DataFrame({"a": ["x", "x", "x", "y"]})
    assert marked(ordered, [("a", "x"), ("a", "y")], 2).tolist() == [[1.0, 0.5], [0.0, 0.5]]


def test_a_universe_without_hospitals_has_no_game_and_is_counted(folder):
    choices = CHOICES | {"smallest_beds": [0, 10000]}
    played(folder, folder / "empty.csv", choices=choices)
    effects = pd.read_csv(folder / "empty.csv")
    assert effects["mu"].isna().sum() == effects.loc[effects["smallest_beds"] == 10000, "universe"].nunique() > 0
    every = answered(effects, NAMES)
    assert {*every["smallest_beds"]} == {0}
    only = folder / "only.csv"
    effects[effects["mu"].isna()].to_csv(only, index=False)
    with pytest.raises(InputError, match="fewer than 2 hospitals are left in every universe"):
        made(folder, [only], "none")


def test_without_privacy_alone_nobody_asks_about_the_strong_baseline(folder):
    multiverse_stages.universes(
        "VT", 1, 1, 1, folder / "reports.csv", folder / "inf.csv", learners=LEARNERS, share=0.5, seed=1,
        privacy_levels=[float("inf")], patients=[synthetic.SUSPECTED], choices=CHOICES, **SETTINGS,
    )  # fmt: skip
    every = answered(pd.read_csv(folder / "inf.csv"), NAMES)
    assert STRONG not in {*every["whose"]}
    told = sentences(every, decomposition(every, NAMES, 0.5), 4, 0.95)
    assert not told["sentence"].str.contains("strong baseline").any()
    weak = every[every["question"] != "negative regret"]  # as at levels of which it does not speak; nor who is second
    assert len(sentences(weak, decomposition(weak, NAMES, 0.5), 4, 0.95)) == len(told) - 1 == len(QUESTIONS) - 2


def test_wrong_words_are_refused_in_one_line(folder):
    with pytest.raises(InputError, match="--portion 3: write a number from 1 to 2"):
        played(folder, folder / "x.csv", 3, 2)
