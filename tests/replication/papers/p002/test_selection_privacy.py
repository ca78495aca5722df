"""Each check of privacy gives the expected verdict on a small grid, and the other verdict on a mutant."""

from typing import Any

import numpy as np
import pytest
from scipy.special import softmax

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.algorithms.randomized_prefix import RandomizedPrefix
from private_experts.privacy.selection import exponential_law, report_noisy_max_law
from private_experts.replication.balls.balls import ball, near, precision
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p002 import selection_privacy
from private_experts.replication.papers.p002.laplace_max import laplace_law, laws_of, worst_move
from tests.each import each

SEED = 1


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that replaces a name in the module of the checks."""
    return lambda name, value: monkeypatch.setattr(selection_privacy, name, value)


class TooSharp(RandomizedPrefix):
    """Selects at 1.25 times the rate, which is 0.8 times the noise."""

    def law(self, scores: Any, counts: Any = None) -> Any:
        return exponential_law(scores, 1.25 * self.guarantee.epsilon / 2, counts)


class TooBlunt(RandomizedPrefix):
    """Selects at half the rate."""

    def law(self, scores: Any, counts: Any = None) -> Any:
        return exponential_law(scores, self.guarantee.epsilon / 4, counts)


class Unforgetting:
    """Keeps the totals of earlier blocks."""

    def _begin(self, which: Any, lengths: Any) -> None:
        before = self._scores.copy()  # type: ignore[attr-defined,has-type]
        super()._begin(which, lengths)  # type: ignore[misc]
        self._scores = before


class UnforgettingPrefix(Unforgetting, RandomizedPrefix):
    pass


class UnforgettingLeader(Unforgetting, DyadicLeader):
    pass


class Twice(RandomizedPrefix):
    """Counts every gain twice."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings, moves_at_most_1=True)

    def update(self, gains: Any) -> None:
        super().update(2 * gains)


class Losing(RandomizedPrefix):
    """Counts losses, each as so much."""

    weight = 1.0

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings, moves_at_most_1=True)

    def update_unchecked(self, gains: Any) -> None:
        super().update_unchecked(-self.weight * gains)


class LosingALittleMore(Losing):
    weight = 1.05


class LosingTwice(Losing):
    weight = 2.0


class TooQuiet(DyadicLeader):
    """Has the law of 0.8 times the noise."""

    def law(self, scores: Any, counts: Any = None) -> Any:
        return report_noisy_max_law(scores, 0.8 * 2 / self.guarantee.epsilon, counts)


LEMMA_3 = {"K": [3], "losses": ["binary"], "block": [1, 4], "epsilon": [1.0]}


def test_the_randomised_prefix_is_private() -> None:
    assert decide(selection_privacy.lemma_3(LEMMA_3, 2, SEED)) == "holds"


def test_scores_may_be_any_numbers(put: Any) -> None:
    """Losses in place of gains mirror all scores; then a twentieth more of them is no longer private."""
    near = {**LEMMA_3, "block": [4], "epsilon": [4.0]}  # where the bound is all but attained
    there = [point.value for point in selection_privacy.lemma_3(near, 2, SEED)[:-1]]
    put("RandomizedPrefix", Losing)
    assert [point.value for point in selection_privacy.lemma_3(near, 2, SEED)[:-1]] == pytest.approx(there, rel=1e-9)
    put("RandomizedPrefix", LosingALittleMore)
    assert decide(selection_privacy.lemma_3(near, 2, SEED)) == "fails"
    put("RandomizedPrefix", LosingTwice)
    assert decide(selection_privacy.proposition_1({"K, T": [[2, 4]], "epsilon": [0.1]}, 2, SEED)) == "fails"


class Deaf(RandomizedPrefix):
    """Selects without its losses, and so keeps them secret."""

    def update_unchecked(self, gains: Any) -> None:
        super().update_unchecked(np.zeros_like(gains))


@pytest.mark.parametrize("mutant", [TooSharp, Twice, Deaf])
def test_a_selection_that_is_not_private_or_reads_nothing_is_caught(mutant: Any, put: Any) -> None:
    put("RandomizedPrefix", mutant)
    assert decide(selection_privacy.lemma_3(LEMMA_3, 2, SEED)) == "fails"


def test_the_worst_ratio_is_that_of_a_loop_over_data_sets_and_neighbours() -> None:
    """Second route: the definition, written out for two actions and a block of two rounds."""
    vectors = [np.array(each) for each in ((0, 0), (0, 1), (1, 0), (1, 1))]
    laws = {(i, j): softmax(-0.5 * (vectors[i] + vectors[j])) for i in range(4) for j in range(4)}
    worst = max(
        float(np.abs(np.log(laws[a] / laws[b])).max()) for a in laws for b in laws if a[0] == b[0] or a[1] == b[1]
    )
    point, *_ = selection_privacy.lemma_3({"K": [2], "losses": ["binary"], "block": [2], "epsilon": [1.0]}, 2, SEED)
    assert point.value == pytest.approx(worst, rel=1e-12)


@pytest.mark.parametrize("name", ["lemma_3", "no_larger_rate", "proposition_1"])
def test_a_law_that_is_not_quite_the_mechanisms_is_caught(name: str, put: Any) -> None:
    class Rounded(RandomizedPrefix):
        def law(self, scores: Any, counts: Any = None) -> Any:
            return super().law(scores, counts) * (1 - 1e-11)

    put("RandomizedPrefix", Rounded)
    grid = {"lemma_3": LEMMA_3, "no_larger_rate": RATES, "proposition_1": PLAYS}[name]
    points = getattr(selection_privacy, name)(grid, 2, SEED)
    assert [decide([point]) for point in points] == ["holds"] * (len(points) - 1) + ["fails"]


def test_the_law_is_averaged_over_the_prefixes_lengths() -> None:
    """In a block of four rounds a prefix has three or four rounds. The enumeration covers both."""
    gains = np.zeros((7, 2, 2))
    gains[6, 1] = [1.0, 0.0]  # the last round counts in one of two cases
    scores = selection_privacy._equally_likely(RandomizedPrefix, gains)[-1]
    assert [each[1].tolist() for each in scores] == [[0.0, 0.0], [1.0, 0.0]]


RATES = {"cells": [{"K": 3, "block": 1, "factor": 2}, {"K": 1000, "block": 1, "factor": 1.01}], "epsilon": [1.0]}


def test_no_larger_rate_is_private() -> None:
    assert decide(selection_privacy.no_larger_rate(RATES, 2, SEED)) == "holds"


@pytest.mark.parametrize("cell", RATES["cells"])
def test_a_rate_that_is_not_larger_is_caught(cell: Any, put: Any) -> None:
    put("RandomizedPrefix", TooBlunt)
    assert decide(selection_privacy.no_larger_rate(RATES | {"cells": [cell]}, 2, SEED)) == "fails"


SELECTIONS = {"algorithm": ["randomised prefix", "dyadic leader"], "T": [7, 20], "longer": [0, 3]}


def test_a_round_enters_one_selection() -> None:
    points = selection_privacy.one_selection(SELECTIONS, 2, SEED)
    assert decide(points) == "holds"
    assert {point.value for point in points} == {1.0}  # each round enters exactly one selection


@pytest.mark.parametrize(
    ("name", "mutant"),
    [
        ("RandomizedPrefix", UnforgettingPrefix),
        ("DyadicLeader", UnforgettingLeader),
        ("RandomizedPrefix", Twice),
    ],
)
def test_a_round_that_enters_more_or_weighs_more_is_caught(name: str, mutant: Any, put: Any) -> None:
    put(name, mutant)
    assert decide(selection_privacy.one_selection(SELECTIONS, 2, SEED)) == "fails"


PLAYS = {"K, T": [[2, 8]], "epsilon": [1.0]}


def test_whole_plays_are_private() -> None:
    assert decide(selection_privacy.proposition_1(PLAYS, 2, SEED)) == "holds"


@pytest.mark.parametrize("mutant", [UnforgettingPrefix, Twice, TooSharp])
def test_plays_whose_selections_share_rounds_or_see_more_or_are_too_sharp_are_caught(mutant: Any, put: Any) -> None:
    put("RandomizedPrefix", mutant)
    assert decide(selection_privacy.proposition_1(PLAYS, 2, SEED)) == "fails"


NOISY_MAX = {"noise": 2.0, "K, block, parts": [[2, 8, 1], [3, 8, 1]], "epsilon": [1.0]}


def test_noise_of_scale_2_over_epsilon_is_enough_and_of_1_over_epsilon_is_not() -> None:
    assert decide(selection_privacy.report_noisy_max(NOISY_MAX, 2, SEED)) == "holds"
    assert (
        decide(selection_privacy.report_noisy_max(NOISY_MAX | {"noise": 1.0, "K, block, parts": [[2, 8, 1]]}, 2, SEED))
        == "fails"
    )


def test_four_fifths_of_the_noise_are_caught(put: Any) -> None:
    put("DyadicLeader", TooQuiet)
    assert decide(selection_privacy.report_noisy_max(NOISY_MAX, 2, SEED)) == "fails"


@each("kind", [[2, 8, 1], [3, 4, 1]])
def test_a_library_whose_noise_is_a_millionth_less_is_caught(kind: list[int], put: Any) -> None:
    class Quieter(DyadicLeader):
        def law(self, scores: Any, counts: Any = None) -> Any:
            return report_noisy_max_law(scores, (1 - 1e-6) * 2 / self.guarantee.epsilon, counts)

    put("DyadicLeader", Quieter)
    points = selection_privacy.report_noisy_max(NOISY_MAX | {"K, block, parts": [kind]}, 2, SEED)
    assert [point.where["route"] for point in points if decide([point]) == "fails"] == ["library"]


def test_a_closed_form_for_three_with_a_hundredth_less_noise_is_caught(put: Any) -> None:
    right = selection_privacy.laws_of
    put("laws_of", lambda losses, scale: right(losses, scale / 1.01))
    points = selection_privacy.report_noisy_max(NOISY_MAX | {"K, block, parts": [[3, 10, 1]]}, 2, SEED)
    assert decide([point for point in points if point.where["route"] == "closed form"]) == "fails"


def test_a_closed_form_with_a_hundredth_less_noise_is_caught(put: Any) -> None:
    right = selection_privacy.law_of_two
    put("law_of_two", lambda ahead: right(ahead * 1.01))
    points = selection_privacy.report_noisy_max(
        NOISY_MAX | {"K, block, parts": [[2, 600, 1]], "epsilon": [1.0]}, 2, SEED
    )
    assert decide([point for point in points if point.where["route"] == "closed form"]) == "fails"


def test_quadrature_and_closed_form_agree() -> None:
    grid = NOISY_MAX | {"K, block, parts": [[2, 5, 1], [2, 25, 1], [2, 5, 2], [2, 25, 2], [3, 3, 2]]}
    points = [point for point in selection_privacy.report_noisy_max(grid, 2, SEED) if point.where["route"] == "library"]
    assert len(points) == 5
    assert decide(points) == "holds"


@each("scores", [[-1.5, 0.0], [-4.0, -1.0, 0.0], [-1.0, -1.0, 0.0], [-3.0, -2.0, -2.0, 0.0], [0.0, 0.0, 0.0]])
def test_the_law_in_closed_form_is_that_of_quadrature_and_has_the_sum_1(scores: list[float]) -> None:
    with precision():
        found = laplace_law([ball(each) for each in scores])
        assert abs(sum(found, ball(0)) - 1) < 1e-30
    expected = report_noisy_max_law(scores, 1.0).tolist()
    assert [near(each) for each in found] == pytest.approx(expected, rel=1e-11)
    if len(scores) == 2:
        with precision():
            assert near(selection_privacy.law_of_two(ball(1.5))) == pytest.approx(near(found[1]), rel=1e-15)


def test_laws_of_rows_have_their_order() -> None:
    losses = np.array([[0.0, 2.0, 1.0], [2.0, 1.0, 0.0], [1.0, 0.0, 2.0]])
    with precision():
        found = laws_of(losses, ball(2.0))
    expected = report_noisy_max_law(-losses, 2.0)
    assert [[near(each) for each in row] for row in found] == [
        pytest.approx(row, rel=1e-11) for row in expected.tolist()
    ]


def test_neighbours_of_totals_differ_by_at_most_1_in_every_coordinate() -> None:
    """Second route: all pairs of totals of a block of three rounds that one replacement can turn into each other."""
    law = report_noisy_max_law(-np.stack(np.indices((4, 4)), axis=-1), 1.0)
    worst = max(
        float(np.log(law[i, j] / law[k, m]).max())
        for i, j, k, m in np.ndindex(4, 4, 4, 4)
        if abs(i - k) <= 1 and abs(j - m) <= 1
    )
    points = selection_privacy.report_noisy_max(NOISY_MAX | {"noise": 1.0, "K, block, parts": [[2, 3, 1]]}, 2, SEED)
    assert points[0].value == pytest.approx(worst, rel=1e-12)


def test_the_largest_ratio_lies_between_floats_that_are_rounded_outwards() -> None:
    """The difference of the floats 0.4 and 0.1 is none, and is less than what a subtraction returns."""
    laws = np.array([[0.0], [0.1], [0.4]])
    with precision():
        found, true = worst_move(laws, laws, 1), ball(0.4) - ball(0.1)
        assert found.lower() < true < found.upper()
