"""Reports made from given values, where a test wants to choose the noise itself."""

import math
from collections.abc import Iterable

import numpy as np

from private_experts.privacy import GaussianDP, Reports

UNIT = GaussianDP(1.0, "local")  # of a value that one person moves by the noise's scale
OPEN = GaussianDP(math.inf, "local")  # of a value without noise


def report_of(values: np.ndarray, scale: float = 1.0, guarantee: GaussianDP | None = None) -> Reports:
    """The reports of one round, from values (n,) or (repetitions, n)."""
    return Reports(
        np.atleast_2d(np.asarray(values, dtype=np.float64)),
        guarantee or (UNIT if np.max(scale) > 0 else OPEN),
        scale,
    )


def reports_of(
    values: Iterable[np.ndarray], scale: float = 1.0, guarantee: GaussianDP | None = None
) -> list[Reports]:
    """The reports of many rounds."""
    return [report_of(value, scale, guarantee) for value in values]
