"""Certified laws of batches are those of other routes, and are off by no more than they say."""

from typing import Any

import numpy as np
import pytest

from private_experts.replication.balls.balls import (
    Ball,
    ball,
    integral,
    near,
    normal_cdf,
    normal_density,
    precision,
    sqrt,
)
from private_experts.replication.papers.p000 import certified_batches
from private_experts.replication.papers.p000.certified_batches import laws, net
from private_experts.replication.papers.p000.certified_laws import least_gaps
from private_experts.replication.papers.p000.exact_batches import size_laws
from private_experts.replication.papers.p000.two_expert_batches import leads_of
from private_experts.walks.batch_rules import paper_rule
from tests.each import each
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


@each(("eta", "drift"), [(0.7, 0.0), (0.7, 0.9), (3.0, -0.5)])
def test_the_law_of_the_second_round_is_an_integral(eta: float, drift: float) -> None:
    """The round is the second of two if the first lead says so. Else a batch begins there."""
    with precision():
        least, unit = least_gaps(4, eta, ALPHA), sqrt(2) * eta

        def small(gap: Ball) -> float:
            """Return how likely a batch begins with round 2 at a lead up to this."""
            ends = [gap / unit, -gap / unit]
            first = least[0][1].mid() / unit
            return near(
                integral(
                    lambda x: (
                        normal_density(x)
                        * (normal_cdf(ends[0] - x - drift / unit) - normal_cdf(ends[1] - x - drift / unit))
                    ),
                    -first,
                    first,
                )
            )

        pair = near(2 * (normal_cdf(-least[0][1] / unit) - normal_cdf(-least[0][2] / unit)))
        begins = [small(gap.mid()) for gap in least[1][1:]]
    law, off = laws(net(4, eta, ALPHA, 2, AWAY), np.full((1, 4), drift))
    np.testing.assert_allclose(law[0, :3], [0.0, begins[0], pair + begins[1] - begins[0]], rtol=0, atol=off)
    assert off < 1e-9


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


def test_what_the_nodes_do_not_serve_is_refused() -> None:
    with pytest.raises(ValueError, match="leave the range"):
        laws(net(6, 1.0, 1.0, 4, np.ones(4)), np.ones((1, 6)))
    with pytest.raises(ValueError, match="only one size"):
        net(6, 1.0, 1.0, 6, AWAY)
    with pytest.raises(ValueError, match="so little noise"):
        laws(net(6, 0.05, 1.0, 4, AWAY), np.ones((1, 6)))
