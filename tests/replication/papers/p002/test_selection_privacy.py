"""Each check of privacy gives the expected verdict on a small grid, and the other verdict on a mutant."""

from typing import Any

import numpy as np
import pytest
from scipy.special import softmax

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.algorithms.randomized_prefix import RandomizedPrefix
from private_experts.privacy.selection import exponential_law, report_noisy_max_law
from private_experts.replication.balls.balls import ball, near, precision
from private_experts.replication.ledger.checking import points_of
from private_experts.replication.ledger.evidence import decide
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
from tests.replication.papers.small_checks import SEED, failing, verdict


def at_rate(factor: float) -> type[RandomizedPrefix]:
    """Return the randomised prefix with so many times its rate."""

    class Mutant(RandomizedPrefix):
        def law(self, scores: Any, counts: Any = None) -> Any:
            return exponential_law(scores, factor * self.guarantee.epsilon / 2, counts)

    return Mutant


def with_noise(factor: float) -> type[DyadicLeader]:
    """Return report-noisy-max with the law of so many times its noise."""

    class Mutant(DyadicLeader):
        def law(self, scores: Any, counts: Any = None) -> Any:
            return report_noisy_max_law(scores, factor * 2 / self.guarantee.epsilon, counts)

    return Mutant


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
RATES = {
    "cells": [{"K": 3, "block": 1, "factor": 2}, {"K": 1000, "block": 1, "factor": 1.01}],
    "epsilon": [1.0],
}
SELECTIONS = {"algorithm": ["randomised prefix", "dyadic leader"], "T": [7, 20], "longer": [0, 3]}
PLAYS = {"K, T": [[2, 8]], "epsilon": [1.0]}
NOISY_MAX = {"noise": 2.0, "K, block, parts": [[2, 8, 1], [2, 5, 2], [3, 8, 1]], "epsilon": [1.0]}


def selections(grid: Any) -> Any:
    return one_selection(grid)


@each(
    ("check", "grid"),
    [(lemma_3, LEMMA_3), (no_larger_rate, RATES), (proposition_1, PLAYS), (report_noisy_max, NOISY_MAX)],
)
def test_the_checks_hold(check: Any, grid: Any) -> None:
    assert verdict(check, grid) == "holds"


@pytest.mark.parametrize(
    ("check", "grid", "mutant"),
    [
        pytest.param(lemma_3, LEMMA_3, at_rate(1.25), id="a block at 1.25 times the rate"),
        pytest.param(lemma_3, LEMMA_3, counting(0), id="a block that reads nothing"),
        pytest.param(
            no_larger_rate, RATES | {"cells": RATES["cells"][:1]}, at_rate(0.5), id="half the rate for 3"
        ),
        pytest.param(
            no_larger_rate, RATES | {"cells": RATES["cells"][1:]}, at_rate(0.5), id="half the rate for 1000"
        ),
        pytest.param(selections, SELECTIONS, Unforgetting, id="rounds that enter two selections"),
        pytest.param(selections, SELECTIONS, counting(2), id="rounds that move scores by 2"),
        pytest.param(proposition_1, PLAYS, Unforgetting, id="plays whose selections share rounds"),
        pytest.param(proposition_1, PLAYS, at_rate(1.25), id="plays at 1.25 times the rate"),
    ],
)
def test_mutants_are_caught(check: Any, grid: Any, mutant: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection_privacy, "RandomizedPrefix", mutant)
    assert verdict(check, grid) == "fails"


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


@each(("check", "grid"), [(lemma_3, LEMMA_3), (no_larger_rate, RATES), (proposition_1, PLAYS)])
def test_a_law_that_is_not_quite_the_mechanisms_is_caught(
    check: Any, grid: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selection_privacy, "RandomizedPrefix", Rounded)
    points = points_of(check, grid, 2, SEED)
    assert [decide([point]) for point in points] == ["holds"] * (len(points) - 1) + ["fails"]


def test_the_law_is_averaged_over_the_prefixes_lengths() -> None:
    """In a block of four rounds a prefix has three or four rounds. The enumeration covers both."""
    gains = np.zeros((7, 2, 2))
    gains[6, 1] = [1.0, 0.0]  # the last round counts in one of two cases
    scores = selection_privacy._equally_likely(RandomizedPrefix, gains)[-1]
    assert [rows[1].tolist() for rows in scores] == [[0.0, 0.0], [1.0, 0.0]]


def test_a_round_enters_exactly_one_selection() -> None:
    points = one_selection(SELECTIONS)
    assert decide(points) == "holds"
    assert {point.value for point in points} == {1.0}


def test_noise_of_scale_1_over_epsilon_is_not_enough() -> None:
    assert verdict(report_noisy_max, NOISY_MAX | {"noise": 1.0, "K, block, parts": [[2, 8, 1]]}) == "fails"


@pytest.mark.parametrize(
    ("kind", "name", "mutant", "routes"),
    [
        ([2, 8, 1], "DyadicLeader", with_noise(1 - 1e-6), {"library"}),
        ([3, 4, 1], "DyadicLeader", with_noise(1 - 1e-6), {"library"}),
        ([2, 600, 1], "law_of_two", lambda ahead: law_of_two(ahead * 1.01), {"closed form"}),
        (
            [3, 10, 1],
            "laws_of",
            lambda losses, scale: laws_of(losses, scale / 1.01),
            {"closed form", "library"},
        ),
    ],
)
def test_a_little_less_noise_on_one_route_is_caught(
    kind: list[int], name: str, mutant: Any, routes: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selection_privacy, name, mutant)
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
