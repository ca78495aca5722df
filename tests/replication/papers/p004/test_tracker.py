"""The private tracker: each check gives its verdict, and another one when something is wrong."""

from private_experts.algorithms.dartboard_parameters import DartboardParameters
from private_experts.algorithms.switching_dartboard import SwitchingDartboard
from private_experts.games import play
from private_experts.games.streams import equal_gaps, shifting
from private_experts.privacy import ApproximateDP, PureDP
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import ball
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p004 import tracker
from private_experts.replication.study.intervals import mean_interval
from tests.each import each
from tests.replication.papers.small_checks import SEED, verdict, wrong

GAMES = {"law": ["approximate"], "games": [[100000, 2, 1]], "epsilon": [2.0], "delta": 1e-6, "gap": [1.0]}
GAMES |= {"smaller": {"pure": 2.2, "approximate": 5.0}}
BATCHED = {"T": [100_000], "N": [2], "epsilon, batch": [[2.0, 4]], "delta": 1e-6, "gap": [1.0], "ahead": []}
# There the level holds the step.
STEEP = BATCHED | {"T": [10**6], "epsilon, batch": [[0.3, 2]], "ahead": [[0.3, 2]]}


def of_games() -> tuple[str, str, str]:
    """Return the verdicts on the regret, on the program's, and on the program's bound."""
    *points, program, bound = tracker.private_tracker(GAMES)
    return decide(points), decide([program]), decide([bound])


def of_calibrated(kind: str) -> str:
    """Return the verdict on calibrated steps: on their "level" or on their "bound"."""
    steps = [point for point in tracker.private_tracker(GAMES) if point.where["steps"] == "calibrated"]
    return decide([point for point in steps if point.where["privacy"].startswith(kind)])


def of_batches(steps: str, grid: dict[str, object]) -> dict[str, str]:
    """Return the verdict on each point of batches with such steps."""
    points = [point for point in tracker.batched_tracker(grid) if point.where["steps"] == steps]
    return {point.where["what"]: decide([point]) for point in points}


def test_the_tracker_has_its_regret_and_batches_lower_the_bound_at_their_level() -> None:
    assert of_games() == ("holds", "holds", "holds")
    assert not tracker.private_tracker(GAMES)[0].vacuous
    assert (of_calibrated("level"), of_calibrated("bound")) == ("holds", "holds")
    assert [*of_batches("theirs", BATCHED).values()] == ["holds"] * 3
    assert tracker.batched_tracker(BATCHED)[0].lazy_fails
    calibrated = of_batches("calibrated", STEEP)
    assert {calibrated[what] for what in ("regret", "bound", "epsilon", "spent", "bound, theirs")} == {
        "holds"
    }


@each(
    ("name", "mutant", "expected"),
    [
        ("regret", lambda right, *game: right(*game[:3], game[3] / 10), ("fails", "fails", "holds")),
        ("out_of_draws", lambda *given: ball(1), ("fails", "holds", "holds")),
        (
            "sequence_laws",
            lambda right, *game: right(*game[:2], game[2] * (1 + 1e-7)),
            ("holds", "fails", "holds"),
        ),
        ("theorem_2_regret", 1 + 2e-8, ("holds", "holds", "fails")),
    ],
)
def test_another_tracker_or_bound_is_caught(name, mutant, expected) -> None:
    with wrong(tracker, name, mutant):
        assert of_games() == expected


def test_steps_for_three_times_the_level_are_caught() -> None:
    with wrong(tracker, "parameters", lambda right, *game: right(*game[:4], 3 * game[4], game[5])):
        _, level, *_ = tracker.private_tracker(GAMES | {"law": ["pure"], "smaller": {"pure": 1.0}})
    assert decide([level]) == "fails"


@each("factor", [0.95, 1.05])
def test_a_level_that_is_off_by_a_twentieth_is_caught_at_calibrated_steps(factor) -> None:
    def off(right, level, theirs):
        return right(ApproximateDP(factor * level.epsilon, level.delta, "central"), theirs)

    with wrong(tracker, "calibrated_parameters", off):
        assert of_calibrated("level") == "fails"


def test_steps_that_are_not_calibrated_are_caught() -> None:
    with wrong(tracker, "calibrated_parameters", lambda right, level, theirs: theirs):
        assert of_calibrated("bound") == of_calibrated("level") == "fails"
        assert of_batches("calibrated", STEEP)["spent"] == "fails"


@each(
    ("name", "mutant", "caught"),
    [
        ("regret", 10.0, "regret"),
        ("theorem_2_regret", lambda right, *game: right(*game[:-1], 10), "bound"),  # batches of ten
        (
            "dartboard_epsilon",
            lambda right, *play: right(*play[:3]),
            "epsilon",
        ),  # without batches, for delta 0
    ],
)
def test_batches_that_are_wrong_are_caught(name, mutant, caught) -> None:
    with wrong(tracker, name, mutant):
        verdicts = of_batches("theirs", BATCHED)
    assert {what for what, found in verdicts.items() if found == "fails"} == {caught}


def test_the_regret_is_that_of_the_dartboard_that_is_played() -> None:
    n, horizon, switches, gap, eta = 3, 60, 2, 0.8, 0.3
    losses = shifting("deterministic", equal_gaps(n, gap), horizon, switches).gaps
    board = SwitchingDartboard(
        n,
        PureDP(float("inf"), "central"),
        horizon=horizon,
        switches=switches,
        parameters=DartboardParameters(eta, 0.4, float("inf")),
        rng=rng_for(SEED, "board"),
        repetitions=2000,
    )
    regret = losses[range(horizon), play(board, 1 - losses).T].sum(axis=1)
    _, low, high = mean_interval(regret)  # false alarm 1e-3, with a fixed seed
    assert low < tracker.regret_without_budget(n, horizon, switches, gap, eta) < high


def test_the_corollary_follows_from_the_proposition() -> None:
    grid = {"N": [2, 1000], "T": [100], "S": [1, 5]}
    assert verdict(tracker.corollary_4_1_1, grid) == "holds"
    with wrong(tracker, "count_sequences", lambda right, horizon, n, switches: n**horizon):
        assert verdict(tracker.corollary_4_1_1, grid) == "fails"
