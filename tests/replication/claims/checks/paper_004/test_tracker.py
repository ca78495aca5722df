"""The private tracker: each check gives its verdict, and another one when something is wrong."""

from typing import Any

import pytest

from private_experts.algorithms.dartboard_parameters import theorem_2_regret
from private_experts.algorithms.switching_dartboard import SwitchingDartboard
from private_experts.games import play
from private_experts.games.instances import equal_gaps
from private_experts.games.shifting_streams import shifting
from private_experts.randomness import rng_for
from private_experts.replication.claims.checks.paper_004 import tracker
from private_experts.replication.claims.evidence import decide
from private_experts.replication.intervals import mean_interval

SEED = 1

GAMES = {"law": ["approximate"], "games": [[300000, 2, 1]], "epsilon": [1.0], "delta": 1e-6, "gap": [1.0]}


def test_the_tracker_has_its_regret() -> None:
    (point,) = tracker.private_tracker(GAMES, 2, SEED)
    assert decide([point]) == "holds"
    assert not point.vacuous


def no_switch(losses: Any, switches: int, rate: float) -> Any:
    return LAWS(losses, 0, rate)


LAWS = tracker.sequence_laws


@pytest.mark.parametrize(
    ("name", "mutant"),
    [
        ("sequence_laws", no_switch),
        ("sequence_laws", lambda losses, switches, rate: LAWS(losses, switches, rate / 10)),
        ("theorem_2_regret", lambda *arguments: theorem_2_regret(*arguments) / 6),
        ("bdtrc", lambda *arguments: 1.0),
    ],
    ids=["no switch", "a tenth of the step", "a sixth of the bound", "draws that always run out"],
)
def test_another_tracker_or_bound_is_caught(name: str, mutant: Any, put: Any) -> None:
    put(tracker, name, mutant)
    assert decide(tracker.private_tracker(GAMES, 2, SEED)) == "fails"


def test_the_regret_is_that_of_the_dartboard_that_is_played() -> None:
    n, horizon, switches, gap, eta, p = 3, 60, 2, 0.8, 0.3, 0.4
    losses = shifting("deterministic", equal_gaps(n, gap), horizon, switches).gaps
    board = SwitchingDartboard(
        n,
        horizon=horizon,
        switches=switches,
        eta=eta,
        p=p,
        budget=float("inf"),
        rng=rng_for(SEED, "board"),
        repetitions=2000,
    )
    actions = play(board, 1 - losses)
    regret = losses[range(horizon), actions.T].sum(axis=1)
    _, low, high = mean_interval(regret)  # false alarm 1e-3, with a fixed seed
    assert low < tracker.regret_without_budget(n, horizon, switches, gap, eta) < high


def test_the_corollary_follows_from_the_proposition(put: Any) -> None:
    grid = {"N": [2, 1000], "T": [100], "S": [1, 5]}
    assert decide(tracker.corollary_4_1_1(grid, 2, SEED)) == "holds"
    put(tracker, "count_sequences", lambda horizon, n, switches: n**horizon)
    assert decide(tracker.corollary_4_1_1(grid, 2, SEED)) == "fails"
