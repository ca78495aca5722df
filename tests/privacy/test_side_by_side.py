"""Mechanisms for each expert by itself: the level of all, by the shift problem, and the noise of each."""

import itertools
import math
from functools import partial

import numpy as np
import pytest

from private_experts.errors import InputError
from private_experts.privacy import (
    ApproximateDP,
    BandedSums,
    CorrelatedReports,
    GaussianDP,
    MatrixSums,
    SideBySideReports,
    SideBySideSums,
    SimulatedNoise,
    TightTreeSums,
    TreeSums,
    own_scales,
    own_share,
)
from private_experts.privacy.factorization import optimal, prefix_sums, square_root
from private_experts.randomness import rng_for
from tests.each import each
from tests.privacy.draws import EveryDraw

CENTRAL = GaussianDP(0.5, "central")
SHARE = own_share(CENTRAL)
ROUNDS, N = 6, 5
REACH = rng_for(0, "test side by side", "reach").uniform(0.02, 0.4, (ROUNDS, N))


def test_a_person_in_several_experts_data_costs_the_root_of_their_number() -> None:
    for moved in (1, 2, 3, 5, 400):
        assert own_share(CENTRAL, moved).mu == pytest.approx(0.5 / np.sqrt(moved))
        np.testing.assert_allclose(own_scales(REACH, CENTRAL, moved), np.sqrt(moved) * REACH / 0.5)


def test_a_share_of_another_promise_is_refused_with_the_line_to_write() -> None:
    with pytest.raises(
        InputError, match=r"write GaussianDP.from_epsilon_delta\(epsilon=1.0, delta=1e-06, mod"
    ):
        own_share(ApproximateDP(1.0, 1e-6, "central"))  # type: ignore[arg-type]


def best(n, guarantee, *, sensitivity, **given):
    strategy = optimal(prefix_sums(ROUNDS), sensitivity).strategy
    return MatrixSums(n, guarantee, strategy=strategy, sensitivity=sensitivity, **given)


MAKERS = {
    "tight tree": TightTreeSums,
    "averaged tree": partial(TightTreeSums, refined=True),
    "square root": partial(MatrixSums, strategy=square_root(ROUNDS)),
    "best": best,
}


@each("name", MAKERS)
def test_all_releases_together_have_at_most_the_level_by_the_shift_problem(name):
    noise, draws = EveryDraw(), 60
    parts = [MAKERS[name](1, SHARE, sensitivity=reach, noise=noise, repetitions=draws) for reach in REACH.T]
    sums, served = SideBySideSums(parts), ROUNDS - ("tree" in name)  # trees release no sum of all rounds
    released = [sums.release()]
    for _ in range(served):
        sums.add(np.zeros(N))
        released.append(sums.release())
    assert noise.drawn <= draws
    loads = np.stack(released, axis=1).reshape(draws, -1)
    inverse, levels = np.linalg.pinv(loads.T @ loads, rcond=1e-12), []
    for t in range(served):  # an expert's gains in a round are in all releases after it
        after = np.arange(served + 1) > t
        shifts = np.array([np.outer(after, REACH[t, i] * np.eye(N)[i]).ravel() for i in range(N)])
        products = shifts @ inverse @ shifts.T
        for i, j in itertools.combinations(range(N), 2):  # of the two signs the worse
            levels.append(math.sqrt(products[i, i] + products[j, j] + 2 * abs(products[i, j])))
    assert max(levels) <= CENTRAL.mu * (1 + 1e-9)
    if name != "averaged tree":  # what is seen of its nodes are mixtures alone
        assert max(levels) == pytest.approx(CENTRAL.mu, rel=1e-6)  # so noise that is .99 of it is caught


@each(
    ("levels", "moved", "together"),
    [
        ((0.1, 0.4, 0.3), 1, 0.4),
        ((0.1, 0.4, 0.3), 2, 0.5),
        ((0.1, 0.4, 0.3, 0.05), 3, math.hypot(0.1, 0.4, 0.3)),
        ((0.1, math.inf), 2, math.inf),
        ((*[0.1] * 40, *[0.4] * 6), 10, math.hypot(*[0.4] * 6, *[0.1] * 4)),
    ],
)
def test_the_guarantee_is_that_of_the_worst_experts(levels, moved, together):
    given = {"sensitivity": np.ones(4), "noise": SimulatedNoise(0)}
    parts = [TightTreeSums(1, GaussianDP(mu, "central"), **given) for mu in levels]
    assert SideBySideSums(parts, moved).guarantee.mu == pytest.approx(together)
    if moved == 2:  # unless more is said
        assert SideBySideSums(parts).guarantee.mu == pytest.approx(together)


@each("moved", [1, 3])
@each("kind", [SideBySideSums, SideBySideReports])
def test_a_person_is_in_the_worst_of_all_groups_of_experts(kind, moved):
    """The level, the move and what rounds share, against all groups of four experts."""
    noise, levels, reaches = SimulatedNoise(rng_for(0, "x")), (0.1, 0.4, 0.3, 0.2), (0.3, 0.1, 0.2, 0.4)
    parts = [
        CorrelatedReports(
            1,
            GaussianDP(mu, "central"),
            strategy=np.outer(signs, signs) * square_root(3),
            sensitivity=np.full(3, reach),
            noise=noise,
        )
        for mu, reach, signs in zip(levels, reaches, [(1, 1, 1), (1, -1, 1)] * 2, strict=True)
    ]
    together = kind(parts, moved)
    groups = [list(group) for group in itertools.combinations(range(4), moved)]

    def longest(lengths):
        return max(np.linalg.norm(np.array(lengths)[group]) for group in groups)

    assert together.guarantee.mu == pytest.approx(longest(levels))
    np.testing.assert_allclose(together.sensitivity, np.full(3, longest(reaches)))
    # One strategy for all but for signs, so that the group with the most in a round has the most in all.
    gram = np.abs(parts[0].gram(3)) / parts[0].gram(3)[0, 0]
    np.testing.assert_allclose(together.gram(3), gram)


def test_independent_weeks_have_the_noise_of_local_reports():
    settings = {"strategy": np.eye(ROUNDS), "noise": SimulatedNoise(rng_for(0, "test side by side", "weeks"))}
    curator = SideBySideReports(
        [CorrelatedReports(1, SHARE, sensitivity=reach, **settings) for reach in REACH.T]
    )
    for reach in REACH:
        report = curator.report(np.full(N, 0.5))
        np.testing.assert_allclose(report.scale, own_scales(reach, CENTRAL), rtol=1e-9)
    assert report.guarantee == curator.guarantee
    assert curator.guarantee.mu == pytest.approx(CENTRAL.mu)


def test_mechanisms_of_two_and_of_four_rounds_serve_two():
    given = {"noise": SimulatedNoise(rng_for(0, "lengths"))}
    share = own_share(GaussianDP(1.0, "central"))
    parts = [
        MatrixSums(1, share, strategy=np.eye(rounds), sensitivity=np.full(rounds, reach), **given)
        for rounds, reach in ((2, 0.5), (4, 0.25))
    ]
    np.testing.assert_allclose(SideBySideSums(parts, moved=1).sensitivity, [0.5, 0.5])


def test_a_mechanism_is_of_one_alone():
    def sums():
        given = {"sensitivity": np.ones(4), "noise": SimulatedNoise(rng_for(0, "alone"))}
        return TightTreeSums(1, own_share(GaussianDP(1.0, "central")), **given)

    for acts in ([lambda it: it.add(np.zeros(1))], [lambda it: it.release()]):
        part = sums()
        first, second = (SideBySideSums([part], moved=1) for _ in range(2))
        acts[0](first)
        with pytest.raises(InputError, match="its TightTreeSums has played for another algorithm"):
            acts[0](second)


def test_one_simulated_part_makes_all_simulated():
    class Secure(SimulatedNoise):
        simulated = False

    for kinds, simulated in (((Secure, Secure), False), ((Secure, SimulatedNoise), True)):
        parts = [
            TightTreeSums(1, SHARE, sensitivity=REACH[:, 0], noise=kind(i)) for i, kind in enumerate(kinds)
        ]
        assert SideBySideSums(parts).guarantee.simulated == simulated


FREE = {"guarantee": SHARE, "noise": SimulatedNoise(0)}


def bands(count):
    return [BandedSums(1, coefficients=np.ones(1), sensitivity=1.0, **FREE) for _ in range(count)]


@each(
    ("most", "make"),
    [
        (2048, lambda rounds: TreeSums(1, horizon=rounds + 1, sensitivity=np.ones(rounds + 1), **FREE)),
        (2048, lambda rounds: TightTreeSums(1, sensitivity=np.ones(rounds), **FREE)),
        (2048, lambda _: bands(1)[0]),
        (1024, lambda _: SideBySideSums(bands(4))),
    ],
)
def test_what_rounds_share_is_told_of_as_many_as_memory_is_for_and_no_more(most, make):
    assert make(most).gram(most).shape == (most, most)
    assert make(most + 1).gram(most + 1) is None


def test_what_is_no_mechanism_of_one_expert_is_refused():
    wide = TightTreeSums(2, sensitivity=np.ones(4), **FREE)
    for parts in ([], [wide], [bands(1)[0], wide]):
        with pytest.raises(InputError, match="one mechanism for each expert, of vectors of length 1"):
            SideBySideSums(parts)
    with pytest.raises(InputError, match="moved = 0"):
        SideBySideSums(bands(1), moved=0)


@each(("kind", "of"), [(SideBySideSums, MatrixSums), (SideBySideReports, CorrelatedReports)])
def test_mechanisms_that_draw_the_same_noise_are_refused(kind, of):
    """Between their experts it cancels, so that the leader of equal ones is the one with a person more."""

    def made(mu, *sources):
        settings = {"strategy": np.eye(4), "sensitivity": np.ones(4)}
        return kind(
            [of(1, GaussianDP(mu, "central"), noise=SimulatedNoise(rng), **settings) for rng in sources]
        )

    with pytest.raises(InputError, match="two mechanisms draw the same noise"):
        made(1.0, 1, 2, 1)
    shared = rng_for(0, "test side by side", "shared")
    for parts in ((1.0, 1, 2, 3), (1.0, shared, shared), (math.inf, 1, 1)):
        made(*parts)


@each("name", ["tight tree", "averaged tree", "square root"])
@each(("copies", "n"), [(3, N), (2, 1), (1, N)])
def test_one_mechanism_with_a_sensitivity_for_each_expert_does_as_many_mechanisms(name, copies, n):
    make = partial(MAKERS[name], guarantee=SHARE)
    one, another = (SimulatedNoise(rng_for(0, "test together")) for _ in range(2))
    many = SideBySideSums(
        [make(1, sensitivity=reach, noise=one, repetitions=copies) for reach in REACH[:, :n].T]
    )
    whole = SideBySideSums([make(n, sensitivity=REACH[:, :n], noise=another, repetitions=copies)])
    # A person may be in the data of all experts, or of as many as stand side by side with a limit.
    alone = make(n, sensitivity=REACH[:, :n], noise=SimulatedNoise(0))
    assert alone.guarantee.mu == pytest.approx(math.sqrt(n) * SHARE.mu)
    assert whole.guarantee.mu == pytest.approx(math.sqrt(min(2, n)) * SHARE.mu)
    for _ in range(ROUNDS - 1):
        np.testing.assert_allclose(whole.release(), many.release(), rtol=1e-12, atol=1e-12)
        many.add(np.arange(n, dtype=float))
        whole.add(np.arange(n, dtype=float))
    assert whole.guarantee == many.guarantee


def test_reports_of_one_mechanism_are_those_of_many_and_its_own():
    one, *more = (SimulatedNoise(rng_for(0, "test reports")) for _ in range(3))
    settings = {"strategy": square_root(ROUNDS), "repetitions": 3}
    parts = [CorrelatedReports(1, SHARE, sensitivity=reach, noise=one, **settings) for reach in REACH.T]
    alone, inside = (
        CorrelatedReports(N, SHARE, sensitivity=REACH, noise=noise, **settings) for noise in more
    )
    curators = alone, SideBySideReports([inside]), SideBySideReports(parts)
    for _ in range(ROUNDS):
        expected, *others = (curator.report(np.arange(N) / N) for curator in curators)
        for report in others:
            np.testing.assert_allclose(report.values, expected.values, rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(report.scale, expected.scale, rtol=1e-12)
