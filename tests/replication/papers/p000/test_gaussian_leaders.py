"""Plays of two experts against exact laws: what is compared, and what does not pass."""

import numpy as np
import pytest

from private_experts.replication.ledger.evidence import Point
from private_experts.replication.papers.p000.gaussian_leaders import pair_points
from private_experts.replication.study.intervals import clopper_pearson

ROUNDS, COPIES = 3, 6000


def _alike(actions: np.ndarray, which: str = "neighbouring copies") -> Point:
    points = pair_points({}, actions, np.zeros(ROUNDS), np.eye(ROUNDS), slack=0.05, cells=1)
    return next(p for p in points if (p.where["rounds"], p.where["place"]) == (f"of {which}", "1"))


def test_each_pair_of_neighbouring_copies_is_compared_once():
    actions = np.random.default_rng(1).integers(0, 2, (ROUNDS, COPIES))
    pairs = COPIES // 2
    first, round_of_pair = np.arange(0, COPIES, 2), np.arange(pairs) % ROUNDS
    alike = int((actions[round_of_pair, first] == actions[round_of_pair, first + 1]).sum())
    point = _alike(actions)
    assert point.notes["measured"] == alike / pairs
    low, high = clopper_pearson(alike, pairs, 2 * (3 + 2))  # outcomes; pairs of rounds and of copies
    assert point.high == pytest.approx(max(abs(low - 0.5), abs(high - 0.5)))


@pytest.mark.parametrize(
    ("which", "shared"),
    [
        ("neighbouring copies", lambda draws: draws.repeat(2, axis=1)),
        ("both halves of the copies", lambda draws: np.tile(draws, 2)),
    ],
)
def test_copies_that_share_a_draw_do_not_pass(which, shared):
    draws = np.random.default_rng(1).integers(0, 2, (ROUNDS, COPIES // 2))
    point = _alike(shared(draws), which)
    assert point.low is not None
    assert point.low > point.bound
