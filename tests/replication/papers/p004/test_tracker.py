"""The private tracker: each check gives its verdict, and another one when something is wrong."""

from typing import Any

import pytest

from private_experts.algorithms.dartboard_parameters import DartboardParameters, theorem_2_regret
from private_experts.algorithms.switching_dartboard import SwitchingDartboard
from private_experts.games import play
from private_experts.games.streams import equal_gaps, shifting
from private_experts.privacy import ApproximateDP, PureDP
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import ball
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p004 import tracker
from private_experts.replication.study.intervals import mean_interval
from tests.replication.papers.small_checks import SEED, verdict

GAMES = {
    "law": ["approximate"],
    "games": [[100000, 2, 1]],
    "epsilon": [2.0],
    "delta": 1e-6,
    "gap": [1.0],
    "smaller": {"pure": 2.2, "approximate": 5.0},
}


def test_the_tracker_has_its_regret() -> None:
    point, *_ = tracker.private_tracker(GAMES)
    assert verdicts() == ("holds", "holds", "holds")
    assert not point.vacuous


def verdicts() -> tuple[str, str, str]:
    """Return the verdicts on the regret, on the program's, and on the program's bound."""
    *points, program, bound = tracker.private_tracker(GAMES)
    return decide(points), decide([program]), decide([bound])


LAWS, REGRET, BOUND = tracker.sequence_laws, tracker.regret, tracker.regret_bound


@pytest.mark.parametrize(
    ("name", "mutant"),
    [
        ("regret", lambda n, horizon, gap, rate: REGRET(n, horizon, gap, rate / 10)),
        ("out_of_draws", lambda *arguments: ball(1)),
    ],
    ids=["a tenth of the step", "draws that always run out"],
)
def test_another_tracker_or_bound_is_caught(name: str, mutant: Any, put: Any) -> None:
    put(tracker, name, mutant)
    assert verdicts()[0] == "fails"


def test_steps_for_three_times_the_level_are_caught(put: Any) -> None:
    given = tracker.parameters
    put(
        tracker,
        "parameters",
        lambda law, n, horizon, s, epsilon, delta: given(law, n, horizon, s, 3 * epsilon, delta),
    )
    _, level, *_ = tracker.private_tracker(GAMES | {"law": ["pure"], "smaller": {"pure": 1.0}})
    assert decide([level]) == "fails"


def of_calibrated(kind: str) -> list[Any]:
    """Return the points of calibrated steps: of the "level" or of the "bound"."""
    points = tracker.private_tracker(GAMES)
    return [
        point
        for point in points
        if point.where["steps"] == "calibrated" and point.where["privacy"].startswith(kind)
    ]


@pytest.mark.parametrize("factor", [0.95, 1.05])
def test_a_level_that_is_off_by_a_twentieth_is_caught_at_calibrated_steps(factor: float, put: Any) -> None:
    assert decide(of_calibrated("level")) == "holds"
    given = tracker.calibrated_parameters
    put(
        tracker,
        "calibrated_parameters",
        lambda level, theirs: given(ApproximateDP(factor * level.epsilon, level.delta, "central"), theirs),
    )
    assert decide(of_calibrated("level")) == "fails"


def test_steps_that_are_not_calibrated_are_caught(put: Any) -> None:
    assert decide(of_calibrated("bound")) == "holds"
    put(tracker, "calibrated_parameters", lambda level, theirs: theirs)
    assert decide(of_calibrated("bound")) == decide(of_calibrated("level")) == "fails"
    put(tracker, "calibrated_parameters", lambda level, theirs: theirs)
    assert batched_of("calibrated", "spent") == "fails"


@pytest.mark.parametrize(
    ("name", "mutant", "expected"),
    [
        (
            "sequence_laws",
            lambda losses, s, rate: LAWS(losses, s, rate * (1 + 1e-7)),
            ("holds", "fails", "holds"),
        ),
        ("theorem_2_regret", lambda *game: theorem_2_regret(*game) * (1 + 2e-8), ("holds", "holds", "fails")),
    ],
    ids=["another step", "another bound"],
)
def test_a_program_that_is_slightly_off_is_caught(name: str, mutant: Any, expected: Any, put: Any) -> None:
    put(tracker, name, mutant)
    assert verdicts() == expected


def test_the_regret_is_that_of_the_dartboard_that_is_played() -> None:
    n, horizon, switches, gap, eta, p = 3, 60, 2, 0.8, 0.3, 0.4
    losses = shifting("deterministic", equal_gaps(n, gap), horizon, switches).gaps
    board = SwitchingDartboard(
        n,
        PureDP(float("inf"), "central"),
        horizon=horizon,
        switches=switches,
        parameters=DartboardParameters(eta, p, float("inf")),
        rng=rng_for(SEED, "board"),
        repetitions=2000,
    )
    actions = play(board, 1 - losses)
    regret = losses[range(horizon), actions.T].sum(axis=1)
    _, low, high = mean_interval(regret)  # false alarm 1e-3, with a fixed seed
    assert low < tracker.regret_without_budget(n, horizon, switches, gap, eta) < high


def test_the_corollary_follows_from_the_proposition(put: Any) -> None:
    grid = {"N": [2, 1000], "T": [100], "S": [1, 5]}
    assert verdict(tracker.corollary_4_1_1, grid) == "holds"
    put(tracker, "count_sequences", lambda horizon, n, switches: n**horizon)
    assert verdict(tracker.corollary_4_1_1, grid) == "fails"


BATCHED = {"T": [100_000], "N": [2], "epsilon, batch": [[2.0, 4]], "delta": 1e-6, "gap": [1.0], "ahead": []}


def batched_of(steps: str, what: str) -> str:
    """Return the verdict on one point for a cell where the level holds the step."""
    points = tracker.batched_tracker(
        BATCHED | {"T": [10**6], "epsilon, batch": [[0.3, 2]], "ahead": [[0.3, 2]]}
    )
    return decide([point for point in points if (point.where["steps"], point.where["what"]) == (steps, what)])


def batched_verdicts() -> tuple[str, ...]:
    """Return the verdicts on the regret, on its bound and on the level, for the literature's steps."""
    points = tracker.batched_tracker(BATCHED)
    return tuple(decide([point]) for point in points if point.where["steps"] == "theirs")


def test_batches_with_calibrated_steps_spend_the_level_and_are_ahead() -> None:
    for what in ("regret", "bound", "epsilon", "spent", "bound, theirs"):
        assert batched_of("calibrated", what) == "holds"


def test_batches_keep_the_level_and_lower_the_bound() -> None:
    assert batched_verdicts() == ("holds", "holds", "holds")
    assert tracker.batched_tracker(BATCHED)[0].lazy_fails


@pytest.mark.parametrize(
    ("name", "mutant", "expected"),
    [
        (
            "regret",
            lambda n, horizon, gap, rate: 10 * REGRET(n, horizon, gap, rate),
            ("fails", "holds", "holds"),
        ),
        ("theorem_2_regret", lambda *game: theorem_2_regret(*game[:-1], 10), ("holds", "fails", "holds")),
        ("dartboard_epsilon", lambda *play: EPSILON(*play[:3]), ("holds", "holds", "fails")),
    ],
    ids=["ten times the regret", "batches of ten", "the level without batches, for delta 0"],
)
def test_batches_that_are_wrong_are_caught(name: str, mutant: Any, expected: Any, put: Any) -> None:
    put(tracker, name, mutant)
    assert batched_verdicts() == expected


EPSILON = tracker.dartboard_epsilon
