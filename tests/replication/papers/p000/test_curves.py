"""Each check of trade-off curves gives the expected verdict on a small grid, and another for a mutant."""

from typing import Any

import numpy as np
import pytest

from private_experts.algorithms.rw_adabatch import RWAdaBatch
from private_experts.privacy.gaussian_mixtures import mixture_delta, mixture_errors, mixture_tradeoff
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import curves
from private_experts.walks import proxy_pmf
from tests.each import each
from tests.replication.papers.remembered import remembered
from tests.replication.papers.small_checks import SEED, times, verdict

CHECKED = curves
LEMMA_1 = {"instances": 3, "tolerance": 1e-9}
LEMMA_2 = {"instances": 2, "n": [2], "largest": 16, "cells": 4000, "tolerance": 1e-4}
DELTA = {"instances": 2, "n": [2], "largest": 4, "epsilon": [0.0, 2.0], "reach": 4.0, "tolerance": 1e-10}
ONE = DELTA | {"instances": 1, "n": [], "epsilon": [2.0]}  # a single mixture shows what is wrong
# at 10, leaders do change inside batches
EX_POST = {"n": [2], "instances": 3, "T": 200, "alpha": [0.01, 10.0]}
COMPUTED = {name: remembered(getattr(curves, name)) for name in ("curve_between", "_best_tests", "proxy_pmf")}


def test_points_of_drawn_instances_are_found_again_with_another_seed() -> None:
    places = [[point.where for point in curves.lemma_1(LEMMA_1 | {"instances": 1}, seed)] for seed in (1, 2)]
    assert places[0] == places[1]


class Impatient(RWAdaBatch):
    """Follows the leader of all reports so far, including those of the current batch."""

    def predict(self) -> Any:
        super().predict()
        return (self.total + self._buffer).argmax(axis=-1)


@each(
    ("check", "grid", "mutants", "expected"),
    [
        (curves.lemma_1, LEMMA_1, {}, "holds"),
        # mu sqrt(B) in the place of mu / sqrt(B), and 0.8 times the noise
        (
            curves.lemma_1,
            LEMMA_1,
            {"mixture_tradeoff": lambda a, w, mus: mixture_tradeoff(a, w, 1 / mus)},
            "fails",
        ),
        (curves.lemma_2, LEMMA_2, {}, "holds"),
        (
            curves.lemma_2,
            LEMMA_2,
            {"mixture_tradeoff": lambda a, w, mus: mixture_tradeoff(a, w, 1.25 * mus)},
            "fails",
        ),
        (curves.lemma_6, DELTA, {}, "holds"),
        (curves.lemma_6, ONE, {"mixture_delta": times(1 + 1e-8, mixture_delta)}, "fails"),
        # The curve is its own inverse, so exchanged errors show only in where the supremum is attained.
        (curves.lemma_6, ONE, {"mixture_errors": lambda *given: mixture_errors(*given)[::-1]}, "fails"),
        (curves.corollary_3, DELTA, {}, "holds"),
        (curves.corollary_3, ONE, {"mixture_delta": times(1 + 1e-8, mixture_delta)}, "fails"),
        (curves.ex_post, EX_POST | {"alpha": [10.0]}, {"RWAdaBatch": Impatient}, "fails"),
    ],
)
def test_it_holds_and_what_is_wrong_is_caught(check: Any, grid: Any, mutants: Any, expected: str) -> None:
    assert verdict(check, grid, **mutants) == expected


def test_a_delta_a_thousandth_too_small_is_not_the_supremum(put: Any) -> None:
    right = curves._errors  # a threshold beside the right one gives more
    put(_errors=lambda s, w, mus: right(s + 0.001, w, mus))
    points = [point for point in curves.lemma_6(ONE, SEED) if point.where["what"] == "supremum"]
    assert decide(points) == "fails"


# as it is, and where the first batch is longer than the game
@each(("grid", "seed", "longer"), [(EX_POST, SEED, 5), (EX_POST | {"instances": 2, "T": 100}, 2, 100)])
def test_ex_post_holds_and_has_batches_to_permute(grid: Any, seed: int, longer: int) -> None:
    points = curves.ex_post(grid, seed)
    assert decide(points) == "holds"
    assert max(point.notes["largest_batch"] for point in points) > longer


def test_the_mixtures_are_random_ones_and_the_proxy_laws() -> None:
    made = list(curves._mixtures(DELTA, SEED))
    assert [where["mixture"] for where, _, _ in made] == ["random 0", "random 1", "proxy n=2"]
    for _, weights, mus in made:
        assert weights.sum() == pytest.approx(1, abs=1e-12)
        assert weights.shape == mus.shape
    np.testing.assert_array_equal(made[-1][1], proxy_pmf(500, 10.0, 2, 0.01, 4))
    np.testing.assert_allclose(made[-1][2], np.arange(1, 6) ** -0.5)
