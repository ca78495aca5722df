import numpy as np
import pytest
from scipy import stats

from private_experts.algorithms import FollowTheLeader
from private_experts.errors import InputError
from private_experts.games import play, private_reports
from private_experts.privacy import GaussianDP, SimulatedNoise
from private_experts.randomness import rng_for
from tests.each import each
from tests.noisy import UNIT

FALSE_ALARM = 1e-6


class Diary:
    """An algorithm that plays prepared actions and writes down what happens to it."""

    guarantee = GaussianDP(1.0, "local")

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


def test_each_round_is_an_action_and_then_its_report():
    diary = Diary(np.zeros((3, 2), dtype=int))
    play(diary, np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    assert diary.pages == ["predict", [1.0, 2.0], "predict", [3.0, 4.0], "predict", [5.0, 6.0]]


def test_the_actions_are_kept_round_by_round():
    actions = rng_for(0, "test play").integers(0, 5, (7, 3))
    played = play(Diary(actions), iter(np.zeros((7, 5))))
    np.testing.assert_array_equal(played, actions)
    assert np.issubdtype(played.dtype, np.integer)


def test_reports_are_taken_one_at_a_time():
    # A stream may be longer than memory.
    diary = Diary(np.zeros((4, 1), dtype=int))

    def reports():
        for t in range(4):
            assert len(diary.pages) == 2 * t
            yield np.zeros((1, 2))

    play(diary, reports())
    assert len(diary.pages) == 8


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


def test_reports_are_drawn_only_when_they_are_asked_for():
    spy = Spy()
    reports = private_reports(np.zeros((3, 2)), UNIT, 1.0, spy)
    assert spy.calls == []
    next(reports)
    assert len(spy.calls) == 1


def test_reports_are_normal_around_the_gains_with_each_rounds_scale():
    gains, scales = np.array([[0.0, 1.0], [0.5, 0.25], [1.0, 0.0]]), [0.2, 3.0, 1.0]
    noise = SimulatedNoise(rng_for(0, "test reports"))
    standard = []
    for report, row, scale in zip(
        private_reports(gains, UNIT, scales, noise, 5000), gains, scales, strict=True
    ):
        standard.append(((report.values - row) / scale).ravel())
        assert stats.kstest(standard[-1], "norm").pvalue > FALSE_ALARM / 4
    total = np.sum(standard, axis=0) / np.sqrt(3)  # noise shared between rounds would show here
    assert stats.kstest(total, "norm").pvalue > FALSE_ALARM / 4


@each("scales", [[1.0, 1.0, 1.0], [], [[1.0, 1.0]]])
def test_a_scale_too_few_or_too_many_is_an_error(scales):
    with pytest.raises(InputError, match="one for each of the 2 rounds"):
        next(private_reports(np.zeros((2, 2)), UNIT, scales, Spy()))


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
