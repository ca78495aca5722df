"""Mechanisms as they play: each check gives its verdict, and another for a program that draws otherwise."""

from private_experts.algorithms.sequence_weights import SequenceWeights
from private_experts.privacy.above_threshold import AboveThreshold
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p004 import played
from tests.replication.ledger.ledgers import KNOWN

TRACKER, ANSWERS = (
    KNOWN.claims[name].experiment(quick=False) for name in ("004/tracker-played", "004/answers-played")
)


def test_the_tracker_loses_what_its_law_says(monkeypatch) -> None:
    grid = {**TRACKER.grid, "N": [2]}
    points = played.tracker_played(grid, TRACKER.repetitions, 1)
    assert decide(points) == "holds"
    assert all(point.lazy_fails for point in points if point.where["what"] == "bound")
    honest = SequenceWeights.add
    monkeypatch.setattr(SequenceWeights, "add", lambda self, log_factors: honest(self, 0 * log_factors))
    assert decide(played.tracker_played(grid, TRACKER.repetitions, 1)) == "fails"


def test_answers_have_their_law(monkeypatch) -> None:
    assert decide(played.answers_played(ANSWERS.grid, ANSWERS.repetitions, 1)) == "holds"

    def silent(self, queries):
        """Test queries without noise of their own."""
        above = (queries >= self._threshold) & ~self.halted
        self.halted |= above
        return above

    monkeypatch.setattr(AboveThreshold, "test", silent)
    assert decide(played.answers_played(ANSWERS.grid, ANSWERS.repetitions, 1)) == "fails"
