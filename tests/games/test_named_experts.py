"""Methods like River's: experts by name, one round at a time, and the play of the algorithm inside."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from private_experts.algorithms import (
    RWFTPL,
    CreditedLeader,
    Delayed,
    FollowTheLeader,
    Hedge,
    SleepingHedge,
    SleepingSoftmax,
)
from private_experts.errors import InputError
from private_experts.games import NamedExperts, play
from private_experts.privacy import GaussianDP, PureDP, SimulatedNoise, privatize
from private_experts.randomness import rng_for
from private_experts.saving import load, save, state_dict
from tests.each import each

NAMES = ["north", "south", "west"]
LOCAL = GaussianDP(1.0, "local")


def local() -> NamedExperts:
    noise = SimulatedNoise(rng_for(0, "reports"))
    report = partial(privatize, guarantee=LOCAL, sensitivity=0.5, noise=noise)
    return NamedExperts(RWFTPL(3, LOCAL, noise_scale=0.5, noise=SimulatedNoise(0)), NAMES, report)


def softmax(copy: int = 0) -> SleepingSoftmax:
    return SleepingSoftmax(3, PureDP(1.0, "central"), horizon=9, rng=copy)


def test_it_is_the_play_of_the_algorithm():
    gains = rng_for(0, "gains").random((30, 3))
    model, named = NamedExperts(Hedge(3, rng=rng_for(0, "draws")), NAMES), []
    for row in gains:
        named.append(model.predict_one())
        model.learn_one(dict(zip(reversed(NAMES), reversed(row), strict=True)))  # in any order
    assert named == [NAMES[action] for action in play(Hedge(3, rng=rng_for(0, "draws")), gains)[:, 0]]


def test_a_local_algorithm_hears_reports():
    model, noise = local(), rng_for(0, "reports")
    other = RWFTPL(3, LOCAL, noise_scale=0.5, noise=SimulatedNoise(0))
    for gain in (0.9, 0.1, 0.1):  # noise is drawn anew for equal gains
        model.learn_one({"north": 0.1, "south": gain, "west": 0.3})
        other.update(privatize(np.array([0.1, gain, 0.3]), LOCAL, 0.5, SimulatedNoise(noise)))
    np.testing.assert_array_equal(model.algorithm.total, other.total)
    assert model.guarantee == LOCAL


def test_those_who_are_awake_are_said_by_name():
    model = NamedExperts(SleepingSoftmax(3, PureDP(800.0, "central"), horizon=9, rng=0), NAMES)
    assert model.predict_one(["south"]) == "south"
    model.learn_one({"south": 0.5})
    assert model.predict_one(["west", "north"]) in ("north", "west")
    with pytest.raises(InputError, match=r"gains of \['south'\]: write those of \['north', 'west'\]"):
        model.learn_one({"south": 0.5})
    model.learn_one({"west": 1.0, "north": 0.0})
    assert model.predict_one(NAMES[::-1]) in ("south", "west")
    with pytest.raises(InputError, match="awake: 'east' is none of"):
        model.predict_one(["east", "west"])
    with pytest.raises(InputError, match="write a list of names"):
        model.predict_one("north")
    with pytest.raises(InputError, match="nobody sleeps in FollowTheLeader"):
        NamedExperts(FollowTheLeader(3), NAMES).predict_one(NAMES)


UNTOLD = SimpleNamespace(guarantee=PureDP(0.0, "central"), predict=lambda: np.array([3]))  # nor of how many
REFUSED = {
    "write each name once": lambda: NamedExperts(FollowTheLeader(2), ["north", "north"]),
    "names = None: write a list of names": lambda: NamedExperts(FollowTheLeader(3), None),
    r"\[\['a'\], \['b'\]\]: write texts or num": lambda: NamedExperts(FollowTheLeader(2), [["a"], ["b"]]),
    r"a set, which has no order: write sorted\(": lambda: NamedExperts(FollowTheLeader(3), {*NAMES}),
    r"a set, .* or a list": lambda: NamedExperts(FollowTheLeader(3), iter({*NAMES})),
    "2 names for 3 experts of Foll": lambda: NamedExperts(FollowTheLeader(3), NAMES[:2]),
    "2 names for 3 experts of Dela": lambda: NamedExperts(
        Delayed(lambda _: FollowTheLeader(3), 0), NAMES[:2]
    ),
    "2 names for 3 experts of Sleeping": lambda: NamedExperts(softmax(), NAMES[:2]),
    "expert 3 was played: 3 names are too few": lambda: NamedExperts(UNTOLD, NAMES).predict_one(),
    "3 copies .* with repetitions=1": lambda: NamedExperts(
        Hedge(3, rng=0, repetitions=3), NAMES
    ).predict_one(),
    "write them there": lambda: NamedExperts(local().algorithm, NAMES, privatize, bounds=(0, 1)),
    "needs reports: write privatize": lambda: NamedExperts(local().algorithm, NAMES),
}


@each("message", REFUSED)
def test_what_cannot_be_named_is_refused(message):
    with pytest.raises(InputError, match=message):
        REFUSED[message]()


def test_a_series_is_taken_by_its_labels():
    model = NamedExperts(FollowTheLeader(3), NAMES)
    model.learn_one(pd.Series([0.9, 0.1, 0.2], index=["west", "south", "north"]))
    assert model.predict_one() == "west"


@each(
    ("gains", "message"),
    [
        (pd.DataFrame([[0.123] * 3], columns=NAMES), "gains of type DataFrame: write a dict"),
        (dict.fromkeys([*NAMES, "east"], 0.123), r"write those of \['north', 'south', 'west'\]"),
        ({}, r"write those of \['north', 'south', 'west'\]"),
        (pd.Series([0.123] * 3, index=["north", "south", "south"]), "column south is there twice"),
        (0.123, "bandit feedback"),
        ({"north": 0.123}, "bandit feedback"),
        ({"north": 0.123, "south": np.nan, "west": 0.123}, "the gain of 'south' is missing"),
        ({"north": 0.123, "south": "0.1", "west": 0.123}, "the gain of 'south' is no number"),
    ],
)
def test_what_is_no_gain_of_each_name_is_refused_and_not_printed(gains, message):
    for model in (local(), NamedExperts(FollowTheLeader(3), NAMES)):
        with pytest.raises(InputError, match=message) as refusal:
            model.learn_one(gains)
        assert "123" not in str(refusal.value)


def test_a_sensitivity_is_for_all_experts_also_where_one_is_awake():
    def made(reach):
        report = partial(privatize, guarantee=LOCAL, sensitivity=reach, noise=SimulatedNoise(1))
        return NamedExperts(SleepingHedge(3, LOCAL, rate=0.1, rng=0), NAMES, report)

    model = made(1.7)  # three gains are sqrt(3) apart
    model.predict_one(["south"])
    model.learn_one({"south": 0.5})
    assert model.rounds_played == 1
    model = made(1.8)
    model.predict_one(["south"])
    with pytest.raises(InputError, match=r"a sensitivity of 1\.8, and nobody moves 3 gains"):
        model.learn_one({"south": 0.5})
    with pytest.raises(InputError, match=r"a sensitivity of 1\.7, and nobody moves a gain"):
        privatize(np.array([0.5]), LOCAL, 1.7, SimulatedNoise(1))


def test_a_curators_gains_may_have_bounds():
    model, other = NamedExperts(FollowTheLeader(3), NAMES, bounds=(-200, 200)), FollowTheLeader(3)
    model.learn_one({"north": -200, "south": 0, "west": 200})
    other.update(np.array([0.0, 0.5, 1.0]))
    np.testing.assert_array_equal(model.algorithm._total, other._total)
    with pytest.raises(
        InputError, match="the gain of 'south': write a number from -200 to 200, or other bounds"
    ):
        model.learn_one({"north": 0, "south": 201, "west": 0})


def test_copies_that_take_turns_know_who_is_awake():
    model = NamedExperts(Delayed(softmax, 1), NAMES)
    for awake in (["north", "west"], ["south"], NAMES):
        assert model.predict_one(awake) in awake
        model.learn_one(dict.fromkeys(awake, 0.5))


def test_late_gains_are_told_as_reports_of_their_rounds_by_name():
    """As `play` plays the same with the same noise; here gains come in any order, and in a round none."""
    gains = rng_for(3, "late by name").random((4, 3))

    def copies():
        noise = SimulatedNoise(5)
        return noise, Delayed(lambda _: RWFTPL(3, LOCAL, sensitivity=0.5, noise=noise), 2)

    noise, other = copies()
    expected = play(other, gains, noise=noise, delays=[2, 1, 0, 0]).ravel()
    noise, algorithm = copies()
    model, named = NamedExperts(algorithm, NAMES, noise=noise), []
    for arrived in ([], [], [1, 2, 3], [4]):
        named.append(model.predict_one())
        model.learn_late(
            {number: dict(zip(NAMES[::-1], gains[number - 1][::-1], strict=True)) for number in arrived}
        )
    assert [NAMES[action] for action in expected] == named
    assert model.algorithm.waiting == ()


def test_late_gains_are_of_those_who_were_awake_in_their_round():
    model = NamedExperts(Delayed(softmax, 1), NAMES)
    model.predict_one(["north", "west"])
    model.learn_late({})
    model.predict_one(["south"])
    with pytest.raises(InputError, match=r"gains of \['south'\]: write those of \['north', 'west'\]"):
        model.learn_late({1: {"south": 0.5}, 2: {"south": 0.5}})
    model.learn_late({1: {"north": 0.5, "west": 0.1}, 2: {"south": 0.5}})
    assert model.rounds_played == 2


def test_late_gains_that_nobody_waits_for_are_refused_before_noise_is_drawn():
    drawn = []

    def report(gains):
        drawn.append(gains)
        return privatize(gains, LOCAL, 0.5, SimulatedNoise(0))

    leaders = Delayed(lambda _: RWFTPL(3, LOCAL, noise_scale=0.5, noise=SimulatedNoise(0)), 1)
    model, gains = NamedExperts(leaders, NAMES, report), dict.fromkeys(NAMES, 0.5)
    with pytest.raises(InputError, match=r"delayed: a report of round 7: those that wait .* are \[1\]"):
        model.learn_late({1: gains, 7: gains})
    with pytest.raises(InputError, match=r"late gains .*: write a dict, from rounds to gains"):
        model.learn_late([gains])
    assert not drawn
    with pytest.raises(InputError, match="nothing is late for RWFTPL: write learn_one, or make it copies"):
        local().learn_late({1: gains})


def sleeping(names: list[str]) -> NamedExperts:
    return NamedExperts(softmax(), names)


def hedge(names: list[str]) -> NamedExperts:
    return NamedExperts(Hedge(3, rng=1), names)


def reporting(names: list[str]) -> NamedExperts:
    noise = SimulatedNoise(1)
    return NamedExperts(RWFTPL(3, LOCAL, sensitivity=0.5, noise=noise), names, noise=noise)


@each("make", [hedge, sleeping, reporting])
def test_names_are_saved_with_the_state_and_others_are_refused(make, tmp_path):
    gains = [dict(zip(NAMES, row, strict=True)) for row in rng_for(0, "gains").random((8, 3)).tolist()]
    first, again, turned = make(NAMES), make(NAMES), make(NAMES[::-1])
    for row in gains[:4]:
        first.predict_one()
        first.learn_one(row)
    save(tmp_path / "model.state", first)
    save(tmp_path / "inside.state", first.algorithm)
    load(tmp_path / "model.state", again)
    for row in gains[4:]:
        assert first.predict_one() == again.predict_one()
        first.learn_one(row)
        again.learn_one(row)
    assert str(state_dict(first)["state"]) == str(state_dict(again)["state"])
    with pytest.raises(InputError, match=r"names\.0 was 'north' when it was saved, and is 'west' now"):
        load(tmp_path / "model.state", turned)
    load(tmp_path / "inside.state", turned.algorithm)
    for step in (turned.predict_one, partial(turned.learn_one, gains[4])):
        with pytest.raises(InputError, match="column west stands where north stood before"):
            step()


def test_a_learner_of_another_algorithm_or_of_other_noise_is_not_played():
    report = partial(privatize, guarantee=LOCAL, sensitivity=0.5, noise=SimulatedNoise(1), bounds=(0, 50))
    learner = RWFTPL(3, LOCAL, sensitivity=0.5, noise=SimulatedNoise(2))
    with pytest.raises(InputError, match=r"RWFTPL begins with noise of scale 0\.5 .* its reports have 0\.01"):
        NamedExperts(learner, NAMES, report).learn_one(dict.fromkeys(NAMES, 20))
    learner = RWFTPL(3, LOCAL, sensitivity=0.5, noise=SimulatedNoise(2))
    CreditedLeader([learner], LOCAL).predict()
    with pytest.raises(InputError, match="RWFTPL: it has played for another algorithm: make a new one"):
        NamedExperts(learner, NAMES, report).learn_one(dict.fromkeys(NAMES, 20))
