"""Each check of the trade-off curves gives the expected verdict on a small grid, and another one for a mutant."""

from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

from private_experts.algorithms.rw_adabatch import RWAdaBatch
from private_experts.privacy.gaussian_mechanism import delta, tradeoff
from private_experts.privacy.gaussian_mixtures import mixture_delta, mixture_errors, mixture_tradeoff
from private_experts.privacy.reports import Reports
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import curves
from private_experts.walks import proxy_pmf
from tests.each import each
from tests.replication.papers.remembered import remembered

SEED = 1
Floats = np.ndarray[Any, Any]


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that replaces a name in the module of the checks."""
    return lambda name, value: monkeypatch.setattr(curves, name, value)


COMPUTED = {name: remembered(getattr(curves, name)) for name in ("curve_between", "_best_tests", "proxy_pmf")}


@pytest.fixture(autouse=True)
def computed_once(put: Any) -> None:
    """Compute each curve and each law once for all tests that compare it with another."""
    for name, function in COMPUTED.items():
        put(name, function)


LEMMA_1 = {"instances": 3, "tolerance": 1e-9}
LEMMA_2 = {"instances": 2, "n": [2], "largest": 16, "cells": 4000, "tolerance": 1e-4}
DELTA = {"instances": 2, "n": [2], "largest": 4, "epsilon": [0.0, 2.0], "reach": 4.0, "tolerance": 1e-10}
ONE = DELTA | {"instances": 1, "n": [], "epsilon": [2.0]}  # a single mixture shows what is wrong


def test_lemma_1_holds() -> None:
    assert decide(curves.lemma_1(LEMMA_1, 2, SEED)) == "holds"


def test_points_of_drawn_instances_are_found_again_with_another_seed() -> None:
    places = [[point.where for point in curves.lemma_1(LEMMA_1 | {"instances": 1}, 2, seed)] for seed in (1, 2)]
    assert places[0] == places[1]


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(lambda alphas, weights, mus: mixture_tradeoff(alphas, weights, 1 / mus), id="mu sqrt(B)"),
        pytest.param(lambda alphas, weights, mus: mixture_tradeoff(alphas, weights[::-1], mus), id="sizes reversed"),
        pytest.param(lambda alphas, weights, mus: -mixture_tradeoff(alphas, weights, mus), id="the wrong sign"),
    ],
)
def test_lemma_1_catches(mutant: Any, put: Any) -> None:
    put("mixture_tradeoff", mutant)
    assert decide(curves.lemma_1(LEMMA_1, 2, SEED)) == "fails"


def test_lemma_2_holds() -> None:
    assert decide(curves.lemma_2(LEMMA_2, 2, SEED)) == "holds"


def own_level_each(alphas: Floats, weights: Floats, mus: Floats) -> Floats:
    """A valid test, but not the best: each component is tested at the same level."""
    return tradeoff(alphas[:, None], mus) @ weights


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(own_level_each, id="one level in the place of one threshold"),
        pytest.param(lambda a, w, mus: mixture_tradeoff(a, w, 1.25 * mus), id="0.8 times the noise"),
        pytest.param(lambda a, w, mus: tradeoff(a, np.sqrt(w @ mus**2)), id="one Gaussian in the place of a mixture"),
        pytest.param(lambda a, w, mus: 1 - mixture_tradeoff(a, w, mus), id="the power in the place of the error"),
    ],
)
def test_lemma_2_catches(mutant: Any, put: Any) -> None:
    put("mixture_tradeoff", mutant)
    assert decide(curves.lemma_2(LEMMA_2, 2, SEED)) == "fails"


@each("check", [curves.lemma_6, curves.corollary_3])
def test_delta_holds_in(check: Any) -> None:
    assert decide(check(DELTA, 2, SEED)) == "holds"


def forgetting_e(epsilon: float, weights: Floats, mus: Floats) -> Any:
    return weights @ (ndtr(-epsilon / mus + mus / 2) - ndtr(-epsilon / mus - mus / 2))


WRONG_DELTA = [
    pytest.param(forgetting_e, id="no e^epsilon"),
    pytest.param(lambda e, w, mus: mixture_delta(e, w, 1.25 * mus), id="0.8 times the noise"),
    pytest.param(lambda e, w, mus: mixture_delta(e, w, mus**2), id="mu / B in the place of mu / sqrt(B)"),
    pytest.param(lambda e, w, mus: delta(e, w @ mus), id="the mean level in the place of the mixture"),
    pytest.param(lambda e, w, mus: mixture_delta(e, w, mus) * (1 + 1e-8), id="digits lost"),
]


@pytest.mark.parametrize("mutant", WRONG_DELTA)
@pytest.mark.parametrize("check", [curves.lemma_6, curves.corollary_3])
def test_a_wrong_delta_is_caught(check: Any, mutant: Any, put: Any) -> None:
    put("mixture_delta", mutant)
    assert decide(check(ONE, 2, SEED)) == "fails"


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(lambda s, w, mus: mixture_errors(s, w, mus)[::-1], id="type I and type II exchanged"),
        pytest.param(lambda s, w, mus: mixture_errors(s, w, 1.25 * mus), id="0.8 times the noise"),
        pytest.param(lambda s, w, mus: mixture_errors(s + 0.5, w, mus), id="a threshold that is off"),
    ],
)
def test_lemma_6_catches_errors_with(mutant: Any, put: Any) -> None:
    # The curve is its own inverse, so exchanged errors show only in where the supremum is attained.
    put("mixture_errors", mutant)
    assert decide(curves.lemma_6(ONE, 2, SEED)) == "fails"


def test_a_delta_a_thousandth_too_small_is_not_the_supremum(put: Any) -> None:
    right = curves._errors  # a threshold beside the right one gives more
    put("_errors", lambda s, w, mus: right(s + 0.001, w, mus))
    points = [point for point in curves.lemma_6(ONE, 2, SEED) if point.where["what"] == "supremum"]
    assert decide(points) == "fails"


# With the larger tolerance, leaders do change inside batches.
EX_POST = {"n": [2], "instances": 3, "T": 200, "alpha": [0.01, 10.0]}


def test_ex_post_holds_and_has_batches_to_permute() -> None:
    points = curves.ex_post(EX_POST, 2, SEED)
    assert decide(points) == "holds"
    assert max(point.notes["largest_batch"] for point in points) > 5


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


@pytest.mark.parametrize("mutant", [Impatient, Forgetful, Late, Deaf])
def test_ex_post_catches_actions_that_depend_on_more_than_a_batchs_sum(mutant: Any, put: Any) -> None:
    put("RWAdaBatch", mutant)
    assert decide(curves.ex_post(EX_POST | {"alpha": [10.0]}, 2, SEED)) == "fails"


AMPLIFICATION = {"n": [2, 100], "t": 500, "largest": 64, "epsilon": [0.0, 1.0]}


def test_amplification_holds() -> None:
    assert decide(curves.amplification(AMPLIFICATION, 2, SEED)) == "holds"


@pytest.mark.parametrize(
    ("name", "mutant"),
    [
        pytest.param("mixture_delta", lambda e, w, mus: mixture_delta(e, w, 1 / mus), id="mu sqrt(B)"),
        pytest.param("mixture_delta", lambda e, w, mus: mixture_delta(e, w, 1.25 * mus), id="0.8 times the noise"),
        pytest.param("mixture_delta", forgetting_e, id="no e^epsilon"),
        pytest.param("delta", lambda e, mu: 0.8 * delta(e, mu), id="a bound 20 percent too small"),
    ],
)
def test_amplification_catches(name: str, mutant: Any, put: Any) -> None:
    put(name, mutant)
    assert decide(curves.amplification(AMPLIFICATION, 2, SEED)) == "fails"


def test_the_mixtures_are_random_ones_and_the_proxy_laws() -> None:
    made = list(curves._mixtures(DELTA, SEED))
    assert [where["mixture"] for where, _, _ in made] == ["random 0", "random 1", "proxy n=2"]
    for _, weights, mus in made:
        assert weights.sum() == pytest.approx(1, abs=1e-12)
        assert weights.shape == mus.shape
    np.testing.assert_array_equal(made[-1][1], proxy_pmf(500, 10.0, 2, 0.01, 4))
    np.testing.assert_allclose(made[-1][2], np.arange(1, 6) ** -0.5)
