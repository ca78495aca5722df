"""Levels of a person in several rounds, beside all sets of rounds and what mechanisms share when played."""

import itertools
import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from private_experts.algorithms import BernoulliResampled, Delayed, PrefixFTPL, TreeFTPL
from private_experts.errors import InputError
from private_experts.games import NamedExperts
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
    participation,
    privacy_report,
)
from private_experts.privacy.banded import root_band
from private_experts.privacy.factorization import geometric, optimal, prefix_sums, square_root
from private_experts.privacy.participation import level_in_rounds
from private_experts.private_oco import DPFTRL, Box
from tests.each import each

T, CENTRAL, NOISE = 9, GaussianDP(0.7, "central"), SimulatedNoise(0)
RISING = np.linspace(0.5, 1.0, T)
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


def released(coefficients: np.ndarray, rounds: int) -> np.ndarray:
    """Return the band's matrix for so many vectors and all the releases that they enter."""
    rows = np.zeros((rounds + len(coefficients) - 1, rounds))
    for t in range(rounds):
        rows[t : t + len(coefficients), t] = coefficients
    return rows


def level(mechanism, pattern) -> float:
    return privacy_report(mechanism, delta=1e-6, rounds=pattern).together.mu


@settings(deadline=None, derandomize=True)
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
    gram = gram / gram.diagonal().max()  # in units of the level of one round
    pattern = Participation(count, in_a_row=True) if row else Participation(count, apart=apart)
    found, true = level_in_rounds(gram, pattern), worst(gram, pattern)
    assert found >= true * (1 - 1e-12)
    if row or falls or (apart == 1 and count >= rounds) or count == 1:
        assert found == pytest.approx(true, rel=1e-12)
    assert found <= min(count, rounds) * (1 + 1e-12)


@each("pattern", PATTERNS)
@each("seed", range(12))
@each("most", [1.0, 0.3])
def test_of_products_of_any_kind_no_allowed_set_costs_more(pattern, seed, most):
    drawn = np.random.default_rng(seed).standard_normal((3, T)) * np.random.default_rng(seed).exponential(
        2, T
    )
    gram = drawn.T @ drawn
    gram *= most / gram.diagonal().max()
    found = level_in_rounds(gram, pattern)
    assert worst(gram, pattern) * (1 - 1e-12) <= found <= max(1.0, pattern.rounds * math.sqrt(most) + 1e-9)


@each("pattern", PATTERNS)
def test_of_products_that_fall_the_closest_rounds_cost_exactly_what_is_said(pattern):
    apart, shrinking = np.abs(np.subtract.outer(np.arange(T), np.arange(T))), np.geomspace(1, 0.3, T)
    for falls in (0.5**apart, 1 / (1 + apart), np.maximum(1 - 0.2 * apart, 0)):
        for gram in (falls, falls * np.outer(shrinking, shrinking)):
            assert level_in_rounds(gram, pattern) == pytest.approx(worst(gram, pattern), rel=1e-9)


MECHANISMS = {
    "square root": lambda: MatrixSums(2, CENTRAL, strategy=square_root(T), sensitivity=RISING, noise=NOISE),
    "reports": lambda: CorrelatedReports(
        2, CENTRAL, strategy=geometric(T, 0.5), sensitivity=RISING, noise=NOISE
    ),
    "best strategy": lambda: MatrixSums(
        2, CENTRAL, strategy=optimal(prefix_sums(T), RISING).strategy, sensitivity=RISING, noise=NOISE
    ),
    "tight tree": lambda: TightTreeSums(2, CENTRAL, sensitivity=RISING, noise=NOISE),
    "tree": lambda: TreeSums(2, CENTRAL, horizon=8, sensitivity=1.0, noise=NOISE),
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
    "band": lambda: BandedSums(2, CENTRAL, coefficients=root_band(4), sensitivity=1.0, noise=NOISE),
}


@each("name", MECHANISMS)
def test_levels_lie_between_one_round_and_k_times_it(name) -> None:
    mechanism = MECHANISMS[name]()
    assert level(mechanism, 1) == pytest.approx(CENTRAL.mu, rel=1e-12)
    for pattern in PATTERNS:
        found, count = level(mechanism, pattern), pattern.rounds
        assert found <= in_rounds(CENTRAL, count).mu * (1 + 1e-12)
        most = CENTRAL.mu * worst(mechanism.gram(pattern.span), pattern)
        assert found >= min(most, in_rounds(CENTRAL, count).mu) * (1 - 1e-12)
        assert found <= max(most, CENTRAL.mu) * 1.05


def test_many_rounds_cost_their_number_where_they_share_all_and_its_root_where_nothing() -> None:
    alike, apart = np.ones((100, 100)), np.eye(100)
    for count, in_a_row in itertools.product((9, 50, 100), (False, True)):
        pattern = Participation(count, in_a_row=in_a_row)
        assert level_in_rounds(alike, pattern) == pytest.approx(count)
        assert level_in_rounds(apart, pattern) == pytest.approx(count**0.5)


@each(
    ("horizon", "reaches", "nodes"),
    [
        (8, np.ones(7), [(0,), (2,), (4,), (6,), (0, 1), (4, 5), (0, 1, 2, 3)]),
        (5, np.array([1.0, 2.0, 1.0, 3.0]), [(0,), (2,), (0, 1), (0, 1, 2, 3)]),
    ],
)
def test_a_tree_counts_the_nodes_of_each_two_rounds_with_noise_of_their_largest_sensitivity(
    horizon, reaches, nodes
) -> None:
    sensitivity = 1.0 if horizon == 8 else [*reaches, 1.0]
    tree = TreeSums(1, CENTRAL, horizon=horizon, sensitivity=sensitivity, noise=NOISE)
    shared = np.zeros((horizon - 1, horizon - 1))
    for node in map(list, nodes):  # the height is 3
        shared[np.ix_(node, node)] += np.outer(reaches[node], reaches[node]) / (3 * reaches[node].max() ** 2)
    np.testing.assert_allclose(tree.gram(horizon), shared, rtol=1e-12)


def test_a_band_shares_at_least_what_its_releases_show_and_exactly_that_where_it_falls() -> None:
    for coefficients in (root_band(4), np.array([0.6, 0.0, -0.5, 0.4])):
        band = BandedSums(1, CENTRAL, coefficients=coefficients, sensitivity=2.0, noise=NOISE)
        dense = released(coefficients, 9)
        true, found = np.abs(dense.T @ dense), band.gram(9)
        assert (found >= true - 1e-12).all()
        if coefficients.min() > 0:
            np.testing.assert_allclose(found, true, rtol=1e-12)


@each("coefficients", [(0.6, 0.0, 0.5), (0.6, -0.1, 0.6, 0.4), (0.1, 0.9)])
@each("pattern", [Participation(3), Participation(3, apart=2), Participation(3, in_a_row=True)])
def test_a_band_that_does_not_fall_costs_what_its_worst_rounds_do(coefficients, pattern) -> None:
    band = BandedSums(1, CENTRAL, coefficients=np.array(coefficients), sensitivity=2.0, noise=NOISE)
    dense = released(np.array(coefficients), 9)  # two further gaps of four rounds
    true = CENTRAL.mu * max(worst(dense.T @ dense, pattern), 1.0)
    assert true * (1 - 1e-12) <= level(band, pattern) <= 1.1 * true


def test_wrappers_state_the_level_of_what_is_inside() -> None:
    tree, whole = (TreeFTPL(2, CENTRAL, horizon=8, sensitivity=np.sqrt(2), noise=NOISE) for _ in range(2))
    root = MatrixSums(1, CENTRAL, strategy=square_root(T), sensitivity=np.ones(T), noise=NOISE)
    for pattern in (Participation(1), Participation(4, apart=3)):
        for outer in (
            NamedExperts(tree, ["a", "b"]),
            BernoulliResampled(2, tree, rng=0),
            NamedExperts(Delayed(lambda _: whole, 0), ["a", "b"]),
        ):
            assert level(outer, pattern) == level(tree, pattern)
        leader = DPFTRL(Box([-1.0], [1.0]), root, lam=1.0, lipschitz=0.5)
        assert level(leader, pattern) == level(root, pattern)
    assert level(NamedExperts(tree, ["a", "b"]), 3) < 3 * CENTRAL.mu


LATE = 6  # rounds, each of whose reports comes at once or a round later


def late(strategy: np.ndarray, delay: int = 1) -> Delayed:
    given = {"strategy": strategy, "sensitivity": np.ones(len(strategy))}
    return Delayed(
        lambda copy: PrefixFTPL(MatrixSums(2, CENTRAL, noise=SimulatedNoise(copy), **given)), delay
    )


@cache
def turns() -> list[list[int]]:
    """Return which copy played each round, for all ways in which reports can be late."""
    every = []
    for delays in itertools.product((0, 1), repeat=LATE):
        leader, played = late(np.eye(LATE)), []
        for number in range(1, LATE + 1):
            leader.predict()
            played.append(leader._turn())
            leader.update({t: np.zeros(2) for t in range(1, number + 1) if t + delays[t - 1] == number})
        every.append(played)
    return every


@each("pattern", [Participation(3), Participation(2, apart=3), Participation(3, in_a_row=True)])
def test_late_reports_cost_at_most_the_worst_share_of_rounds_between_copies(pattern) -> None:
    for strategy in (
        square_root(LATE),
        np.diag([1.0, 0.3, 0.3, 1.0, 0.3, 0.3]),  # both copies' dearest rounds, which are not side by side
    ):
        shared, true = strategy.T @ strategy, 0.0
        for played in map(np.array, turns()):
            own = np.array([(played[:t] == copy).sum() for t, copy in enumerate(played.tolist())])
            of_rounds = shared[np.ix_(own, own)] * (played[:, None] == played)
            true = max(true, worst(of_rounds, pattern))
        stated = level(late(strategy), pattern) / CENTRAL.mu
        assert true * (1 - 1e-12) <= stated <= (1.0 if pattern.apart == 1 else 1.2) * true * 1.02
        assert stated < pattern.rounds
    fresh = level(late(np.eye(20), 2), Participation(20))
    assert fresh == pytest.approx(math.sqrt(20) * CENTRAL.mu)  # as fresh noise costs


class Silent:
    """Sums that cannot say what rounds share."""

    n, guarantee, sensitivity = 1, own_share(CENTRAL), 1.0


def test_mechanisms_of_other_lengths_side_by_side_share_the_rounds_that_both_serve() -> None:
    share = own_share(CENTRAL)
    band = BandedSums(1, share, coefficients=root_band(4), sensitivity=1.0, noise=NOISE)
    root = MatrixSums(1, share, strategy=square_root(T), sensitivity=np.ones(T), noise=NOISE)
    tree = TreeSums(1, share, horizon=8, sensitivity=1.0, noise=NOISE)
    late = square_root(T) * np.where(np.arange(T) < 4, 0.2, 1.0)  # its first rounds are cheap
    rest = MatrixSums(1, share, strategy=late, sensitivity=np.ones(T), noise=NOISE)
    for parts in ((root, tree), (band, root), (band, root, tree), (band, rest)):
        sums = SideBySideSums(parts)
        rounds = 7 if tree in parts else T
        grams = np.array([np.abs(part.gram(rounds))[:rounds, :rounds] for part in parts])
        pairs = [grams[list(pair)].mean(axis=0) for pair in itertools.combinations(range(len(parts)), 2)]
        for pattern in PATTERNS[1:]:
            true = CENTRAL.mu * worst(np.max(pairs, axis=0), pattern)
            assert true * (1 - 1e-12) <= level(sums, pattern) <= max(1.05 * true, CENTRAL.mu)
        assert level(sums, 3) < 2.9 * CENTRAL.mu


def test_what_cannot_say_what_rounds_share_is_charged_for_each_round() -> None:
    assert level(Delayed(lambda copy: PrefixFTPL(Silent()), 1), 3) == pytest.approx(3 * Silent.guarantee.mu)
    trees = [TreeSums(1, own_share(CENTRAL), horizon=8, sensitivity=1.0, noise=NOISE) for _ in range(3)]
    assert level(SideBySideSums(trees), 3) == pytest.approx(level(trees[0], 3) * np.sqrt(2))
    assert level(SideBySideSums([*trees, Silent()]), 3) == pytest.approx(3 * CENTRAL.mu)
    with pytest.raises(InputError, match="stands there twice"):
        SideBySideSums([trees[0], trees[0]])
    # nor what has too many rounds
    parts = [TreeSums(1, CENTRAL, horizon=10**5, sensitivity=1.0, noise=NOISE) for _ in range(2)]
    assert level(SideBySideSums(parts), 3) == pytest.approx(3 * np.sqrt(2) * CENTRAL.mu)
    free = TreeFTPL(2, GaussianDP(np.inf, "central"), horizon=8, sensitivity=1.0, noise=NOISE)
    assert level(free, 3) == np.inf


def test_parts_whose_rounds_cancel_cost_as_much_as_those_that_add() -> None:
    negative = np.array([[1.0, 0.0], [-0.5, np.sqrt(0.75)]])
    negative /= np.sqrt(np.square(negative).sum(axis=0))
    parts = [
        CorrelatedReports(1, own_share(CENTRAL), strategy=negative, sensitivity=np.ones(2), noise=NOISE)
        for _ in range(2)
    ]
    assert level(SideBySideReports(parts), 2) == pytest.approx(level(parts[0], 2) * np.sqrt(2))
    with pytest.raises(InputError, match="stands there twice"):
        SideBySideReports([parts[0], parts[0]])


def test_the_report_names_the_rounds_it_speaks_of() -> None:
    leader = PrefixFTPL(MECHANISMS["square root"]())
    for pattern, said in {
        Participation(3): "of 3 rounds has",
        Participation(3, apart=2): "of 3 rounds at least 2 apart has",
        Participation(3, in_a_row=True): "of 3 rounds in a row has",
    }.items():
        report = privacy_report(leader, delta=1e-6, rounds=pattern)
        assert said in str(report)
        assert (str(pattern) in report.use.purpose) == (pattern != Participation(3))


def test_numbers_of_numpy_state_no_smaller_level_and_tiny_and_huge_levels_stay() -> None:
    pattern = Participation(np.uint8(52), apart=np.uint8(10))
    assert (pattern, pattern.span) == (Participation(52, apart=10), 511)
    root = {"strategy": square_root(T), "noise": NOISE}
    for mu in (1e-200, 1e200):
        sums = MatrixSums(1, GaussianDP(mu, "central"), sensitivity=np.ones(T), **root)
        assert level(sums, 3) == pytest.approx(mu * level_in_rounds(sums.gram(1), Participation(3)))
        assert level(sums, 3) > mu
    for kind, part in ((SideBySideSums, MatrixSums), (SideBySideReports, CorrelatedReports)):
        plain, small = (
            kind([part(1, own_share(CENTRAL), sensitivity=RISING, **root) for _ in range(3)], moved)
            for moved in (2, np.uint8(2))
        )
        np.testing.assert_allclose(small.sensitivity, np.sqrt(2) * RISING, rtol=1e-12)
        assert small.guarantee == plain.guarantee
        assert level(small, 4) == level(plain, 4) > 2 * CENTRAL.mu
    reach = np.float16(6e-5)  # in half precision 6e-5 / 1000 is rounded by a hundredth
    plain, half = (
        TreeSums(1, GaussianDP(1e3, "central"), horizon=64, sensitivity=sensitivity, noise=NOISE)
        for sensitivity in (float(reach), reach)
    )
    assert level(half, 64) == level(plain, 64)


def test_experts_side_by_side_share_what_the_dearest_ones_do() -> None:
    sums = MECHANISMS["side by side"]()
    by_expert = np.abs(sums._parts[0].gram_by_expert(1))
    chosen = [by_expert[list(pair)].mean(axis=0) for pair in itertools.permutations(range(3), 2)]
    np.testing.assert_allclose(sums.gram(1), np.max(chosen, axis=0), rtol=1e-12)


@each("refined", [False, True])
def test_a_person_with_all_experts_has_the_sum_of_what_each_shares(refined) -> None:
    reaches = np.outer(RISING, [0.25, 0.5, 0.75])
    tree = TightTreeSums(3, CENTRAL, sensitivity=reaches, noise=NOISE, refined=refined)
    root = MatrixSums(3, CENTRAL, strategy=square_root(T), sensitivity=reaches, noise=NOISE)
    for sums in (tree, root):
        assert level(sums, 1) == pytest.approx(np.sqrt(3) * CENTRAL.mu)
        np.testing.assert_allclose(sums.gram(1), sums.gram_by_expert(1).mean(axis=0), rtol=1e-12)
        assert np.sqrt(3) * CENTRAL.mu < level(PrefixFTPL(sums), 2) < 2 * np.sqrt(3) * CENTRAL.mu


OF_EACH = np.column_stack([RISING, RISING[::-1]])
TREES = [
    MECHANISMS["tree, by round"],
    lambda: TightTreeSums(1, CENTRAL, sensitivity=RISING, noise=NOISE, refined=True),
    lambda: TightTreeSums(2, CENTRAL, sensitivity=OF_EACH, noise=NOISE),
]


@each("pattern", PATTERNS[1:4])
@each("make", TREES)
def test_the_bound_for_trees_of_many_rounds_is_no_less_than_the_worst_rounds(make, pattern) -> None:
    bound = participation._level_of_nodes(make().node_shifts(), pattern)
    assert bound >= worst(make().gram(T), pattern) * (1 - 1e-12)


def test_the_bound_for_trees_is_exact_for_rounds_that_fill_a_node() -> None:
    scales = [np.full(16 >> level, 2.0 + level) for level in range(5)]
    whole = participation.shared_nodes(np.ones(16), scales)
    for count in (1, 2, 4, 8, 16):
        bound = participation._level_of_nodes(
            participation.largest_shifts(np.ones(16), scales), Participation(count)
        )
        assert bound == pytest.approx(max(1.0, worst(whole, Participation(count, in_a_row=True))))


def test_many_rounds_cost_less_than_each_of_them() -> None:
    """A tree has the bound on its nodes; a band is exact at any length."""
    huge = TreeFTPL(2, CENTRAL, horizon=10**5, sensitivity=1.0, noise=NOISE)
    for pattern in (Participation(3), Participation(9, apart=300)):
        most = 0.99 * pattern.rounds * CENTRAL.mu
        assert np.sqrt(pattern.rounds) * CENTRAL.mu < level(huge, pattern) < most
    band = BandedSums(1, CENTRAL, coefficients=root_band(8), sensitivity=1.0, noise=NOISE)
    for apart in (1, 3, 7, 8, 10**4):
        some, many = Participation(40, apart=apart), Participation(10**5, apart=apart)
        rows = np.arange(40) * min(apart, 8)
        shared = band._at_distance()
        products = np.pad(shared, (0, rows[-1]))[np.abs(rows[:, None] - rows)]
        assert level(band, some) == pytest.approx(CENTRAL.mu * products.sum() ** 0.5, rel=1e-9)
        limit = CENTRAL.mu * (10**5 * (2 * shared[::apart].sum() - shared[0])) ** 0.5
        assert level(band, many) == pytest.approx(limit, rel=1e-3)


@each(
    ("wrong", "said"),
    [
        ({"rounds": 0}, "participation: rounds"),
        ({"rounds": 2, "apart": 0}, "participation: apart"),
        ({"rounds": 2, "apart": 3, "in_a_row": True}, "participation: rounds in a row"),
        ({"rounds": 2, "in_a_row": "no"}, "participation: in_a_row is 'no'"),
    ],
)
def test_patterns_that_mean_nothing_are_refused(wrong, said) -> None:
    with pytest.raises(InputError, match=f"^{said}"):
        Participation(**wrong)
