"""What cannot be meant is refused in one sentence, before anything has changed."""

import contextlib
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from private_experts.distribution_learning import (
    CentredCoordinate,
    HadamardResponse,
    LabelReports,
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
OF_LABELS = [RandomizedResponse, ResponsePosterior, SubsetSelection, HadamardResponse, SignDesign]
KINDS: list[Any] = [NoisyVector, NoisyCoordinate, CentredCoordinate, *OF_LABELS]
every_kind = each("kind", KINDS)


def made(kind: Any, epsilon: float = 1.0, **given: Any) -> Any:
    """Return a mechanism with a guarantee of the kind that it gives, unless something else is asked for."""
    stated = ApproximateDP(epsilon, 1e-5, "local") if kind is NoisyVector else PureDP(epsilon, "local")
    labels = {"labels": M} if kind in OF_LABELS else {}
    return kind(**{"experts": K, "guarantee": stated, "horizon": T} | labels | given)


@contextlib.contextmanager
def refused(*words: str) -> Iterator[None]:
    """Assert that what is done here is refused in one line that has these words."""
    with pytest.raises(InputError) as raised:
        yield
    message = str(raised.value)
    assert "\n" not in message
    assert all(word in message for word in words), message


@every_kind
def test_a_guarantee_of_another_kind_model_or_level_is_refused(kind: Any) -> None:
    other = PureDP(1.0, "local") if kind is NoisyVector else ApproximateDP(1.0, 1e-5, "local")
    for wrong in (other, GaussianDP(1.0, "local"), 1.0, None):
        with refused("write", "DP("):
            made(kind, guarantee=wrong)
    with refused("central", "local"):
        made(kind, guarantee=replace(made(kind).guarantee, model="central"))
    with refused("epsilon = 0"):
        made(kind, 0.0)
    if kind is NoisyCoordinate:
        assert made(kind, math.inf).guarantee.epsilon == math.inf  # no noise, for comparisons
    else:
        with refused("epsilon = inf"):
            made(kind, math.inf)
    if kind in OF_LABELS:
        with refused("epsilon = 701", "700"):
            made(kind, 701.0)
        assert math.isfinite(made(kind, 700.0).risk_bound)


@each(
    ("kind", "given", "word"),
    [
        (NoisyVector, {"horizon": 1}, "horizon"),
        (NoisyVector, {"experts": 0}, "experts"),
        (NoisyVector, {"rate": "best"}, "rate"),
        (NoisyVector, {"guarantee": ApproximateDP(1.0, 0.0, "local")}, "delta"),
        (NoisyVector, {"guarantee": ApproximateDP(1.0, 1.0, "local")}, "delta"),
        (NoisyCoordinate, {"gamma": math.inf}, "gamma"),
        (RandomizedResponse, {"labels": 1}, "labels"),
        (RandomizedResponse, {"experts": 0}, "experts"),
        (RandomizedResponse, {"horizon": 1}, "horizon"),
        (RandomizedResponse, {"experts": 2.5}, "experts"),
        (SubsetSelection, {"labels": 1}, "labels"),
    ],
)
def test_numbers_out_of_range_are_refused(kind: Any, given: dict[str, Any], word: str) -> None:
    with refused(word, "write"):
        made(kind, **given)


@each(
    ("call", "word"),
    [
        (lambda: hadamard(3), "size 3: write a power of two"),
        (lambda: hadamard(6), "size 6: write a power of two"),
        (lambda: clip(CLASSES, T).draw(np.array([M]), rng_for(0, "cells")), "labels"),
        (lambda: excess(-0.1, 5.0, 1.0), "rate"),
        (lambda: excess(1.0, 5.0, 1.0), "rate"),  # it is infinite
        (lambda: excess(math.nan, 5.0, 1.0), "rate"),
    ],
)
def test_numbers_that_a_part_has_no_result_for_are_refused(call: Callable[[], object], word: str) -> None:
    with refused(word):
        call()


WRONG_LABELS: list[Any] = [
    np.array([0, -1]),
    np.array([0, M]),
    np.array([0.0, 1.0]),
    np.array([[0, 1]]),
    np.array([], dtype=np.intp),
]
WRONG_CLASSES: list[Any] = [
    CLASSES[:2],  # a distribution too few
    CLASSES[None],  # many rounds
    CLASSES.tolist(),
    CLASSES * 1.001,
    CLASSES + np.array([-1.0, 1.0, 0.0, 0.0]),
    np.where(np.eye(K, M) == 1, math.nan, CLASSES),
    np.full((K, M), "a"),
]


@every_kind
def test_labels_and_classes_that_cannot_be_are_refused(kind: Any) -> None:
    mechanism, rng = made(kind), rng_for(0, "wrong")
    for labels in WRONG_LABELS:
        with refused("labels", "write"):
            mechanism.privatize(labels, CLASSES, rng)
    for classes in WRONG_CLASSES:
        with refused("classes"):
            mechanism.learner().predict(classes)
        with refused("classes"):
            mechanism.total_losses(np.array([3]), 0, classes, rng)
        if kind not in OF_LABELS or isinstance(classes, list) or classes.shape != (K, M):
            with refused("classes"):
                mechanism.privatize(np.array([0]), classes, rng)
    if kind in OF_LABELS:
        with refused(f"({K}, {M})"):  # it knows how many labels there are
            mechanism.learner().predict(np.full((K, M + 1), 1 / (M + 1)))


def test_labels_of_any_whole_type_are_taken() -> None:
    for kind in (np.int8, np.uint64):
        labels = np.array([0, M - 1, 1], dtype=kind)
        reports, expected = (
            made(NoisyVector).privatize(given, CLASSES, rng_for(0, "types")).values
            for given in (labels, labels.astype(np.intp))
        )
        np.testing.assert_array_equal(reports, expected)


@every_kind
def test_only_a_mechanism_s_own_reports_reach_its_learner_and_what_is_refused_changes_nothing(
    kind: Any,
) -> None:
    mechanism, labels, rng = made(kind, 0.7), np.array([0, 1]), rng_for(0, "reports")
    learner, reports = mechanism.learner(2), mechanism.privatize(labels, CLASSES, rng)
    assert reports.guarantee == mechanism.guarantee == learner.guarantee
    assert (reports.guarantee.epsilon, reports.guarantee.model) == (0.7, "local")
    if kind in OF_LABELS:
        with refused("predict"):  # it means nothing before the classes are known
            learner.update(reports)
    learner.predict(CLASSES)
    good = reports.values
    for true in (labels, good, labels.tolist(), None):
        with refused("privatize"):
            learner.update(true)
    for other in [*(made(other, 0.7) for other in KINDS if other is not kind), made(kind, 2.0)]:
        with refused("learner's own"):
            learner.update(other.privatize(labels, CLASSES, rng))
    wrong = [good[:1], np.concatenate([good, good]), good[None], good * math.nan]
    if good.dtype.kind == "i":
        wrong += [good - 10, good + 10, good + 0.0]
    else:
        wrong += [good[:, :-1], good + math.inf, good[0]]
    for values in wrong:
        with refused("write"):
            learner.update(LabelReports(values, mechanism))
    with refused("array"):
        LabelReports(good.tolist(), mechanism)
    assert (learner.majority.total == 0).all()
    learner.update(made(kind, 0.7).privatize(labels, CLASSES, rng))  # an equal mechanism is the same one
    assert (learner.majority.total != 0).any()


@every_kind
def test_games_of_other_lengths_and_truths_are_refused(kind: Any) -> None:
    mechanism, rounds = made(kind), np.broadcast_to(CLASSES, (T, K, M))
    rng = rng_for(0, "games")
    many: dict[str, Any] = {"repetitions": 2, "rng": rng}
    for given in (rounds[:-1], rounds.tolist(), CLASSES):
        with refused(str(T)):
            play_labels(mechanism, given, truth=0, **many)
    for truth in (-1, K, 0.0):
        with refused("truth"):
            play_labels(mechanism, rounds, truth=truth, **many)
        with refused("truth"):
            play_long(mechanism, CLASSES, truth=truth, **many)
        with refused("truth"):
            mechanism.total_losses(np.array([1]), truth, CLASSES, rng)
    with refused("strata"):
        play_long(mechanism, CLASSES, truth=0, strata=0, **many)
    with refused("repetitions"):
        play_long(mechanism, CLASSES, truth=0, repetitions=0, rng=rng)
    for counts in (np.array([-1]), np.array([1.5]), [1]):
        with refused("rounds"):
            mechanism.total_losses(counts, 0, CLASSES, rng)
