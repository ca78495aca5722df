"""What lets most rounds go without a look is a bound on their hazard, for as long as it says."""

import numpy as np

from private_experts.algorithms import RestartingLeader
from private_experts.algorithms.all_windows import AllWindows
from private_experts.games.streams import turncoat
from private_experts.privacy import PureDP
from private_experts.privacy.above_threshold import AboveThreshold
from private_experts.randomness import rng_for


def test_a_query_adds_no_more_to_the_hazard_than_the_bound_says():
    margins = np.concatenate([np.linspace(-15, 15, 2001), [-1e12, 50.0]])
    x = np.exp(-np.maximum(margins, -20.0))
    hazard = AboveThreshold.hazard(margins[:, None])
    assert (hazard <= x / 2 + x**2 / 4).all()
    assert (hazard > 0.9 * (x / 2 + x**2 / 4))[margins > 0].all()  # and not much less


def test_no_round_has_a_larger_hazard_than_was_said_before(monkeypatch):
    """Rounds are looked at that need no look, and half of the experts turn bad."""
    bounded = []

    class Watched(AllWindows):
        def test(self, gains, own, thresholds, above):
            bound, until = self._bound.copy(), self._until.copy()
            self.add(gains, own)
            ends = np.zeros(own.size, dtype=bool)
            lengths = np.arange(self._round, 0, -1)
            for row in np.flatnonzero(until >= self._round):
                windows = slice(self._first[row], None)
                regrets = self.regrets(np.array([row]))[0]
                margins = above.margins((regrets - thresholds[lengths])[windows], np.array([row]))
                bounded.append((float(above.hazard(margins)[0]), float(bound[row])))
            rows = np.flatnonzero((rng.random(own.size) < 0.02) | (until < self._round))
            if rows.size:
                ends[rows] = above.exceeds(self._look(rows, thresholds, above), above.patience(), rows)
            return ends

    rng = rng_for(0, "looks")
    monkeypatch.setattr("private_experts.algorithms.restarting_leader.AllWindows", Watched)
    leader = RestartingLeader(
        2, PureDP(20.0, "central"), horizon=300, rng=rng_for(1, "phases"), repetitions=4, slack=0.2
    )
    for gains in turncoat(300, 2):
        leader.update(gains)
    hazards, bounds = np.array(bounded).T
    assert leader.restarts.min() >= 1
    assert hazards.size > 500
    assert (hazards <= bounds * (1 + 1e-12)).all()
    assert (hazards > 0.5 * bounds).any()  # the bound is not idle
