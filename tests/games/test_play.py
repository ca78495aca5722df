import numpy as np
import pandas as pd
import pytest

from private_experts.algorithms import RWFTPL, Delayed, FollowTheLeader, Hedge, Uniform
from private_experts.errors import InputError
from private_experts.games import (
    FavouriteAdversary,
    NamedExperts,
    play,
    play_adaptively,
    private_reports,
    static_regret,
)
from private_experts.privacy import GaussianDP, Reports, SimulatedNoise, privatize
from private_experts.private_oco import Box, GibbsEveryRound, LinearGibbs
from private_experts.randomness import rng_for
from tests.each import each
from tests.noisy import UNIT, report_of


class Diary:
    """An algorithm that plays prepared actions and writes down what happens to it."""

    guarantee = GaussianDP(1.0, "central")

    def __init__(self, actions):
        self.actions = list(actions)
        self.pages = []

    def predict(self):
        self.pages.append("predict")
        return self.actions[self.pages.count("predict") - 1]

    def update(self, gains):
        self.pages.append(gains.tolist())


class Spy:
    """A noise that adds the number of the call, and writes down what it was asked for."""

    def __init__(self):
        self.calls = []

    def perturb(self, values, scale, repetitions):
        self.calls.append((values.tolist(), scale, repetitions))
        return np.tile(values + len(self.calls), (repetitions, 1))


def test_each_round_is_an_action_that_is_kept_and_then_its_report_which_is_taken_only_then():
    diary = Diary(actions := [[1, 0], [0, 0], [1, 1]])
    gains = [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]

    def reports():
        for t, row in enumerate(gains):
            assert len(diary.pages) == 2 * t  # a stream may be longer than memory
            yield np.array(row)

    np.testing.assert_array_equal(play(diary, reports()), actions)
    assert diary.pages == ["predict", gains[0], "predict", gains[1], "predict", gains[2]]


def test_every_round_is_privatised_once_with_its_own_scale():
    gains = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    for scales in ([0.5, 1, 0.25], np.array([0.5, 1.0, 0.25])):
        spy = Spy()
        reports = list(private_reports(gains, UNIT, scales, spy, 4))
        assert spy.calls == [([0.1, 0.2], 0.5, 4), ([0.3, 0.4], 1.0, 4), ([0.5, 0.6], 0.25, 4)]
        assert [report.values.shape for report in reports] == [(4, 2)] * 3
        assert [report.scale for report in reports] == [0.5, 1.0, 0.25]
        assert all(report.guarantee == UNIT for report in reports)
        values = np.array([report.values for report in reports])
        np.testing.assert_array_equal(values[:, 0], gains + np.array([[1], [2], [3]]))
        of_losses = Spy()
        assert len(list(private_reports(1 - gains, UNIT, scales, of_losses, 4, losses=True))) == 3
        assert [scale for _, scale, _ in of_losses.calls] == [0.5, 1.0, 0.25]
    privatize(1 - gains[0], UNIT, 0.5, of_losses, losses=True)
    assert of_losses.calls[-1][1] == 0.5


def test_one_sensitivity_for_each_expert_holds_in_all_rounds():
    gains, reach = np.full((100, 3), 0.5), np.array([0.2, 0.5, 1.0])
    one, each_round = (
        list(private_reports(gains, UNIT, given, SimulatedNoise(rng_for(0, "all rounds")), 2, moved=1))
        for given in (reach, np.tile(reach, (100, 1)))
    )
    for first, second in zip(one, each_round, strict=True):
        np.testing.assert_array_equal(first.values, second.values)
        np.testing.assert_array_equal(first.scale, reach / UNIT.mu)
        np.testing.assert_array_equal(second.scale, reach / UNIT.mu)


def test_what_is_written_between_two_rounds_is_looked_at_too():
    gains = np.full((3, 2), 0.5)
    reports = private_reports(gains, GaussianDP(1.0, "local"), 0.01, SimulatedNoise(rng_for(0, "written")))
    next(reports)
    gains[1] = 0.25, 100.0
    with pytest.raises(InputError, match=r"from 0\.25 to 100"):
        next(reports)


def test_an_update_that_an_object_was_given_is_called():
    leader, updates = FollowTheLeader(2), []
    leader.update = lambda gains: updates.append(gains.tolist())
    play(leader, np.eye(2))
    assert updates == np.eye(2).tolist()


class Deaf:
    """An algorithm of somebody else's that takes whatever it is given, and says that it is a local one."""

    guarantee = GaussianDP(1.0, "local")

    def __init__(self):
        self.heard = []

    def predict(self):
        return np.zeros(1, dtype=np.intp)

    def update(self, report):
        self.heard.append(report)


@pytest.mark.parametrize("make", [Deaf, lambda: RWFTPL(2, UNIT, sensitivity=1.0, noise=SimulatedNoise(0))])
def test_true_gains_reach_no_local_algorithm(make):
    """Nor one that would take them: it states that each report is private before it leaves its owner."""
    gains = np.full((3, 2), 0.5)
    report = next(private_reports(gains, UNIT, 1.0, SimulatedNoise(0)))
    later = [{}, {1: gains[0]}]
    for told in (gains, pd.DataFrame(gains), [*gains], iter(gains), [report, gains[0]], iter(later)):
        algorithm = make()
        with pytest.raises(InputError, match="true gains never reach"):
            play(algorithm, told)
        assert all(isinstance(heard, Reports | dict) for heard in getattr(algorithm, "heard", []))
    play(make(), [report, report])
    play(make(), iter([report, report]))
    play(make(), gains, sensitivity=1.0, noise=SimulatedNoise(0))
    copies, spy = RWFTPL(2, UNIT, sensitivity=1.0, noise=SimulatedNoise(0), repetitions=3), Spy()
    play(copies, gains, noise=spy)
    assert spy.calls == [([0.5, 0.5], 1.0, 3)] * 3  # noise of its own for each copy
    play(Uniform(2, rng=0), gains)  # to which nothing is told


class ByRound(Deaf):
    sensitivity = np.full(3, 0.5)


def test_a_sensitivity_that_is_written_twice_is_one_number_or_one_for_each_round():
    gains, noise = np.full((3, 2), 0.5), SimulatedNoise(0)
    for of_rounds in (0.5, np.full(3, 0.5)):
        play(RWFTPL(2, UNIT, sensitivity=0.5, noise=noise), gains, sensitivity=of_rounds, noise=noise)
        play(ByRound(), gains, sensitivity=of_rounds, noise=noise)
    for other in (np.full(2, 0.5), 0.5 + 1e-6, 0.5 - 1e-6):
        with pytest.raises(
            InputError, match=r"ByRound is made for a sensitivity of 0\.5, and its reports would be"
        ):
            play(ByRound(), gains, sensitivity=other, noise=noise)


def test_what_does_not_fit_a_game_is_refused_before_noise_is_drawn():
    noise, spy, report = SimulatedNoise(0), Spy(), report_of(np.zeros(2))
    made = RWFTPL(2, UNIT, sensitivity=1.0, noise=noise)
    scaled = RWFTPL(2, UNIT, noise_scale=1.0, noise=noise)
    hears = "RWFTPL hears reports: write noise= and sensitivity= for gains"
    for act, message in (
        (
            lambda: play(made, np.eye(2), noise=spy, delays=1),
            "RWFTPL takes no late reports: leave out delays",
        ),
        (
            lambda: play(FollowTheLeader(2), np.eye(2), delays=1),
            "FollowTheLeader takes no late reports: leave out delays",
        ),
        (lambda: play(scaled, [report], bounds=(0, 50)), hears),
        (lambda: play(scaled, [report], losses=True), hears),
        *(
            (
                lambda scales=scales: next(private_reports(np.zeros((2, 2)), UNIT, scales, spy)),
                "one for each of the 2 rounds",
            )
            for scales in ([1.0, 1.0, 1.0], [], [[1.0, 1.0]])
        ),
    ):
        with pytest.raises(InputError, match=message):
            act()
    assert not spy.calls


def test_columns_of_a_game_that_goes_on_have_the_same_order():
    leader, frame = FollowTheLeader(2), pd.DataFrame(np.eye(2), columns=["north", "south"])
    play(leader, frame)
    with pytest.raises(InputError, match="column south stands where north stood before"):
        play(leader, frame[["south", "north"]], resume=True)


ONCE_MORE = {
    "central": lambda: FollowTheLeader(2),
    "all at once": lambda: Hedge(2, rng=0),
    "with a note": lambda: Hedge(2, rng=0),
    "somebody's": lambda: Diary(np.zeros((9, 1), dtype=int)),
    "late": lambda: Delayed(lambda copy: FollowTheLeader(2), 1),
    "uniform": lambda: Uniform(2, rng=0),
}


@pytest.mark.parametrize("name", ONCE_MORE)
def test_what_has_played_goes_on_only_where_that_is_meant(name):
    gains, algorithm = np.full((3, 2), 0.5), ONCE_MORE[name]()
    how = {"delays": 0} if name == "late" else {"note": lambda _: None} if name == "with a note" else {}
    play(algorithm, gains, **how)
    with pytest.raises(
        InputError, match=r"has played 3 rounds: make a new one, or write play\(..., resume=Tr"
    ):
        play(algorithm, gains, **how)
    play(algorithm, gains, resume=True, **how)
    with pytest.raises(InputError, match="has played 6 rounds"):
        play(algorithm, gains, **how)
    if name != "somebody's":
        assert repr(algorithm).endswith("6 rounds played>")
        algorithm.update(gains[0])
        assert repr(algorithm).endswith("7 rounds played>")


def test_rounds_that_were_taken_in_count_however_they_were_told_and_no_refused_one():
    leader = FollowTheLeader(2)
    with pytest.raises(InputError, match="write shape"):
        play(leader, np.zeros((3, 4)))
    assert play(leader, np.eye(2)).tolist() == [[0], [0]]  # it had not played

    leader = FollowTheLeader(2)
    with pytest.raises(InputError, match="from 0 to 2"):
        play(leader, np.array([[0.5, 0.5], [0.0, 2.0]]))
    by_hand = FollowTheLeader(2)
    by_hand.update(np.array([0.1, 0.2]))
    for made in (leader, by_hand):
        with pytest.raises(InputError, match=r"^play: FollowTheLeader has played 1 round: make a new one"):
            play(made, np.eye(2))
    with pytest.raises(InputError, match=r"^adaptive play: FollowTheLeader has played 1 round: make"):
        play_adaptively(by_hand, FavouriteAdversary(2, starts=[4], memory=10.0), 3)
    model = NamedExperts(FollowTheLeader(2), ["north", "south"])
    model.learn_one({"north": 0.1, "south": 0.2})
    assert repr(model).endswith("1 round played>")


@each(("n", "kind"), [(128, "int8"), (129, "int16"), (32768, "int16"), (32769, "int32")])
@each("rounds", [3, 2500])
def test_actions_are_of_the_smallest_integers_that_hold_the_experts(n, kind, rounds):
    noise, rounds = SimulatedNoise(1), min(rounds, 10**6 // n)
    gains = np.full((rounds, n), 0.5)
    gains[:, -1] = 1.0
    leader = RWFTPL(n, GaussianDP(1.0, "local"), sensitivity=1e-3, noise=noise, repetitions=2)
    for actions in (play(leader, gains, noise=noise), play(FollowTheLeader(n), gains)):
        assert actions.dtype == kind
        assert len(actions) == rounds
        assert (actions[5:] == n - 1).all()
    np.testing.assert_array_equal(static_regret(gains, actions), static_regret(gains, actions.astype(int)))


def test_a_large_game_is_played_as_round_by_round_and_each_round_is_looked_at():
    gains = rng_for(0, "large").random((6, 70_000))

    def leader():
        return RWFTPL(70_000, UNIT, sensitivity=0.5, noise=SimulatedNoise(8))

    one_by_one, noise, actions = leader(), SimulatedNoise(9), []
    for row in gains:
        actions.append(one_by_one.predict().tolist())
        one_by_one.update(privatize(row, UNIT, 0.5, noise))
    assert play(leader(), gains, noise=SimulatedNoise(9)).tolist() == actions
    gains[4, 5] = 7.0
    at_once = leader()
    with pytest.raises(InputError, match="7"):
        play(at_once, gains, noise=SimulatedNoise(9))
    assert at_once.rounds_played == 4


def test_what_is_no_number_of_a_stated_expert_is_not_turned_into_one():
    family = LinearGibbs(Box([-0.5], [0.5]), beta=1.0, lam=1.0)
    with pytest.raises(InputError, match=r"GibbsEveryRound plays -?0\.\d+, and experts are whole numbers"):
        play(GibbsEveryRound(family, horizon=3, rng=0), np.full((3, 1), 0.5))
    boastful = Diary([[300]] * 3)
    boastful.n = 2
    assert play(boastful, np.full((3, 2), 0.5)).tolist() == [[300]] * 3


def _heard(gains, **how):
    """Return what a leader hears in a game and in another that goes on with it."""
    heard, noise = [], SimulatedNoise(rng_for(0, "forms"))

    class Listener(RWFTPL):
        def update(self, report):
            heard.append(report.values)
            super().update(report)

    own = {"noise_scale": 1.0, "noise": SimulatedNoise(8), "repetitions": 2}
    leader = Listener(3, GaussianDP(0.5, "local"), **own)
    for resume in (False, True):
        play(leader, gains, noise=noise, resume=resume, **how)
    return np.array(heard)


@each("unit", [{}, {"losses": True}, {"bounds": (0, 0.25)}, {"bounds": (-1, 3)}])
def test_in_whatever_form_gains_and_sensitivity_come_each_round_has_all_its_noise_to_the_digit(unit):
    low, high = unit.get("bounds", (0, 1))
    gains, reach = np.array([[0, 1, 1], [1, 0, 1], [0, 0, 1], [1, 1, 0]]), 0.5 * (high - low)
    told = low + (high - low) * (1 - gains if "losses" in unit else gains)
    expected = np.vstack([gains, gains])[:, None] + rng_for(0, "forms").standard_normal((8, 2, 3))

    def check(heard):
        np.testing.assert_allclose(heard, expected[: len(heard)], rtol=1e-9, atol=1e-12)

    for form in (told, told.astype(float), told.astype(np.float32), told.tolist()):
        check(_heard(form, sensitivity=reach, **unit))
    for form in ((reach,) * 4, np.full(4, reach), np.float32(reach)):
        check(_heard(told, sensitivity=form, **unit))
    check(_heard(told, sensitivity=reach, note=lambda leader: None, **unit))
    frame = pd.DataFrame(told, index=pd.date_range("2024-01-01", periods=4))
    for form in (reach, pd.Series(reach, index=frame.index)):
        noise = SimulatedNoise(rng_for(0, "forms"))
        reports = private_reports(frame, GaussianDP(0.5, "local"), form, noise, 2, **unit)
        check(np.array([report.values for report in reports]))
