"""All reports are as private as one, whatever the adversary does; noise that is not fresh is caught."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from private_experts.privacy.noise import SimulatedNoise
from private_experts.replication.balls.balls import ball
from private_experts.replication.papers.p000 import transcripts
from tests.each import each
from tests.replication.papers.small_checks import verdict

GRID = {"games": [[2, []]], "mu": [1.0], "epsilon": [0.0, 1.0], "drawn": 2, "T": 20, "tolerance": 1e-20}


@each("grid", [GRID, GRID | {"games": [[3, []]]}])
def test_all_reports_are_as_private_as_one_and_the_code_adds_the_next_numbers(grid: Any) -> None:
    assert verdict(transcripts.adaptive_privacy, grid, of={"of": "transcript"}) == "holds"
    assert verdict(transcripts.adaptive_privacy, grid, of={"of": "code"}) == "holds"


def used_again(gain: int, past: Any, gains: Sequence[int], cells: Any) -> list[Any]:
    """The first round's noise is used in all rounds: reports are as far from their gains as the first."""
    if not past:
        return list(cells.law(gain))
    cell = min(max(past[0] + (gain - gains[0]), 0), cells.count - 1)
    return [ball(int(place == cell)) for place in range(cells.count)]


def quieter_after_high_reports(gain: int, past: Any, gains: Sequence[int], cells: Any) -> list[Any]:
    loud, quiet = cells.law(gain), transcripts.Cells(2 * cells.mu, [0.0, 0.25], []).law(gain)
    return list(quiet if past and past[-1] == cells.count - 1 else loud)


def test_there_is_a_strategy_for_each_choice_after_each_past() -> None:
    rng = np.random.default_rng(1)
    assert len({tuple(strategy.values()) for strategy in transcripts.strategies(4, 2, 0, rng)}) == 32
    assert len([*transcripts.strategies(4, 3, 7, rng)]) == 7


class Repeating(SimulatedNoise):
    """Adds the same noise to every report."""

    def perturb(self, values: Any, scale: float, repetitions: int) -> Any:
        self.kept = getattr(self, "kept", super().perturb(np.zeros_like(values), scale, repetitions))
        return values + self.kept


class Following(SimulatedNoise):
    """Adds less noise to larger gains."""

    def perturb(self, values: Any, scale: float, repetitions: int) -> Any:
        return super().perturb(values, scale * (1 - values.mean() / 10), repetitions)


@each(
    ("of", "mutants"),
    [
        *(("transcript", {"report_law": law}) for law in (used_again, quieter_after_high_reports)),
        *(("code", {"SimulatedNoise": noise}) for noise in (Repeating, Following)),
    ],
)
def test_noise_that_is_not_fresh_is_caught(of: str, mutants: Any) -> None:
    assert verdict(transcripts.adaptive_privacy, GRID, of={"of": of}, **mutants) == "fails"
