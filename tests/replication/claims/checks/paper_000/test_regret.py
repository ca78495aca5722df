"""Each check of regret and switching gives the expected verdict on a small grid, and another one for a mutant."""

from typing import Any

import numpy as np
import pytest

from private_experts.algorithms import rw_adabatch
from private_experts.algorithms.rw_adabatch import RWAdaBatch
from private_experts.algorithms.rw_ftpl import RWFTPL
from private_experts.algorithms.tree_ftpl import TreeFTPL
from private_experts.games.regret import switches
from private_experts.games.streams import STREAMS
from private_experts.randomness import rng_for
from private_experts.replication.claims.checks.paper_000 import regret
from private_experts.replication.claims.evidence import decide
from private_experts.walks import compute_delay
from private_experts.walks.gap import density
from tests.each import each

SEED = 1


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that replaces a name in the module of the checks."""
    return lambda name, value: monkeypatch.setattr(regret, name, value)


class SecondBest(RWFTPL):
    """Plays the runner-up."""

    def predict(self) -> Any:
        return np.argsort(self.total, axis=-1)[:, -2]


class NoMemory(RWFTPL):
    """Follows the leader of the last report alone."""

    def update(self, gains: Any) -> None:
        self.total = gains.copy()


class FreshNoise(RWFTPL):
    """Perturbs its totals anew each round, with the noise scale that the walk has by then."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.rounds, self.rng = 0, rng_for(SEED, "fresh noise", *self.total.shape)

    def update(self, gains: Any) -> None:
        self.rounds += 1
        self.total = np.sqrt(self.rounds + 1) * self.rng.standard_normal(self.total.shape)


class Stubborn(RWFTPL):
    """Never changes its action."""

    def update(self, gains: Any) -> None:
        pass


class SecondBestBatches(RWAdaBatch):
    """Plays the expert that was second when the batch began."""

    def predict(self) -> Any:
        super().predict()
        return np.argsort(self.total, axis=-1)[:, -2]


class RestlessBatches(RWAdaBatch):
    """Changes the expert each round, whoever leads."""

    def predict(self) -> Any:
        return (super().predict() + self.completed) % self.total.shape[1]


REGRET = {"stream": ["easy", "turncoat"], "n": [2], "T": [400], "eta": [1.4142], "alpha": 0.01}
CHECKS = {
    "rw-ftpl": (regret.regret_rw_ftpl, "RWFTPL", SecondBest),
    "rw-adabatch": (regret.corollary_2, "RWAdaBatch", SecondBestBatches),
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
    bound = regret.bound
    put("bound", lambda eta, n, horizon: bound(eta, n, 1))
    grid = REGRET | {"stream": ["easy"], "eta": [5.0]}
    assert decide(CHECKS[name][0](grid, 60, SEED)) == "fails"


def test_the_regret_of_an_algorithm_that_forgets_is_caught(put: Any) -> None:
    put("RWFTPL", NoMemory)
    grid = REGRET | {"stream": ["easy"], "T": [1600], "eta": [5.0]}
    assert decide(regret.regret_rw_ftpl(grid, 20, SEED)) == "fails"


def test_the_regret_of_noise_of_thirty_times_the_scale_is_caught(put: Any) -> None:
    reports = regret.private_reports
    put("private_reports", lambda gains, scales, *rest: reports(gains, [30 * each for each in scales], *rest))
    assert decide(regret.regret_rw_ftpl(REGRET | {"stream": ["easy"], "T": [1600]}, 60, SEED)) == "fails"


BATCHING = {"stream": ["turncoat"], "n": [2], "T": [400], "eta": [1.4142], "alpha": 0.01}


def test_batching_costs_no_more_than_is_allowed() -> None:
    assert decide(regret.batching_regret(BATCHING, 300, SEED)) == "holds"


@pytest.mark.parametrize("factor", [2, 4])
def test_batches_larger_than_allowed_are_caught_by_what_they_cost(factor: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rw_adabatch, "compute_delay", lambda *arguments: factor * compute_delay(*arguments))
    assert decide(regret.batching_regret(BATCHING, 300, SEED)) == "fails"


def test_batches_that_mind_no_drift_are_caught_by_what_they_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    def driftless(gap: Any, eta: Any, n: int, alpha: float, completed: Any, rho: float) -> Any:
        return compute_delay(gap, eta, n, alpha, completed, 0.0)

    monkeypatch.setattr(rw_adabatch, "compute_delay", driftless)
    assert decide(regret.batching_regret(BATCHING, 300, SEED)) == "fails"


ETA = {"n": [2, 1000], "T": [1, 100], "eta": [0.5, 1.4, 1.43, 2.0], "tolerance": 1e-14}


def test_best_eta_holds() -> None:
    assert decide(regret.best_eta(ETA, 2, SEED)) == "holds"


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(lambda eta, n, t: (eta + 1 / eta) * np.sqrt(2 * t * np.log(n)), id="1 / eta"),
        pytest.param(lambda eta, n, t: (eta + 2 / eta) * np.sqrt(t * np.log(n)), id="no 2 under the root"),
        pytest.param(lambda eta, n, t: (eta + 2 / eta) * 2 * t * np.log(n), id="no square root"),
        pytest.param(lambda eta, n, t: (2 * eta + 1 / eta) * np.sqrt(2 * t * np.log(n)), id="the terms exchanged"),
        pytest.param(lambda eta, n, t: 0.8 * (eta + 2 / eta) * np.sqrt(2 * t * np.log(n)), id="20 percent too small"),
    ],
)
def test_best_eta_catches_a_bound_with(mutant: Any, put: Any) -> None:
    put("bound", mutant)
    assert decide(regret.best_eta(ETA, 2, SEED)) == "fails"


# Switching

GROWTH = {"n": [2, 10], "T": [100, 400, 1600], "batches": 20, "tolerance": 0.1}


def test_switches_grow_like_the_square_root() -> None:
    assert decide(regret.switch_growth(GROWTH, 1200, SEED)) == "holds"


@pytest.mark.parametrize("mutant", [FreshNoise, NoMemory])
def test_switches_that_grow_otherwise_are_caught(mutant: Any, put: Any) -> None:
    put("RWFTPL", mutant)
    assert decide(regret.switch_growth(GROWTH | {"T": [100, 400]}, 200, SEED)) == "fails"


COUNT = {"n": [2, 10], "T": [400], "constant": 2.0}


def test_switches_are_as_few_as_the_claim_says() -> None:
    assert decide(regret.switch_count(COUNT, 200, SEED)) == "holds"


def test_a_constant_of_three_tenths_is_caught() -> None:
    assert decide(regret.switch_count(COUNT | {"constant": 0.3}, 200, SEED)) == "fails"


@pytest.mark.parametrize(("name", "mutant"), [("RWFTPL", FreshNoise), ("RWAdaBatch", RestlessBatches)])
def test_more_switches_than_the_claim_says_are_caught(name: str, mutant: Any, put: Any) -> None:
    put(name, mutant)
    assert decide(regret.switch_count(COUNT, 50, SEED)) == "fails"


RATE = {"n": [2], "T": [2000], "tolerance": 0.12}


def test_the_rate_of_switches_is_that_of_the_gap_density_at_0() -> None:
    assert decide(regret.switch_rate(RATE, 2500, SEED)) == "holds"


@pytest.mark.parametrize(
    ("name", "mutant"),
    [
        pytest.param("density", lambda e, n: 1.3 * density(e, n), id="a density 30 percent high"),
        pytest.param("density", lambda e, n: density(e, n) / 1.3, id="a density 23 percent low"),
        pytest.param("density", lambda e, n: density(e, n + 1), id="one expert more"),
        pytest.param("RWFTPL", FreshNoise, id="fresh noise"),
        pytest.param("RWFTPL", Stubborn, id="no switches"),
    ],
)
def test_another_rate_is_caught(name: str, mutant: Any, put: Any) -> None:
    put(name, mutant)
    assert decide(regret.switch_rate(RATE, 2500 if name == "density" else 100, SEED)) == "fails"


def test_a_density_10_percent_high_is_no_longer_the_rate(put: Any) -> None:
    put("density", lambda e, n: 1.1 * density(e, n))
    assert decide(regret.switch_rate(RATE, 2500, SEED)) != "holds"


BATCHED = {"n": [2, 10], "T": [400], "eta": [1.0, 50.0], "alpha": [0.01, 10.0]}


def test_batching_makes_no_more_switches() -> None:
    assert decide(regret.batched_switches(BATCHED, 100, SEED)) == "holds"


def test_batching_makes_no_more_switches_on_any_path() -> None:
    gains = STREAMS["zero"](300, 3)
    plain, batched = (
        switches(regret._plays(name, gains, 50.0, 10.0, 200, SEED, "paths")) for name in ("rw-ftpl", "rw-adabatch")
    )
    assert (batched <= plain).all()  # a batch is a round of RW-FTPL that lasts
    assert (batched < plain).any()


def test_batching_that_makes_more_switches_is_caught(put: Any) -> None:
    put("RWAdaBatch", RestlessBatches)
    assert decide(regret.batched_switches(BATCHED, 100, SEED)) == "fails"


class Unbatched(RWAdaBatch):
    """Looks for its leader in each round, so it is RW-FTPL."""

    def update(self, gains: Any) -> None:
        super().update(gains)
        self.total += self._buffer
        self._buffer[:] = 0.0
        self._remaining[:] = 0


@pytest.mark.parametrize(("check", "grid"), [(regret.batched_switches, BATCHED), (regret.batching_regret, BATCHING)])
def test_both_algorithms_play_on_the_same_reports(check: Any, grid: Any, put: Any) -> None:
    put("RWAdaBatch", Unbatched)
    points = check(grid, 20, SEED)
    assert {point.interval for point in points} == {(0.0, 0.0)}


class BackwardTree(TreeFTPL):
    """Plays the expert that is furthest behind."""

    def predict(self) -> Any:
        return self._sums.release().argmin(axis=-1)


TREE = {"stream": ["easy"], "n": [4], "T": [256], "mu": [1000.0]}


def test_the_tree_baseline_is_under_its_bound() -> None:
    assert decide(regret.tree_regret(TREE, 50, SEED)) == "holds"


def test_a_tree_baseline_that_plays_the_worst_expert_is_caught(put: Any) -> None:
    put("TreeFTPL", BackwardTree)
    assert decide(regret.tree_regret(TREE, 50, SEED)) == "fails"


def test_a_bound_that_falls_with_the_privacy_level_is_caught_at_almost_no_privacy_alone() -> None:
    assert decide(regret.tree_rate_printed(TREE | {"stream": ["coin-flips"]}, 50, SEED)) == "fails"
    assert decide(regret.tree_rate_printed(TREE | {"stream": ["coin-flips"], "mu": [0.25]}, 50, SEED)) == "holds"
