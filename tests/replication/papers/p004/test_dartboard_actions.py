"""The dartboard's privacy: the check gives its verdict, and another one when something is wrong."""

import numpy as np
import pytest

from private_experts.replication.balls.balls import near
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p004 import dartboard_actions
from tests.each import each
from tests.replication.papers.small_checks import wrong

DARTBOARD = {"games": [[2, 3]], "p": [0.25], "share": [0.1, 1.0]}


def verdicts() -> tuple[str, str, str]:
    """Return the verdicts on the levels, on the program's law, and on its levels."""
    *points, law, stated = dartboard_actions.dartboard_privacy(DARTBOARD)
    return decide(points), decide([law]), decide([stated])


@each(
    ("name", "mutant", "expected"),
    [
        # losses counted twice, and half of the lottery
        (
            "exact_paths",
            lambda right, *game: right(*game[:2], 2 * game[2], *game[3:]),
            ("fails", "fails", "holds"),
        ),
        (
            "exact_paths",
            lambda right, *game: right(*game[:3], game[3] / 2, game[4]),
            ("fails", "fails", "holds"),
        ),
        # another step, and a leaky budget
        (
            "dartboard_paths",
            lambda right, losses, eta, *rest: right(losses, eta * (1 - 1e-10), *rest),
            ("holds", "fails", "holds"),
        ),
        (
            "dartboard_paths",
            lambda right, losses, eta, p, k: right(losses, eta, p, 1 + losses[0].sum()),
            ("holds", "fails", "holds"),
        ),
        ("dartboard_epsilon", 1 - 1e-9, ("holds", "holds", "fails")),
    ],
)
def test_the_dartboard_is_private_and_another_law_or_level_is_caught(name, mutant, expected) -> None:
    assert verdicts() == ("holds", "holds", "holds")
    with wrong(dartboard_actions, name, mutant):
        assert verdicts() == expected


def test_what_is_possible_under_one_neighbour_alone_tells_everything() -> None:
    chances = np.array([[0.5, 0.5], [1.0, 0.0]])
    assert not dartboard_actions.largest_ratio(chances, chances).is_finite()
    assert near(dartboard_actions.largest_ratio(chances[:, :1], chances[:, :1])) == pytest.approx(np.log(2))
