"""Numbers of any kind along any axes: each row has the result that it has alone, whatever holds them."""

import contextlib
import math
from fractions import Fraction

import numpy as np
import pytest

from private_experts.errors import InputError
from private_experts.privacy import (
    GaussianDP,
    fixed_rates,
    gaussian_mechanism,
    gaussian_mixtures,
    informed_scales,
    own_level,
    own_scales,
    shared_scale,
)
from private_experts.privacy.above_threshold import halting_law
from private_experts.privacy.selection import exponential_law, log_exponential_law, report_noisy_max_law
from private_experts.randomness import rng_for
from tests.each import each

LOCAL = GaussianDP(0.5, "local")
COUNTS, SIZES = np.array([1.0, 3.0, 2.0, 5.0]), np.array([0.5, 2.0, 4.0, 0.25])
# Each with how many axes of a row its arguments have.
FUNCTIONS = {
    "own level": (own_level, (1, 1)),
    "own scales": (lambda reach: own_scales(reach, LOCAL), (1,)),
    "shared scale": (lambda reach: shared_scale(reach, LOCAL), (1,)),
    "fixed rates": (lambda persons: fixed_rates(persons, SIZES)[0], (1,)),
    "exponential law": (lambda scores: exponential_law(scores, 0.7), (1,)),
    "exponential law of counts": (lambda scores: log_exponential_law(scores, 0.7, COUNTS), (1,)),
    "noisy maximum": (lambda scores: report_noisy_max_law(scores, 1.5), (1,)),
    "noisy maximum of counts": (lambda scores: report_noisy_max_law(scores, 1.5, COUNTS), (1,)),
    "trade-off": (gaussian_mechanism.tradeoff, (0, 0)),
    "delta": (lambda e, mu: gaussian_mechanism.delta(epsilon=e, mu=mu), (0, 0)),
    "epsilon": (lambda d, mu: gaussian_mechanism.epsilon(delta=d, mu=mu), (0, 0)),
    "mu": (lambda e, d: gaussian_mechanism.calibrate_mu(epsilon=e, delta=d), (0, 0)),
    "trade-off of a mixture": (lambda a, mu: gaussian_mixtures.mixture_tradeoff(a, [0.25] * 4, mu), (0, 1)),
    "delta of a mixture": (lambda e, mu: gaussian_mixtures.mixture_delta(e, [0.25] * 4, mu), (0, 1)),
    "log delta of a mixture": (
        lambda e, mu: gaussian_mixtures.mixture_log_delta(e, [0.25] * 4, mu),
        (0, 1),
    ),
    "epsilon of a mixture": (lambda d, mu: gaussian_mixtures.mixture_epsilon(d, [0.25] * 4, mu), (0, 1)),
}
OF_ONE_ROW = {
    "sizes": lambda sizes: fixed_rates(COUNTS, sizes)[1],
    "least noise": lambda reach: informed_scales(reach, LOCAL, "total"),
    "counts": lambda counts: report_noisy_max_law(SIZES, 1.5, counts),
    "counts of a law": lambda counts: exponential_law(SIZES, 1.5, counts),
    "halting": lambda queries: halting_law(queries, 1.0),
}


def fractions(array: np.ndarray) -> list:
    return np.vectorize(Fraction, otypes=[object])(array).tolist()


@each("name", FUNCTIONS)
def test_a_row_among_others_has_the_result_that_it_has_alone_and_as_fractions(name):
    function, axes = FUNCTIONS[name]
    rng = rng_for(0, "kinds of numbers")
    given = [rng.integers(1, 64, (2, 3, *[4] * of_row)) / 64 for of_row in axes]
    found = function(*given)
    for place in np.ndindex(2, 3):
        np.testing.assert_allclose(found[place], function(*(array[place] for array in given)), rtol=1e-9)
    np.testing.assert_array_equal(function(*map(fractions, given)), found)


@each("name", OF_ONE_ROW)
def test_fractions_are_their_floats(name):
    row = np.array([0.25, 1.0, 0.5, 0.75])
    np.testing.assert_array_equal(OF_ONE_ROW[name](fractions(row)), OF_ONE_ROW[name](row))


OF_LEVELS = [name for name, (_, axes) in FUNCTIONS.items() if axes[0] == 0]
# Arguments that are probabilities, and have an upper end; levels have none.
PROBABLE = {"trade-off": 0, "epsilon": 0, "mu": 1, "trade-off of a mixture": 0, "epsilon of a mixture": 0}


@each("name", OF_LEVELS)
def test_levels_below_0_and_probabilities_beyond_1_are_refused(name):
    function, axes = FUNCTIONS[name]
    for place in range(len(axes)):
        ends = (0.0, 1.0) if PROBABLE.get(name) == place else (0.0, math.inf)
        for number in (*ends, -1e-9, math.nan, *((1 + 1e-9,) if ends[1] == 1 else ())):
            given = [np.full((4,) * of_row, 0.5) for of_row in axes]
            given[place][...] = number
            allowed = pytest.raises(InputError, match=r"write a number (from 0 to 1|that is at least 0)$")
            with contextlib.nullcontext() if number in ends else allowed:
                function(*given)
