"""Bounds for any number of labels hold, and fail for programs that learn nothing or design badly."""

import pytest

from private_experts.distribution_learning import AskComparison
from private_experts.replication.ledger.evidence import NotRunError, decide
from private_experts.replication.papers.p003 import any_labels
from tests.replication.papers.caught import caught
from tests.replication.papers.p003.test_subset_reports import panel
from tests.replication.papers.p003.wrong_learners import nothing_learnt
from tests.replication.papers.small_checks import SEED, failing, verdict, wrong

DESIGNS = {"class": ["dirichlet 1"], "K": [3, 5], "M": [8, 64], "slack": 0.003}
SEARCHED = {"mechanism": ["comparison"], "class": ["searched"], "K": [2], "M": [4], "eps": [2.0]}
SEARCHED |= {"amplitudes": [0.1, 0.4], "steps": 3, "copies": 20}
GAMES = {"mechanism": ["sign design", "comparison"], "class": ["dirichlet 0.1"], "K": [8], "M": [64]}
GAMES |= {"eps": [1.0], "T": 300, "searched": SEARCHED}
RIVALS = {"K": 16, "M": 64, "eps": [1.0], "T": 300, "won": {"halves 1": {"comparison": 1.0}}}
RIVALS |= {"lost": {"peaks 0.9": {"comparison": 0.5}}}
LOWER = {"mechanism": ["sign design"], "K": [3], "eps": [0.5], "T_over_least": [100]}


def test_designs_see_all_differences() -> None:
    assert verdict(any_labels.design, DESIGNS) == "holds"
    with wrong(any_labels, "_EXCESS", 0.01):
        assert failing(any_labels.design(DESIGNS, SEED), "by") == {"best design"}


def test_the_bounds_hold() -> None:
    points = any_labels.bounds(GAMES, 20, SEED)
    assert all(point.lazy_fails for point in points if point.where["class"] != "searched")
    assert decide(points) == "holds"
    with nothing_learnt():
        assert caught(lambda: any_labels.bounds(GAMES, 20, SEED))


def test_the_lower_bound_holds_and_its_half_gap_does_not() -> None:
    assert verdict(any_labels.interactive_lower_bound, LOWER, 20) == "holds"
    with wrong(any_labels, "common_null", lambda right, pairs, gap: right(pairs, gap / 2)):
        assert failing(any_labels.interactive_lower_bound(LOWER, 20, SEED), "step")


def test_a_search_finds_features_that_use_more_of_the_bound() -> None:
    shares = []
    for steps in (0, 8):
        grid = GAMES | {"class": [], "searched": SEARCHED | {"steps": steps}}
        shares += [p.value for p in any_labels.bounds(grid, 40, SEED) if p.where["risk"] == "variation"]
    assert shares[1] > shares[0]


def test_each_side_has_classes_on_which_it_is_ahead() -> None:
    points = any_labels.rivals(RIVALS, 200, SEED)
    assert decide(points) == "holds"
    assert all(0 < point.notes["paper_over_lazy"] < 1.1 for point in points)
    assert {point.where["is"]: point.bound for point in points} == {"won": 1.0, "lost": 0.5}
    # more than there is of either side would be refused
    assert all(point.low > {"won": 0.2, "lost": 0.01}[point.where["is"]] for point in points)


class Coin(AskComparison):
    """Answers by a coin."""

    flip = 0.4999


def test_bits_are_ahead_on_hospitals_where_there_are_many() -> None:
    grid = {"K": 4, "least_M": 100, "eps": [2.0], "T": 300, "won": {"comparison": 1.0}, "lost": {}}
    panels = {"AA": panel(200), "BB": panel(8)}
    points = any_labels.rivals_hospital(grid, 50, SEED, panels)
    assert {point.where["class"] for point in points} == {"AA"}
    assert decide(points) == "holds"
    with wrong(any_labels, "_ANSWERS", {"comparison": Coin}):
        assert decide(any_labels.rivals_hospital(grid, 50, SEED, panels)) != "holds"
    with pytest.raises(NotRunError, match="100 hospitals"):
        any_labels.rivals_hospital(grid, 2, SEED, {"BB": panel(8)})
