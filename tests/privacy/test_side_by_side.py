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

CENTRAL = GaussianDP(0.5, "central")
SHARE = own_share(CENTRAL)
ROUNDS, N = 6, 4
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


class Recording:
    """Noise that is a vector of unknowns, one for each draw, so that releases are linear in data and draws.

    A value is kept as float; the draw of number k adds `scale * unknowns[k]`.
    """

    def __init__(self, unknowns):
        self.unknowns, self.drawn, self.scales = unknowns, 0, []

    def perturb(self, values, scale, repetitions):
        drawn = self.unknowns[self.drawn : self.drawn + values.shape[-1]] * scale
        self.drawn += values.shape[-1]
        self.scales.append(scale)
        return np.broadcast_to(values + drawn, (repetitions, values.shape[-1])).copy()


DRAWS = 60
MAKERS = {
    "tight tree": lambda reach, noise: TightTreeSums(1, SHARE, sensitivity=reach, noise=noise),
    "averaged tree": lambda reach, noise: TightTreeSums(
        1, SHARE, sensitivity=reach, noise=noise, refined=True
    ),
    "square root": lambda reach, noise: MatrixSums(
        1, SHARE, strategy=square_root(ROUNDS), sensitivity=reach, noise=noise
    ),
    "best": lambda reach, noise: MatrixSums(
        1, SHARE, strategy=optimal(prefix_sums(ROUNDS), reach).strategy, sensitivity=reach, noise=noise
    ),
}


CORRELATED = [MAKERS["square root"], MAKERS["best"]]


def released(make, data, unknowns):
    """All sums that are released on some data, as one vector, with given draws."""
    noise = Recording(unknowns)
    sums = SideBySideSums([make(reach, noise) for reach in REACH.T])
    out = [sums.release()[0]]
    for row in data[: None if make in CORRELATED else -1]:  # trees release no sum of all rounds
        sums.add(row)
        out.append(sums.release()[0])
    return np.concatenate(out)


@each("name", MAKERS)
def test_all_releases_together_have_at_most_the_level_by_the_shift_problem(name):
    make, zero = MAKERS[name], np.zeros((ROUNDS, N))
    silent = np.zeros(DRAWS)
    draws = np.array([released(make, zero, np.eye(DRAWS)[k]) for k in range(DRAWS)]).T
    covariance = draws @ draws.T
    levels = []
    for t in range(ROUNDS if make in CORRELATED else ROUNDS - 1):
        shifts = []
        for i in range(N):
            data = zero.copy()
            data[t, i] = REACH[t, i]
            shifts.append(released(make, data, silent))
        inverse = np.linalg.pinv(covariance, rcond=1e-12)
        for i, j in itertools.combinations(range(N), 2):
            for sign in (-1, 1):
                shift = shifts[i] + sign * shifts[j]
                levels.append(math.sqrt(shift @ inverse @ shift))
    assert max(levels) <= CENTRAL.mu * (1 + 1e-9)
    if name != "averaged tree":  # what is seen of its nodes are mixtures alone
        assert max(levels) == pytest.approx(CENTRAL.mu, rel=1e-6)  # so noise that is .99 of it is caught


def test_the_guarantee_is_that_of_the_worst_experts():
    noise = SimulatedNoise(rng_for(0, "x"))

    def parts(*levels):
        return [
            TightTreeSums(1, GaussianDP(mu, "central"), sensitivity=np.ones(4), noise=noise) for mu in levels
        ]

    assert SideBySideSums(parts(0.1, 0.4, 0.3)).guarantee.mu == pytest.approx(0.5)
    assert SideBySideSums(parts(0.1, 0.4, 0.3), moved=1).guarantee.mu == pytest.approx(0.4)
    three = SideBySideSums(parts(0.1, 0.4, 0.3, 0.05), moved=3)
    assert three.guarantee.mu == pytest.approx(math.sqrt(0.1**2 + 0.4**2 + 0.3**2))
    assert SideBySideSums(parts(0.1, math.inf)).guarantee.mu == math.inf
    many = SideBySideSums(parts(*[0.1] * 40, *[0.4] * 6), moved=10)
    assert many.guarantee.mu == pytest.approx(math.sqrt(6 * 0.4**2 + 4 * 0.1**2))


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


def test_one_simulated_part_makes_all_simulated():
    class Secure(SimulatedNoise):
        simulated = False

    def part(seed, kind):
        return TightTreeSums(1, SHARE, sensitivity=REACH[:, 0], noise=kind(seed))

    for kinds, simulated in (((Secure, Secure), False), ((Secure, SimulatedNoise), True)):
        assert SideBySideSums([*map(part, (1, 2), kinds)]).guarantee.simulated == simulated


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
    noise = SimulatedNoise(rng_for(0, "x"))
    wide = TightTreeSums(2, SHARE, sensitivity=np.ones(4), noise=noise)
    for parts in ([], [wide], [bands(1)[0], wide]):
        with pytest.raises(InputError, match="one mechanism for each expert, of vectors of length 1"):
            SideBySideSums(parts)
    with pytest.raises(InputError, match="moved = 0"):
        SideBySideSums([TightTreeSums(1, SHARE, sensitivity=np.ones(4), noise=noise)], moved=0)


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


@each(
    "make",
    [
        partial(TightTreeSums, guarantee=SHARE),
        partial(TightTreeSums, guarantee=SHARE, refined=True),
        partial(MatrixSums, guarantee=SHARE, strategy=square_root(ROUNDS)),
    ],
)
@each(("copies", "n"), [(3, N), (2, 1)])
def test_one_mechanism_with_a_sensitivity_for_each_expert_does_as_many_mechanisms(make, copies, n):
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


def test_reports_of_one_mechanism_are_those_of_many():
    one, another = (SimulatedNoise(rng_for(0, "test reports")) for _ in range(2))
    settings = {"strategy": square_root(ROUNDS), "repetitions": 3}
    parts = [CorrelatedReports(1, SHARE, sensitivity=reach, noise=one, **settings) for reach in REACH.T]
    many = SideBySideReports(parts)
    whole = SideBySideReports([CorrelatedReports(N, SHARE, sensitivity=REACH, noise=another, **settings)])
    for _ in range(ROUNDS):
        first, second = (curator.report(np.arange(N) / N) for curator in (many, whole))
        np.testing.assert_allclose(first.values, second.values, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(first.scale, second.scale, rtol=1e-12)
