"""Each check of switching gives the expected verdict on a small grid, and another one for a mutant."""

from typing import Any

import pytest

from private_experts.algorithms.rw_adabatch import RWAdaBatch
from private_experts.games.regret import switches as counted
from private_experts.games.streams import STREAMS
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import fixed_stream_regret, switches, switching
from private_experts.walks.gap import density
from tests.each import each
from tests.replication.papers.remembered import remembered

CHECKED = switches
SEED = 1
LAW = {"n": [2], "T": [200], "eta": 10.0, "tolerance": 0.1}
RATE = {"n": [2, 10], "T, tolerance": [[10000, 0.06], [1000000, 0.01]]}
ONE = {"n": [2], "T, tolerance": [[10000, 0.06]]}  # enough to show that the library's number is another
GROWTH = {"n": [2, 10], "T, tolerance": [[[250, 1000, 4000], 0.1], [[10000, 100000, 1000000], 0.01]]}
COUNT = {"n": [3, 10], "t": [1, 1000, 100000], "T": [2, 100, 1000000], "rounding": 1e-7}
FEW = COUNT | {"n": [3], "t": [1000], "T": [2, 100]}  # enough to show that the library's number is another
COMPUTED = {"expected": remembered(switches.expected)}
STREAMED = {"stream": ["zero", "alternating"], "n": [2], "T": [200], "eta": [10.0]}


class RestlessBatches(RWAdaBatch):
    """Changes the expert each round, whoever leads."""

    def predict(self) -> Any:
        return (super().predict() + self.completed) % self.total.shape[1]


@each(
    ("check", "grid", "repetitions"),
    [
        (switches.as_by_the_law, LAW, 8000),
        (switches.switch_rate, RATE, 2),
        (switches.switch_growth, GROWTH, 2),
        (switches.most_switches, COUNT, 2),
        (switches.most_switches_on_streams, STREAMED, 1000),
    ],
)
def test_it_holds(check: Any, grid: dict[str, Any], repetitions: int) -> None:
    assert decide(check(grid, *((repetitions, SEED) if repetitions > 2 else ()))) == "holds"


expected, most = switching.expected_changes, switching.most_changes
MUTANTS = [
    (switches.as_by_the_law, LAW, 2000, "expected_changes", lambda rounds, n: 1.25 * expected(rounds, n)),
    (switches.switch_rate, ONE, 2, "density", lambda e, n: 1.01 * density(e, n)),
    (switches.switch_rate, ONE, 2, "density", lambda e, n: 0.98 * density(e, n)),
    *(
        (switches.switch_growth, GROWTH | {"n": [2]}, 2, "expected_changes", mutant)
        for mutant in (lambda t, n: expected(t, n) * t**-0.02, lambda t, n: expected(t, n) * t**0.02)
    ),
    (switches.most_switches, FEW, 2, "most_changes", lambda rounds, n: 0.995 * most(rounds, n)),
    (
        switches.most_switches,
        FEW,
        2,
        "change_probability",
        lambda t, n: 1.001 * switching.change_probability(t, n),
    ),
    (switches.most_switches_on_streams, STREAMED, 4000, "most_changes", lambda *of: 0.75 * most(*of)),
]


@pytest.mark.parametrize(("check", "grid", "repetitions", "name", "mutant"), MUTANTS)
def test_it_is_caught(
    check: Any, grid: dict[str, Any], repetitions: int, name: str, mutant: Any, put: Any
) -> None:
    put(switches if hasattr(switches, name) else fixed_stream_regret, **{name: mutant})
    assert decide(check(grid, *((repetitions, SEED) if repetitions > 2 else ()))) == "fails"


def test_late_changes_and_long_sums_come_within_a_hundredth_of_their_bounds() -> None:
    points = switches.most_switches(COUNT | {"t": [100_000], "T": [1_000_000]})
    shares = [point.value for point in points if "what" not in point.where]
    assert len(shares) == 4
    assert min(shares) > 0.99


def more_switches() -> Any:
    """Return how many more switches RW-AdaBatch makes than RW-FTPL on the same reports, by repetition."""
    gains = STREAMS["zero"](300, 3)
    plain, batched = (
        counted(fixed_stream_regret.plays(name, gains, 50.0, 10.0, 200, SEED, "paths"))
        for name in ("rw-ftpl", "rw-adabatch")
    )
    return batched - plain


def test_batching_makes_no_more_switches_on_any_path(put: Any) -> None:
    """A batch keeps the action that RW-FTPL plays when it begins. [000, Section 3.1]"""
    more = more_switches()
    assert more.max() <= 0
    assert more.min() < 0
    put(fixed_stream_regret, RWAdaBatch=RestlessBatches)
    assert more_switches().max() > 0
