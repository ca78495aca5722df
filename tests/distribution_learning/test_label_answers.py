"""One private bit about a public question: what designs see, the level by enumeration, what is refused."""

import math
from itertools import pairwise, product

import numpy as np
import pytest

from private_experts.distribution_learning import AskComparison, SignDesign, play_labels
from private_experts.distribution_learning.sign_design import sphere_constant
from private_experts.errors import InputError
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.papers.p003.classes import dirichlet, tilted
from tests.each import each

LOCAL = PureDP(1.0, "local")
CLASSES = {
    "two": np.array([[0.5, 0.3, 0.2], [0.1, 0.3, 0.6]]),
    "dirichlet": dirichlet(4, 9, 0.3, rng_for(0, "answers")),
    "peaks": np.eye(5, 9) * 0.9 + 0.1 / 9,
    "scales": np.array([[0.5, 0.5, 0, 0], [0.4, 0.6, 0, 0], [0.5, 0.5 - 1e-6, 1e-6, 0], [0.5, 0.4, 0, 0.1]]),
    "twins": tilted(3, 0.5)[[0, 0, 1, 1]],
}
everyone = each("name", CLASSES)


def design(classes: np.ndarray) -> SignDesign:
    return SignDesign(len(classes), LOCAL, labels=classes.shape[1], horizon=100)


def seen(classes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A basis (n, M) of the differences, and their mean products with a random sign, by the arcsine law."""
    vectors = design(classes).directions(classes)
    apart = classes[1:] - classes[:1]
    _, sizes, basis = np.linalg.svd(apart, full_matrices=False)
    basis = basis[sizes > 1e-10 * sizes[0]]
    signs = 2 / math.pi * np.arcsin(np.clip(vectors @ vectors.T, -1, 1))
    return basis, basis @ signs @ basis.T


@everyone
def test_no_difference_of_distributions_is_overlooked(name: str) -> None:
    basis, spread = seen(CLASSES[name])
    values = np.array([*product([-1, 1], repeat=basis.shape[1])]) @ basis.T
    # The largest over all sign functions is the largest of |d|^2 over its mean squared product, for all d.
    largest = float((values * np.linalg.solve(spread, values.T).T).sum(axis=1).max())
    n = len(basis)
    assert n - 1e-9 <= largest <= sphere_constant(n) * math.exp(2e-3)
    assert largest <= design(CLASSES[name]).separation


def test_the_constant_is_1_for_a_pair_and_below_that_of_all_dimensions() -> None:
    assert sphere_constant(1) == pytest.approx(1)
    assert sphere_constant(2) == pytest.approx(math.pi**2 / 4)
    for experts, dimensions in ((1, 1), (2, 1), (3, 2)):
        found = SignDesign(experts, LOCAL, labels=4, horizon=100).separation
        assert found == pytest.approx(sphere_constant(dimensions), rel=3e-3)
    constants = [sphere_constant(n) for n in range(1, 200)]
    assert all(a < b for a, b in pairwise(constants))
    assert all(c < math.pi * n / 2 for n, c in enumerate(constants, start=1))


def test_questions_are_drawn_from_their_law() -> None:
    classes = CLASSES["dirichlet"]
    vectors = design(classes).directions(classes)
    sets = design(classes)._sets(np.zeros(40_000, dtype=np.intp), classes, rng_for(0, "signs"))
    signs = 2.0 * sets - 1
    # Five standard deviations for each of 45 means: a false alarm in 40,000 seeds.
    expected = 2 / math.pi * np.arcsin(np.clip(vectors @ vectors.T, -1, 1))
    assert abs(signs.T @ signs / len(signs) - expected).max() < 5 / math.sqrt(len(signs))


@each("epsilon", [0.1, 5.0])
def test_the_level_of_an_answer_is_exact(epsilon: float) -> None:
    for kind in (SignDesign, AskComparison):
        mechanism = kind(4, PureDP(epsilon, "local"), labels=9, horizon=9)
        # A report is a set or its complement, and the label decides nothing but which is likelier.
        assert math.log((1 - mechanism.flip) / mechanism.flip) == pytest.approx(epsilon, rel=1e-12)
        losses = mechanism.losses(np.eye(9, dtype=bool)[:1], np.eye(9))
        assert np.ptp(losses) == pytest.approx(epsilon, rel=1e-12)


def test_distributions_that_agree_ask_nothing() -> None:
    classes = np.full((3, 4), 0.25)
    assert not design(classes).directions(classes).any()
    reports = design(classes).privatize(np.zeros(5, dtype=np.intp), classes, rng_for(0, "same"))
    assert set(reports.values.sum(axis=1).tolist()) <= {0, 4}


def test_a_comparison_asks_about_the_prediction() -> None:
    classes = np.array([[0.4, 0.4, 0.1, 0.1], [0.1, 0.1, 0.4, 0.4], [0.7, 0.1, 0.1, 0.1]])
    mechanism = AskComparison(3, LOCAL, labels=4, horizon=9)
    predicted = np.broadcast_to(classes[0], (3000, 4))
    reports = mechanism.privatize(np.zeros(3000, dtype=np.intp), classes, rng_for(0, "ask"), predicted)
    seen = {tuple(row) for row in reports.values.astype(int).tolist()}
    questions = [(0, 0, 0, 0), (0, 0, 1, 1), (1, 0, 0, 0)]
    assert seen == {*questions, *(tuple(1 - bit for bit in question) for question in questions)}


def test_a_comparison_needs_the_predictions() -> None:
    mechanism = AskComparison(2, LOCAL, labels=3, horizon=4)
    labels, rng = np.zeros(2, dtype=np.intp), rng_for(0, "needs")
    with pytest.raises(InputError, match=r"learner\.predict\(classes\)"):
        mechanism.privatize(labels, CLASSES["two"], rng)
    with pytest.raises(InputError, match=r"predictions of shape \(1, 3\): write \(2, 3\)"):
        mechanism.privatize(labels, CLASSES["two"], rng, np.full((1, 3), 1 / 3))
    for wrong, said in (
        ([["a", "b", "c"]] * 2, "^predictions: write K rows"),
        ([[1.0], [0.5, 0.5]], "^predictions: write K rows"),
        (np.full((2, 3), np.nan), "^predictions: each row must be a distribution"),
        (np.full((2, 3), 0.5), "^predictions: each row must be a distribution"),
    ):
        with pytest.raises(InputError, match=said):
            mechanism.privatize(labels, CLASSES["two"], rng, wrong)
    with pytest.raises(InputError, match="play_labels"):
        mechanism.total_losses(np.array([1]), 0, CLASSES["two"], rng)


@each("kind", [SignDesign, AskComparison])
def test_the_truth_is_learnt_from_many_labels(kind: type) -> None:
    classes = np.broadcast_to(dirichlet(4, 64, 0.1, rng_for(0, "learnt")), (400, 4, 64))
    mechanism = kind(4, PureDP(2.0, "local"), labels=64, horizon=400)
    risk = play_labels(mechanism, classes, truth=1, repetitions=20, rng=1)
    assert risk.variation.mean() < mechanism.variation_bound
    assert risk.kl.mean() < min(mechanism.risk_bound, 400 * math.log(4) / 10)
    assert (risk.variation > 0).all()


def test_more_distributions_than_labels_have_directions() -> None:
    # Their span is all but one dimension, and first weights are the last ones.
    classes = rng_for(1, "many").dirichlet(np.ones(504), size=520)
    found = SignDesign(520, LOCAL, labels=504, horizon=10).directions(classes)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0, rtol=1e-9)
