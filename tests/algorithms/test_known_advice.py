"""`play` plays many rounds of RW-Meta at once, like `predict` and `update`, and leaves the same state."""

import numpy as np
import pytest

from private_experts.algorithms import Decorrelation, KnownAdvice, RWMeta, central, known_advice
from private_experts.errors import InputError
from private_experts.games import play, private_reports
from private_experts.learners import LinearFilters, TotalsLeader, linear_filter, trend_weights
from private_experts.privacy import GaussianDP, Reports, SimulatedNoise, privatize
from private_experts.randomness import rng_for
from private_experts.saving import state_dict
from tests.each import each

LEVEL = GaussianDP(1.0, "local")
SETTINGS = [(window, strength) for window in (2, 5) for strength in (0.1, 10.0)]
GAINS = rng_for(0, "known gains").random((60, 7))
CHOICES = [
    Decorrelation(floor, projection) for floor in (2.0, 0.0) for projection in ("sigma-star", "centred")
]


def game(repetitions=5, scale=0.5, decorrelation=CHOICES[0], draws=None):
    """Return RW-Meta, ready to play, and the noise of its reports."""
    noise = SimulatedNoise(rng_for(0, "reports"))
    first = privatize(np.zeros(7), LEVEL, scale, noise, repetitions=repetitions)
    learners = [LinearFilters(trend_weights, SETTINGS, first), TotalsLeader(first)]
    return RWMeta(learners, LEVEL, rng=draws or rng_for(0, "choice"), decorrelation=decorrelation), noise


def one_by_one(meta, reports):
    actions = []
    for report in reports:
        actions.append(meta.predict())
        meta.update(report)
    return np.array(actions)


def at_once(meta, monkeypatch):
    """Return how many rounds are played at once from now on, call by call."""
    rounds, known = [], RWMeta.play_known

    def noted(self, reports):
        played = known(self, reports)
        rounds.append(0 if played is None else len(reports))
        return played

    monkeypatch.setattr(RWMeta, "play_known", noted)
    return rounds


def assert_same_state(quick, slow):
    one, other = state_dict(quick)["state"], state_dict(slow)["state"]
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], name)


@pytest.fixture(autouse=True)
def _small_games_have_parts(monkeypatch):
    monkeypatch.setattr(linear_filter, "_WORTH", 0)
    monkeypatch.setattr(known_advice, "_AT_ONCE", 33 * 25)


@each("decorrelation", CHOICES)
@each("repetitions", [1, 5])
def test_rounds_at_once_are_those_one_by_one_and_leave_the_same_state(decorrelation, repetitions):
    scale = 2.0
    (quick, noise), (slow, same) = (game(repetitions, scale, decorrelation) for _ in range(2))
    made, again = (private_reports(GAINS, LEVEL, scale, source, repetitions) for source in (noise, same))
    expected = one_by_one(slow, again)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(central, "_KNOWN", 23 * 7 * repetitions)
        rounds = at_once(quick, patch)
        np.testing.assert_array_equal(play(quick, made), expected)
    assert rounds == [23, 23, 14]
    assert_same_state(quick, slow)
    assert quick.guarantee.simulated
    np.testing.assert_array_equal(quick.predict(), slow.predict())
    for name in ("totals", "sigma", "shape", "guarantee", "_round", "_rows"):
        np.testing.assert_array_equal(getattr(quick, name), getattr(slow, name))
    more = [privatize(gains, LEVEL, scale, noise, repetitions=repetitions) for gains in GAINS]
    np.testing.assert_array_equal(
        play(quick, more, resume=True), one_by_one(slow, more)
    )  # the first was asked for before


def test_choices_of_several_floors_play_together_as_each_does_alone():
    floors, copies = (0.0, 0.5, 4.0), 30
    noise = SimulatedNoise(rng_for(0, "reports"))
    reports = list(private_reports(GAINS, LEVEL, 0.5, noise, copies))
    actions = rng_for(0, "advice").integers(7, size=(60, 5, copies))
    advice = KnownAdvice(actions, reports, LEVEL)

    def played(*names):
        chosen = {floor: (Decorrelation(floor), rng_for(0, "choice")) for floor in names}
        return RWMeta.play_many(advice, chosen, copies)

    together = played(*floors)
    for floor in floors:
        np.testing.assert_array_equal(together[floor], played(floor)[floor])
    assert (together[0.0] != together[4.0]).any()


def test_scales_may_differ_by_round_and_expert():
    reach = rng_for(0, "reach").uniform(0.1, 1, 7)
    (quick, noise), (slow, same) = game(), game()
    made, again = (private_reports(GAINS, LEVEL, reach, source, 5, moved=1) for source in (noise, same))
    np.testing.assert_array_equal(play(quick, made, resume=True), one_by_one(slow, again))
    np.testing.assert_array_equal(quick.sigma, slow.sigma)


def test_copies_that_agree_at_last_keep_the_noise_they_share_apart():
    (quick, noise), (slow, _) = game(2), game(2)
    agreed = [Reports(np.tile(np.eye(7)[3], (2, 1)), LEVEL, 0.5)] * 40
    for reports in ([*private_reports(GAINS[:5], LEVEL, 0.5, noise, 2)], agreed, agreed):
        np.testing.assert_array_equal(play(quick, reports, resume=True), one_by_one(slow, reports))
    assert (quick.predict() == 3).all()
    np.testing.assert_array_equal(quick.sigma, slow.sigma)
    quick, slow = (RWMeta([TotalsLeader(agreed[0])], LEVEL, rng=0) for _ in range(2))
    np.testing.assert_array_equal(play(quick, agreed), one_by_one(slow, agreed))
    assert_same_state(quick, slow)  # copies that always agreed share it


class Stubborn(RWMeta):
    def _extra(self):
        return np.zeros(self.totals.shape)


def test_what_could_tell_the_difference_is_played_one_by_one(monkeypatch):
    rounds = at_once(None, monkeypatch)
    shared = rng_for(0, "shared")
    meta, _ = game(draws=shared)
    play(meta, private_reports(GAINS, LEVEL, 0.5, SimulatedNoise(shared), 5))  # the same draws serve both
    meta, noise = game()
    played = []
    meta.predict()

    def adaptive():
        for gains in GAINS:
            played.append(meta.predict())  # as an adversary who sees the play
            yield privatize(gains, LEVEL, 0.5, noise, repetitions=5)

    play(meta, adaptive())
    assert len({tuple(actions) for actions in played}) > 1
    stubborn, noise = game()
    stubborn.__class__ = Stubborn
    play(stubborn, private_reports(GAINS, LEVEL, 0.5, noise, 5))
    assert rounds == []
    silent, noise = game()
    play(silent, [Reports(np.tile(GAINS[0], (5, 1)), GaussianDP(0.5, "local"), 1.0)] * 3)
    assert rounds == [0]
    scaled, noise = game()
    scaled.bounds, scaled.noise_scale = (0.0, 1.0), 0.5  # as `TrendMeta` has them
    play(scaled, private_reports(GAINS, LEVEL, 0.5, noise, 5))
    assert sum(rounds) == len(GAINS)
    with pytest.raises(InputError, match=r"moves by 0\.5, and a report has noise for 0\.4"):
        play(scaled, private_reports(GAINS, LEVEL, 0.4, noise, 5), resume=True)


def test_rounds_at_once_on_simulated_noise_make_the_guarantee_one_of_a_simulation(monkeypatch):
    meta = RWMeta([TotalsLeader(Reports(np.zeros((5, 7)), LEVEL, 0.5))], LEVEL, rng=0)
    assert not meta.guarantee.simulated
    rounds = at_once(meta, monkeypatch)
    play(meta, private_reports(GAINS, LEVEL, 0.5, SimulatedNoise(7), 5))
    assert (sum(rounds), meta.guarantee.simulated) == (len(GAINS), True)


def test_what_is_no_report_is_refused_in_its_round():
    meta, noise = game()
    reports = [*private_reports(GAINS[:3], LEVEL, 0.5, noise, 5), np.zeros((5, 7))]
    with pytest.raises(InputError, match="privatize"):
        play(meta, reports)
    assert meta._round == 4
