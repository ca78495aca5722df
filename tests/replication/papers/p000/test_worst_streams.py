"""Exact expected regrets, and streams on which they are large."""

import itertools

import numpy as np
import pytest

from private_experts.replication.papers.p000.worst_streams import (
    regret_of_leads,
    regret_of_rise,
    seesaw_then_rise,
    worst_leads,
)
from tests.each import each


@each("eta", [0.3, 2.0])
def test_dynamic_programming_finds_the_worst_of_all_streams(eta: float) -> None:
    scales = eta * np.sqrt(np.arange(1, 8))
    best = max(
        regret_of_leads(np.array(leads), scales) for leads in itertools.product([-1.0, 0.0, 1.0], repeat=7)
    )
    assert regret_of_leads(worst_leads(scales), scales) == pytest.approx(best, abs=1e-12)


def test_finer_leads_are_at_least_as_bad() -> None:
    scales = 0.2 * np.sqrt(np.arange(1, 31))
    coarse, fine = (regret_of_leads(worst_leads(scales, parts), scales) for parts in (1, 2))
    assert fine > coarse + 0.1


def test_for_two_experts_the_family_is_one_of_leads() -> None:
    scales = 1.5 * np.sqrt(np.arange(1, 61))
    gains = seesaw_then_rise(2, 60, 20)
    assert regret_of_rise(2, scales, 20) == pytest.approx(
        regret_of_leads(gains[:, 0] - gains[:, 1], scales), abs=1e-7
    )


def test_the_spline_of_a_long_rise_changes_nothing() -> None:
    scales = 5.0 * np.sqrt(np.arange(1, 2001))
    gains = seesaw_then_rise(2, 2000, 600)
    assert regret_of_rise(2, scales, 600) == pytest.approx(
        regret_of_leads(gains[:, 0] - gains[:, 1], scales), rel=1e-7
    )
