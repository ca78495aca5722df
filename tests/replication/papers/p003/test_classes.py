"""Classes of distributions, and sequences of features."""

import functools
import itertools
import math

import numpy as np
import pytest

from private_experts.distribution_learning.clipping import clip
from private_experts.distribution_learning.risk import kl, total_variation
from private_experts.errors import InputError
from private_experts.randomness import rng_for
from private_experts.replication.papers.p003 import classes
from private_experts.replication.papers.p003.features import FEATURES
from tests.each import each


def test_hadamard_is_the_kronecker_power() -> None:
    two = np.array([[1, 1], [1, -1]])
    assert (classes.hadamard(16) == functools.reduce(np.kron, [two] * 4)).all()


def test_tilted_distributions_are_equally_far_apart_and_splitting_labels_changes_nothing() -> None:
    f = classes.tilted(5, 0.6)
    assert f.shape == (5, 8)
    distances = [kl(first, second) for first, second in itertools.permutations(f, 2)]
    np.testing.assert_allclose(distances, distances[0], rtol=1e-12)
    split = classes.split_labels(f, 5)
    assert split.shape == (5, 40)
    np.testing.assert_allclose(
        [kl(first, second) for first, second in itertools.permutations(split, 2)], distances, rtol=1e-12
    )


def test_the_class_of_the_lower_bound() -> None:
    f, signs = classes.lower_bound_class(3, 0.4), classes.hadamard(4)[1:]
    np.testing.assert_allclose(f[::2], np.where(signs == -1, 0.5, 0.0))
    np.testing.assert_allclose(f[1::2], f[::2] + 0.1 * signs)


def test_the_gap_of_the_lower_bound_is_1_at_its_least_horizon() -> None:
    assert classes.lower_bound_gap(9, 1, 50.0) == pytest.approx(math.exp(-25))
    least = 7 / (9 * math.expm1(0.5) ** 2 * math.exp(0.5))
    assert classes.lower_bound_gap(7, least, 0.5) == pytest.approx(1.0)  # type: ignore[arg-type]


@each(("experts", "parts"), [(1, 5), (2, 20), (3, 10)])
def test_packed_classes_take_nearly_all_cells(experts: int, parts: int) -> None:
    labels = experts * parts
    assert clip(classes.packed(experts, parts), 10).total == (experts + 1) * labels - experts


def test_a_needle_differs_from_the_rest_who_agree() -> None:
    f = classes.needle(4, 0.5)
    np.testing.assert_allclose(f, [[0.75, 0.25]] + [[0.25, 0.75]] * 3)


@each("name", FEATURES)
def test_features_keep_distributions(name: str) -> None:
    f = classes.dirichlet(4, 6, 1.0, rng_for(0, "features"))
    rounds = FEATURES[name](f, 12, rng_for(0, name))
    assert rounds.shape == (12, 4, 6)
    np.testing.assert_allclose(rounds.sum(axis=-1), 1.0)
    differing = (rounds != rounds[:, :1]).any(axis=-1).sum(axis=1)
    assert differing.tolist() == {"late": [0] * 6 + [3] * 6, "one-by-one": [1] * 12}.get(name, [3] * 12)
    if name == "permuted":
        assert (np.sort(rounds, axis=-1) == np.sort(f, axis=-1)).all()
        assert len({tuple(distributions[0]) for distributions in rounds}) > 6


def test_divergences() -> None:
    assert kl([0.5, 0.5], [0.25, 0.75]) == pytest.approx(0.5 * math.log(2) + 0.5 * math.log(2 / 3))
    assert kl([1.0, 0.0], [1.0, 0.0]) == 0
    assert kl([0.5, 0.5], [1.0, 0.0]) == math.inf
    # A subnormal number is no zero: its quotient would overflow.
    assert kl([0.5, 0.5], [1.0, 1e-310]) == pytest.approx(math.log(0.5) - 0.5 * math.log(1e-310))
    assert total_variation([0.5, 0.5], [0.2, 0.8]) == pytest.approx(0.3)
    p, q = rng_for(0, "pinsker").dirichlet(np.ones(4), size=(2, 200))
    assert (total_variation(p, q) <= np.sqrt(kl(p, q) / 2)).all()


@each(
    ("call", "words"),
    [
        (lambda: classes.tilted(3, 1.1), "amplitude = 1.1: write a number from -1 to 1"),
        (lambda: classes.lower_bound_class(3, 2.1), "gap = 2.1: write a number from 0 to 2"),
        (lambda: classes.needle(3, -1.1), "amplitude = -1.1: write a number from -1 to 1"),
        (lambda: classes.packed(2, 2000), "parts is too large: write a whole number of at most 999"),
    ],
)
def test_bad_input_is_named(call, words) -> None:
    with pytest.raises(InputError, match=words):
        call()
