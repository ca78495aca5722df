"""What all that sums vectors refuses, before anything has changed; and what their constructors refuse."""

import math

import numpy as np
import pytest

from private_experts.errors import InputError
from private_experts.privacy import (
    AboveThreshold,
    CorrelatedReports,
    CorrelatedSums,
    GaussianDP,
    PrivatePrefixSums,
    PureDP,
    SimulatedNoise,
    TightTree,
)
from private_experts.privacy.factorization import square_root
from private_experts.randomness import rng_for
from private_experts.validation import checked_vector
from tests.each import each

NOTHING = GaussianDP(math.inf, "central")


class Silent:
    """No noise at all, whatever the scale."""

    def perturb(self, values, scale, repetitions):
        return np.tile(values, (repetitions, 1))


BOUNDS = {"sensitivity": np.ones(4), "noise": Silent()}
KINDS = {
    "prefix sums": lambda: PrivatePrefixSums(3, NOTHING, horizon=4, sensitivity=1.0, noise=Silent()),
    "tight tree": lambda: TightTree(3, NOTHING, **BOUNDS),
    "correlated sums": lambda: CorrelatedSums(3, NOTHING, strategy=square_root(4), **BOUNDS),
}
WRONG = {
    "a list": ([0.1, 0.2, 0.3], "a list was given; write a NumPy array of shape \\(3,\\)"),
    "too many": (np.zeros(4), "a vector of shape \\(4,\\); write shape \\(3,\\)"),
    "one for each copy": (np.zeros((1, 3)), "a vector of shape \\(1, 3\\); write shape \\(3,\\)"),
    "missing": (np.array([0.1, np.nan, 0.3]), "a vector with nan in it; write finite numbers"),
    "infinite": (np.array([0.1, -np.inf, 0.3]), "a vector with -inf in it; write finite numbers"),
    "infinite twice": (np.array([np.inf, 0.2, -np.inf]), "a vector with inf in it; write finite numbers"),
    "words": (np.array(["a", "b", "c"]), "a vector of type <U1; write an array of float64"),
    "hidden": (np.ma.masked_invalid([0.1, np.inf, 0.3]), "a MaskedArray was given; write a NumPy array .*"),
}


@each("kind", KINDS)
@each("wrong", WRONG)
def test_what_is_no_vector_is_refused_and_changes_nothing(kind, wrong):
    sums, (vector, message) = KINDS[kind](), WRONG[wrong]
    sums.add(np.array([0.5, -2.0, 8.0]))  # any size and sign
    with pytest.raises(InputError, match=f"^[a-z ]+: {message}$"):
        sums.add(vector)
    sums.add(np.ones(3))
    np.testing.assert_allclose(sums.release(), [[1.5, -1.0, 9.0]], rtol=1e-12)


def test_a_refused_report_takes_no_round():
    curator = CorrelatedReports(3, NOTHING, strategy=square_root(2), sensitivity=np.ones(2), noise=Silent())
    for _ in range(2):
        with pytest.raises(InputError):
            curator.report(np.full(3, np.nan))
        curator.report(np.ones(3))


def test_a_checked_vector_is_a_copy_in_floats():
    vector = np.array([1, 0, 1])
    copy = checked_vector(vector, 3, "test")
    vector[:] = 7
    decimal = np.array([0.5, 0.25, 0.125])
    other = checked_vector(decimal, 3, "test")
    decimal[:] = 7
    assert other.tolist() == [0.5, 0.25, 0.125]
    assert copy.dtype == np.float64
    assert copy.tolist() == [1.0, 0.0, 1.0]
    assert checked_vector(np.array([True, False]), 2, "test").tolist() == [1.0, 0.0]
    assert checked_vector(np.array([1e150, -1e150]), 2, "test").tolist() == [1e150, -1e150]  # large, and finite


NUMBERS = (0, -1, 2.5, "5", np.inf, None, True, np.ones((2, 2)), 10**400)
CENTRAL = GaussianDP(1.0, "central")
SOURCE = SimulatedNoise(rng_for(0, "test vectors", "constructors"))
MADE = {
    "private prefix sums": lambda n=2, **given: PrivatePrefixSums(
        n, CENTRAL, **({"horizon": 4, "sensitivity": 1.0, "noise": SOURCE} | given)
    ),
    "tight tree": lambda n=2, **given: TightTree(n, CENTRAL, **({"sensitivity": np.ones(4), "noise": SOURCE} | given)),
    "correlated reports": lambda n=2, **given: CorrelatedSums(
        n, CENTRAL, **({"strategy": np.eye(4), "sensitivity": np.ones(4), "noise": SOURCE} | given)
    ),
    "AboveThreshold": lambda **given: AboveThreshold(PureDP(1.0, "central"), **({"rng": rng_for(0, "alarm")} | given)),
}


@each(
    ("who", "name"),
    [(who, name) for who in MADE for name in ("n", "repetitions") if (who, name) != ("AboveThreshold", "n")]
    + [("private prefix sums", "horizon")],
)
def test_constructors_refuse_what_is_no_whole_number_in_one_sentence(who, name):
    for number in NUMBERS:
        with pytest.raises(InputError, match=rf"^{who}: {name} [^\n]+: write a whole number [^\n]+$"):
            MADE[who](**{name: number})
    MADE[who](**{name: np.int64(2)})


@each("who", [who for who in MADE if who != "AboveThreshold"])
def test_constructors_refuse_what_is_no_source_of_noise(who):
    for noise in (rng_for(0, "test vectors"), 5, None):
        with pytest.raises(InputError, match=rf"^{who}: noise of type \w+; write SimulatedNoise\(rng\)"):
            MADE[who](noise=noise)
