"""What all private running sums have in common, whatever noise they add."""

import functools
import itertools
import math

import numpy as np
import pytest

from private_experts.errors import InputError
from private_experts.games import private_reports
from private_experts.privacy import (
    BandedSums,
    CorrelatedReports,
    GaussianDP,
    MatrixSums,
    PureDP,
    SimulatedNoise,
    TightTreeSums,
    TreeSums,
)
from private_experts.privacy.banded import root_band
from private_experts.privacy.factorization import square_root
from private_experts.randomness import rng_for
from private_experts.replication.papers.p000.sum_covariances import (
    matrix_reports,
    matrix_sums,
    tight_tree,
    tree,
)
from private_experts.validation import checked_vector
from tests.each import each
from tests.privacy.draws import EveryDraw

ROUNDS, COPIES, N = 21, 2, 3
BOUNDS = np.linspace(1, 2, ROUNDS)
OPEN, PRIVATE = GaussianDP(math.inf, "central"), GaussianDP(1.0, "central")
KINDS = {
    "padded tree": (TreeSums, {"horizon": ROUNDS, "sensitivity": 1.0}),
    "tree": (TreeSums, {"horizon": ROUNDS, "sensitivity": BOUNDS, "padded": False}),
    "tight tree": (TightTreeSums, {"sensitivity": BOUNDS}),
    "refined tree": (TightTreeSums, {"sensitivity": BOUNDS, "refined": True}),
    "correlated": (MatrixSums, {"strategy": square_root(ROUNDS), "sensitivity": BOUNDS}),
    "band": (BandedSums, {"coefficients": root_band(7), "sensitivity": 1.0}),
}
every_kind = each("kind", KINDS)


def sums_of(kind, guarantee=PRIVATE, n=N, **changes):
    make, arguments = KINDS[kind]
    noise = SimulatedNoise(rng_for(0, "test sums"))
    return make(n, guarantee, **(arguments | {"noise": noise, "repetitions": COPIES} | changes))


@every_kind
def test_sums_are_true_sums_whatever_the_caller_does_to_a_vector_later(kind):
    by_expert = {"sensitivity": np.outer(BOUNDS, np.linspace(1, 2, N))}
    for given in [{}, by_expert] if kind in ("tight tree", "refined tree", "correlated") else [{}]:
        open_sums, buffer, total = sums_of(kind, OPEN, **given), np.zeros(N), np.zeros(N)
        for vector in rng_for(0, "test sums", "data").random((ROUNDS - 1, N)):
            buffer[:] = vector
            total += vector
            open_sums.add(buffer)
            np.testing.assert_allclose(open_sums.release(), np.tile(total, (COPIES, 1)), atol=1e-12)


class Multiples:
    """Draws of which each copy and each expert has its own multiple; a row is a copy, or an expert."""

    def __init__(self, draws, copies):
        self.draws, self.copies = iter(draws), copies

    def perturb(self, values, scale, repetitions):
        if values.ndim == 1:
            return values + scale * next(self.draws) * multiples(repetitions, values.size)
        drawn = list(itertools.islice(self.draws, values.shape[1] // self.copies))
        return values + scale * np.kron(drawn, multiples(repetitions, self.copies))


def multiples(*shape):
    return np.outer(*(1 + np.arange(length) for length in shape))


LEVEL = 0.05
LONG = 150  # rounds, so that a tree releases a node of 128 of them


@functools.cache
def described(rounds):
    """Each kind with its arguments, and the covariance that its releases of so many rounds should have."""
    reach, root, one = np.where(np.arange(rounds) % 3 == 2, 0.5, 1.0), square_root(rounds), np.ones(rounds)
    banded = sum(c * np.eye(rounds, k=-lag) for lag, c in enumerate(root_band(7)))
    own, by_root = {"sensitivity": reach}, {"sensitivity": reach, "strategy": root}
    padded = {"horizon": rounds, "sensitivity": 1.0}
    band = {"coefficients": root_band(7), "sensitivity": 3.0}
    return {
        "padded tree": (TreeSums, padded, tree(one, padded=True)),
        "tree": (TreeSums, own | {"horizon": rounds, "padded": False}, tree(reach, padded=False)),
        "tight tree": (TightTreeSums, own, tight_tree(reach, refined=False)),
        "refined tree": (TightTreeSums, own | {"refined": True}, tight_tree(reach, refined=True)),
        "correlated": (MatrixSums, by_root, matrix_sums(root, reach)),
        "band": (BandedSums, band, matrix_sums(banded, 3.0 * one)),
        "reports": (CorrelatedReports, by_root, matrix_reports(root, reach)),
        "local reports": (private_reports, own, np.diag(reach**2)),
    }


def releases(kind, n, noise, copies, rounds=LONG, **changes):
    make, arguments, _ = described(rounds)[kind]
    if make is private_reports:
        given = arguments | changes | ({"moved": 1} if changes else {})
        reports = make(
            np.zeros((rounds, n)), GaussianDP(LEVEL, "local"), noise=noise, repetitions=copies, **given
        )
        return [report.values for report in reports]
    given = {"noise": noise, "repetitions": copies} | arguments | changes
    made, told = make(n, GaussianDP(LEVEL, "central"), **given), np.zeros(n)
    if make is CorrelatedReports:
        return [made.report(told).values for _ in range(rounds)]
    return [made.release(), *((made.add(told), made.release())[1] for _ in range(rounds - 1))]


@each("kind", described(2))
def test_the_noise_of_all_releases_together_is_as_described_to_the_digit(kind):
    for rounds in (2, 3, LONG):
        loads = np.array(releases(kind, 1, EveryDraw(), 3 * rounds, rounds))[..., 0]
        np.testing.assert_allclose(
            loads @ loads.T * LEVEL**2, described(rounds)[kind][2], rtol=1e-7, atol=1e-9
        )
    draws = rng_for(0, "test sums", "draws").standard_normal(3 * LONG)

    def check(found, wide):
        for release, one in zip(found, loads @ draws, strict=True):
            np.testing.assert_allclose(release, one * wide, rtol=1e-7, atol=1e-7)

    # So in wide games of many copies.
    for copies, n in ((70, 40), (1, 5000)):
        check(releases(kind, n, Multiples(draws, copies), copies), multiples(copies, n))
    if kind in ("tight tree", "refined tree", "correlated", "reports", "local reports"):
        copies, n = 66, 65
        by_expert = np.geomspace(1e-3, 1, n)
        own = {"sensitivity": np.outer(described(LONG)["tree"][1]["sensitivity"], by_expert)}
        found = releases(kind, n, Multiples(draws, copies), copies, **own)
        check(found, multiples(copies, n) * by_expert)


@every_kind
def test_what_sums_state_says_that_their_noise_was_simulated(kind):
    assert "simulated noise" in str(sums_of(kind).guarantee)


@each("kind", [kind for kind in KINDS if kind != "padded tree"])  # whose filling noise is drawn anew
def test_what_is_released_is_the_callers(kind):
    sums = sums_of(kind)
    for _ in range(2):
        sums.add(np.zeros(N))
        released = sums.release()
        kept = released.copy()
        released[...] = 0
        np.testing.assert_array_equal(sums.release(), kept)


@each("kind", [kind for kind in KINDS if kind not in ("padded tree", "band")])
def test_no_more_rounds_are_served_than_have_a_sensitivity(kind):
    sums = sums_of(kind)

    def play(rounds):
        for _ in range(rounds):
            sums.add(np.zeros(N))
            sums.release()

    play(ROUNDS - 1)
    with pytest.raises(InputError, match=f"serves {ROUNDS}|serves {ROUNDS - 1}|all were played"):
        play(2)


@every_kind
@each("guarantee", [GaussianDP(1.0, "local"), PureDP(1.0, "central"), 1.0, GaussianDP(0.0, "central")])
def test_guarantees_that_it_cannot_give_are_refused(kind, guarantee):
    with pytest.raises(InputError, match=r"write (GaussianDP\(\.\.\., 'central'\)|a positive number)$"):
        sums_of(kind, guarantee)


WRONG = {
    "a number": (0.1, "a float was given; write a NumPy array of shape \\(3,\\)"),
    "too many": (np.zeros(4), "a vector of shape \\(4,\\); write shape \\(3,\\)"),
    "missing": (np.array([0.1, np.nan, 0.3]), "a vector with nan in it; write finite numbers"),
    "infinite twice": (np.array([np.inf, 0.2, -np.inf]), "a vector with inf in it; write finite numbers"),
    "words": (np.array(["a", "b", "c"]), "a vector of type <U1; write an array of float64"),
}


@every_kind
@each("wrong", WRONG)
def test_what_is_no_vector_is_refused_and_changes_nothing(kind, wrong):
    sums, (vector, message) = sums_of(kind, OPEN), WRONG[wrong]
    sums.add(np.array([0.5, -2.0, 8.0]))  # any size and sign
    with pytest.raises(InputError, match=f"^[a-z ]+: {message}$"):
        sums.add(vector)
    sums.add(np.ones(3))
    np.testing.assert_allclose(sums.release(), [[1.5, -1.0, 9.0]] * COPIES, rtol=1e-12)


NUMBERS = (0, -1, 2.5, "5", np.inf, None, True, np.ones((2, 2)), 10**400)
SAID = {TreeSums: "private prefix sums", MatrixSums: "correlated reports", BandedSums: "banded sums"}


@each(
    ("kind", "name"),
    [
        *itertools.product(["tight tree", "correlated", "band"], ["n", "repetitions"]),
        ("padded tree", "horizon"),
    ],
)
def test_constructors_refuse_what_is_no_whole_number_in_one_sentence(kind, name):
    who = SAID.get(KINDS[kind][0], "tight tree")
    for number in NUMBERS:
        with pytest.raises(InputError, match=rf"^{who}: {name} [^\n]+: write a whole number [^\n]+$"):
            sums_of(kind, **{name: number})
    sums_of(kind, **{name: np.int64(2)})


@every_kind
def test_constructors_refuse_what_is_no_source_of_noise(kind):
    with pytest.raises(InputError, match=r"^[a-z ]+: noise of type Generator; write SimulatedNoise\(rng\)"):
        sums_of(kind, noise=rng_for(0, "test vectors"))


def test_a_checked_vector_is_a_copy_in_floats():
    vector = np.array([1, 0, 1])
    copy = checked_vector(vector, 3, "test")
    vector[:] = 7
    assert (copy.dtype, copy.tolist()) == (np.float64, [1.0, 0.0, 1.0])
    # large, and finite
    assert checked_vector(np.array([1e150, -1e150]), 2, "test").tolist() == [1e150, -1e150]
