"""What all banks of learners share: copies, the first forecast, and what the caller may do to arrays."""

from functools import partial

import numpy as np
import pytest

from private_experts.errors import InputError
from private_experts.learners import (
    Autoregressions,
    Deviations,
    LinearFilters,
    PooledAutoregressions,
    PosteriorMeans,
    TotalsLeader,
    gaussian_process_weights,
    trend_weights,
)
from private_experts.randomness import rng_for
from tests.each import each
from tests.noisy import report_of, reports_of

SETTINGS = [(3, 0.5), (6, 2.0)]
SET = {
    "trend": partial(LinearFilters, trend_weights),
    "gaussian process": partial(LinearFilters, gaussian_process_weights),
    "autoregressions": partial(Autoregressions, order=2),
    "pooled": PooledAutoregressions,
}
BANKS = {name: partial(bank, SETTINGS) for name, bank in SET.items()}
BANKS["posterior means"] = lambda first: PosteriorMeans([Deviations(0.02, 1.5, 0.85)], first, np.full(4, 0.1))
every_bank = each("bank", BANKS.values())
REPORTS = rng_for(0, "test banks").normal(size=(9, 3, 4))
START = np.zeros((3, 4))


@every_bank
def test_what_is_played_before_the_second_report_is_the_leader_of_the_only_one(bank):
    """RW-FTPL adds to its z_0 in place: a bank made from its totals must not follow."""
    first = REPORTS[0].copy()
    learners = bank(report_of(first))
    first[...] = 1e6 * np.arange(4)
    assert (learners.predict() == REPORTS[0].argmax(axis=1)).all()
    learners.update(report_of(REPORTS[1]))
    assert (learners.predict() == REPORTS[1].argmax(axis=1)).all()


@each("bank", [*BANKS.values(), TotalsLeader])
@each("first", [(1, 5), 2, np.zeros((1, 4)), None])
def test_what_is_no_report_is_refused_as_the_first_one(bank, first):
    with pytest.raises(InputError, match=r"^true gains never reach this algorithm: make a report of them"):
        bank(first)


@each("name", SET)
def test_the_first_forecast_is_z_0_for_every_learner_and_the_second_the_only_report(name):
    bank = BANKS[name](report_of(REPORTS[0]))
    np.testing.assert_array_equal(bank.forecast(), [REPORTS[0]] * 2)
    bank.update(report_of(REPORTS[1]))
    less_mean = bank.forecast() - bank.forecast().mean(axis=-1, keepdims=True)
    np.testing.assert_allclose(
        less_mean, [REPORTS[1] - REPORTS[1].mean(axis=-1, keepdims=True)] * 2, rtol=1e-12
    )


@every_bank
def test_repetitions_do_not_mix_and_asking_twice_changes_nothing(bank):
    together, apart = bank(report_of(START)), [bank(report_of(START[:1])) for _ in range(3)]
    for report in REPORTS:
        together.update(report_of(report))
        np.testing.assert_array_equal(together.forecast(), together.forecast())
        for r in range(3):
            apart[r].update(report_of(report[r : r + 1]))
            np.testing.assert_allclose(
                together.forecast()[..., r, :], apart[r].forecast()[..., 0, :], atol=1e-12
            )


@every_bank
def test_a_report_without_repetitions_serves_them_all(bank):
    one, copies = bank(report_of(START)), bank(report_of(START))
    for row in REPORTS[:, 0]:
        one.update(report_of(row))
        copies.update(report_of(np.tile(row, (3, 1))))
        np.testing.assert_array_equal(one.forecast(), copies.forecast())


@every_bank
def test_reports_changed_in_place_after_they_were_given_do_not_change_the_forecast(bank):
    one, other, buffer = bank(report_of(START)), bank(report_of(START)), np.empty((3, 4))
    for report in REPORTS:
        one.update(report_of(report))
        buffer[...] = report
        other.update(report_of(buffer))
        buffer[...] = 1e6 * np.arange(4)
        np.testing.assert_array_equal(one.forecast(), other.forecast())


@each(("name", "off"), [(name, 1e-6 if name == "autoregressions" else 1e-8) for name in SET])
def test_a_long_game_leaves_no_trace_in_running_sums(name, off):
    """After a thousand reports as large as 1000, forecasts are those of a bank that never saw them."""
    rng = rng_for(0, "test banks", "long")
    long, short = (SET[name]([(3, 1.0), (5, 0.1)], report_of(np.zeros((2, 3)))) for _ in range(2))
    for report in 1000 * rng.normal(size=(1000, 2, 3)):
        long.update(report_of(report))
    for report in rng.normal(size=(5, 2, 3)):
        long.update(report_of(report))
        short.update(report_of(report))
    np.testing.assert_allclose(long.forecast(), short.forecast(), rtol=0, atol=off)


@each("bank", SET.values())
@each("settings", [[], [(0, 1.0)], [(2.5, 1.0)], [(8, 0.0)], [(8, -1.0)], [(8, np.nan)], [(8, np.inf)]])
def test_settings_that_cannot_be_are_refused(bank, settings):
    with pytest.raises(InputError, match="learners"):
        bank(settings, report_of(START))


@every_bank
@each(("apart", "leader"), [(1e-12, 0), (1e-6, 1)])
def test_without_noise_experts_whose_forecasts_are_equal_but_for_rounding_tie(bank, apart, leader):
    learners = bank(report_of(START, 0.0))
    for _ in range(9):
        learners.update(report_of(np.tile([0.5, 0.5 * (1 + apart), 0.1, 0.0], (3, 1)), 0.0))
    assert (learners.predict() == leader).all()


def test_many_rounds_at_once_tie_as_one_by_one_do():
    n, horizon = 4, 40
    gains = np.abs(rng_for(0, "ties").normal(size=(horizon, 1000, 1))) * np.array(
        [0.1, 0.5, 0.5 * (1 + 1e-12), 0.0]
    )
    bank = SET["trend"](SETTINGS, report_of(np.zeros((1000, n)), 0.0))
    assert (bank.play_known(reports_of(gains, 0.0))[1:] == 1).all()
