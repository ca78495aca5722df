"""Intervals of shares: by hand, in the limits, and by how often they cover."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from private_experts.randomness import rng_for
from private_experts.replication.intervals import clopper_pearson
from private_experts.replication.study.multiverse.universe_shares import ALL, in_all, share_interval, shares, shown
from private_experts.replication.study.multiverse.universe_verdicts import PAPER


def arrays(*rows):
    return [np.array(row, dtype=float) for row in rows]


def test_with_all_blocks_nothing_is_left_to_chance():
    assert share_interval(*arrays([3, 5], [6, 6], [6, 6]), 2, 0.95) == (8 / 12, 8 / 12, 8 / 12)


def test_where_all_agree_the_interval_is_that_of_so_many_universes():
    share, low, high = share_interval(*arrays([36, 36], [36, 36], [6, 6]), 9, 0.95)
    assert (share, high) == (1, 1)
    assert low == pytest.approx(0.025 ** (1 / 12))


def test_a_spread_between_blocks_makes_the_interval_wider_and_never_narrower_than_that_of_universes():
    wide = share_interval(*arrays([6, 0, 6, 0], [6] * 4, [6] * 4), 20, 0.95)
    even = share_interval(*arrays([3, 3, 3, 3], [6] * 4, [6] * 4), 20, 0.95)
    assert even[1:] == pytest.approx([float(each) for each in clopper_pearson(12, 24, confidence=0.95)])
    assert wide[1] < even[1] < even[2] < wide[2]


def test_the_interval_is_that_of_as_many_draws_as_have_the_variance_between_blocks():
    """By hand: counts 3 off their mean, so a variance of 12, in 4 of 20 blocks of 6."""
    variance = (1 - 4 / 20) * 12 / 4 / 6**2
    draws = 0.5 * 0.5 / variance * (stats.t.ppf(0.975, 23) / stats.t.ppf(0.975, 3)) ** 2
    expected = stats.beta.ppf([0.025, 0.975], [draws / 2, draws / 2 + 1], [draws / 2 + 1, draws / 2])
    found = share_interval(*arrays([6, 0, 6, 0], [6] * 4, [6] * 4), 20, 0.95)
    assert found[1:] == pytest.approx(expected)


def test_one_block_says_nothing_of_the_others():
    assert share_interval(*arrays([3], [6], [6]), 9, 0.95) == (0.5, 0.0, 1.0)


def test_intervals_cover_the_share_of_all_universes():
    """54 blocks of 6, nine drawn, 400 times: 95 % cover; fewer than 91 % do with a probability below 3e-4."""
    rng = rng_for(5, "a population of blocks")
    for spread in (0.2, 1.0, 3.0):  # of the blocks' inclination, from alike to quite apart
        likely = 1 / (1 + np.exp(-(0.7 + spread * rng.standard_normal(54))))
        holds = rng.binomial(6, likely).astype(float)
        covered = 0
        for _ in range(400):
            drawn = rng.permutation(54)[:9]
            _, low, high = share_interval(holds[drawn], np.full(9, 6.0), np.full(9, 6.0), 54, 0.95)
            covered += low <= holds.sum() / 324 <= high
        assert covered >= 364


def test_counts_are_told_apart_and_put_together():
    rows = [
        {"state": state, "block": block, "universe": 2 * block, "mu": 1.0, "answer": answer}
        for state, answers in {"NM": ["agrees", "differs"], "PA": ["agrees", "undecided"]}.items()
        for block, answer in enumerate(answers)
    ]
    table = pd.DataFrame(rows)
    by_state = shares(table, ["state"], 2, 0.95)
    assert by_state["holds"].tolist() == [0.5, 0.5]
    assert by_state["fails"].tolist() == [0.5, 0.0]
    assert by_state["undecided"].tolist() == [0.0, 0.5]
    together = shares(table, ["mu"], 4, 0.95).iloc[0]
    assert (together["answers"], together["universes"], together["holds"]) == (4, 4, 0.5)
    assert together["holds_low"] < 0.5 < together["holds_high"]


def test_the_papers_are_shown_by_state_and_ours_of_all_states_and_never_together():
    rows = [
        {"statement": "best", "state": state, "block": 0, "universe": 0, "mu": 1.0, "whose": whose, "answer": answer}
        for whose, answer in ((PAPER, "agrees"), ("ours: centred", "differs"))
        for state in ("NM", "PA")
    ]
    table = in_all(pd.DataFrame(rows), 1, 0.95)
    assert table.groupby("whose")["holds"].unique().to_dict() == {PAPER: [1.0], "ours: centred": [0.0]}
    found = shown(table)
    assert found["state"].tolist() == ["NM", "PA", ALL, ALL]
    assert found["algorithms"].tolist() == [PAPER] * 3 + ["ours: centred"]
    assert found["μ = 1"].tolist() == ["100; 0"] * 3 + ["0; 100"]
