"""What cannot be meant is refused in one sentence, before anything has changed."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from private_experts.distribution_learning import (
    CentredCoordinate,
    HadamardResponse,
    LabelReports,
    Mechanism,
    NoisyCoordinate,
    NoisyVector,
    RandomizedResponse,
    ResponsePosterior,
    SignDesign,
    SubsetSelection,
    play_labels,
    play_long,
)
from private_experts.distribution_learning.centred import excess
from private_experts.distribution_learning.clipping import clip
from private_experts.distribution_learning.hadamard_response import hadamard
from private_experts.errors import InputError
from private_experts.privacy.guarantees import ApproximateDP, GaussianDP, PureDP
from private_experts.randomness import rng_for
from private_experts.replication.papers.p003.classes import tilted
from tests.each import each

K, M, T = 3, 4, 40
CLASSES = tilted(K, 0.8)
KINDS: dict[str, Callable[..., Mechanism]] = {
    "algorithm 1": lambda guarantee: NoisyVector(K, guarantee, horizon=T),
    "algorithm 2": lambda guarantee: NoisyCoordinate(K, guarantee, horizon=T),
    "centred reports": lambda guarantee: CentredCoordinate(K, guarantee, horizon=T),
    "randomised response": lambda guarantee: RandomizedResponse(K, guarantee, labels=M, horizon=T),
    "posterior": lambda guarantee: ResponsePosterior(K, guarantee, labels=M, horizon=T),
    "subset selection": lambda guarantee: SubsetSelection(K, guarantee, labels=M, horizon=T),
    "Hadamard response": lambda guarantee: HadamardResponse(K, guarantee, labels=M, horizon=T),
    "sign design": lambda guarantee: SignDesign(K, guarantee, labels=M, horizon=T),
}
everyone = each("name", KINDS)
# report labels alone
OF_LABELS = ("randomised response", "posterior", "subset selection", "Hadamard response", "sign design")


def made(name: str, epsilon: float = 1.0, model: Any = "local") -> Mechanism:
    """Return a mechanism with a guarantee of the kind that it gives."""
    pure = name != "algorithm 1"
    return KINDS[name](PureDP(epsilon, model) if pure else ApproximateDP(epsilon, 1e-5, model))


def refused(call: Callable[[], object], *words: str) -> None:
    """Assert that a call is refused in one line that has these words."""
    with pytest.raises(InputError) as raised:
        call()
    message = str(raised.value)
    assert "\n" not in message
    assert all(word in message for word in words), message


@everyone
def test_a_guarantee_of_another_kind_or_model_is_refused(name: str) -> None:
    other: Any = PureDP(1.0, "local") if name == "algorithm 1" else ApproximateDP(1.0, 1e-5, "local")
    for wrong in (other, GaussianDP(1.0, "local"), 1.0, None):
        refused(lambda given=wrong: KINDS[name](given), "write", "DP(")  # type: ignore[misc]
    refused(lambda: made(name, model="central"), "central", "local")


@everyone
def test_levels_that_make_no_sense_are_refused(name: str) -> None:
    refused(lambda: made(name, 0.0), "epsilon = 0")
    if name == "algorithm 2":
        assert made(name, math.inf).guarantee.epsilon == math.inf  # no noise, for comparisons
    else:
        refused(lambda: made(name, math.inf), "epsilon = inf")
    if name in OF_LABELS:
        refused(lambda: made(name, 701.0), "epsilon = 701", "700")
        assert math.isfinite(made(name, 700.0).risk_bound)


@each("delta", [0.0, 1.0])
def test_algorithm_1_needs_a_delta_between_0_and_1(delta: float) -> None:
    refused(lambda: KINDS["algorithm 1"](ApproximateDP(1.0, delta, "local")), "delta")


@each(
    ("kind", "given", "word"),
    [
        (NoisyVector, {"horizon": 1}, "horizon"),
        (NoisyVector, {"experts": 0, "horizon": T}, "experts"),
        (NoisyVector, {"horizon": T, "rate": "best"}, "rate"),
        (NoisyCoordinate, {"horizon": T, "gamma": math.inf}, "gamma"),
        (RandomizedResponse, {"labels": 1, "horizon": T}, "labels"),
        (RandomizedResponse, {"labels": M, "experts": 0, "horizon": T}, "experts"),
        (RandomizedResponse, {"labels": M, "horizon": 1}, "horizon"),
        (RandomizedResponse, {"labels": M, "experts": 2.5, "horizon": T}, "experts"),
        (SubsetSelection, {"labels": 1, "horizon": T}, "labels"),
    ],
)
def test_numbers_out_of_range_are_refused(kind: Any, given: dict[str, Any], word: str) -> None:
    guarantee = ApproximateDP(1.0, 1e-5, "local") if kind is NoisyVector else PureDP(1.0, "local")
    refused(lambda: kind(**{"experts": K, "guarantee": guarantee} | given), word, "write")


def test_hadamard_matrices_have_a_power_of_two_of_rows() -> None:
    for size in (3, 6):
        refused(lambda size=size: hadamard(size), f"size {size}: write a power of two")  # type: ignore[misc]


WRONG_LABELS = {
    "negative": np.array([0, -1]),
    "too large": np.array([0, M]),
    "floats": np.array([0.0, 1.0]),
    "two axes": np.array([[0, 1]]),
    "nobody": np.array([], dtype=np.intp),
}


@everyone
@each("wrong", WRONG_LABELS)
def test_labels_that_cannot_be_are_refused(name: str, wrong: str) -> None:
    labels: Any = WRONG_LABELS[wrong]
    refused(lambda: made(name).privatize(labels, CLASSES, rng_for(0, "labels")), "labels", "write")


def test_labels_of_any_whole_type_are_taken() -> None:
    for kind in (np.int8, np.uint64):
        labels = np.array([0, M - 1, 1], dtype=kind)
        mechanism = made("algorithm 1")
        reports = mechanism.privatize(labels, CLASSES, rng_for(0, "types")).values
        np.testing.assert_array_equal(
            reports, mechanism.privatize(labels.astype(np.intp), CLASSES, rng_for(0, "types")).values
        )


def test_a_cell_is_drawn_for_labels_in_range_alone() -> None:
    refused(lambda: clip(CLASSES, T).draw(np.array([M]), rng_for(0, "cells")), "labels")


WRONG_CLASSES = {
    "a distribution too few": CLASSES[:2],
    "many rounds": CLASSES[None],
    "a list": CLASSES.tolist(),
    "sums": CLASSES * 1.001,
    "negative": CLASSES + np.array([-1.0, 1.0, 0.0, 0.0]),
    "not a number": np.where(np.eye(K, M) == 1, math.nan, CLASSES),
    "words": np.full((K, M), "a"),
}


@everyone
@each("wrong", WRONG_CLASSES)
def test_classes_that_are_no_distributions_are_refused(name: str, wrong: str) -> None:
    mechanism, classes, rng = made(name), WRONG_CLASSES[wrong], rng_for(0, "classes")
    refused(lambda: mechanism.learner().predict(classes), "classes")  # type: ignore[arg-type]
    refused(
        lambda: mechanism.total_losses(np.array([3]), 0, classes, rng),  # type: ignore[arg-type]
        "classes",
    )
    if name not in OF_LABELS or wrong == "a list" or np.shape(classes) != (K, M):
        refused(lambda: mechanism.privatize(np.array([0]), classes, rng), "classes")  # type: ignore[arg-type]


@each("name", OF_LABELS)
def test_randomised_response_knows_how_many_labels_there_are(name: str) -> None:
    refused(lambda: made(name).learner().predict(np.full((K, M + 1), 1 / (M + 1))), f"({K}, {M})")


@everyone
def test_true_labels_cannot_reach_a_learner(name: str) -> None:
    mechanism = made(name)
    learner, labels = mechanism.learner(2), np.array([0, 1])
    learner.predict(CLASSES)
    reports = mechanism.privatize(labels, CLASSES, rng_for(0, "true"))
    for given in (labels, reports.values, labels.tolist(), None):
        refused(lambda given=given: learner.update(given), "privatize")  # type: ignore[arg-type,misc]
    assert (learner.majority.total == 0).all()
    learner.update(reports)
    assert (learner.majority.total != 0).any()


@everyone
def test_reports_of_another_mechanism_or_level_are_refused(name: str) -> None:
    learner, labels = made(name).learner(2), np.array([0, 1])
    learner.predict(CLASSES)
    others = [made(other) for other in KINDS if other != name] + [made(name, 2.0)]
    for other in others:
        reports = other.privatize(labels, CLASSES, rng_for(0, "other"))
        refused(lambda reports=reports: learner.update(reports), "learner's own")  # type: ignore[misc]
    assert (learner.majority.total == 0).all()
    # an equal mechanism is the same one
    learner.update(made(name).privatize(labels, CLASSES, rng_for(0, "equal")))


@everyone
def test_reports_carry_the_guarantee_of_their_mechanism(name: str) -> None:
    mechanism = made(name, 0.7)
    reports = mechanism.privatize(np.array([0, 1]), CLASSES, rng_for(0, "carry"))
    assert reports.guarantee == mechanism.guarantee == mechanism.learner().guarantee
    assert reports.guarantee.epsilon == 0.7
    assert reports.guarantee.model == "local"


@everyone
def test_reports_with_values_that_cannot_be_are_refused(name: str) -> None:
    mechanism = made(name)
    learner = mechanism.learner(2)
    learner.predict(CLASSES)
    good = mechanism.privatize(np.array([0, 1]), CLASSES, rng_for(0, "values")).values
    wrong = [good[:1], np.concatenate([good, good]), good[None], good * math.nan]
    wrong += (
        [good - 10, good + 10, good + 0.0]
        if good.dtype.kind == "i"
        else [good[:, :-1], good + math.inf, good[0]]
    )
    for values in wrong:
        refused(
            lambda values=values: learner.update(LabelReports(values, mechanism)),  # type: ignore[misc]
            "write",
        )
    assert (learner.majority.total == 0).all()
    refused(lambda: LabelReports(good.tolist(), mechanism), "array")  # type: ignore[arg-type]


@each("name", OF_LABELS)
def test_a_report_means_nothing_before_the_classes_are_known(name: str) -> None:
    mechanism = made(name)
    reports = mechanism.privatize(np.array([0]), CLASSES, rng_for(0, "before"))
    refused(lambda: mechanism.learner().update(reports), "predict")


@everyone
def test_games_of_other_lengths_and_truths_are_refused(name: str) -> None:
    mechanism, rounds = made(name), np.broadcast_to(CLASSES, (T, K, M))
    many: dict[str, Any] = {"repetitions": 2, "rng": rng_for(0, "games")}
    for given in (rounds[:-1], rounds.tolist(), CLASSES):
        refused(
            lambda given=given: play_labels(mechanism, given, truth=0, **many),  # type: ignore[misc,arg-type]
            str(T),
        )
    for truth in (-1, K, 0.0):
        refused(
            lambda truth=truth: play_labels(mechanism, rounds, truth=truth, **many),  # type: ignore[misc]
            "truth",
        )
        refused(
            lambda truth=truth: play_long(mechanism, CLASSES, truth=truth, **many),  # type: ignore[misc]
            "truth",
        )
        refused(
            lambda truth=truth: mechanism.total_losses(np.array([1]), truth, CLASSES, many["rng"]), "truth"
        )  # type: ignore[misc]
    refused(lambda: play_long(mechanism, CLASSES, truth=0, strata=0, **many), "strata")
    refused(lambda: play_long(mechanism, CLASSES, truth=0, repetitions=0, rng=many["rng"]), "repetitions")
    rng = many["rng"]
    for counts in (np.array([-1]), np.array([1.5]), [1]):
        refused(
            lambda counts=counts: mechanism.total_losses(counts, 0, CLASSES, rng),  # type: ignore[misc]
            "rounds",
        )


@each(("rate", "noise"), [(-0.1, 1.0), (1.0, 1.0), (math.nan, 1.0)])
def test_an_excess_that_is_infinite_is_refused(rate: float, noise: float) -> None:
    refused(lambda: excess(rate, 5.0, noise), "rate")
