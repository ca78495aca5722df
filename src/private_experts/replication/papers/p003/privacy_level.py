"""The exact privacy level of a noisy clipped log-likelihood. [mathematics/003.md#privacy-level]"""

import numpy as np
from numpy.typing import ArrayLike

from private_experts.arrays import Array
from private_experts.distribution_learning.clipping import clip
from private_experts.validation import checked_number


def exact_levels(classes: ArrayLike, horizon: int, noise: float) -> Array:
    """Return the least epsilon for which a round's noisy log-likelihood is epsilon-LDP, by distribution.

    The report of label y about distribution j is ``log p_j(cell) + Laplace noise``. Its density is a mixture
    over the owners of cells. Between neighbouring log-likelihoods it has the form ``A e^{z/b} + B e^{-z/b}``.
    So the ratio of two labels' densities is monotone there. Outside of all log-likelihoods the ratio is
    constant. Hence the largest ratio over all outputs is attained at one of the log-likelihoods. Of classes
    (..., K, M) the levels have shape (..., K). Algorithm 2 reports a random coordinate and its index, so its
    level is the largest of these. [mathematics/003.md#privacy-level]
    """
    noise = checked_number("noise", noise, 0, ends=False)
    clipped = clip(classes, horizon)
    places = np.log(clipped.values)
    kernels = np.exp(-np.abs(places[..., :, None] - places[..., None, :]) / noise)  # (..., K, output, owner)
    densities = kernels @ clipped.owners.swapaxes(-1, -2)[..., None, :, :]  # (..., K, output, label)
    # Only outputs at log-likelihoods count: between them the ratio of two densities has no extremum.
    return np.asarray(np.log(densities.max(axis=-1) / densities.min(axis=-1)).max(axis=-1))
