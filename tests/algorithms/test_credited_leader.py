"""What a choice between learners takes for a learner: what hears no more than the reports."""

import math
import re

import numpy as np
import pytest

from private_experts.algorithms import (
    RWFTPL,
    BernoulliResampled,
    CreditedLeader,
    Delayed,
    DyadicLeader,
    FollowTheLeader,
    FreshMeta,
    HedgeMeta,
    RWMeta,
    TreeFTPL,
)
from private_experts.errors import InputError
from private_experts.games import play
from private_experts.learners import (
    LinearFilters,
    PooledAutoregressions,
    Recorded,
    TotalsLeader,
    trend_weights,
)
from private_experts.privacy import GaussianDP, PureDP, SimulatedNoise
from private_experts.randomness import rng_for
from tests.each import each
from tests.noisy import report_of

LOCAL = GaussianDP(1.0, "local")
LEARNERS = {
    "totals": TotalsLeader,
    "filters": lambda first: LinearFilters(trend_weights, [(2, 1.0)], first),
    "autoregressions": lambda first: PooledAutoregressions([(2, 1.0)], first),
}


def noise():
    return SimulatedNoise(rng_for(0, "test credited leader"))


@each("make", LEARNERS.values())
def test_a_learner_states_what_its_first_report_has_and_neither_hears_nor_is_taken_for_less(make):
    learner = make(report_of(np.zeros(3), guarantee=GaussianDP(0.5, "local")))
    assert learner.guarantee == GaussianDP(0.5, "local")
    learner.update(report_of(np.zeros(3), guarantee=GaussianDP(0.25, "local")))
    for weaker in (GaussianDP(0.6, "local"), GaussianDP(0.5, "central"), GaussianDP(math.inf, "local")):
        with pytest.raises(InputError, match="state what the reports have"):
            learner.update(report_of(np.zeros(3), guarantee=weaker))
        with pytest.raises(InputError, match="take learners that hear reports as private as that"):
            RWMeta([make(report_of(np.zeros(3), guarantee=weaker))], GaussianDP(0.5, "local"), rng=0)
    RWMeta([learner], GaussianDP(0.5, "local"), rng=0)


def follower(n=3):
    return RWFTPL(n, LOCAL, noise_scale=1.0, noise=noise(), repetitions=2)


def curator():
    return DyadicLeader(3, PureDP(1.0, "central"), rng=0, repetitions=2)


def recorded(copies):
    return Recorded(np.zeros((1, 1, copies), dtype=int))


def between(*learners):
    return lambda: CreditedLeader([*learners], LOCAL)


def resampled(inner, **given):
    return lambda: BernoulliResampled(**{"n": 3, "algorithm": inner, "rng": 0, "repetitions": 2, **given})


@each(
    ("message", "make"),
    [
        ("learners for 3 experts and for 5", between(follower(3), follower(5))),
        ("learners for 3 experts and for 5", between(between(recorded(2), follower())(), follower(5))),
        ("learners for 2 repetitions and for 6", between(follower(), recorded(6))),
        ("write at least one", between()),
        ("take learners that hear reports", between(FollowTheLeader(3))),
        ("take learners that hear reports", between(curator())),
        ("write one of the central model", resampled(follower())),
        ("write 3 and 2, as the algorithm inside has", resampled(curator(), n=4)),
        ("write 3 and 2, as the algorithm inside has", resampled(curator(), repetitions=1)),
        ("resampling: rng of type str", resampled(curator(), rng="5")),
    ],
)
def test_what_cannot_be_chosen_between_or_resampled_is_refused(message, make):
    with pytest.raises(InputError, match=message):
        make()


def test_flips_are_told_to_what_is_for_flips_alone():
    def inner(sensitivity, **unit):
        given = {"horizon": 9, "noise": SimulatedNoise(0), "scale": "min_noise"}
        return TreeFTPL(3, GaussianDP(1.0, "central"), sensitivity=sensitivity, **given, **unit)

    resampled(inner(math.sqrt(3)), repetitions=1)()
    resampled(inner(math.sqrt(3), bounds=(0.0, 1.0)), repetitions=1)()
    for wrong in (inner(1.73), inner(math.sqrt(3), bounds=(0.0, 2.0))):
        with pytest.raises(InputError, match=r"is for a sensitivity of 1\.73.*, and flips have 1\.73205"):
            resampled(wrong, repetitions=1)()


@each(
    ("inside", "make", "act"),
    [
        (follower, between, lambda leader: leader.predict()),
        *(
            (curator, make, act)
            for make in (resampled, lambda inner: lambda: Delayed(lambda _: inner, 0))
            for act in (lambda leader: leader.predict(), lambda leader: leader.update(np.zeros(3)))
        ),
    ],
)
def test_who_is_inside_plays_for_one_alone(inside, make, act):
    part = inside()
    first, second = make(part)(), make(part)()
    act(first)
    with pytest.raises(InputError, match=r"its \w+ has played for another algorithm: make a new one"):
        act(second)


@each("kind", [RWMeta, HedgeMeta, FreshMeta])
@each("wrong", [trend_weights, TotalsLeader])
def test_a_function_or_a_class_is_no_learner(kind, wrong):
    settings = {"scale": iter([1.0])} if kind is FreshMeta else {}
    with pytest.raises(
        InputError, match=f"^{kind.__name__}: {wrong.__name__} is no learner with predict and up"
    ):
        kind([wrong], LOCAL, rng=0, **settings)


@each("make", LEARNERS.values())
def test_learners_are_of_one_game_in_any_order(make):
    assert CreditedLeader([make(report_of(np.zeros((2, 3)))), follower()], LOCAL).shape == (2, 3)
    with pytest.raises(InputError, match="learners for 3 experts and for 4"):
        CreditedLeader([follower(), make(report_of(np.zeros((2, 4))))], LOCAL)
    with pytest.raises(InputError, match="learners for 2 repetitions and for 1"):
        CreditedLeader([follower(), make(report_of(np.zeros((1, 3))))], LOCAL)


def test_a_report_for_another_number_of_experts_is_refused_before_any_learner_hears_it():
    class Credulous:
        shape = 1, 3
        updates = 0

        def predict(self):
            return np.zeros((1, 1), dtype=int)

        def update(self, report):
            self.updates += 1

    learner = Credulous()
    leader = CreditedLeader([learner], LOCAL)
    for wrong in (np.ones(2), np.ones(4)):
        with pytest.raises(InputError, match="write shape"):
            leader.update(report_of(wrong))
    assert learner.updates == 0
    assert leader.totals.tolist() == [[0.0]]
    leader.update(report_of(np.ones(3)))
    assert learner.updates == 1


class Named:
    """A learner that names what it was given, and its numbers of repetitions and experts if it knows them."""

    def __init__(self, actions, shape=(None, None)):
        self.actions, self.shape = actions, shape

    def predict(self):
        return self.actions

    def update(self, report):
        pass


@each(
    ("actions", "message"),
    [
        (np.array([-1, 0]), "-1 is among them: write numbers from 0"),
        (np.array([0, 3]), "3 is among them: write numbers from 0 to 2"),
        (np.array([[0, 1], [2, 2**62]]), "is among them: write numbers from 0 to 2"),
        (np.array([0.0, 1.0]), "float64 of shape (2,): write an array of whole numbers"),
        (np.array([True, False]), "bool of shape (2,): write an array of whole numbers"),
        (["0", "1"], "<U1 of shape (2,): write an array of whole numbers"),
        (1, "of type int: write an array of whole numbers"),
        (np.zeros(3, dtype=int), "of shape (3,): write those of 2 repetitions"),
        (np.zeros((1, 1, 2), dtype=int), "of shape (1, 1, 2): write (repetitions,) or (m, repetitions)"),
    ],
)
@each("kind", [CreditedLeader, RWMeta, HedgeMeta])
@each("known", [(None, None), (2, 3)])
def test_a_learner_that_names_no_expert_is_refused_by_its_name(actions, message, kind, known):
    meta = kind(
        [Named(np.array([0, 2]), known), Named(actions), Named(np.array([1, 1]), known)],
        LOCAL,
        **({} if kind is CreditedLeader else {"rng": rng_for(0, "x")}),
    )
    with pytest.raises(
        InputError, match=f"^{kind.__name__}: learner 1, Named: actions.* {re.escape(message)}"
    ):
        meta.update(
            report_of(np.zeros((2, 3)))
        )  # in the first round nobody may know how many experts there are
    assert (meta.totals == 0).all()
    if known[1]:
        with pytest.raises(InputError, match="learner 1, Named"):
            meta.predict()


def test_actions_of_any_type_of_whole_numbers_are_taken():
    meta = CreditedLeader([Named(np.array([[0, 1], [2, 2]], dtype=np.uint8)), Named(np.array([1, 1]))], LOCAL)
    meta.update(report_of(np.array([[0.1, 0.5, 0.2], [0.1, 0.3, 0.9]])))
    assert meta.predict().tolist() == [1, 2]


def test_the_chosen_learner_is_named_and_is_the_one_that_is_followed():
    first = report_of(np.zeros((4, 3)))
    banks = [LinearFilters(trend_weights, [(2, 1.0), (3, 1.0)], first) for _ in range(2)]
    recorded = rng_for(0, "chosen").integers(0, 3, (5, 1, 4))

    def game(learners):
        return RWMeta(learners, LOCAL, rng=7)

    plain = game([TotalsLeader(first), *banks, Recorded(recorded)])
    names = {
        "TotalsLeader",
        "Recorded",
        *(f"LinearFilters {place}[{row}]" for place in (1, 2) for row in (0, 1)),
    }
    by_name = game({"all": TotalsLeader(first), "late": LinearFilters(trend_weights, [(2, 1.0)], first)})
    for t in range(5):
        assert {*plain.chosen} <= names
        np.testing.assert_array_equal(plain.chosen, plain.chosen)  # asked once a round
        replayed = plain.chosen == "Recorded"
        np.testing.assert_array_equal(plain.predict()[replayed], recorded[t, 0][replayed])
        assert {*by_name.chosen} <= {"all", "late"}
        report = report_of(rng_for(0, "chosen", t).random((4, 3)))
        plain.update(report)
        by_name.update(report)
    leader = CreditedLeader(
        {"wrong": Recorded(np.zeros((3, 1, 1), int)), "right": Recorded(np.ones((3, 1, 1), int))}, LOCAL
    )
    chosen = []
    play(leader, [report_of(np.array([[0.1, 0.9]]))] * 3, note=lambda it: chosen.append(*it.chosen))
    assert chosen == ["wrong", "right", "right"]


def test_what_a_choice_will_do_does_not_change_when_it_is_asked_for_means():
    leader = HedgeMeta([Recorded(np.tile(np.arange(3)[:, None], (2, 1, 50)))], LOCAL, rng=7)
    played, chosen = leader.predict(), leader.chosen
    assert any((leader.choose() != played).any() for _ in range(3))
    np.testing.assert_array_equal(leader.predict(), played)
    np.testing.assert_array_equal(leader.chosen, chosen)


def test_hedge_of_learners_does_not_know_probabilities_before_the_number_of_experts():
    leader = HedgeMeta([Recorded(np.array([[[0], [2]]] * 2))], LOCAL, rng=7)
    with pytest.raises(InputError, match="nobody has told the number of experts"):
        leader.probabilities()
    leader.update(report_of(np.array([[0.0, 0.5, 1.0]])))
    rate = leader.rates[0]
    np.testing.assert_allclose(
        leader.probabilities(), [[1 / (1 + math.exp(rate)), 0, 1 / (1 + math.exp(-rate))]]
    )
