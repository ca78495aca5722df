"""Each check of privacy gives the expected verdict on a small grid, and the other verdict on a mutant."""

from typing import Any

import numpy as np
import pytest
from scipy.special import softmax

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.algorithms.randomized_prefix import RandomizedPrefix
from private_experts.privacy.selection import report_noisy_max_law
from private_experts.replication.balls.balls import ball, near, precision
from private_experts.replication.papers.p002 import selection_privacy
from private_experts.replication.papers.p002.laplace_max import laplace_law, laws_of, worst_move
from private_experts.replication.papers.p002.selection_privacy import (
    law_of_two,
    lemma_3,
    no_larger_rate,
    one_selection,
    proposition_1,
    report_noisy_max,
)
from tests.each import each
from tests.replication.papers.p002.streams import at_rate
from tests.replication.papers.small_checks import failing, verdict


class LessNoise(DyadicLeader):
    """Report-noisy-max with the law of a millionth less noise."""

    def law(self, scores: Any, counts: Any = None) -> Any:
        return report_noisy_max_law(scores, (1 - 1e-6) * 2 / self.guarantee.epsilon, counts)


def counting(factor: float) -> type[RandomizedPrefix]:
    """Return the randomised prefix that counts every gain so many times."""

    class Mutant(RandomizedPrefix):
        def __init__(self, *arguments: Any, **settings: Any) -> None:
            super().__init__(*arguments, **settings, moves_at_most_1=True)

        def update_unchecked(self, gains: Any) -> None:
            super().update_unchecked(factor * gains)

    return Mutant


class Unforgetting(RandomizedPrefix):
    """Keeps the totals of earlier blocks."""

    def _begin(self, which: Any, lengths: Any) -> None:
        before = self._scores.copy()  # type: ignore[has-type]
        super()._begin(which, lengths)
        self._scores = before


class Rounded(RandomizedPrefix):
    def law(self, scores: Any, counts: Any = None) -> Any:
        return super().law(scores, counts) * (1 - 1e-11)


LEMMA_3 = {"K": [3], "losses": ["binary"], "block": [1, 4], "epsilon": [1.0]}
FEW = {"cells": [{"K": 3, "block": 1, "factor": 2}], "epsilon": [1.0]}
MANY = {"cells": [{"K": 1000, "block": 1, "factor": 1.01}], "epsilon": [1.0]}
SELECTIONS = {"algorithm": ["randomised prefix", "dyadic leader"], "T": [7, 20], "longer": [0, 3]}
PLAYS = {"K, T": [[2, 8]], "epsilon": [1.0]}
NOISY_MAX = {"noise": 2.0, "K, block, parts": [[2, 8, 1], [2, 5, 2], [3, 8, 1]], "epsilon": [1.0]}


@each(
    ("check", "grid", "mutants"),
    [
        (lemma_3, LEMMA_3, [at_rate(1.25), counting(0)]),  # the latter reads nothing
        (no_larger_rate, FEW, [at_rate(0.5)]),
        (no_larger_rate, MANY, [at_rate(0.5)]),
        (one_selection, SELECTIONS, [Unforgetting, counting(2)]),
        (proposition_1, PLAYS, [Unforgetting, at_rate(1.25)]),
    ],
)
def test_the_checks_hold_and_mutants_are_caught(check: Any, grid: Any, mutants: Any) -> None:
    assert verdict(check, grid) == "holds"
    assert [verdict(check, grid, RandomizedPrefix=mutant) for mutant in mutants] == ["fails"] * len(mutants)
    if check is not one_selection:  # the last point tells of a law that is not quite the mechanism's
        assert verdict(check, grid, last=1, RandomizedPrefix=Rounded) == "holds fails"


def test_the_worst_ratio_is_that_of_a_loop_over_data_sets_and_neighbours() -> None:
    """Second route: the definition, written out for two actions and a block of two rounds."""
    vectors = [np.array(vector) for vector in ((0, 0), (0, 1), (1, 0), (1, 1))]
    laws = {(i, j): softmax(-0.5 * (vectors[i] + vectors[j])) for i in range(4) for j in range(4)}
    worst = max(
        float(np.abs(np.log(laws[a] / laws[b])).max())
        for a in laws
        for b in laws
        if a[0] == b[0] or a[1] == b[1]
    )
    point, *_ = lemma_3({"K": [2], "losses": ["binary"], "block": [2], "epsilon": [1.0]})
    assert point.value == pytest.approx(worst, rel=1e-12)


def test_a_play_is_of_the_rounds_before_its_last_one(put: Any) -> None:
    every, asked = selection_privacy._every, []
    put(selection_privacy, "_every", lambda *given: asked.append(given) or every(*given))
    proposition_1(PLAYS)
    assert asked == [(n, "binary", horizon - 1) for n, horizon in PLAYS["K, T"]]


def test_the_law_is_averaged_over_the_prefixes_lengths() -> None:
    """In a block of four rounds a prefix has three or four rounds. The enumeration covers both."""
    gains = np.zeros((7, 2, 2))
    gains[6, 1] = [1.0, 0.0]  # the last round counts in one of two cases
    scores = selection_privacy._equally_likely(RandomizedPrefix, gains)[-1]
    assert [rows[1].tolist() for rows in scores] == [[0.0, 0.0], [1.0, 0.0]]


def test_a_round_enters_exactly_one_selection() -> None:
    assert {point.value for point in one_selection(SELECTIONS)} == {1.0}


def test_noise_of_scale_1_over_epsilon_is_not_enough_and_2_is() -> None:
    assert verdict(report_noisy_max, NOISY_MAX) == "holds"
    assert verdict(report_noisy_max, NOISY_MAX | {"noise": 1.0, "K, block, parts": [[2, 8, 1]]}) == "fails"


@each(
    ("kind", "mutant", "routes"),
    [
        ([2, 8, 1], {"DyadicLeader": LessNoise}, {"library"}),
        ([3, 4, 1], {"DyadicLeader": LessNoise}, {"library"}),
        ([2, 600, 1], {"law_of_two": lambda ahead: law_of_two(ahead * 1.01)}, {"closed form"}),
        (
            [3, 10, 1],
            {"laws_of": lambda losses, scale: laws_of(losses, scale / 1.01)},
            {"closed form", "library"},
        ),
    ],
)
def test_a_little_less_noise_on_one_route_is_caught(kind: list[int], mutant: Any, routes: set[str]) -> None:
    with pytest.MonkeyPatch.context() as put:
        for name, value in mutant.items():
            put.setattr(selection_privacy, name, value)
        assert failing(report_noisy_max(NOISY_MAX | {"K, block, parts": [kind]}), "route") == routes


@each("scores", [[-1.5, 0.0], [-4.0, -1.0, 0.0], [-1.0, -1.0, 0.0], [-3.0, -2.0, -2.0, 0.0], [0.0, 0.0, 0.0]])
def test_the_law_in_closed_form_is_that_of_quadrature_and_has_the_sum_1(scores: list[float]) -> None:
    with precision():
        found = laplace_law([ball(score) for score in scores])
        assert abs(sum(found, ball(0)) - 1) < 1e-30
        if len(scores) == 2:
            assert near(law_of_two(ball(1.5))) == pytest.approx(near(found[1]), rel=1e-15)
    expected = report_noisy_max_law(scores, 1.0).tolist()
    assert [near(chance) for chance in found] == pytest.approx(expected, rel=1e-11)


def test_neighbours_of_totals_differ_by_at_most_1_in_every_coordinate() -> None:
    """Second route: all pairs of a three-round block's totals that one replacement links."""
    law = report_noisy_max_law(-np.stack(np.indices((4, 4)), axis=-1), 1.0)
    worst = max(
        float(np.log(law[i, j] / law[k, m]).max())
        for i, j, k, m in np.ndindex(4, 4, 4, 4)
        if abs(i - k) <= 1 and abs(j - m) <= 1
    )
    points = report_noisy_max(NOISY_MAX | {"noise": 1.0, "K, block, parts": [[2, 3, 1]]})
    assert points[0].value == pytest.approx(worst, rel=1e-12)


def test_the_largest_ratio_lies_between_floats_that_are_rounded_outwards() -> None:
    """The difference of the floats 0.4 and 0.1 is none, and is less than what a subtraction returns."""
    laws = np.array([[0.0], [0.1], [0.4]])
    with precision():
        found, true = worst_move(laws, laws, 1), ball(0.4) - ball(0.1)
        assert found.lower() < true < found.upper()
