"""Each check of Table 2 gives all three verdicts on games made by hand, and turns where one cell is wrong."""

import math
import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from private_experts.replication.ledger.checking import points_of
from private_experts.replication.ledger.evidence import NotRunError, Point, decide
from private_experts.replication.ledger.sequential_repetitions import Shared
from private_experts.replication.ledger.yaml_text import load_yaml
from private_experts.replication.papers.p000 import study
from private_experts.replication.study import players
from tests.each import each
from tests.replication.papers.p000 import hand_made
from tests.replication.papers.p000.hand_made import GRID, STATES, ask_where_nothing_varies

CHECKED = study
ROOT = Path(__file__).parents[4]
asking = partial(hand_made.asking, study.table_2_words)
BEST = {state: float(panel.density.sum(axis=0).max()) for state, panel in STATES.items()}
MEANS = {"rw-meta": 9.0, "min-noise": 4.5, "min-regret": 4.0, "rw-ftpl": 4.0, "square-root": 5.0}
MEANS |= {"learner/w2-weak": 10.0, "learner/w2-strong": 9.5, "learner/w4-weak": 9.0}


def ask(put: Any, check: Any, changes: Mapping[Any, Mapping[str, float]]) -> list[Point]:
    """Ask a check about games with these means, and changes of them by cell."""
    return hand_made.ask(put, check, MEANS, changes)


# For each statement, changes of one cell that are wrong, the smallest that matter, and changes too small to
# tell. Beside 9 of RW-Meta and 4.5 of the runner-up, 1.5x is 6.75 and 6, and 3x is 13.5 and 3.
CELLS: dict[str, tuple[list[dict[str, float]], list[dict[str, float]]]] = {
    "best": ([{"rw-ftpl": 9.1}, {"min-noise": 9.1}, {"min-regret": 9.1}], [{"rw-ftpl": 9}, {"min-noise": 9}]),
    "best of all": ([{"min-noise": 9.1}, {"square-root": 9.1}], [{"square-root": 9}]),
    "1.5x to 3x": ([{"rw-meta": 6.66}, {"rw-meta": 13.95}], [{"rw-meta": 6.75}, {"rw-meta": 13.5}]),
    "1.5x to 3x of Min Regret": (
        [{"min-regret": 6.08}, {"min-regret": 2.95}],
        [{"min-regret": 6}, {"min-regret": 3}],
    ),
    "1.5x to 3x of RW-FTPL": ([{"rw-ftpl": 6.08}, {"rw-ftpl": 2.95}], [{"rw-ftpl": 6}, {"rw-ftpl": 3}]),
    "1.5x to 3x of all": ([{"square-root": 6.08}], [{"square-root": 6}]),
    "about 90 %": (
        [{"rw-meta": 8.4}, {"rw-meta": 9.6}, {"learner/w4-weak": 10.8}],
        [{"rw-meta": 8.5}, {"rw-meta": 9.5}],
    ),
    "runner-up": ([{"min-regret": 4.6}, {"min-noise": 2.9}], [{"min-regret": 4.5}]),
    "runner-up, not RW-FTPL": ([{"rw-ftpl": 4.6}], [{"rw-ftpl": 4.5}]),
    "runner-up of all": ([{"rw-ftpl": 5.1}], [{"rw-ftpl": 5}]),
}
BEYOND = ("best of all", "1.5x to 3x of all", "runner-up, not RW-FTPL", "runner-up of all")


@each("statement", CELLS)
def test_it_holds_if_every_cell_is_right_fails_if_one_is_wrong_and_is_undecided_if_more_do_not_tell(
    put: Any, statement: str
) -> None:
    points, (wrong, unsure) = ask(put, asking(statement), {}), CELLS[statement]
    assert decide(points) == "holds"
    assert {point.notes["repetitions"] for point in points} == {50}
    for verdict, change in [*(("fails", one) for one in wrong), *(("undecided", one) for one in unsure)]:
        points = ask(put, asking(statement), {("PA", 0.5): change})
        assert decide(points) == verdict, change
        such = [point for point in points if decide([point]) == verdict]
        if verdict == "fails":
            assert {tuple(point.where.values()) for point in such} == {("PA", 0.5)}, change
        else:
            assert {point.notes["repetitions"] for point in such} == {200}, change


@each(
    ("statement", "count"),
    [("best", 3), ("1.5x to 3x", 3), ("runner-up", 3), *((name, 2) for name in BEYOND)],
)
def test_questions_beyond_the_papers_are_asked_only_with_privacy(
    put: Any, statement: str, count: int
) -> None:
    assert len({point.where["mu"] for point in ask(put, asking(statement), {})}) == count


@each("statement", [*CELLS, "about 90 % on average", "negative regret"])
@each("awkward", [12.3, 0.1])  # the float mean of 50 such numbers is not quite the number
def test_equal_repetitions_say_nothing_where_there_is_privacy(
    put: Any, statement: str, awkward: float
) -> None:
    means = {name: mean * awkward for name, mean in MEANS.items()}
    points = ask_where_nothing_varies(put, asking(statement), means, mu=[1.0, 0.5])
    assert {decide([point]) for point in points} == {"undecided"}


def test_equal_repetitions_are_exact_without_privacy(put: Any) -> None:
    points = ask_where_nothing_varies(put, asking("best"), MEANS)
    assert {point.where["mu"] for point in points if decide([point]) == "holds"} == {math.inf}
    assert decide(points) == "undecided"


@each(
    ("ratios", "verdict"),
    [((0.8, 1.0), "holds"), ((0.8, 0.86), "fails"), ((0.97, 1.01), "fails"), ((0.82, 0.88), "undecided")],
)
def test_of_the_mean_ratio_to_the_best_linear_model_only_the_mean_counts(
    put: Any, ratios: tuple[float, float], verdict: str
) -> None:
    changes = {
        (state, mu): {"rw-meta": 10 * (ratios[number % 2] if number < 4 else np.mean(ratios))}
        for number, (state, mu) in enumerate((state, mu) for state in STATES for mu in GRID["mu"])
    }
    assert decide(ask(put, asking("about 90 % on average"), changes)) == verdict


def test_a_wrong_choice_among_equal_models_is_allowed_for(put: Any) -> None:
    equal = {"learner/w2-weak": 10.0, "learner/w2-strong": 10.0, "learner/w4-weak": 10.0, "rw-meta": 9.5}
    [low, _] = ask(
        put, asking("about 90 % on average"), {(s, mu): equal for s in STATES for mu in GRID["mu"]}
    )
    assert low.interval[0] < 0.95 < low.interval[1]
    assert low.value - low.interval[0] > low.interval[1] - low.value  # the lower end is lowered


@each(("above", "verdict"), [(1.0, "holds"), (-1.0, "fails"), (0.0, "undecided")])
def test_the_static_regret_is_asked_at_levels_that_the_statement_names(
    put: Any, above: float, verdict: str
) -> None:
    good = {(state, mu): {"rw-meta": BEST[state] + 1} for state in STATES for mu in GRID["mu"]}
    here = good | {("PA", 0.5): {"rw-meta": BEST["PA"] + above}}
    assert decide(ask(put, asking("negative regret"), here)) == verdict


def test_new_looks_and_seeds_are_new_games_of_the_players_that_are_asked_for() -> None:
    play = study.player(("rw-meta", "rw-ftpl", "tree-ftpl"), GRID, 100, 1, STATES)
    first, again, other = play(("NM", 1.0), 0, 3), play(("NM", 1.0), 0, 3), play(("NM", 1.0), 1, 3)
    assert {"rw-meta", "rw-ftpl", "min-noise", "min-regret", "learner/w2-weak"} <= first.keys()
    assert "rw-meta-no-floor" not in first
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert not any(np.array_equal(first[name], other[name]) for name in first)


def test_all_central_players_are_asked() -> None:
    assert {*study.CENTRAL} == {*players.central()}
    played = study.player(study._ALL_CENTRAL, GRID, 100, 1, STATES)(("NM", 1.0), 0, 2)
    assert {*study.CENTRAL} <= played.keys()


def test_the_claims_play_what_the_study_plays() -> None:
    claims = load_yaml((ROOT / "claims/000.yaml").read_text(encoding="utf-8"))["claims"]
    config = load_yaml((ROOT / "config/study.yaml").read_text(encoding="utf-8"))
    played = re.compile("000/table-2-(?!printed-)")  # the printed table is read, not played
    grids = [claim["grid"] for claim in claims if played.match(claim["id"]) and "grid" in claim]
    assert len(grids) == 2
    for grid in grids:
        assert grid["mu"] == config["privacy_levels"]
        assert grid["learners"] == config["learners"]
        assert grid["adjacency"] == config["hospital"]["adjacency"]


# Against the published figures

ESTIMATES = {"rw_meta": 9.0, "min_noise": 5.0, "min_regret": 3.0, "best_linear": 10.0}
PUBLISHED = {f"published_{name}": value for name, value in ESTIMATES.items()}


def ask_values(*changes: dict[str, Any]) -> str:
    """Ask about a Table 2 with a row for each mapping of changes."""
    row = ESTIMATES | {f"{name}_pm": 0.01 for name in ESTIMATES} | {"state": "NM", "weeks": 72}
    table = pd.DataFrame([row | {"mu": mu} | more for mu, more in zip((math.inf, 0.5), changes, strict=True)])
    return decide(study.table_2_values({"statement": ["printed averages"]}, panels={}, table=table))


@each(
    ("changes", "verdict"),
    [
        (PUBLISHED, "holds"),
        (PUBLISHED | {"published_min_noise": 5.0149}, "holds"),  # 0.01 here and 0.005 there
        *(
            (PUBLISHED | {name: PUBLISHED[name] + change}, "fails")
            for name in PUBLISHED
            for change in (-0.05, 0.05)
        ),
    ],
)
def test_published_values_are_met_or_not(changes: dict[str, float], verdict: str) -> None:
    assert ask_values(PUBLISHED, changes) == verdict


def test_published_values_are_asked_for_only_when_the_table_has_them() -> None:
    with pytest.raises(NotRunError, match="the data has 72 weeks of the paper's 148"):
        ask_values({}, {})
    assert ask_values(PUBLISHED, dict.fromkeys(PUBLISHED, math.nan)) == "undecided"  # of another state


def test_claims_that_share_panels_play_each_game_once_and_get_what_they_get_alone(put: Any) -> None:
    played: list[Any] = []

    def counted(name: str) -> Any:
        player = study._PLAYERS[name]
        return lambda match, learners: (
            played.append((name, match.seed, match.repetitions)) or player(match, learners)
        )

    put(_PLAYERS={name: counted(name) for name in study._PLAYERS})
    shared = Shared(STATES)
    checks = (asking("best"), asking("1.5x to 3x"), asking("runner-up"))
    together = [points_of(check, GRID, 50, 1, panels=shared) for check in checks]
    assert len(played) == len(set(played)) == len(shared.played)
    assert together == [points_of(check, GRID, 50, 1, panels=STATES) for check in checks]
    again = len(played)
    asking("best")(GRID | {"adjacency": "removal"}, 50, 1, panels=shared)
    assert len(played) > again  # another game
