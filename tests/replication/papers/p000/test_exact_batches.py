"""The exact law of batches agrees with the algorithm, and with itself at finer spacing."""

import numpy as np
import pytest

from private_experts.replication.papers.p000.exact_batches import (
    decisions,
    expected_lead,
    law_of_plays,
    size_laws,
)
from private_experts.walks.batch_rules import paper_rule

ETA, ALPHA, T = 2.0, 0.3, 40
RULE = paper_rule(T, ETA, 2, ALPHA)


def test_a_law_sums_to_one_and_does_not_change_at_finer_spacing() -> None:
    leads = np.concatenate([np.ones(12), -np.ones(28)])
    coarse, fine = size_laws(leads, ETA, [20], RULE), size_laws(leads, ETA, [20], RULE, spacing=0.25)
    assert coarse.sum() == pytest.approx(1, abs=1e-8)
    np.testing.assert_allclose(coarse, fine, atol=1e-9)


def test_some_decision_is_always_next() -> None:
    # Every batch ends at a decision, so at the horizon all mass has arrived.
    arrived = np.zeros(T + 1)
    for decision in decisions(np.zeros(T), ETA, RULE):
        np.add.at(arrived, decision.start + decision.size, decision.mass)
        if decision.start:
            assert decision.mass.sum() == pytest.approx(arrived[decision.start], abs=1e-8)
    assert arrived[T] == pytest.approx(1, abs=1e-8)


def test_plays_have_the_probabilities_of_their_streams() -> None:
    leads, rule = np.array([1.0, 0.0, -1.0, 0.5, 0.0]), paper_rule(5, ETA, 2, 2.0)
    law = law_of_plays(leads, ETA, rule)
    assert law.sum() == pytest.approx(1, abs=1e-8)
    digits = (np.arange(law.size)[:, None] >> np.arange(5)[::-1]) & 1
    assert float(law @ (digits @ leads)) == pytest.approx(expected_lead(leads, ETA, rule), abs=1e-8)
