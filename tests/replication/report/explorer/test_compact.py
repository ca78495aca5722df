"""Numbers in few signs: rounding comes before differences, so errors do not add up."""

import numpy as np

from private_experts.randomness import rng_for
from private_experts.replication.report.explorer.compact import multiples, steps


def test_values_come_back_to_half_a_unit_however_long_the_row() -> None:
    values = rng_for(1, "steps").random(500).cumsum()
    assert np.abs(np.cumsum(steps(values, 0.01)) * 0.01 - values).max() <= 0.005 + 1e-9


def test_steps_are_small_and_multiples_whole() -> None:
    assert multiples([0.0, 0.124, -0.126], 0.01) == [0, 12, -13]
    assert steps([0.5, 0.75, 0.74], 0.01) == [50, 25, -1]
