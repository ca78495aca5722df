"""Objects say what they are: class, guarantee and settings, as words that stay when the settings change."""

import copy
import pickle
from inspect import ismodule

import numpy as np
import pytest

import private_experts
from private_experts.algorithms import FollowTheLeader, RWAdaBatch, RWMeta
from private_experts.descriptions import Described
from private_experts.distribution_learning import CentredCoordinate
from private_experts.learners import LinearFilters, trend_weights
from private_experts.privacy import GaussianDP, PureDP, Reports, SimulatedNoise, privatize
from private_experts.randomness import rng_for
from tests.algorithms.cases import CASES, gains_of, opened

LOCAL = GaussianDP(0.5, "local")


def noise() -> SimulatedNoise:
    return SimulatedNoise(rng_for(0, "descriptions"))


def test_an_algorithm_says_its_guarantee_and_its_settings_with_defaults() -> None:
    algorithm = RWAdaBatch(2, LOCAL, noise_scale=0.25, noise=noise(), repetitions=3)
    facts = "n=2, noise_scale=0.25, noise=SimulatedNoise, alpha=0.01, repetitions=3, rho=1, rule='paper', record=True"
    assert repr(algorithm) == str(algorithm) == f"<RWAdaBatch: {algorithm.guarantee}, {facts}>"
    again = RWAdaBatch(2, LOCAL, noise_scale=iter([0.25, 0.5]), noise=noise())  # which is used up
    assert "rule='paper'" in repr(copy.deepcopy(again))


def test_learners_and_what_is_made_of_them_say_so_in_few_words() -> None:
    first = Reports(np.zeros((3, 2)), LOCAL, 1.0)
    learner = LinearFilters(trend_weights, [(w, 10.0) for w in range(2, 8)], first)
    settings = "settings=[[2, 10], [3, 10], [4, 10], [5, 10], and 2 more]"
    assert repr(learner).endswith(f"weights=trend_weights, {settings}, first_report=Reports>")
    meta = RWMeta([learner], LOCAL, rng=rng_for(0, "meta"))
    assert repr(meta) == f"<RWMeta: {meta.guarantee}, learners=[LinearFilters], decorrelation=Decorrelation>"


@pytest.mark.parametrize("name", CASES)
def test_every_algorithm_says_what_it_is(name: str) -> None:
    algorithm, _ = opened(CASES[name], gains_of(5, 4))
    said = repr(algorithm)
    assert said.startswith(f"<{type(algorithm).__name__}: {algorithm.guarantee}")
    assert len(said) < 400
    assert " object at 0x" not in said
    assert "\n" not in said


def test_no_public_class_that_is_made_by_its_own_constructor_is_left_out() -> None:
    rooms = [room for name in private_experts.__all__ if ismodule(room := getattr(private_experts, name))]
    exported = [getattr(room, name) for room in rooms for name in room.__all__]
    bare = {
        each.__name__
        for each in exported
        if isinstance(each, type) and each.__repr__ is object.__repr__ and not getattr(each, "_is_protocol", False)
    }
    assert bare == set()
    assert len(rooms) == 8
    assert sum(isinstance(each, type) and issubclass(each, Described) for each in exported) > 30


def test_what_is_made_by_others_says_what_it_is() -> None:
    scales = np.array([0.5, 0.25])
    report = privatize(np.zeros(2), LOCAL, 0.5 * scales, noise(), repetitions=3, moved=1)
    assert repr(report) == f"<Reports: {report.guarantee}, n=2, scale=0.25 to 0.5, repetitions=3>"
    mechanism = CentredCoordinate(3, PureDP(1.0, "local"), horizon=9)
    said = f"<CentredMixture: {mechanism.guarantee}, mechanism=CentredCoordinate, repetitions=2>"
    assert repr(mechanism.learner(repetitions=2)) == said


def test_copies_say_the_same() -> None:
    leader = FollowTheLeader(4, repetitions=2)
    assert repr(pickle.loads(pickle.dumps(leader))) == repr(copy.copy(leader)) == repr(leader)
    assert repr(leader) == "<FollowTheLeader: no privacy, n=4, repetitions=2>"
