"""Games are repeated until each group of cells is decided, and no longer."""

from typing import Any

import numpy as np

from private_experts.randomness import rng_for
from private_experts.replication.ledger.checking import reused_costs
from private_experts.replication.ledger.evidence import Point, decide
from private_experts.replication.ledger.sequential_repetitions import (
    FIRST,
    Shared,
    looks,
    once,
    until_decided,
)
from private_experts.replication.study.estimates import critical_value, mean
from tests.each import each

CELLS = [[("NM", 1.0)], [("PA", 1.0)]]


def run(
    means: dict[str, float], most: int = 1600, seed: int = 1
) -> tuple[list[Point], list[tuple[Any, int, int]]]:
    """Ask whether the mean of a standard normal sample about `means` is at least 0 in each state."""
    calls = []

    def play(cell: Any, look: int, repetitions: int) -> dict[str, np.ndarray]:
        calls.append((cell, look, repetitions))
        return {"a": means[cell[0]] + rng_for(seed, "play", cell[0], look).normal(size=repetitions)}

    def judge(played: Any) -> list[Point]:
        points = []
        for (state, _), totals in played.items():
            z = critical_value(0.999, 2 * len(looks(most)), totals["a"].size)
            value, pm = mean(totals["a"], z)
            points.append(Point({"state": state}, value, 0.0, value - pm, value + pm, ">="))
        return points

    return until_decided(play, CELLS, judge, most), calls


@each(
    ("most", "sizes"), [(3200, [50, 100, 200, 400, 800, 1600, 3200]), (320, [50, 100, 200, 320]), (20, [20])]
)
def test_repetitions_double_from_look_to_look(most: int, sizes: list[int]) -> None:
    assert looks(most) == sizes


def test_clear_cells_play_once_one_failure_ends_it_for_all_and_the_undecided_one_plays_on() -> None:
    for nm, pa, verdict in ((3.0, 3.0, "holds"), (-3.0, 0.0, "fails")):
        points, calls = run({"NM": nm, "PA": pa})
        assert (decide(points), len(points)) == (verdict, 2)
        assert [repetitions for _, _, repetitions in calls] == [FIRST, FIRST]
    points, calls = run({"NM": 3.0, "PA": 0.3})
    assert decide(points) == "holds"
    assert [cell for cell, look, _ in calls if look] == [("PA", 1.0)] * (len(calls) - 2)
    assert len(calls) > 2
    assert sum(repetitions for cell, _, repetitions in calls if cell[0] == "PA") in looks(1600)


def test_a_claim_is_told_what_the_games_took_that_another_claim_played() -> None:
    panels, played = Shared({}), []

    def play() -> Any:
        played.append(sum(range(10**5)))
        return {"a": np.zeros(2)}

    first, again = (once(panels, key, play) for key in ("key", "key"))
    assert again is first
    assert len(played) == 1
    [account] = reused_costs({"panels": panels})
    assert account is panels.played["key"][1]
    assert account.cpu > 0
    assert reused_costs({"panels": panels}) == []  # the next claim begins anew
    once(panels, "other", play)
    assert reused_costs({"panels": panels}) == reused_costs({"panels": {}}) == reused_costs({}) == []


def test_what_cannot_be_decided_stays_so_at_the_cap() -> None:
    points, calls = run({"NM": 3.0, "PA": 0.0}, most=200)
    assert decide(points) == "undecided"
    assert sum(repetitions for cell, _, repetitions in calls if cell[0] == "PA") == 200


def test_each_look_is_of_all_that_was_played_so_far() -> None:
    sizes: list[int] = []

    def undecided(played: Any) -> list[Point]:
        sizes.append(played["NM", 1.0]["a"].size)
        return [Point({}, 0.0, 0.0, -1.0, 1.0)]

    until_decided(lambda cell, look, count: {"a": np.zeros(count)}, CELLS[:1], undecided, 320)
    assert sizes == looks(320)


def test_with_several_looks_the_probability_of_an_error_is_as_stated() -> None:
    # The true mean is 0, at the bound, so each decision is an error. With 99.9 % 0.6 of 600 are expected at
    # most, and more than three have a probability of 3e-3, were the seeds not these. With 95 % and no
    # allowance for the looks, as many as 30 are expected.
    wrong = sum(decide(run({"NM": 3.0, "PA": 0.0}, 400, seed)[0]) != "undecided" for seed in range(600))
    assert wrong <= 3
