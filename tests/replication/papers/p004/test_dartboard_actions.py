"""The dartboard's privacy: the check gives its verdict, and another one when something is wrong."""

from typing import Any

import numpy as np
import pytest

from private_experts.replication.balls.balls import near
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.dartboard_law import dartboard_paths
from private_experts.replication.papers.p004 import dartboard_actions

DARTBOARD = {"games": [[2, 3]], "p": [0.25], "share": [0.1, 1.0]}


def verdicts() -> tuple[str, str, str]:
    """Return the verdicts on the levels, on the program's law, and on its levels."""
    *points, law, stated = dartboard_actions.dartboard_privacy(DARTBOARD)
    return decide(points), decide([law]), decide([stated])


def test_the_dartboard_is_private() -> None:
    assert verdicts() == ("holds", "holds", "holds")


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(
            lambda vectors, t, eta, p, k: EXACT(vectors, t, 2 * eta, p, k), id="losses counted twice"
        ),
        pytest.param(
            lambda vectors, t, eta, p, k: EXACT(vectors, t, eta, p / 2, k), id="half of the lottery"
        ),
    ],
)
def test_a_dartboard_that_tells_more_is_caught(mutant: Any, put: Any) -> None:
    put(dartboard_actions, "exact_paths", mutant)
    assert verdicts()[0] == "fails"


EXACT = dartboard_actions.exact_paths


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(
            lambda losses, eta, p, k: dartboard_paths(losses, eta * (1 - 1e-10), p, k), id="another step"
        ),
        pytest.param(
            lambda losses, eta, p, k: dartboard_paths(losses, eta, p, 1 + losses[0].sum()), id="leaky budget"
        ),
    ],
)
def test_a_program_with_another_law_is_caught(mutant: Any, put: Any) -> None:
    put(dartboard_actions, "dartboard_paths", mutant)
    assert verdicts() == ("holds", "fails", "holds")


def test_a_program_with_another_level_is_caught(put: Any) -> None:
    level = dartboard_actions.dartboard_epsilon
    put(dartboard_actions, "dartboard_epsilon", lambda *arguments: level(*arguments) * (1 - 1e-9))
    assert verdicts() == ("holds", "holds", "fails")


def test_what_is_possible_under_one_neighbour_alone_tells_everything() -> None:
    chances = np.array([[0.5, 0.5], [1.0, 0.0]])
    assert not dartboard_actions.largest_ratio(chances, chances).is_finite()
    assert near(dartboard_actions.largest_ratio(chances[:, :1], chances[:, :1])) == pytest.approx(np.log(2))
