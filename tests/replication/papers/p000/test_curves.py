"""Each check of trade-off curves gives the expected verdict on a small grid, and another for a mutant."""

from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

from private_experts.algorithms.rw_adabatch import RWAdaBatch
from private_experts.arrays import Array
from private_experts.privacy.gaussian_mechanism import delta, tradeoff
from private_experts.privacy.gaussian_mixtures import mixture_delta, mixture_errors, mixture_tradeoff
from private_experts.privacy.reports import Reports
from private_experts.replication.ledger.checking import points_of
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import curves
from private_experts.walks import proxy_pmf
from tests.each import each
from tests.replication.papers.remembered import remembered

CHECKED = curves
SEED = 1
LEMMA_1 = {"instances": 3, "tolerance": 1e-9}
LEMMA_2 = {"instances": 2, "n": [2], "largest": 16, "cells": 4000, "tolerance": 1e-4}
DELTA = {"instances": 2, "n": [2], "largest": 4, "epsilon": [0.0, 2.0], "reach": 4.0, "tolerance": 1e-10}
ONE = DELTA | {"instances": 1, "n": [], "epsilon": [2.0]}  # a single mixture shows what is wrong
# at 10, leaders do change inside batches
EX_POST = {"n": [2], "instances": 3, "T": 200, "alpha": [0.01, 10.0]}
COMPUTED = {name: remembered(getattr(curves, name)) for name in ("curve_between", "_best_tests", "proxy_pmf")}


@each(
    ("check", "grid"),
    [
        (curves.lemma_1, LEMMA_1),
        (curves.lemma_2, LEMMA_2),
        (curves.lemma_6, DELTA),
        (curves.corollary_3, DELTA),
    ],
)
def test_it_holds(check: Any, grid: dict[str, Any]) -> None:
    assert decide(points_of(check, grid, 2, SEED)) == "holds"


def test_points_of_drawn_instances_are_found_again_with_another_seed() -> None:
    places = [[point.where for point in curves.lemma_1(LEMMA_1 | {"instances": 1}, seed)] for seed in (1, 2)]
    assert places[0] == places[1]


def own_level_each(alphas: Array, weights: Array, mus: Array) -> Array:
    """A valid test, but not the best: each component is tested at the same level."""
    return tradeoff(alphas[:, None], mus) @ weights


def forgetting_e(epsilon: float, weights: Array, mus: Array) -> Any:
    return weights @ (ndtr(-epsilon / mus + mus / 2) - ndtr(-epsilon / mus - mus / 2))


class Impatient(RWAdaBatch):
    """Follows the leader of all reports so far, including those of the current batch."""

    def predict(self) -> Any:
        super().predict()
        return (self.total + self._buffer).argmax(axis=-1)


class Forgetful(RWAdaBatch):
    """Gives older reports less weight."""

    def update(self, report: Any) -> None:
        self._buffer *= 0.5
        super().update(report)


class Late(RWAdaBatch):
    """Counts the first report of a batch twice."""

    def update(self, report: Any) -> None:
        doubled = np.where(self._buffer == 0, 2, 1) * report.values
        super().update(Reports(doubled, report.guarantee, report.scale))


class Deaf(RWAdaBatch):
    """Forgets all reports of a batch but the last."""

    def update(self, report: Any) -> None:
        self._buffer[:] = 0
        super().update(report)


WRONG_DELTA = {
    "no e^epsilon": forgetting_e,
    "0.8 times the noise": lambda e, w, mus: mixture_delta(e, w, 1.25 * mus),
    "mu / B in the place of mu / sqrt(B)": lambda e, w, mus: mixture_delta(e, w, mus**2),
    "the mean level in the place of the mixture": lambda e, w, mus: delta(epsilon=e, mu=w @ mus),
    "digits lost": lambda e, w, mus: mixture_delta(e, w, mus) * (1 + 1e-8),
}
MUTANTS = {
    "mixture_tradeoff": [
        (curves.lemma_1, LEMMA_1, "mu sqrt(B)", lambda a, w, mus: mixture_tradeoff(a, w, 1 / mus)),
        (curves.lemma_1, LEMMA_1, "sizes reversed", lambda a, w, mus: mixture_tradeoff(a, w[::-1], mus)),
        (curves.lemma_1, LEMMA_1, "the wrong sign", lambda a, w, mus: -mixture_tradeoff(a, w, mus)),
        (curves.lemma_2, LEMMA_2, "one level in the place of one threshold", own_level_each),
        (
            curves.lemma_2,
            LEMMA_2,
            "0.8 times the noise",
            lambda a, w, mus: mixture_tradeoff(a, w, 1.25 * mus),
        ),
        (curves.lemma_2, LEMMA_2, "one Gaussian", lambda a, w, mus: tradeoff(a, np.sqrt(w @ mus**2))),
        (curves.lemma_2, LEMMA_2, "the power", lambda a, w, mus: 1 - mixture_tradeoff(a, w, mus)),
    ],
    "mixture_delta": [
        *((curves.lemma_6, ONE, name, mutant) for name, mutant in WRONG_DELTA.items()),
        *((curves.corollary_3, ONE, name, mutant) for name, mutant in WRONG_DELTA.items()),
    ],
    # The curve is its own inverse, so exchanged errors show only in where the supremum is attained.
    "mixture_errors": [
        (curves.lemma_6, ONE, "types exchanged", lambda s, w, mus: mixture_errors(s, w, mus)[::-1]),
        (curves.lemma_6, ONE, "0.8 times the noise", lambda s, w, mus: mixture_errors(s, w, 1.25 * mus)),
        (curves.lemma_6, ONE, "a threshold that is off", lambda s, w, mus: mixture_errors(s + 0.5, w, mus)),
    ],
    "RWAdaBatch": [
        (curves.ex_post, EX_POST | {"alpha": [10.0]}, mutant.__name__, mutant)
        for mutant in (Impatient, Forgetful, Late, Deaf)
    ],
}


@pytest.mark.parametrize(
    ("replaced", "check", "grid", "mutant"),
    [
        pytest.param(replaced, check, grid, mutant, id=f"{check.__name__}, {replaced}: {what}")
        for replaced, cases in MUTANTS.items()
        for check, grid, what, mutant in cases
    ],
)
def test_it_is_caught(replaced: str, check: Any, grid: dict[str, Any], mutant: Any, put: Any) -> None:
    put(**{replaced: mutant})
    assert decide(points_of(check, grid, 2, SEED)) == "fails"


def test_a_delta_a_thousandth_too_small_is_not_the_supremum(put: Any) -> None:
    right = curves._errors  # a threshold beside the right one gives more
    put(_errors=lambda s, w, mus: right(s + 0.001, w, mus))
    points = [point for point in curves.lemma_6(ONE, SEED) if point.where["what"] == "supremum"]
    assert decide(points) == "fails"


def test_ex_post_holds_and_has_batches_to_permute() -> None:
    points = curves.ex_post(EX_POST, SEED)
    assert decide(points) == "holds"
    assert max(point.notes["largest_batch"] for point in points) > 5


def test_ex_post_also_holds_where_the_first_batch_is_longer_than_the_game() -> None:
    points = curves.ex_post({"n": [2], "instances": 2, "T": 100, "alpha": [0.01, 10.0]}, 2)
    assert max(point.notes["largest_batch"] for point in points) > 100
    assert decide(points) == "holds"


def test_the_mixtures_are_random_ones_and_the_proxy_laws() -> None:
    made = list(curves._mixtures(DELTA, SEED))
    assert [where["mixture"] for where, _, _ in made] == ["random 0", "random 1", "proxy n=2"]
    for _, weights, mus in made:
        assert weights.sum() == pytest.approx(1, abs=1e-12)
        assert weights.shape == mus.shape
    np.testing.assert_array_equal(made[-1][1], proxy_pmf(500, 10.0, 2, 0.01, 4))
    np.testing.assert_allclose(made[-1][2], np.arange(1, 6) ** -0.5)
