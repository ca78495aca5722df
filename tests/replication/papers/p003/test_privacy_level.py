"""The exact level of a report agrees with a search over outputs, cell by cell, at 40 digits."""

import numpy as np

from private_experts.distribution_learning.clipping import clip
from private_experts.randomness import rng_for
from private_experts.replication.papers.p003.classes import dirichlet
from private_experts.replication.papers.p003.privacy_level import exact_levels

CLASSES = {
    "three eighths": np.array([[0.25, 0.375, 0.375, 0.0], [0.0, 0.0, 0.0, 1.0]]),
    "dirichlet": dirichlet(2, 4, 0.5, rng_for(0, "level")),
    "a label that nobody gives": np.array([[0.3, 0.7, 0.0], [0.6, 0.4, 0.0]]),
}


def test_many_rounds_have_the_levels_of_each() -> None:
    f = dirichlet(6, 5, 1.0, rng_for(0, "levels")).reshape(2, 3, 5)
    together = exact_levels(f, 9, 2.0)
    assert together.shape == (2, 3)
    np.testing.assert_allclose(
        together, [exact_levels(distribution, 9, 2.0) for distribution in f], rtol=1e-12
    )


def test_without_the_uniform_cell_it_would_be_the_span_over_the_scale() -> None:
    f, noise = CLASSES["three eighths"], 4.0
    values = np.log(clip(f, 10**6).values)
    spans = (values.max(axis=1) - values.min(axis=1)) / noise
    levels = exact_levels(f, 10**6, noise)
    assert (levels < spans).all()
    np.testing.assert_allclose(levels, spans, rtol=1e-3)
