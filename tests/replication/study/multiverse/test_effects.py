"""A row of a universe by hand: halves that share no repetition, and intervals that hold jointly over all states."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from private_experts.randomness import rng_for
from private_experts.replication.study.hospital_game import LEARNER
from private_experts.replication.study.multiverse import effects
from private_experts.replication.study.multiverse.universe import OURS, PAPERS, STRONG

NAMES = (PAPERS, *OURS, "rw-ftpl", "min-regret", *STRONG, f"{LEARNER}a", f"{LEARNER}b")
# One for each central algorithm of two leads and a ratio over them; 3 of the lead, and 7 of one each.
INTERVALS = 3 * len(STRONG) + 10


def test_a_row_is_what_the_repetitions_say(monkeypatch):
    rng = rng_for(1, "totals")
    totals = {name: 10 + place + rng.standard_normal(8) for place, name in enumerate(NAMES)}
    monkeypatch.setattr(effects, "game", lambda *_: None)
    monkeypatch.setattr(effects, "totals", lambda *_: {0.5: totals})
    panel = SimpleNamespace(density=np.array([[1.0, 2.0], [3.0, 1.0]]))
    rows = [*effects.of_universe(panel, "NM", {}, {"adjacency": "move"}, 1.0, (0.5,), 8, 1, 3, 0.95)]  # three states
    assert [row["variant"] for row in rows] == [PAPERS, *OURS]
    assert [row["variant"] for row in rows if "lead_over_central" in row] == [PAPERS]  # one change at a time
    for row in rows:
        meta, leader = totals[row["variant"]], totals["rw-ftpl"]
        for half, these in (("even", [0, 2, 4, 6]), ("odd", [1, 3, 5, 7])):
            assert row[f"ratio_to_rw_ftpl_{half}"] == pytest.approx(meta[these].mean() / leader[these].mean())
        z = stats.t.ppf(1 - 0.05 / 2 / (3 * INTERVALS), 7)
        assert row["static_regret"] == pytest.approx(4 - meta.mean())
        assert row["static_regret_pm"] == pytest.approx(z * meta.std(ddof=1) / math.sqrt(8))
