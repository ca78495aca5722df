"""Each check of softmax errors gives the expected verdict on a small grid, and another on a mutant."""

from typing import Any

import numpy as np
import pytest

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.algorithms.randomized_prefix import RandomizedPrefix
from private_experts.games.streams import gaps
from private_experts.privacy.guarantees import PureDP
from private_experts.privacy.selection import exponential_law
from private_experts.randomness import rng_for
from private_experts.replication.papers.blocks import prefix_errors
from private_experts.replication.papers.p002 import error_potential
from private_experts.replication.papers.p002.error_potential import (
    instance,
    lemma_4,
    lemma_5,
    played_regret,
    potential,
    potential_attained,
    potential_sum,
)
from tests.each import each
from tests.replication.papers.p002.streams import AnyPrefix
from tests.replication.papers.small_checks import SEED, times, verdict


class Quiet(DyadicLeader):
    """Selects with 0.8 times the noise, while `law` is that of the full noise."""

    def select(self, scores: Any) -> Any:
        return super().select(scores / 0.8)


CLOCK = {"kind, K, gap": [["deterministic", 10, 0.5]], "epsilon": [0.5], "T": [31]}
LONGER = CLOCK | {"T": [127]}
PLAYED = {
    "algorithm": ["randomised prefix", "noisy max"],
    "kind, K, gap": [["deterministic", 10, 0.5], ["opposed", 2, 0.5]],
    "epsilon": [0.5],
    "T": [100],
    "tolerance": 0.06,
}
SUM = {
    "kind, K, gap, doubling": [
        ["deterministic", 1000, 1.0, False],
        ["opposed", 2, 0.5, False],
        ["independent", 10, 0.8, False],
        ["independent", 10, 0.2, True],
    ],
    "beta": [0.1],
    "rest": 0.001,
}
ATTAINED = {"K": [2, 1000], "beta": [0.01]}
ONE = ATTAINED | {"K": [1000]}


def at_rate(factor: float) -> Any:
    return lambda scores, rate, counts: exponential_law(scores, factor * rate, counts)


@each(
    ("check", "grid", "repetitions", "mutants", "found"),
    [
        (lemma_4, CLOCK, 2000, {}, "holds"),
        (lemma_4, LONGER, 2500, {"RandomizedPrefix": AnyPrefix}, "fails"),
        (played_regret, PLAYED, 10_000, {}, "holds"),
        (played_regret, PLAYED, 3000, {"DyadicLeader": Quiet}, "fails"),
        (lemma_5, SUM | {"constants": {"derived": [168, 4], "measured": [2, 1]}}, 100, {}, "holds"),
        (lemma_5, SUM | {"constants": {"less": [0, 0.95]}}, 100, {}, "fails"),
        (potential, SUM | {"constants": {"paper": 4, "measured": 2}}, 100, {}, "holds"),
        (potential, SUM | {"constants": {"less": 0.9}}, 100, {}, "fails"),
        (potential_attained, ATTAINED, 2, {}, "holds"),
        (potential_attained, ONE, 2, {"potential_sum": times(0.999, potential_sum)}, "fails"),
        (potential_attained, ONE, 2, {"exponential_law": at_rate(0.98)}, "fails"),
        (potential_attained, ONE, 2, {"exponential_law": at_rate(1.02)}, "fails"),
    ],
)
def test_the_checks_hold_and_mutants_and_smaller_constants_are_caught(
    check: Any, grid: Any, repetitions: int, mutants: Any, found: str
) -> None:
    assert verdict(check, grid, repetitions, **mutants) == found


def test_no_play_loses_more_than_the_largest_gap_a_round_and_lazy_play_their_mean() -> None:
    (point,) = lemma_4(CLOCK, 2, SEED)
    assert (point.trivial, point.lazy) == (pytest.approx(31 * 0.5), pytest.approx(31 * 0.5 * 9 / 10))


def test_the_restricted_stream_is_the_best_action_and_the_large_gaps() -> None:
    stream = instance("independent", 10, 0.2, True)
    assert error_potential._restricted(stream, 0.5).means.size == 4
    for whole in (stream, instance("opposed", 10, 0.2, True)):
        np.testing.assert_allclose(np.unique(gaps(error_potential._restricted(whole, 0.3))), [0, 0.4, 0.8])


@each(
    ("kind", "n", "gap", "beta"),
    [("opposed", 2, 0.3, 0.1), ("independent", 2, 0.1, 0.25), ("deterministic", 9, 0.5, 0.1)],
)
def test_the_rest_of_a_sum_is_at_most_its_bound(kind: str, n: int, gap: float, beta: float) -> None:
    stream, rest_of = instance(kind, n, gap), error_potential._rest
    law = RandomizedPrefix(2, PureDP(2 * beta, "central"), rng=rng_for(0)).law
    many = prefix_errors(law, stream, np.arange(1, 4001))
    for rounds in (0, 10, 100):
        bound = rest_of(stream, beta, rounds)
        assert many[rounds:].sum() <= bound
        assert rest_of(stream, beta, error_potential._enough(stream, beta, bound / 7)) <= bound / 7
    assert many[-1] * 4000 < 1e-3  # so what is left out above does not matter


def test_sampled_sums_have_the_exact_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = instance("independent", 2, 0.5)
    exact = error_potential._sums(stream, 0.2, 64, 2, SEED)
    monkeypatch.setattr(error_potential, "_exact", lambda stream: False)
    sampled = error_potential._sums(stream, 0.2, 64, 2000, SEED, "sampled")
    error = sampled.std(ddof=1) / np.sqrt(sampled.size)
    assert abs(sampled.mean() - exact[0]) < 5.5 * error  # a correct sum fails this with probability 4e-8
