"""Certified laws of batches are those of other routes, and are off by no more than they say."""

import math
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
from private_experts.replication.balls.elementary import EXP_STEPS
from private_experts.replication.papers.p000 import certified_batches
from private_experts.replication.papers.p000.certified_batches import laws, net
from private_experts.replication.papers.p000.certified_laws import least_gaps
from private_experts.replication.papers.p000.exact_batches import size_laws
from private_experts.replication.papers.p000.gauss_panels import panels
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


def test_a_lead_beyond_the_reach_is_counted_on_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    """Round 1's longest batch has its least gap beyond the reach, so all leads beyond are misjudged."""
    true = laws(net(HORIZON, ETA, ALPHA, 1, np.zeros(1)), LEADS[:1])[0].cumsum()
    monkeypatch.setattr(certified_batches, "_REACH", 2.5)
    law, off = laws(net(HORIZON, ETA, ALPHA, 1, np.zeros(1)), LEADS[:1])
    assert 0.98 * off < np.abs(law.cumsum() - true).max() <= off


def grown(monkeypatch: pytest.MonkeyPatch, **changed: Any) -> float:
    """Return how much larger the error of nodes is said to be with other things in the place of some."""
    before = net(HORIZON, ETA, ALPHA, T, AWAY).off
    with monkeypatch.context() as patch:
        for name, value in changed.items():
            patch.setattr(certified_batches, name, value)
        return net(HORIZON, ETA, ALPHA, T, AWAY).off - before


def test_the_error_of_every_panel_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = []

    def counted(low: float, *given: Any) -> Any:
        found = panels(low, *given)
        counts.append(found[2] if low < 0 else 2 * found[2])  # the interval around 0 is its own mirror image
        return found

    assert grown(monkeypatch, OFF=1e-3, panels=counted) == pytest.approx(1.001e-3 * sum(counts), rel=1e-6)
    assert sum(counts) > 2 * T


def test_the_rounding_of_every_node_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[float, float]] = []

    def whole(*ends: float) -> Ball:
        given.append(ends)
        return ball(1)

    assert grown(monkeypatch, misplaced=whole) == pytest.approx(1.001 * T, rel=1e-6)
    for (length, furthest), nodes, weights in zip(given, RIGHT_NET().nodes, RIGHT_NET().weights, strict=True):
        assert length > weights.sum() / (math.sqrt(2) * ETA)
        assert furthest > np.abs(nodes).max() / (math.sqrt(2) * ETA)


def test_a_least_gap_counts_on_both_sides_with_the_largest_density(monkeypatch: pytest.MonkeyPatch) -> None:
    def wide(*given: Any) -> list[list[Ball]]:
        return [
            [*row[:1], *(gap + ball(-1e-6, 1e-6) for gap in row[1:2]), *row[2:]] for row in least_gaps(*given)
        ]

    needed = sum(2 * 1e-6 / (math.sqrt(2 * math.pi * (s + 1)) * math.sqrt(2) * ETA) for s in range(T))
    assert needed <= grown(monkeypatch, least_gaps=wide) < 2.1 * needed


def test_all_roundings_of_every_decision_on_the_way_are_counted() -> None:
    nodes = RIGHT_NET()
    terms = max(places.size for places in nodes.nodes) + T
    exponents = 8 * (690 + 300)
    stage = exponents + 3 * EXP_STEPS + 2 + 7 + 4 + 3 + terms
    needed = 3 * T * (T * stage + terms + T + HORIZON + 1) * 2.0**-53
    assert needed < RIGHT()[1] - nodes.off < 1.01 * needed


def test_what_the_nodes_do_not_serve_is_refused() -> None:
    with pytest.raises(ValueError, match="leave the range"):
        laws(net(6, 1.0, 1.0, 4, np.ones(4)), np.ones((1, 6)))
    with pytest.raises(ValueError, match="only one size"):
        net(6, 1.0, 1.0, 6, AWAY)
    with pytest.raises(ValueError, match="so little noise"):
        laws(net(6, 0.05, 1.0, 4, AWAY), np.ones((1, 6)))
