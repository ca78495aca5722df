"""Levels of a person in several rounds, beside all sets of rounds and what mechanisms share when played."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from private_experts.algorithms import PrefixFTPL, TreeFTPL
from private_experts.errors import InputError
from private_experts.privacy import (
    BandedSums,
    CorrelatedReports,
    GaussianDP,
    MatrixSums,
    Participation,
    SideBySideReports,
    SideBySideSums,
    SimulatedNoise,
    TightTreeSums,
    TreeSums,
    in_rounds,
    own_share,
    privacy_report,
)
from private_experts.privacy.banded import root_band
from private_experts.privacy.factorization import geometric, optimal, prefix_sums, square_root
from private_experts.privacy.participation import level_in_rounds

T, CENTRAL, NOISE = 9, GaussianDP(0.7, "central"), SimulatedNoise(0)
RISING = np.linspace(1.0, 2.0, T)
PATTERNS = [
    Participation(1),
    Participation(3),
    Participation(3, apart=2),
    Participation(4, apart=3),
    Participation(4, in_a_row=True),
    Participation(T),
    Participation(T + 1),
]


def sets(rounds: int, pattern: Participation) -> list[tuple[int, ...]]:
    """Return all sets of rounds that a pattern allows."""
    return [
        chosen
        for count in range(1, min(pattern.rounds, rounds) + 1)
        for chosen in itertools.combinations(range(rounds), count)
        if all(
            after - before >= pattern.apart and (after - before == 1 or not pattern.in_a_row)
            for before, after in itertools.pairwise(chosen)
        )
    ]


def worst(gram: np.ndarray, pattern: Participation) -> float:
    """Return the level of the worst set and the worst signs, by looking at all."""
    chosen = np.array([np.isin(np.arange(len(gram)), rounds) for rounds in sets(len(gram), pattern)], float)
    return float(((chosen @ np.abs(gram)) * chosen).sum(axis=1).max()) ** 0.5


def level(mechanism, pattern) -> float:
    return privacy_report(mechanism, delta=1e-6, rounds=pattern).together.mu


@given(
    st.integers(1, 7),
    st.integers(1, 8),
    st.integers(1, 4),
    st.booleans(),
    st.integers(0, 2**31),
    st.booleans(),
)
def test_no_allowed_set_costs_more_and_windows_cost_exactly_that(rounds, count, apart, row, seed, falls):
    drawn = np.random.default_rng(seed).standard_normal((rounds + 1, rounds))
    gram = drawn.T @ drawn
    if falls:  # one band of falling weights without an end
        band = np.exp(-np.arange(rounds) * drawn[0, 0] ** 2)
        gram = band[np.abs(np.subtract.outer(np.arange(rounds), np.arange(rounds)))]
    pattern = Participation(count, in_a_row=True) if row else Participation(count, apart=apart)
    found, true = level_in_rounds(gram, pattern), worst(gram, pattern)
    assert found >= true * (1 - 1e-12)
    if row or falls or (apart == 1 and count >= rounds) or count == 1:
        assert found == pytest.approx(true, rel=1e-12)
    assert found <= min(count, rounds) * np.sqrt(gram.diagonal().max()) * (1 + 1e-12)


MECHANISMS = {
    "square root": lambda: MatrixSums(2, CENTRAL, strategy=square_root(T), sensitivity=RISING, noise=NOISE),
    "reports": lambda: CorrelatedReports(
        2, CENTRAL, strategy=geometric(T, 0.5), sensitivity=RISING, noise=NOISE
    ),
    "best strategy": lambda: MatrixSums(
        2, CENTRAL, strategy=optimal(prefix_sums(T), RISING).strategy, sensitivity=RISING, noise=NOISE
    ),
    "tight tree": lambda: TightTreeSums(2, CENTRAL, sensitivity=RISING, noise=NOISE),
    "refined tree": lambda: TightTreeSums(2, CENTRAL, sensitivity=RISING, noise=NOISE, refined=True),
    "tree": lambda: TreeSums(2, CENTRAL, horizon=8, sensitivity=2.0, noise=NOISE),
    "tree, by round": lambda: TreeSums(2, CENTRAL, horizon=T, sensitivity=RISING, noise=NOISE),
    "side by side": lambda: SideBySideSums(
        [TightTreeSums(3, own_share(CENTRAL), sensitivity=np.outer(RISING, [1, 2, 3.0]), noise=NOISE)]
    ),
    "reports side by side": lambda: SideBySideReports(
        [
            CorrelatedReports(
                1, own_share(CENTRAL), strategy=geometric(T, 0.5), sensitivity=reach * RISING, noise=NOISE
            )
            for reach in (1.0, 2.0, 3.0)
        ]
    ),
    "band": lambda: BandedSums(2, CENTRAL, coefficients=root_band(4), sensitivity=2.0, noise=NOISE),
}


@pytest.mark.parametrize("name", MECHANISMS)
def test_levels_lie_between_one_round_and_k_times_it(name) -> None:
    mechanism = MECHANISMS[name]()
    assert level(mechanism, 1) == pytest.approx(CENTRAL.mu, rel=1e-12)
    for pattern in PATTERNS:
        found, count = level(mechanism, pattern), pattern.rounds
        assert found <= in_rounds(CENTRAL, count).mu * (1 + 1e-12)
        gram = mechanism.gram(pattern.span)
        assert found >= min(worst(gram, pattern), in_rounds(CENTRAL, count).mu) * (1 - 1e-12)
        assert found <= max(worst(gram, pattern), CENTRAL.mu) * 1.05


def test_all_rounds_of_a_study_cost_what_a_second_program_found() -> None:
    ones, unit = np.ones(94), GaussianDP(1.0, "central")
    root = MatrixSums(1, unit, strategy=square_root(94), sensitivity=ones, noise=NOISE)
    tree = TightTreeSums(1, unit, sensitivity=ones, noise=NOISE, refined=True)
    assert [round(level(each, 94), 1) for each in (root, PrefixFTPL(root), PrefixFTPL(tree))] == [
        50.2,
        50.2,
        35.4,
    ]


def test_a_tree_counts_the_nodes_of_each_two_rounds() -> None:
    # 8 rounds: nodes {1}, {3}, {5}, {7}, {1, 2}, {5, 6}, {1..4}, each with noise 3 / mu.
    tree = TreeFTPL(2, CENTRAL, horizon=8, sensitivity=1.0, noise=NOISE)
    nodes = [(1,), (3,), (5,), (7,), (1, 2), (5, 6), (1, 2, 3, 4)]
    shared = sum(
        np.outer(inside, inside)
        for inside in (np.isin(np.arange(1, 8), node).astype(float) for node in nodes)
    )
    np.testing.assert_allclose(tree.gram(8), CENTRAL.mu**2 / 3 * shared, rtol=1e-12)


def test_experts_side_by_side_share_what_the_dearest_ones_do() -> None:
    sums = MECHANISMS["side by side"]()
    by_expert = np.abs(sums._parts[0].gram_by_expert(1))
    chosen = [by_expert[list(pair)].sum(axis=0) for pair in itertools.permutations(range(3), 2)]
    np.testing.assert_allclose(sums.gram(1), np.max(chosen, axis=0), rtol=1e-12)


@pytest.mark.parametrize("refined", [False, True])
def test_a_person_with_all_experts_has_the_sum_of_what_each_shares(refined) -> None:
    reaches = np.outer(RISING, [1.0, 2.0, 3.0])
    tree = TightTreeSums(3, CENTRAL, sensitivity=reaches, noise=NOISE, refined=refined)
    root = MatrixSums(3, CENTRAL, strategy=square_root(T), sensitivity=reaches, noise=NOISE)
    for sums in (tree, root):
        assert level(sums, 1) == pytest.approx(np.sqrt(3) * CENTRAL.mu)
        np.testing.assert_allclose(sums.gram(1), sums.gram_by_expert(1).sum(axis=0), rtol=1e-12)
        assert np.sqrt(3) * CENTRAL.mu < level(PrefixFTPL(sums), 2) < 2 * np.sqrt(3) * CENTRAL.mu


def test_what_has_no_products_or_too_many_is_charged_for_each_round() -> None:
    huge = TreeFTPL(2, CENTRAL, horizon=10**5, sensitivity=1.0, noise=NOISE)
    assert level(huge, 3) == pytest.approx(3 * CENTRAL.mu)
    free = TreeFTPL(2, GaussianDP(np.inf, "central"), horizon=8, sensitivity=1.0, noise=NOISE)
    assert level(free, 3) == np.inf


def test_in_rounds_and_the_report_agree_on_local_reports() -> None:
    local = GaussianDP(0.2367, "local")

    class Reporting:
        guarantee = local

    assert in_rounds(local, 94).mu == pytest.approx(level(Reporting(), 94)) == pytest.approx(2.295, abs=1e-3)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"rounds": 0}, "participation: rounds"),
        ({"rounds": 2.5}, "participation: rounds"),
        ({"rounds": 2, "apart": 0}, "participation: apart"),
        ({"rounds": 2, "apart": 3, "in_a_row": True}, "participation: rounds in a row"),
    ],
)
def test_patterns_that_mean_nothing_are_refused(wrong, said) -> None:
    with pytest.raises(InputError, match=f"^{said}"):
        Participation(**wrong)
