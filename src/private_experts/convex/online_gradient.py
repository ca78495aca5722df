"""Online gradient descent, neither private nor lazy: the yardstick. [Zinkevich, 2003]"""

import numpy as np
from numpy.typing import NDArray

from private_experts.convex.domains import Domain

Array = NDArray[np.float64]


def online_gradient_descent(slopes: Array, domain: Domain, step: float) -> Array:
    """Return the points (T, d) that it plays against linear losses, from the origin.

    With ``step = D / (G sqrt(T))`` its regret is at most ``G D sqrt(T)``. [mathematics/001.md#gradient-descent]

    Parameters
    ----------
    slopes : ndarray, shape (T, d)
    domain : Box or Ball
    step : float
        Positive.
    """
    points = np.zeros_like(slopes)
    for t in range(1, len(slopes)):
        points[t] = domain.project(points[t - 1] - step * slopes[t - 1])
    return points
