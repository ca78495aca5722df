"""Adaptive adversaries: each check gives its verdict, and another one when something is wrong."""

from typing import Any

import pytest

from private_experts.algorithms.fixed_share import FixedShare
from private_experts.games.adaptive import PairsAdversary
from private_experts.replication.claims.checks.paper_004 import adaptive
from private_experts.replication.claims.evidence import decide

SEED = 1

ADAPTIVE = {"T": [64], "S": 3, "times_threshold": [1.0], "at_most": 0.3}


def test_who_is_private_cannot_keep_up() -> None:
    assert decide(adaptive.theorem_5_1(ADAPTIVE, 40, SEED)) == "holds"


def test_an_algorithm_that_is_not_private_is_caught(put: Any) -> None:
    put(adaptive, "PRIVATE", {"fixed share": lambda n, t, s, e, *rest: FixedShare(n, t, s, 5.0, *rest)})
    assert decide(adaptive.theorem_5_1(ADAPTIVE, 40, SEED)) == "fails"


def test_an_adversary_who_forgets_what_was_played_is_caught(put: Any) -> None:
    class Forgetful(PairsAdversary):
        def answer(self, actions: Any) -> None:
            gains = self._gains.copy()
            super().answer(actions)
            if self._round % self._phase:
                self._gains = gains

    put(adaptive, "PairsAdversary", Forgetful)
    assert decide(adaptive.theorem_5_1(ADAPTIVE, 40, SEED)) == "fails"


THRESHOLD = {"T": 512, "S": 3, "times_threshold": [1.0, 100.0], "at_most": 0.3}


def test_learning_begins_above_the_threshold() -> None:
    assert decide(adaptive.adaptive_threshold(THRESHOLD, 10, SEED)) == "holds"


@pytest.mark.parametrize("factor", [1e-3, 1e3])
def test_a_threshold_elsewhere_is_caught(factor: float, put: Any) -> None:
    threshold = adaptive.threshold
    put(adaptive, "threshold", lambda *arguments: factor * threshold(*arguments))
    assert decide(adaptive.adaptive_threshold(THRESHOLD, 10, SEED)) == "fails"
