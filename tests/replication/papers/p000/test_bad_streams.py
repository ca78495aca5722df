"""Five protocols have the regret of own counts' lower bound, and one that is not private does not."""

from functools import partial
from typing import Any

import numpy as np
import pytest

from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import bad_streams as checks
from tests.each import each
from tests.replication.ledger.ledgers import KNOWN
from tests.replication.papers.small_checks import SEED, failing

CHECKED = checks
CLAIM = KNOWN.claims["000/own-counts-protocols"].experiment(quick=True)
COUNTS, BEDS = np.full((100_000, 1, 3), 5), np.array([8, 20, 30])


def test_five_protocols_have_the_regret_of_the_lower_bound() -> None:
    points = checks.played(CLAIM.grid, 100, SEED)
    assert decide(points) == "holds"
    assert all(point.lazy_fails for point in points)


def test_protocols_of_a_hundred_times_the_level_are_caught(monkeypatch: Any) -> None:
    for protocol, honest in [*checks.PROTOCOLS.items()]:
        leaky = partial(lambda report, counts, beds, mu, rng: report(counts, beds, 100 * mu, rng), honest)
        monkeypatch.setitem(checks.PROTOCOLS, protocol, leaky)
    # One bit is too little to tell a hospital apart, even if it is true.
    assert failing(checks.played(CLAIM.grid, 100, SEED), "protocol") == {*checks.PROTOCOLS} - {"binary"}


def test_one_bit_of_each_hospital_spends_the_level_where_fewest_beds_are_taken() -> None:
    empty, one = (
        checks.PROTOCOLS["binary"](
            np.full((400_000, 3), count), BEDS, 0.5, np.random.default_rng(SEED + count)
        )
        for count in (0, 1)
    )
    spent = np.log((one > 0.5).mean(axis=0) / (empty > 0.5).mean(axis=0))
    # Who moves spends this at both hospitals.
    assert 2 * spent == pytest.approx(checks._epsilon(0.5), rel=0.1)


@each("protocol", [*checks.PROTOCOLS])
def test_reports_are_right_in_the_mean_and_have_the_noise_of_the_level(protocol: str) -> None:
    mu = 0.5
    reports = checks.PROTOCOLS[protocol](COUNTS, BEDS, mu, np.random.default_rng(SEED))[:, 0]
    # Of a variance 1 a shift of 2 is told apart as the level allows; each kind of noise has more.
    least = 2 / mu**2 * (2 / 3 if protocol == "shared noise" else 1)
    assert reports.mean(axis=0) == pytest.approx(5 / BEDS, abs=5 * (reports.std(axis=0) / 300).max())
    assert (reports.var(axis=0) * BEDS**2 > 0.98 * least).all()
