"""The dartboard on a cover keeps its bound, and something wrong does not."""

from typing import Any

import pytest

from private_experts.algorithms.dartboard_law import dartboard_law
from private_experts.algorithms.dartboard_parameters import theorem_2_regret
from private_experts.replication.claims.checks.paper_001 import dartboard
from private_experts.replication.claims.evidence import decide


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that puts something else in the place of what the check uses."""
    return lambda name, value: monkeypatch.setattr(dartboard, name, value)


COVER = {"losses": ["constant", "linear"], "T": [100], "n": [20], "eta_p": [[0.1, 0.3]]}


def test_the_dartboard_keeps_its_bound_on_a_cover() -> None:
    assert decide(dartboard.dartboard_on_cover(COVER, 2, 1)) == "holds"


def test_a_dartboard_that_is_thrown_backwards_is_caught(put: Any) -> None:
    put("dartboard_law", lambda *arguments: dartboard_law(*arguments)[:, ::-1])
    assert decide(dartboard.dartboard_on_cover(COVER, 2, 1)) == "fails"


def test_half_the_bound_is_caught(put: Any) -> None:
    put("theorem_2_regret", lambda *arguments: 0.45 * theorem_2_regret(*arguments))
    assert decide(dartboard.dartboard_on_cover(COVER, 2, 1)) == "fails"
