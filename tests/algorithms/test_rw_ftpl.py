import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

import private_experts.privacy.reports as reports_module
from private_experts.algorithms import RWFTPL
from private_experts.errors import InputError
from private_experts.games import play, private_reports
from private_experts.privacy import GaussianDP, Reports, SimulatedNoise
from private_experts.randomness import rng_for
from tests.each import each
from tests.noisy import report_of, reports_of

LOCAL = GaussianDP(1.0, "local")
FALSE_ALARM = 1e-6


def simulated(*key):
    return SimulatedNoise(rng_for(0, "test rw-ftpl", *key))


EIGHTHS = st.integers(-16, 16).map(lambda k: k / 8)  # their sums are exact, so ties are true ties


@settings(deadline=None, max_examples=60, derandomize=True)
@given(hnp.arrays(np.float64, hnp.array_shapes(min_dims=3, max_dims=3, max_side=6), elements=EIGHTHS))
def test_without_z_0_the_play_is_the_first_leader_of_the_sums_so_far(reports):
    rounds, repetitions, n = reports.shape
    actions = play(
        RWFTPL(n, LOCAL, noise_scale=0.0, noise=simulated(), repetitions=repetitions), reports_of(reports)
    )
    for t in range(rounds):
        for r in range(repetitions):
            totals = [sum(reports[s, r, i] for s in range(t)) for i in range(n)]
            assert actions[t, r] == totals.index(max(totals))


def test_z_0_stays_in_the_totals_for_good():
    reports = simulated("reports").perturb(np.zeros(4), 1.0, 30).reshape(10, 3, 4)
    algorithm = RWFTPL(4, LOCAL, noise_scale=2.0, noise=simulated("z_0"), repetitions=3)
    z_0 = simulated("z_0").perturb(np.zeros(4), 2.0, 3)
    for t in range(10):
        totals = z_0 + reports[:t].sum(axis=0)
        np.testing.assert_allclose(algorithm.total, totals, rtol=0, atol=1e-12)
        np.testing.assert_array_equal(algorithm.predict(), totals.argmax(axis=1))
        algorithm.update(report_of(reports[t]))


@each("sensitivity", [0.5, 2.0])
@each("bounds", [(0, 1), (-1, 3), (0, 0.25)])
def test_z_0_has_the_noise_of_a_report_to_the_digit(sensitivity, bounds):
    width, made = bounds[1] - bounds[0], {"noise": simulated("z_0"), "repetitions": 3, "bounds": bounds}
    leader = RWFTPL(4, GaussianDP(0.5, "local"), sensitivity=width * sensitivity, **made)
    np.testing.assert_array_equal(leader.total, simulated("z_0").perturb(np.zeros(4), 2 * sensitivity, 3))


def test_z_0_may_have_a_scale_for_each_expert_and_no_other_that_is_none():
    scales = np.array([0.5, 2.0, 0.1, 1.0])
    leader = RWFTPL(4, LOCAL, noise_scale=scales, noise=simulated("z_0"), repetitions=3)
    np.testing.assert_array_equal(leader.total, simulated("z_0").perturb(np.zeros(4), scales, 3))
    for wrong in (scales[:2], scales[None], -scales, scales * [1, 1, 1, np.inf], -1.0, np.nan, "1"):
        with pytest.raises(InputError, match="RW-FTPL: noise_scale"):
            RWFTPL(4, LOCAL, noise_scale=wrong, noise=simulated("x"))


def test_before_round_t_the_totals_carry_t_noise_vectors():
    eta, rounds, repetitions, n = 0.7, 4, 2000, 3
    noise = simulated("variance")
    algorithm = RWFTPL(n, LOCAL, noise_scale=eta, noise=noise, repetitions=repetitions)
    reports = private_reports(np.zeros((rounds, n)), LOCAL, eta, noise, repetitions)
    for t, report in enumerate(reports, start=1):
        squares = (algorithm.total**2).sum() / (t * eta**2)
        law = stats.chi2(repetitions * n)
        assert min(law.cdf(squares), law.sf(squares)) > FALSE_ALARM / (2 * rounds)
        algorithm.update(report)


WIDE = 2**16 + 3  # more than the blocks in which noise is added, and no multiple of them


def in_turn(algorithm, reports):
    actions = []
    for report in reports:
        actions.append(algorithm.predict())
        algorithm.update(report)
    return np.array(actions)


@pytest.mark.parametrize("workers", [None, 1, 3])
@pytest.mark.parametrize("mu", [1.0, np.inf])
def test_reports_that_are_not_made_are_added_to_the_last_bit(workers, mu):
    told, guarantee = rng_for(0, "test wide gains").random((12, WIDE)), GaussianDP(mu, "local")
    played = []
    for way in (in_turn, play):
        noise = SimulatedNoise(7, workers)
        algorithm = RWFTPL(WIDE, guarantee, sensitivity=0.5, noise=noise)
        reports = private_reports(told, guarantee, 0.5, noise)
        actions = np.asarray(way(algorithm, reports))
        played.append((actions, algorithm.total, algorithm.rounds_played, noise.perturb(np.zeros(3), 1.0, 1)))
        assert algorithm.rounds_played == 12
    for one, other in zip(*played, strict=True):
        np.testing.assert_array_equal(one, other)


def test_wide_reports_of_other_kinds_are_made(monkeypatch):
    told = rng_for(0, "test wide gains").random((3, WIDE))
    monkeypatch.setattr(SimulatedNoise, "add", None)
    own = np.full(WIDE, 0.5)
    for sensitivity, more in (([0.5, 0.5, 0.5], {}), (0.5, {"repetitions": 2}), (own, {"moved": 1})):
        scale = {"noise_scale": own} if "moved" in more else {"sensitivity": 0.5}
        played = []
        for way in (in_turn, play):
            noise, copies = SimulatedNoise(7), more.get("repetitions", 1)
            algorithm = RWFTPL(WIDE, LOCAL, **scale, noise=noise, repetitions=copies)
            played.append(way(algorithm, private_reports(told, LOCAL, sensitivity, noise, **more)))
        np.testing.assert_array_equal(*played)


def test_noise_of_the_expected_scale_at_a_smaller_level_hides_less_and_is_refused():
    leader = RWFTPL(2, GaussianDP(0.5, "local"), sensitivity=0.5, noise=SimulatedNoise(0))
    with pytest.raises(InputError, match=r"moves by 0\.5, and a report has noise for 0\.25"):
        leader.update(Reports(np.zeros((1, 2)), GaussianDP(0.25, "local"), leader.noise_scale))


@pytest.mark.parametrize("workers", [None, 2])
def test_of_wide_reports_the_first_wrong_one_is_refused_and_those_before_are_heard(workers):
    told = rng_for(0, "test wide gains").random((4, WIDE))
    told[2, -1] = 1.5
    totals = []
    for way in (in_turn, play):
        noise = SimulatedNoise(7, workers)
        algorithm = RWFTPL(WIDE, LOCAL, sensitivity=0.5, noise=noise)
        with pytest.raises(InputError, match=r"1\.5"):
            way(algorithm, private_reports(told, LOCAL, 0.5, noise))
        assert algorithm.rounds_played == 2
        totals.append(algorithm.total)
    np.testing.assert_array_equal(*totals)


@pytest.mark.parametrize(("workers", "before", "heard"), [(None, 2, 4), (2, 0, 1 + 7), (2, 1, 1 + 7 + 2)])
def test_wide_rounds_that_are_interrupted_count_as_heard(monkeypatch, workers, before, heard):
    # A part of them may be in the totals: who goes on from `rounds_played` must not report these again.
    told, rounds, add = np.full((10, WIDE), 0.5), [], SimulatedNoise.add

    def interrupted(noise, *given):
        rounds.append(given)
        if len(rounds) > before:
            raise KeyboardInterrupt
        return add(noise, *given)

    monkeypatch.setattr(SimulatedNoise, "add", interrupted)
    noise = SimulatedNoise(7, workers)
    algorithm = RWFTPL(WIDE, LOCAL, sensitivity=0.5, noise=noise)
    with pytest.raises(KeyboardInterrupt):
        play(algorithm, told, noise=noise)
    assert algorithm.rounds_played == heard  # the first is made; threads take seven at once


def test_wide_rounds_before_an_interrupt_are_counted_once(monkeypatch):
    told, looked, check = np.full((20, WIDE), 0.5), [], reports_module.checked_gains

    def interrupted(gains, *given):
        looked.append(gains)
        if len(looked) == 1 + 7 + 3:  # the third of the next seven is only looked at
            raise KeyboardInterrupt
        return check(gains, *given)

    monkeypatch.setattr(reports_module, "checked_gains", interrupted)
    noise = SimulatedNoise(7, 2)
    algorithm = RWFTPL(WIDE, LOCAL, sensitivity=0.5, noise=noise)
    with pytest.raises(KeyboardInterrupt):
        play(algorithm, told, noise=noise)
    assert algorithm.rounds_played == 1 + 7


def test_a_derived_update_hears_of_wide_reports():
    class Heard(RWFTPL):
        def update(self, report):
            heard.append(report.values)
            super().update(report)

    heard, noise = [], SimulatedNoise(7)
    play(Heard(WIDE, LOCAL, sensitivity=0.5, noise=noise), np.full((3, WIDE), 0.5), noise=noise)
    assert len(heard) == 3
