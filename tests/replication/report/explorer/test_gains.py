"""The games of all states in few signs: they agree with the records, and errors have intervals."""

import numpy as np
import pytest
from scipy.stats import t as student

from private_experts.randomness import rng_for
from private_experts.replication.plotting.numbers import level
from private_experts.replication.report.explorer import gains
from private_experts.replication.report.explorer.gains import GAIN, SPREAD
from private_experts.replication.study.loading import read_panels
from tests.replication.report.explorer.conftest import CONFIDENCE, REPETITIONS, STATES, Left
from tests.replication.study.plays import a_game, plays


def test_every_value_is_that_of_the_records_to_half_a_unit(made: Left) -> None:
    records = made.records()
    shown = gains.states(records, read_panels(made.panels))
    assert [each["state"] for each in shown] == ["NM", "VT"]  # and no state with one hospital
    seen = 0
    for each in shown:
        assert (each["hospitals"], each["weeks"]) == (
            len(STATES[each["state"]].hospitals),
            [*STATES[each["state"]].weeks],
        )
        best = STATES[each["state"]].density.cumsum(axis=0).max(axis=1)  # of the hospital that is ahead in each week
        assert np.abs(np.cumsum(each["best"]) * GAIN - best).max() <= GAIN / 2 + 1e-9
        for (name, mu), part in records[records["state"] == each["state"]].groupby(["algorithm", "mu"]):
            for written, unit, column in zip(
                each["curves"][name][level(mu)], (GAIN, SPREAD), ("gain", "spread"), strict=True
            ):
                assert np.abs(np.cumsum(written) * unit - part[column]).max() <= unit / 2 + 1e-9
            seen += 1
    assert seen == records.groupby(["state", "algorithm", "mu"]).ngroups


def test_the_records_have_the_mean_and_the_spread_of_what_was_played(made: Left) -> None:
    game = a_game(panel=STATES["NM"])
    records = made.records()
    for (name, mu), play in plays("rw-ftpl", game).items():
        part = records[(records["state"] == "NM") & (records["algorithm"] == name) & (records["mu"] == mu)]
        upto = play.earned.cumsum(axis=0)
        assert part["gain"].to_numpy() == pytest.approx(upto.mean(axis=1))
        assert part["spread"].to_numpy() == pytest.approx(upto.std(axis=1, ddof=1), abs=1e-12)


def test_intervals_hold_jointly_for_all_that_has_an_error(made: Left) -> None:
    records = made.records()
    half, intervals = gains.half_width(records, REPETITIONS, CONFIDENCE)
    assert intervals == (records["spread"] > 1e-9).sum()
    assert 0 < intervals < len(records)  # without privacy nothing is random
    assert half == pytest.approx(
        student.ppf(1 - (1 - CONFIDENCE) / (2 * intervals), REPETITIONS - 1) / REPETITIONS**0.5
    )
    assert gains.half_width(records.assign(spread=1e-16), REPETITIONS, CONFIDENCE) == (0.0, 0)


def test_values_come_back_to_half_a_unit_however_long_the_row() -> None:
    values = rng_for(1, "steps").random(500).cumsum()
    assert np.abs(np.cumsum(gains.steps(values, 0.01)) * 0.01 - values).max() <= 0.005 + 1e-9
    assert gains.steps([0.5, 0.754, 0.74], 0.01) == [50, 25, -1]
