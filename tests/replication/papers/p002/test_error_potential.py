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
from tests.replication.papers.small_checks import SEED, verdict


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
    "constants": {"derived": [168, 4], "measured": [2, 1]},
}
POTENTIAL = SUM | {"constants": {"paper": 4, "measured": 2}}
ATTAINED = {"K": [1000], "beta": [0.01]}


@each(
    ("check", "grid", "repetitions"),
    [
        (lemma_4, CLOCK, 2000),
        (played_regret, PLAYED, 10_000),
        (lemma_5, SUM, 100),
        (potential, POTENTIAL, 100),
        (potential_attained, ATTAINED | {"K": [2, 1000]}, 2),
    ],
)
def test_the_checks_hold(check: Any, grid: Any, repetitions: int) -> None:
    assert verdict(check, grid, repetitions) == "holds"


def test_no_play_loses_more_than_the_largest_gap_a_round_and_lazy_play_their_mean() -> None:
    (point,) = lemma_4(CLOCK, 2, SEED)
    assert (point.trivial, point.lazy) == (pytest.approx(31 * 0.5), pytest.approx(31 * 0.5 * 9 / 10))


@pytest.mark.parametrize(
    ("check", "grid", "repetitions", "name", "mutant"),
    [
        pytest.param(lemma_4, LONGER, 2500, "RandomizedPrefix", AnyPrefix, id="prefixes from the first half"),
        pytest.param(played_regret, PLAYED, 3000, "DyadicLeader", Quiet, id="0.8 times the noise"),
        pytest.param(
            potential_attained,
            ATTAINED,
            2,
            "potential_sum",
            lambda *given: 0.999 * potential_sum(*given),
            id="no tail",
        ),
        *(
            pytest.param(
                potential_attained,
                ATTAINED,
                2,
                "exponential_law",
                lambda scores, rate, counts, factor=factor: exponential_law(scores, factor * rate, counts),
                id=f"{factor} times the rate",
            )
            for factor in (0.98, 1.02)
        ),
    ],
)
def test_mutants_are_caught(
    check: Any, grid: Any, repetitions: int, name: str, mutant: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(error_potential, name, mutant)
    assert verdict(check, grid, repetitions) == "fails"


@each(("check", "less"), [(lemma_5, [0, 0.95]), (potential, 0.9)])
def test_a_constant_a_little_too_small_is_caught(check: Any, less: Any) -> None:
    assert verdict(check, SUM | {"constants": {"less": less}}, 100) == "fails"


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
    stream = instance(kind, n, gap)
    law = RandomizedPrefix(2, PureDP(2 * beta, "central"), rng=rng_for(0)).law
    many = prefix_errors(law, stream, np.arange(1, 4001))
    for rounds in (0, 10, 100):
        rest, bound = many[rounds:].sum(), error_potential._rest(stream, beta, rounds)
        assert rest <= bound
        assert (
            error_potential._rest(stream, beta, error_potential._enough(stream, beta, bound / 7)) <= bound / 7
        )
    assert many[-1] * 4000 < 1e-3  # so what is left out above does not matter


def test_sampled_sums_have_the_exact_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = instance("independent", 2, 0.5)
    exact = error_potential._sums(stream, 0.2, 64, 2, SEED)
    monkeypatch.setattr(error_potential, "_exact", lambda stream: False)
    sampled = error_potential._sums(stream, 0.2, 64, 2000, SEED, "sampled")
    error = sampled.std(ddof=1) / np.sqrt(sampled.size)
    assert abs(sampled.mean() - exact[0]) < 5.5 * error  # a correct sum fails this with probability 4e-8
