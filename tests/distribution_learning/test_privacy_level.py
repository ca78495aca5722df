"""The exact level of a report agrees with a search over outputs, cell by cell, at 40 digits."""

import mpmath
import numpy as np

from private_experts.distribution_learning.classes import dirichlet
from private_experts.distribution_learning.clipping import clip
from private_experts.distribution_learning.privacy_level import exact_levels
from private_experts.randomness import rng_for
from tests.distribution_learning.test_clipping import by_cells
from tests.each import each

CLASSES = {
    "three eighths": np.array([[0.25, 0.375, 0.375, 0.0], [0.0, 0.0, 0.0, 1.0]]),
    "dirichlet": dirichlet(2, 4, 0.5, rng_for(0, "level")),
    "a label that nobody gives": np.array([[0.3, 0.7, 0.0], [0.6, 0.4, 0.0]]),
}


def searched(f: np.ndarray, horizon: int, noise: float, j: int) -> float:
    """Return the largest log-ratio of densities over a grid of outputs that includes the log-likelihoods."""
    _, mapped, on_cells = by_cells(f, horizon)
    with mpmath.workdps(40):
        centres = [mpmath.log(mpmath.mpf(float(each))) for each in on_cells[j]]
        outputs = [*centres, *mpmath.linspace(min(centres) - 2 * noise, max(centres) + 2 * noise, 40)]
        most = mpmath.mpf(0)
        for z in outputs:
            kernel = [mpmath.exp(-abs(z - centre) / noise) for centre in centres]
            densities = [mpmath.fdot(map(float, row), kernel) for row in mapped]
            most = max(most, mpmath.log(max(densities) / min(densities)))
        return float(most)


@each("name", CLASSES)
@each("noise", [0.7, 5.0])
def test_the_level_is_the_largest_ratio_over_outputs(name: str, noise: float) -> None:
    f = CLASSES[name]
    expected = [searched(f, 30, noise, j) for j in range(2)]
    np.testing.assert_allclose(exact_levels(f, 30, noise), expected, rtol=1e-9)


def test_many_rounds_have_the_levels_of_each() -> None:
    f = dirichlet(6, 5, 1.0, rng_for(0, "levels")).reshape(2, 3, 5)
    together = exact_levels(f, 9, 2.0)
    assert together.shape == (2, 3)
    np.testing.assert_allclose(together, [exact_levels(each, 9, 2.0) for each in f], rtol=1e-12)


def test_without_the_uniform_cell_it_would_be_the_span_over_the_scale() -> None:
    f, noise = CLASSES["three eighths"], 4.0
    values = np.log(clip(f, 10**6).values)
    spans = (values.max(axis=1) - values.min(axis=1)) / noise
    levels = exact_levels(f, 10**6, noise)
    assert (levels < spans).all()
    np.testing.assert_allclose(levels, spans, rtol=1e-3)
