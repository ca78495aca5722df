"""Bounds on an event of plays contain what quadrature finds with the library's laws."""

import numpy as np
import pytest

from private_experts.privacy.above_threshold import AboveThreshold
from private_experts.privacy.selection import report_noisy_max_law
from private_experts.replication.balls.balls import ball, near, precision
from private_experts.replication.papers.p004 import event, tracking

HORIZON, SCALE = 64, 8.0


def streams() -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Return leads of two experts that grow in B, thresholds, and the rounds with which A and stages end."""
    rounds = np.arange(HORIZON + 1.0)
    lead = np.where(rounds > 32, rounds - 32, 0.0)
    # so that windows from before A do not count
    limits = np.where((rounds < 2) | (rounds > 12), 1000.0, 30.0)
    return np.stack([0 * rounds, lead, lead / 2]), limits, [32, 40, 44]


def test_an_ending_is_that_of_the_librarys_hazards() -> None:
    ahead, limits, last = streams()
    with precision():
        _, before, within = event.hazards(ahead, limits, lambda rounds: ball(limits[rounds]), last, SCALE)
        low, high = map(near, event.ending(before, within))
    noise = (np.arange(-1000, 2000) + 0.5) / 10  # the middles of cells, of which none lies on both sides of 0
    hazards = []
    for begin, end in ((32, 40), (40, 44)):
        queries = np.concatenate([tracking.queries(ahead, limits, t) for t in range(begin, end)])
        hazards.append(AboveThreshold.hazard((noise[:, None] - queries) / SCALE))
    law = np.exp(-np.abs(noise) / (SCALE / 2)) / SCALE * 0.1
    ends = np.exp(-hazards[0]) * -np.expm1(-hazards[1]) * law
    assert low <= ends[noise >= 0].sum() * (1 + 1e-3)
    assert low == pytest.approx(ends[noise >= 0].sum(), rel=5e-3)
    assert ends.sum() <= high


def test_thresholds_are_those_of_the_algorithm() -> None:
    with precision():
        allowance = event.allowances(100, HORIZON, 0.7, 2.0)
        found = [near(allowance(rounds)) for rounds in range(HORIZON + 1)]
    np.testing.assert_allclose(found, tracking.thresholds(100, HORIZON, 0.7, 2.0), rtol=1e-12)


def test_a_selection_is_that_of_the_librarys_law() -> None:
    with precision():
        low, high = map(near, event.selected([100, 108, 97], 1, ball(4)))
    law = report_noisy_max_law(np.array([100.0, 108.0, 97.0, 0.0]), 4.0)
    assert low == pytest.approx(law[0], abs=1e-5)  # one of the others is picked with less than 4/3 e^(-97/8)
    assert low <= law[0] <= high * (1 + 1e-9)
