"""Each check of regret gives the expected verdict on a small grid, and another one for a mutant."""

from typing import Any

import numpy as np
import pytest

from private_experts.algorithms import rw_adabatch
from private_experts.algorithms.rw_adabatch import RWAdaBatch
from private_experts.algorithms.rw_ftpl import RWFTPL
from private_experts.algorithms.tree_ftpl import TreeFTPL
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import fixed_stream_regret
from private_experts.replication.papers.p000.fixed_stream_regret import (
    batching_regret,
    best_eta,
    corollary_2,
    regret_rw_ftpl,
    tree_regret,
)
from private_experts.walks.delay import sizes_now
from tests.each import each
from tests.replication.papers.p000.mutants import deaf
from tests.replication.papers.small_checks import SEED, found, times, verdict

CHECKED = fixed_stream_regret
REGRET = {"stream": ["easy", "turncoat"], "n": [2], "T": [400], "eta": [1.4142], "alpha": [0.01]}
LONG = REGRET | {"stream": ["easy"], "T": [1600]}
BATCHING = {"stream": ["turncoat"], "n": [2], "T, alpha": [[50, 0.01]], "eta": [1.4142], "least": 40}
ETA = {"s": [0.01, 100.0], "n": [2, 1000], "T": [1, 100], "points": [0.5, 1.0, 1.5]}
TREE = {"stream": ["easy"], "n": [4], "T": [256], "mu": [1000.0]}
COINS = TREE | {"stream": ["coin-flips"]}


def second_best(player: type) -> type:
    """Return an algorithm that plays the runner-up, of the time when a batch began where there are any."""

    def predict(self: Any) -> Any:
        player.predict(self)  # type: ignore[attr-defined]
        return np.argsort(self.total, axis=-1)[:, -2]

    return type("SecondBest", (player,), {"predict": predict})


class Unbatched(RWAdaBatch):
    """Looks for its leader in each round, so it is RW-FTPL."""

    def update(self, report: Any) -> None:
        super().update(report)
        self.total += self._buffer
        self._buffer[:] = 0.0
        self._remaining[:] = 0


class AtRandom(RWFTPL):
    """Plays uniformly at random, whatever it sees."""

    def predict(self) -> Any:
        return rng_for(SEED, float(self.total.sum())).integers(0, self.total.shape[-1], len(self.total))


def bounds(factor: float = 1.0, over: float = 2.0, under: float = 2.0, first: float = 1.0) -> Any:
    return lambda eta, n, t: factor * (first * eta + over / eta) * np.sqrt(under * t * np.log(n))


@each(
    ("check", "grid", "repetitions", "mutants", "expected"),
    [
        (regret_rw_ftpl, REGRET, 30, {}, "holds"),
        (regret_rw_ftpl, REGRET, 30, {"RWFTPL": second_best(RWFTPL)}, "fails"),
        (corollary_2, REGRET, 30, {}, "holds"),
        (corollary_2, REGRET, 30, {"RWAdaBatch": second_best(RWAdaBatch)}, "fails"),
        (tree_regret, TREE, 50, {}, "holds"),
        # with no more noise than privacy needs at this level the leader would be wrong in each round
        (tree_regret, TREE | {"stream": ["alternating"]}, 50, {}, "holds"),
        (tree_regret, TREE, 50, {"TreeFTPL": deaf(TreeFTPL)}, "fails"),
        # batches larger than allowed, by what they cost; the second without drift
        (batching_regret, BATCHING, 12, {"sizes_now": times(3, sizes_now)}, "fails"),
        (
            batching_regret,
            BATCHING | {"T, alpha": [[400, 0.01]]},
            3,
            {"sizes_now": lambda *given: sizes_now(*given[:-1], 0.0)},
            "fails",
        ),
        (best_eta, ETA, 2, {}, "holds"),
        (best_eta, ETA, 2, {"bound": bounds(over=1.0, first=2.0)}, "fails"),
        (best_eta, ETA, 2, {"bound": bounds(factor=1 - 1e-12)}, "fails"),
    ],
)
def test_it_holds_and_what_is_wrong_is_caught(
    check: Any, grid: Any, repetitions: int, mutants: Any, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as put:
        put.setattr(rw_adabatch, "sizes_now", mutants.get("sizes_now", sizes_now))
        others = {name: mutant for name, mutant in mutants.items() if name != "sizes_now"}
        assert verdict(check, grid, repetitions, **others) == expected


def test_batching_costs_no_more_than_is_allowed_and_that_is_known_from_many_runs_without_any_difference() -> (
    None
):
    [point] = batching_regret(BATCHING, 12, SEED)
    assert decide([point]) == "holds"
    assert point.notes["share_differing"] == 0
    assert point.interval[1] > 0.5 * point.bound  # no run differed, and this is all that so many runs can say
    assert decide(batching_regret(BATCHING, 3, SEED)) == "undecided"


def test_at_a_large_tolerance_plays_differ_and_batching_still_costs_little() -> None:
    points = batching_regret(BATCHING | {"n": [2, 10], "T, alpha": [[100, 1.0]]}, 12, SEED)
    assert decide(points) == "holds"
    assert points[1].notes["share_differing"] > 0.1


def test_both_algorithms_play_on_the_same_reports(put: Any) -> None:
    put(RWAdaBatch=Unbatched)
    [point] = batching_regret(BATCHING | {"T, alpha": [[400, 1.0]]}, 1, SEED)
    assert (point.value, point.notes["share_differing"]) == (0.0, 0.0)


def test_bounds_that_any_play_meets_are_left_out() -> None:
    points = regret_rw_ftpl(REGRET | {"T": [50, 400], "n": [2, 100], "eta": [5.0]}, 3, SEED)
    assert {(point.where["n"], point.where["T"]) for point in points} == {(2, 50), (2, 400), (100, 400)}
    assert all(point.bound < point.where["T"] for point in points)


@each("mutant", [lambda s: 2 * (0.999 * s + 1 / s), lambda s: 1.9999 * (s + 1 / s)])
def test_best_eta_catches_a_least_value_elsewhere(mutant: Any) -> None:
    assert decide(found(best_eta, ETA, _bound_over_root=mutant)[:1]) != "holds"


def test_the_tree_has_a_regret_without_privacy_and_no_rate_falls_with_the_level(put: Any) -> None:
    """A transcription of Table 1 divides every term by the level. [mathematics/000.md#e000-1]"""
    [point] = tree_regret(COINS, 50, SEED)
    divided = np.sqrt(4 * 256 * np.log(4)) * 8**1.5 / COINS["mu"][0]
    assert divided < point.interval[0] < point.interval[1] < point.bound


def test_uniform_play_is_caught_in_games_that_are_long_enough(put: Any) -> None:
    put(RWFTPL=AtRandom)
    points = regret_rw_ftpl(LONG | {"stream": ["easy", "turncoat"], "T": [100, 1600]}, 60, SEED)
    assert [point.value for point in points] == pytest.approx([point.lazy for point in points], abs=10)
    assert [decide([point]) == "fails" for point in points] == [point.lazy_fails for point in points]
    assert {(point.where["stream"], point.where["T"]) for point in points if point.lazy_fails} == {
        ("easy", 1600)
    }


def test_a_first_batch_that_never_ends_is_caught_where_the_leader_matters(put: Any) -> None:
    put(rw_adabatch, sizes_now=lambda *arguments: 10**6 + sizes_now(*arguments))
    points = batching_regret(
        BATCHING | {"stream": ["easy", "alternating"], "T, alpha": [[100, 0.01]]}, 12, SEED
    )
    assert [point.value for point in points] == pytest.approx([point.lazy for point in points], abs=1)
    assert (
        [decide([point]) == "fails" for point in points]
        == [point.lazy_fails for point in points]
        == [True, False]
    )
