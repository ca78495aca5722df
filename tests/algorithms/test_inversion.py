"""Experts drawn by inversion: the exact law, its ends, and many rounds at once."""

import math
import tracemalloc

import numpy as np

from private_experts.algorithms.inversion import experts_at
from private_experts.randomness import rng_for
from tests.each import each

FEW_AND_MANY = [1, 2, 32, 33, 36, 50, 100, 101, 256, 257]  # of 16 copies, 33 to 256 are summed in blocks
ENDS = np.array([0.0, 2.0**-53, 0.5, 1 - 2.0**-53])


@each("n", FEW_AND_MANY)
@each("whole", [1 / 3, 7e8])
def test_of_all_uniform_numbers_on_a_grid_each_expert_gets_the_share_of_its_weight(n, whole):
    """Weights are multiples of 1/1024 of the whole: rounding may move the number at a border, no other."""
    rng = rng_for(1, "shares", n)
    # some experts have no weight at all
    counts = rng.multinomial(1024, rng.dirichlet(np.full(n, 0.5)), size=16)
    middles = (np.arange(1024) + 0.5) / 1024
    for rows in (counts, counts[:1]):
        uniforms = np.tile(middles[:, None], (1, 16))
        actions = experts_at(np.broadcast_to(rows / 1024 * whole, (1024, *rows.shape)).copy(), uniforms)
        found = np.array([np.bincount(row, minlength=n) for row in actions.T])
        np.testing.assert_array_equal(found, np.broadcast_to(rows, found.shape))


@each("n", [n for n in FEW_AND_MANY if n > 2])
@each("least", [0.0, 1e-290, 1e-30])
def test_an_expert_whose_weight_is_lost_in_sums_is_drawn_at_neither_end(n, least):
    rng = rng_for(1, "ends", n)
    weights = np.full((2, 60, n), least)
    for row in range(60):
        seen = rng.choice(n, size=1 + row % min(n - 1, 5), replace=False)
        weights[:, row, seen] = rng.dirichlet(np.ones(seen.size))
    weights[:, 0], weights[:, 0, -1] = least, 1.0  # all that are lost come first, or last
    weights[:, 1], weights[:, 1, 0] = least, 1.0
    for uniform in (*ENDS, *rng.random(20)):
        actions = experts_at(weights, np.full((2, 60), uniform))
        assert (np.take_along_axis(weights, actions[..., None], axis=-1) > 1e-15).all()


@each("n", [33, 100, 101])
def test_a_number_at_the_border_of_two_experts_draws_one_of_the_two(n):
    """Where sums are rounded in another order, a block may have a little less than it should contain."""
    rng = rng_for(1, "borders", n)
    weights = rng.dirichlet(np.full(n, 0.3), size=(1, 4000)) + 1e-4
    border = rng.integers(n, size=4000)
    exact = np.array(
        [[math.fsum(row[: i + 1]), math.fsum(row)] for row, i in zip(weights[0], border, strict=True)]
    )
    for off in (-1, 0, 1):
        uniforms = np.clip(1 - exact[:, 0] / exact[:, 1] + off * 2.0**-53, 0.0, 1 - 2.0**-53)
        actions = experts_at(weights, uniforms[None])[0]
        assert ((actions == border) | (actions == border + 1)).all()


@each(("n", "rows"), [(n, rows) for n in (20, 33, 100, 130) for rows in (1, 16)])
def test_rounds_drawn_together_are_those_drawn_alone(n, rows):
    """At the borders of experts, where the last bit of a sum counts."""
    rng = rng_for(1, "together", n, rows)
    weights = rng.dirichlet(np.full(n, 0.3), size=(300, rows))
    sums = np.broadcast_to(weights.cumsum(axis=-1), (300, 16, n))
    uniforms = np.maximum(
        0, 1 - np.take_along_axis(sums, rng.integers(n - 1, size=(300, 16, 1)), axis=-1)[..., 0]
    )
    together = experts_at(weights, uniforms)
    assert together.shape == (300, 16)
    for t in range(300):
        np.testing.assert_array_equal(experts_at(weights[t : t + 1], uniforms[t : t + 1])[0], together[t])


def test_many_experts_take_room_for_a_few_numbers_each():
    weights = np.full((1, 1, 20_000), 1 / 20_000)
    tracemalloc.start()
    try:
        experts_at(weights, np.array([[0.5]]))
        assert tracemalloc.get_traced_memory()[1] < 3 * weights.nbytes
    finally:
        tracemalloc.stop()
