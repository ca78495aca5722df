"""Each check of switching gives the expected verdict on a small grid, and another one for a mutant."""

from typing import Any

import numpy as np
import pytest

from private_experts.algorithms.rw_adabatch import RWAdaBatch
from private_experts.algorithms.rw_ftpl import RWFTPL
from private_experts.games.regret import switches as counted
from private_experts.games.streams import STREAMS
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import fixed_stream_regret, switches
from private_experts.walks import switching
from private_experts.walks.gap import density

SEED = 1


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that replaces a name where the checks, or the plays, look for it."""
    return lambda name, value: monkeypatch.setattr(
        switches if hasattr(switches, name) else fixed_stream_regret, name, value
    )


class NoMemory(RWFTPL):
    """Follows the leader of the last report alone."""

    def update(self, report: Any) -> None:
        self.total = report.values.copy()


class FreshNoise(RWFTPL):
    """Perturbs its totals anew each round, with the noise scale that the walk has by then."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.rounds, self.rng = 0, rng_for(SEED, "fresh noise", *self.total.shape)

    def update(self, report: Any) -> None:
        self.rounds += 1
        self.total = np.sqrt(self.rounds + 1) * self.rng.standard_normal(self.total.shape)


class Stubborn(RWFTPL):
    """Never changes its action."""

    def update(self, report: Any) -> None:
        pass


class RestlessBatches(RWAdaBatch):
    """Changes the expert each round, whoever leads."""

    def predict(self) -> Any:
        return (super().predict() + self.completed) % self.total.shape[1]


LAW = {"n": [2], "T": [200], "eta": 10.0, "tolerance": 0.1}


def test_switches_are_as_many_as_the_law_says() -> None:
    assert decide(switches.switch_law(LAW, 8000, SEED)) == "holds"


@pytest.mark.parametrize("mutant", [FreshNoise, NoMemory, Stubborn])
def test_an_algorithm_that_switches_otherwise_is_caught(mutant: Any, put: Any) -> None:
    put("RWFTPL", mutant)
    if mutant is Stubborn:  # it never switches, and a sample without spread is refused
        with pytest.raises(ValueError, match="repetitions are equal"):
            switches.switch_law(LAW, 100, SEED)
    else:
        assert decide(switches.switch_law(LAW, 100, SEED)) == "fails"


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(lambda rounds, n: 1.25 * switching.expected_changes(rounds, n), id="a quarter more"),
        pytest.param(lambda rounds, n: switching.expected_changes(rounds, n + 1), id="one expert more"),
        pytest.param(lambda rounds, n: np.sqrt(2) * switching.expected_changes(rounds, n), id="both leaders' steps"),
    ],
)
def test_another_law_is_caught(mutant: Any, put: Any) -> None:
    put("expected_changes", mutant)
    assert decide(switches.switch_law(LAW, 2000, SEED)) == "fails"


RATE = {"n": [2, 10], "T, tolerance": [[10000, 0.06], [1000000, 0.01]]}
ONE = {"n": [2], "T, tolerance": [[10000, 0.06]]}  # enough to show that the library's number is another


def test_the_rate_of_switches_is_that_of_the_gap_density_at_0() -> None:
    assert decide(switches.switch_rate(RATE, 2, SEED)) == "holds"


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(lambda e, n: 1.01 * density(e, n), id="a density one percent high"),
        pytest.param(lambda e, n: 0.98 * density(e, n), id="a density two percent low"),
        pytest.param(lambda e, n: density(e, n + 1), id="one expert more"),
    ],
)
def test_another_rate_is_caught(mutant: Any, put: Any) -> None:
    put("density", mutant)
    assert decide(switches.switch_rate(RATE | ONE, 2, SEED)) == "fails"


GROWTH = {"n": [2, 10], "T, tolerance": [[[250, 1000, 4000], 0.1], [[10000, 100000, 1000000], 0.01]]}


def test_switches_grow_like_the_square_root() -> None:
    assert decide(switches.switch_growth(GROWTH, 2, SEED)) == "holds"


@pytest.mark.parametrize("power", [0.48, 0.52])
def test_switches_that_grow_otherwise_are_caught(power: float, put: Any) -> None:
    put("expected_changes", lambda rounds, n: switching.expected_changes(rounds, n) * rounds ** (power - 0.5))
    assert decide(switches.switch_growth(GROWTH | {"n": [2]}, 2, SEED)) == "fails"


COUNT = {"n": [3, 10], "t": [1, 1000, 100000], "T": [2, 100, 1000000], "rounding": 1e-7}
FEW = {"n": [3], "t": [1000], "T": [2, 100]}  # enough to show that the library's number is another
STREAMED = {"stream": ["zero", "alternating"], "n": [2], "T": [200], "eta": [10.0]}


def test_switches_are_as_few_as_the_bound_says() -> None:
    assert decide(switches.switch_count(COUNT, 2, SEED)) == "holds"
    assert decide(switches.switch_count_streams(STREAMED, 1000, SEED)) == "holds"


def test_a_bound_half_a_percent_too_small_is_caught_on_equal_means(put: Any) -> None:
    put("most_changes", lambda rounds, n: 0.995 * switching.most_changes(rounds, n))
    assert decide(switches.switch_count(COUNT | FEW, 2, SEED)) == "fails"


def test_a_change_a_thousandth_more_likely_is_caught(put: Any) -> None:
    put("change_probability", lambda t, n: 1.001 * switching.change_probability(t, n))
    assert decide(switches.switch_count(COUNT | FEW, 2, SEED)) == "fails"


def test_a_bound_a_quarter_too_small_is_caught_on_streams(put: Any) -> None:
    put("most_changes", lambda *of: 0.75 * switching.most_changes(*of))
    assert decide(switches.switch_count_streams(STREAMED, 4000, SEED)) == "fails"


@pytest.mark.parametrize("mutant", [FreshNoise, NoMemory])
def test_more_switches_than_the_bound_says_are_caught(mutant: Any, put: Any) -> None:
    put("RWFTPL", mutant)
    assert decide(switches.switch_count_streams(STREAMED | {"stream": ["zero"]}, 50, SEED)) == "fails"


BATCHED = {"n": [2, 10], "T": [200], "eta": [1.0, 50.0], "alpha": [0.01, 10.0]}


def test_batching_makes_no_more_switches() -> None:
    assert decide(switches.batched_switches(BATCHED, 50, SEED)) == "holds"


def test_batching_makes_no_more_switches_on_any_path() -> None:
    gains = STREAMS["zero"](300, 3)
    plain, batched = (
        counted(fixed_stream_regret.plays(name, gains, 50.0, 10.0, 200, SEED, "paths"))
        for name in ("rw-ftpl", "rw-adabatch")
    )
    assert (batched <= plain).all()  # a batch is a round of RW-FTPL that lasts
    assert (batched < plain).any()


def test_batching_that_makes_more_switches_is_caught(put: Any) -> None:
    put("RWAdaBatch", RestlessBatches)
    assert decide(switches.batched_switches(BATCHED | {"n": [2], "eta": [50.0]}, 50, SEED)) == "fails"
