"""Online gradient descent, neither private nor lazy: the yardstick. [Zinkevich, 2003]"""

import numpy as np

from private_experts.arrays import Array
from private_experts.private_oco.domains import Domain


def online_gradient_descent(slopes: Array, domain: Domain, step: float) -> Array:
    """Return the points (T, d) that it plays against linear losses, from the origin.

    With ``step = D / (G sqrt(T))`` its regret is at most ``G D sqrt(T)``.
    [mathematics/001.md#gradient-descent]

    Parameters
    ----------
    slopes : ndarray, shape (T, d)
        The slopes of the losses.
    domain : Box or Ball
        The decision set.
    step : float
        How far a slope of length 1 moves the point, positive.

    Returns
    -------
    ndarray, shape (T, d)

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.private_oco import Box, online_gradient_descent
    >>> online_gradient_descent(np.array([[1.0], [1.0], [-1.0]]), Box([-0.5], [0.5]), step=0.3).tolist()
    [[0.0], [-0.3], [-0.5]]
    """
    points = np.zeros_like(slopes)
    for t in range(1, len(slopes)):
        # The loss of round t - 1 is the last one known when round t is played.
        points[t] = domain.project(points[t - 1] - step * slopes[t - 1])
    return points
