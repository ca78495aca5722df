"""The exact level of a report where it has a closed form."""

import numpy as np

from private_experts.distribution_learning.clipping import clip
from private_experts.replication.papers.p003.privacy_level import exact_levels


def test_without_the_uniform_cell_it_would_be_the_span_over_the_scale() -> None:
    f, noise = np.array([[0.25, 0.375, 0.375, 0.0], [0.0, 0.0, 0.0, 1.0]]), 4.0
    values = np.log(clip(f, 10**6).values)
    spans = (values.max(axis=1) - values.min(axis=1)) / noise
    levels = exact_levels(f, 10**6, noise)
    assert (levels < spans).all()
    np.testing.assert_allclose(levels, spans, rtol=1e-3)
