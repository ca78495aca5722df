"""The games of all states in few signs: they agree with the records, and errors have intervals."""

import numpy as np
import pytest
from scipy.stats import t as student

from private_experts.replication.plotting.numbers import level
from private_experts.replication.report.explorer import gains
from private_experts.replication.report.explorer.gains import GAIN, SPREAD
from private_experts.replication.study.data.panel import read_panels
from tests.replication.report.explorer.conftest import CONFIDENCE, REPETITIONS, STATES, Left
from tests.replication.study.plays import a_game, plays


def test_every_value_is_that_of_the_records_to_half_a_unit(made: Left) -> None:
    records = made.records()
    shown = gains.states(records, read_panels(made.panels))
    assert [played["state"] for played in shown] == ["NM", "VT"]  # and no state with one hospital
    seen = 0
    for played in shown:
        panel = STATES[played["state"]]
        assert (played["hospitals"], played["weeks"]) == (len(panel.hospitals), [*panel.weeks])
        best = panel.density.cumsum(axis=0).max(axis=1)  # of the hospital that is ahead in each week
        assert np.abs(np.cumsum(played["best"]) * GAIN - best).max() <= GAIN / 2 + 1e-9
        for (name, mu), part in records[records["state"] == played["state"]].groupby(["algorithm", "mu"]):
            gain, spread = played["curves"][name][level(mu)]
            for written, unit, column in ((gain, GAIN, "gain"), (spread, SPREAD, "spread")):
                assert np.abs(np.cumsum(written) * unit - part[column]).max() <= unit / 2 + 1e-9
            seen += 1
    assert seen == records.groupby(["state", "algorithm", "mu"]).ngroups


def test_the_records_have_the_mean_and_the_spread_of_what_was_played(made: Left) -> None:
    records = made.records()
    for (name, mu), play in plays("rw-ftpl", a_game(panel=STATES["VT"], state="VT")).items():
        part = records[(records["state"] == "VT") & (records["algorithm"] == name) & (records["mu"] == mu)]
        upto = play.earned.cumsum(axis=0)
        assert part["gain"].to_numpy() == pytest.approx(upto.mean(axis=1))
        assert part["spread"].to_numpy() == pytest.approx(upto.std(axis=1, ddof=1), abs=1e-12)


def test_intervals_hold_jointly_for_all_that_has_an_error(made: Left) -> None:
    records = made.records()
    half, intervals = gains.half_width(records, REPETITIONS, CONFIDENCE)
    # without privacy nothing is random
    assert 0 < intervals == (records["spread"] > 1e-9).sum() < len(records)
    quantile = student.ppf(1 - (1 - CONFIDENCE) / (2 * intervals), REPETITIONS - 1)
    assert half == pytest.approx(quantile / REPETITIONS**0.5)
    assert gains.half_width(records.assign(spread=1e-16), REPETITIONS, CONFIDENCE) == (0.0, 0)
