"""Objects say what they are, class, guarantee and settings, and what they were made with."""

import copy
import inspect
import pickle
from inspect import ismodule
from typing import Any

import numpy as np
import pytest

import private_experts
from private_experts.algorithms import RWFTPL, FollowTheLeader, RWAdaBatch, RWMeta
from private_experts.descriptions import Described
from private_experts.distribution_learning import CentredCoordinate
from private_experts.errors import InputError
from private_experts.games import play
from private_experts.learners import LinearFilters, TotalsLeader, trend_weights
from private_experts.privacy import GaussianDP, PureDP, Reports, SecureNoise, SimulatedNoise, privatize
from private_experts.randomness import rng_for
from tests.algorithms.cases import CASES, gains_of, opened

LOCAL = GaussianDP(0.5, "local")


def noise() -> SimulatedNoise:
    return SimulatedNoise(rng_for(0, "descriptions"))


def test_an_algorithm_says_its_guarantee_and_its_settings_with_defaults() -> None:
    algorithm = RWAdaBatch(2, LOCAL, noise_scale=0.25, noise=noise(), repetitions=3)
    facts = "n=2, noise_scale=0.25, noise=SimulatedNoise, alpha=0.01, repetitions=3, rho=1, rule='paper'"
    assert repr(algorithm) == str(algorithm) == f"<RWAdaBatch: {algorithm.guarantee}, {facts}, record=True>"
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
    text = repr(algorithm)
    assert text.startswith(f"<{type(algorithm).__name__}: {algorithm.guarantee}")
    assert len(text) < 400
    assert " object at 0x" not in text
    assert "\n" not in text


def test_no_public_class_that_is_made_by_its_own_constructor_is_left_out() -> None:
    rooms = [room for name in private_experts.__all__ if ismodule(room := getattr(private_experts, name))]
    kinds = [kind for room in rooms for name in room.__all__ if isinstance(kind := getattr(room, name), type)]
    bare = [
        kind for kind in kinds if kind.__repr__ is object.__repr__ and not getattr(kind, "_is_protocol", 0)
    ]
    assert bare == []
    assert len(rooms) == 8
    assert sum(issubclass(kind, Described) for kind in kinds) > 30


def test_what_is_made_by_others_says_what_it_is() -> None:
    scales = np.array([0.5, 0.25])
    report = privatize(np.zeros(2), LOCAL, 0.5 * scales, noise(), repetitions=3, moved=1)
    assert repr(report) == f"<Reports: {report.guarantee}, n=2, scale=0.25 to 0.5, repetitions=3>"
    mechanism = CentredCoordinate(3, PureDP(1.0, "local"), horizon=9)
    text = f"<CentredMixture: {mechanism.guarantee}, mechanism=CentredCoordinate, repetitions=2>"
    assert repr(mechanism.learner(repetitions=2)) == text


def test_copies_say_the_same() -> None:
    leader = FollowTheLeader(4, repetitions=2)
    assert repr(pickle.loads(pickle.dumps(leader))) == repr(copy.copy(leader)) == repr(leader)
    assert repr(leader) == "<FollowTheLeader: no privacy, n=4, repetitions=2>"


@pytest.mark.parametrize("name", CASES)
def test_another_of_every_algorithm_is_made_of_its_settings_and_plays(name: str) -> None:
    algorithm, feedback = opened(CASES[name], gains_of(6, 4))
    settings = algorithm.get_params(deep=False)
    used_up = {
        parameter for parameter in inspect.signature(type(algorithm)).parameters if parameter not in settings
    }
    assert used_up <= {"scale"}  # a generator of scales without end
    fresh = type(algorithm)(**settings, **dict.fromkeys(used_up, 0.5))
    # as `clone` asks
    assert all(fresh.get_params(deep=False)[name] is value for name, value in settings.items())
    assert used_up or repr(fresh) == repr(algorithm)
    assert play(fresh, feedback).shape == (6, 3)
    assert {param.partition("__")[0] for param in algorithm.get_params()} == settings.keys()


@pytest.mark.parametrize("name", CASES)
def test_every_algorithm_that_is_set_anew_plays_as_one_that_was_made_anew(name: str) -> None:
    gains = gains_of(6, 4)
    played, feedback = opened(CASES[name], gains)
    play(played, feedback)
    seeds = {param: 5 for param in ("rng",) if param in played.get_params(deep=False)}
    used_up = dict.fromkeys(
        {*inspect.signature(type(played)).parameters} - played.get_params(deep=False).keys(), 0.5
    )
    fresh = opened(CASES[name], gains)[0].get_params(deep=False)
    parts = {param: fresh[param] for param in ("learners", "sums", "algorithm") if param in fresh}
    other = type(played)(**{**played.get_params(deep=False), **used_up, **seeds, **parts})
    assert played.set_params(**used_up, **seeds, **parts) is played
    assert repr(played) == repr(other)
    assert vars(played).keys() == vars(other).keys()
    if seeds and all(not hasattr(value, "__dict__") for value in played.get_params(deep=False).values()):
        np.testing.assert_array_equal(play(played, feedback), play(other, feedback))


def test_an_algorithm_that_is_set_anew_begins_again_with_other_settings() -> None:
    leader = RWFTPL(2, LOCAL, noise_scale=1.0, noise=SimulatedNoise(3), repetitions=2)
    play(leader, [Reports(np.array([[9.0, 0.0]]), LOCAL, 1.0)] * 3)
    assert leader.set_params(repetitions=4, noise__rng=7) is leader
    fresh = RWFTPL(2, LOCAL, noise_scale=1.0, noise=SimulatedNoise(7), repetitions=4)
    np.testing.assert_array_equal(leader.total, fresh.total)
    settings = leader.get_params()  # of settings as well, named after both
    assert (settings["noise__rng"], settings["repetitions"], settings["n"]) == (7, 4, 2)


def test_settings_that_are_refused_change_nothing() -> None:
    leader = RWFTPL(2, LOCAL, noise_scale=1.0, noise=SimulatedNoise(3))
    before = {**vars(leader)}
    for settings, message in (
        ({"repetition": 3}, r"^RWFTPL: no setting is named 'repetition'; did you mean 'repetitions'\?$"),
        ({"n__rng": 3}, r"^RWFTPL: n has no settings of its own: write n=\.\.\.$"),
        ({"repetitions": 0}, r"repetitions = 0: write a whole number"),
        ({"noise__seed": 0}, r"^SimulatedNoise: no setting is named 'seed'$"),
    ):
        with pytest.raises(InputError, match=message):
            leader.set_params(**settings)
        assert vars(leader) == before
    meta = RWMeta(iter([TotalsLeader(Reports(np.zeros((3, 2)), LOCAL, 1.0))]), LOCAL, rng=7)
    with pytest.raises(InputError, match=r"^RWMeta: learners was used up: write learners=\.\.\.$"):
        meta.set_params(rng=8)
    assert meta.get_params().keys() == {"guarantee", "rng", "decorrelation"}
    assert copy.deepcopy(meta).get_params() == pickle.loads(pickle.dumps(meta)).get_params()


def test_what_was_made_with_secure_noise_can_be_copied() -> None:
    pytest.importorskip("opendp")
    leader = RWFTPL(2, LOCAL, noise_scale=1.0, noise=SecureNoise())
    again = pickle.loads(pickle.dumps(leader))
    assert type(again.get_params()["noise"]) is SecureNoise
    assert again.get_params()["noise"].perturb(np.zeros(2), 1.0, 3).shape == (3, 2)


def test_a_misspelt_setting_is_refused_with_the_one_that_was_meant() -> None:
    class Own(FollowTheLeader):
        """It takes any setting."""

        def __init__(self, **settings: int) -> None:
            super().__init__(**settings)

    assert Own(n=3, repetitions=2).predict().shape == (2,)
    wrong, meant = "got an unexpected keyword argument", "'sensitivty'; did you mean 'sensitivity'"
    calls: list[tuple[Any, str]] = [
        (lambda: RWFTPL(2, LOCAL, sensitivty=0.5, noise=noise()), rf"^RWFTPL\(\) {wrong} {meant}\?$"),
        (lambda: FollowTheLeader(2, Repetitions=5), r"'Repetitions'; did you mean 'repetitions'\?$"),
        (lambda: FollowTheLeader(2, colour="red"), r"unexpected keyword argument 'colour'$"),
        (lambda: FollowTheLeader(), r"missing 1 required positional argument: 'n'$"),
    ]
    for call, message in calls:
        with pytest.raises(TypeError, match=message):
            call()
