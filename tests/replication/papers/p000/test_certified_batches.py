"""Certified laws of batches are those of other routes, and are off by no more than they say."""

from typing import Any

import numpy as np
import pytest

from private_experts.replication.balls.balls import (
    Ball,
    ball,
)
from private_experts.replication.papers.p000 import certified_batches
from private_experts.replication.papers.p000.certified_batches import laws, net
from private_experts.replication.papers.p000.certified_laws import least_gaps
from private_experts.replication.papers.p000.exact_batches import size_laws
from private_experts.replication.papers.p000.two_expert_batches import leads_of
from private_experts.walks.batch_rules import paper_rule
from tests.replication.papers.remembered import remembered

ETA, ALPHA, T, HORIZON = 0.5, 1.0, 9, 13
LEADS = np.stack([leads_of(name, HORIZON) for name in ("zero", "turncoat", "gains 4 7", "drift 0.3")])
AWAY = np.arange(float(HORIZON))


def found() -> tuple[np.ndarray, float]:
    """Return the chances of at most b rounds, for each stream and b, and how far they may be off."""
    law, off = laws(net(HORIZON, ETA, ALPHA, T, AWAY), LEADS)
    return law.cumsum(axis=1), off


RIGHT, RIGHT_NET = remembered(found), remembered(lambda: net(HORIZON, ETA, ALPHA, T, AWAY))


def test_laws_are_those_of_another_program() -> None:
    (below, off), rule = RIGHT(), paper_rule(HORIZON, ETA, 2, ALPHA)
    other = np.stack([size_laws(leads, ETA, [T], rule, 0.3)[0].cumsum() for leads in LEADS])
    assert np.abs(below - other).max() <= off < 1e-8
    assert np.abs(below[1:] - other[0]).max() > 0.1  # and streams differ


def test_a_lead_beyond_the_reach_and_a_least_gap_that_is_not_known_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def moved(*given: Any) -> list[list[Ball]]:
        return [[gap + ball(0, 2e-6) for gap in row] for row in least_gaps(*given)]

    for name, value in (("_REACH", 2.5), ("least_gaps", moved)):
        with monkeypatch.context() as patch:
            patch.setattr(certified_batches, name, value)
            below, off = found()
        assert 10 * RIGHT()[1] < np.abs(below - RIGHT()[0]).max() <= off, name
