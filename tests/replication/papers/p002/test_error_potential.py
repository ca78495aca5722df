"""Each check of softmax errors gives the expected verdict on a small grid, and the other verdict on a mutant."""

from typing import Any

import numpy as np
import pytest

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.algorithms.randomized_prefix import RandomizedPrefix
from private_experts.games.blocks import exact_errors, prefix_errors
from private_experts.games.stochastic import gaps
from private_experts.privacy.guarantees import PureDP
from private_experts.privacy.selection import exponential_law
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p002 import error_potential
from tests.each import each

SEED = 1


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that replaces a name in the module of the checks."""
    return lambda name, value: monkeypatch.setattr(error_potential, name, value)


class AnyPrefix(RandomizedPrefix):
    """Draws the end of its prefix from the whole block instead of the second half."""

    def shortest_prefix(self, lengths: Any) -> Any:
        return np.ones_like(lengths)


class Stale(RandomizedPrefix):
    """Plays in each block the action that belongs to the block before."""

    def _begin(self, which: Any, lengths: Any) -> None:
        late = self._leader[which].copy()
        if hasattr(self, "next"):
            late = self.next[which].copy()
        else:
            self.next = self._leader.copy()
        super()._begin(which, lengths)
        self.next[which] = self._leader[which]
        self._leader[which] = late


class Quiet(DyadicLeader):
    """Selects with 0.8 times the noise, while `law` is that of the full noise."""

    def select(self, scores: Any) -> Any:
        return super().select(scores / 0.8)


CLOCK = {"kind, K, gap": [["deterministic", 10, 0.5]], "epsilon": [0.5], "T": [31]}


def test_the_regret_is_under_the_clocks_sum() -> None:
    assert decide(error_potential.lemma_4(CLOCK, 2000, SEED)) == "holds"


@pytest.mark.parametrize(
    ("name", "mutant"),
    [
        pytest.param("RandomizedPrefix", AnyPrefix, id="prefixes from the first half"),
        pytest.param("RandomizedPrefix", Stale, id="a block late"),
        pytest.param("prefix_errors", lambda *args: 0.9 * prefix_errors(*args), id="a bound a tenth too small"),
    ],
)
def test_more_regret_than_the_clocks_sum_is_caught(name: str, mutant: Any, put: Any) -> None:
    put(name, mutant)
    assert decide(error_potential.lemma_4(CLOCK | {"T": [127]}, 2500, SEED)) == "fails"


PLAYED = {
    "algorithm": ["randomised prefix", "noisy max"],
    "kind, K, gap": [["deterministic", 10, 0.5], ["opposed", 2, 0.5]],
    "epsilon": [0.5],
    "T": [100],
    "tolerance": 0.06,
}


def test_the_played_regret_is_the_computed_one() -> None:
    assert decide(error_potential.played_regret(PLAYED, 10_000, SEED)) == "holds"


@pytest.mark.parametrize(
    ("name", "mutant"),
    [
        pytest.param("RandomizedPrefix", Stale, id="a block late"),
        pytest.param("DyadicLeader", Quiet, id="0.8 times the noise"),
        pytest.param("exact_errors", lambda *args: 1.2 * exact_errors(*args), id="errors a fifth too large"),
    ],
)
def test_a_played_regret_that_is_another_is_caught(name: str, mutant: Any, put: Any) -> None:
    put(name, mutant)
    assert decide(error_potential.played_regret(PLAYED, 3000, SEED)) == "fails"


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


def test_the_errors_sum_to_what_is_claimed() -> None:
    assert decide(error_potential.lemma_5(SUM, 100, SEED)) == "holds"


def test_a_privacy_constant_a_twentieth_too_small_is_caught() -> None:
    assert decide(error_potential.lemma_5(SUM | {"constants": {"less": [0, 0.95]}}, 100, SEED)) == "fails"


class Blunt(RandomizedPrefix):
    """Selects at a fifth of the rate."""

    def law(self, scores: Any, counts: Any = None) -> Any:
        return super().law(0.2 * scores, counts)


@pytest.mark.parametrize("check", [error_potential.lemma_5, error_potential.potential])
def test_the_errors_of_a_selection_at_a_fifth_of_the_rate_are_caught(check: Any, put: Any) -> None:
    put("RandomizedPrefix", Blunt)
    put("exponential_law", lambda scores, rate: exponential_law(scores, 0.2 * rate))
    for cell in SUM["kind, K, gap, doubling"][:3]:
        grid = SUM | {"kind, K, gap, doubling": [cell], "constants": {"measured": [0.5, 1]}, "rest": 1e-12}
        if check is error_potential.potential:
            grid |= {"constants": {"paper": 4}}
        assert decide(check(grid, 100, SEED)) == "fails"


POTENTIAL = SUM | {"constants": {"paper": 4, "measured": 2}}


def test_the_potential_bounds_the_sum_over_large_gaps() -> None:
    assert decide(error_potential.potential(POTENTIAL, 100, SEED)) == "holds"


def test_a_potential_without_the_first_softmax_or_with_a_tenth_less_is_caught() -> None:
    assert decide(error_potential.potential(POTENTIAL | {"constants": {"less": 0.9}}, 100, SEED)) == "fails"


def test_the_restricted_stream_is_the_best_action_and_the_large_gaps() -> None:
    stream = error_potential.instance("independent", 10, 0.2, True)
    assert error_potential._restricted(stream, 0.5).means.size == 4
    np.testing.assert_allclose(np.unique(gaps(error_potential._restricted(stream, 0.3))), [0, 0.4, 0.8])
    opposed = error_potential.instance("opposed", 10, 0.2, True)
    np.testing.assert_allclose(np.unique(gaps(error_potential._restricted(opposed, 0.3))), [0, 0.4, 0.8])


@each(
    ("kind", "n", "gap", "beta"),
    [("opposed", 2, 0.3, 0.1), ("independent", 2, 0.1, 0.25), ("deterministic", 9, 0.5, 0.1)],
)
def test_the_rest_of_a_sum_is_at_most_its_bound(kind: str, n: int, gap: float, beta: float) -> None:
    stream = error_potential.instance(kind, n, gap)
    law = RandomizedPrefix(2, PureDP(2 * beta, "central"), rng=rng_for(0)).law
    many = prefix_errors(law, stream, np.arange(1, 4001))
    for rounds in (0, 10, 100):
        rest, bound = many[rounds:].sum(), error_potential._rest(stream, beta, rounds)
        assert rest <= bound
        assert error_potential._rest(stream, beta, error_potential._enough(stream, beta, bound / 7)) <= bound / 7
    assert many[-1] * 4000 < 1e-3  # so what is left out above does not matter


def test_sampled_sums_have_the_exact_mean() -> None:
    for kind, n, gap in (("opposed", 2, 0.5), ("independent", 2, 0.5)):
        stream = error_potential.instance(kind, n, gap)
        exact = error_potential._sums(stream, 0.2, 64, 2, SEED)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(error_potential, "_exact", lambda stream: False)
            sampled = error_potential._sums(stream, 0.2, 64, 2000, SEED, "sampled", kind)
        error = sampled.std(ddof=1) / np.sqrt(sampled.size)
        assert abs(sampled.mean() - exact[0]) < 5.5 * error  # a correct sum fails this with probability 4e-8


def test_a_sum_that_forgets_its_tail_is_caught(put: Any) -> None:
    right = error_potential.potential_sum
    put("potential_sum", lambda n, beta, rounds: 0.999 * right(n, beta, rounds))
    assert decide(error_potential.potential_attained({"K": [1000], "beta": [0.01]}, 2, SEED)) == "fails"


def test_the_potential_is_attained_up_to_1() -> None:
    assert decide(error_potential.potential_attained({"K": [2, 1000], "beta": [0.01]}, 2, SEED)) == "holds"


@pytest.mark.parametrize("factor", [0.98, 1.02])
def test_a_softmax_of_another_rate_does_not_attain_it(factor: float, put: Any) -> None:
    put("exponential_law", lambda scores, rate, counts: exponential_law(scores, factor * rate, counts))
    assert decide(error_potential.potential_attained({"K": [1000], "beta": [0.01]}, 2, SEED)) == "fails"
