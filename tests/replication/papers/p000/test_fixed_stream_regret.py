"""Each check of regret gives the expected verdict on a small grid, and another one for a mutant."""

from typing import Any

import numpy as np
import pytest

from private_experts.algorithms import rw_adabatch
from private_experts.algorithms.rw_adabatch import RWAdaBatch
from private_experts.algorithms.rw_ftpl import RWFTPL
from private_experts.algorithms.tree_ftpl import TreeFTPL
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import fixed_stream_regret
from private_experts.walks import compute_delay
from tests.each import each

SEED = 1


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that replaces a name in the module of the checks."""
    return lambda name, value: monkeypatch.setattr(fixed_stream_regret, name, value)


class SecondBest(RWFTPL):
    """Plays the runner-up."""

    def predict(self) -> Any:
        return np.argsort(self.total, axis=-1)[:, -2]


class NoMemory(RWFTPL):
    """Follows the leader of the last report alone."""

    def update(self, report: Any) -> None:
        self.total = report.values.copy()


class SecondBestBatches(RWAdaBatch):
    """Plays the expert that was second when the batch began."""

    def predict(self) -> Any:
        super().predict()
        return np.argsort(self.total, axis=-1)[:, -2]


REGRET = {"stream": ["easy", "turncoat"], "n": [2], "T": [400], "eta": [1.4142], "alpha": [0.01]}
CHECKS = {
    "rw-ftpl": (fixed_stream_regret.regret_rw_ftpl, "RWFTPL", SecondBest),
    "rw-adabatch": (fixed_stream_regret.corollary_2, "RWAdaBatch", SecondBestBatches),
}


@each("name", CHECKS)
def test_the_regret_bound_holds_for(name: str) -> None:
    assert decide(CHECKS[name][0](REGRET, 30, SEED)) == "holds"


@pytest.mark.parametrize("name", CHECKS)
def test_the_regret_of_playing_the_runner_up_is_caught_in(name: str, put: Any) -> None:
    check, algorithm, mutant = CHECKS[name]
    put(algorithm, mutant)
    assert decide(check(REGRET, 30, SEED)) == "fails"


@pytest.mark.parametrize("name", CHECKS)
def test_a_regret_bound_whose_square_root_forgets_the_rounds_is_caught_in(name: str, put: Any) -> None:
    bound = fixed_stream_regret.bound
    put("bound", lambda eta, n, horizon: bound(eta, n, 1))
    grid = REGRET | {"stream": ["easy"], "eta": [5.0]}
    assert decide(CHECKS[name][0](grid, 60, SEED)) == "fails"


def test_the_regret_of_an_algorithm_that_forgets_is_caught(put: Any) -> None:
    put("RWFTPL", NoMemory)
    grid = REGRET | {"stream": ["easy"], "T": [1600], "eta": [5.0]}
    assert decide(fixed_stream_regret.regret_rw_ftpl(grid, 20, SEED)) == "fails"


def test_the_regret_of_noise_of_thirty_times_the_scale_is_caught(put: Any) -> None:
    reports = fixed_stream_regret.private_reports
    put("private_reports", lambda gains, promised, reach, *rest: reports(gains, promised, 30 * reach, *rest))
    assert decide(fixed_stream_regret.regret_rw_ftpl(REGRET | {"stream": ["easy"], "T": [1600]}, 60, SEED)) == "fails"


class Unbatched(RWAdaBatch):
    """Looks for its leader in each round, so it is RW-FTPL."""

    def update(self, report: Any) -> None:
        super().update(report)
        self.total += self._buffer
        self._buffer[:] = 0.0
        self._remaining[:] = 0


BATCHING = {"stream": ["turncoat"], "n": [2], "T, alpha": [[50, 0.01]], "eta": [1.4142], "least": 40}


def test_batching_costs_no_more_than_is_allowed_and_that_is_known_from_many_runs_without_any_difference() -> None:
    [point] = fixed_stream_regret.batching_regret(BATCHING, 12, SEED)
    assert decide([point]) == "holds"
    assert point.notes["share_differing"] == 0
    assert point.interval[1] > 0.5 * point.bound  # no run differed, and this is all that so many runs can say
    assert decide(fixed_stream_regret.batching_regret(BATCHING, 3, SEED)) == "undecided"


def test_at_a_large_tolerance_plays_differ_and_batching_still_costs_little() -> None:
    points = fixed_stream_regret.batching_regret(BATCHING | {"n": [2, 10], "T, alpha": [[100, 1.0]]}, 12, SEED)
    assert decide(points) == "holds"
    assert points[1].notes["share_differing"] > 0.1


@pytest.mark.parametrize(("factor", "repetitions"), [(2, 24), (3, 12)])
def test_batches_larger_than_allowed_are_caught_by_what_they_cost(
    factor: int, repetitions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rw_adabatch, "compute_delay", lambda *arguments: factor * compute_delay(*arguments))
    assert decide(fixed_stream_regret.batching_regret(BATCHING, repetitions, SEED)) == "fails"


def test_batches_that_mind_no_drift_are_caught_by_what_they_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    def driftless(gap: Any, eta: Any, n: int, alpha: float, completed: Any, rho: float) -> Any:
        return compute_delay(gap, eta, n, alpha, completed, 0.0)

    monkeypatch.setattr(rw_adabatch, "compute_delay", driftless)
    assert decide(fixed_stream_regret.batching_regret(BATCHING | {"T, alpha": [[400, 0.01]]}, 3, SEED)) == "fails"


def test_both_algorithms_play_on_the_same_reports(put: Any) -> None:
    put("RWAdaBatch", Unbatched)
    [point] = fixed_stream_regret.batching_regret(BATCHING | {"T, alpha": [[400, 1.0]]}, 1, SEED)
    assert (point.value, point.notes["share_differing"]) == (0.0, 0.0)


def test_bounds_that_any_play_meets_are_left_out() -> None:
    grid = REGRET | {"T": [50, 400], "n": [2, 100], "eta": [5.0]}
    points = fixed_stream_regret.regret_rw_ftpl(grid, 3, SEED)
    assert {(point.where["n"], point.where["T"]) for point in points} == {(2, 50), (2, 400), (100, 400)}
    assert all(point.bound < point.where["T"] for point in points)


ETA = {"s": [0.01, 100.0], "n": [2, 1000], "T": [1, 100], "points": [0.5, 1.0, 1.5]}


def test_best_eta_holds() -> None:
    assert decide(fixed_stream_regret.best_eta(ETA, 2, SEED)) == "holds"


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(lambda eta, n, t: (eta + 1 / eta) * np.sqrt(2 * t * np.log(n)), id="1 / eta"),
        pytest.param(lambda eta, n, t: (eta + 2 / eta) * np.sqrt(t * np.log(n)), id="no 2 under the root"),
        pytest.param(lambda eta, n, t: (2 * eta + 1 / eta) * np.sqrt(2 * t * np.log(n)), id="the terms exchanged"),
        pytest.param(lambda eta, n, t: (1 - 1e-12) * (eta + 2 / eta) * np.sqrt(2 * t * np.log(n)), id="digits lost"),
    ],
)
def test_best_eta_catches_a_bound_with(mutant: Any, put: Any) -> None:
    put("bound", mutant)
    assert decide(fixed_stream_regret.best_eta(ETA, 2, SEED)) == "fails"


@pytest.mark.parametrize("mutant", [lambda s: 2 * (0.999 * s + 1 / s), lambda s: 1.9999 * (s + 1 / s)])
def test_best_eta_catches_a_least_value_elsewhere(mutant: Any, put: Any) -> None:
    put("_bound_over_root", mutant)
    assert decide(fixed_stream_regret.best_eta(ETA, 2, SEED)[:1]) != "holds"


class BackwardTree(TreeFTPL):
    """Plays the expert that is furthest behind."""

    def predict(self) -> Any:
        return self._sums.release().argmin(axis=-1)


TREE = {"stream": ["easy"], "n": [4], "T": [256], "mu": [1000.0]}


def test_the_tree_baseline_is_under_its_bound() -> None:
    assert decide(fixed_stream_regret.tree_regret(TREE, 50, SEED)) == "holds"


def test_a_tree_baseline_that_plays_the_worst_expert_is_caught(put: Any) -> None:
    put("TreeFTPL", BackwardTree)
    assert decide(fixed_stream_regret.tree_regret(TREE, 50, SEED)) == "fails"


def test_a_bound_that_falls_with_the_privacy_level_is_caught_at_almost_no_privacy_alone() -> None:
    assert decide(fixed_stream_regret.tree_rate_printed(TREE | {"stream": ["coin-flips"]}, 50, SEED)) == "fails"
    assert (
        decide(fixed_stream_regret.tree_rate_printed(TREE | {"stream": ["coin-flips"], "mu": [8.0]}, 50, SEED))
        == "holds"
    )
    (empty,) = fixed_stream_regret.tree_rate_printed(TREE | {"mu": [1.0]}, 50, SEED)
    assert empty.vacuous
