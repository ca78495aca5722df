"""Experts drawn from their weights by inversion: one uniform number for each draw, and many rounds at once.

[mathematics/004.md#fixed-share]
"""

import functools
import math

import numpy as np

from private_experts.arrays import Array, Indices

# Blocks are looked for first where that is faster than to sum weights one by one: not where a call takes
# longer than its numbers, and not for many experts, whose blocks would be a large matrix.
_FEW, _MANY, _FEW_IN_ALL = 32, 256, 512
_SEVERAL = 4  # copies from which on a bisection, which is a call for each round, takes less time


def experts_at(weights: Array, uniforms: Array) -> Indices:
    """Return for each uniform number the first expert up to which the weights reach that share of their sum.

    Running sums of blocks of experts say which block it is, and those within the block which expert. They
    round as those of a round alone do. So the experts of a round do not depend on the rounds that are drawn
    with it. The law is that of the weights, up to some 1e-16 for each expert. One whose weight is lost when
    it is added to others is never drawn. Weights (T, rows, n) have a sum from 1e-290 in each row; there are
    as many rows as copies, or one for all. Uniforms (T, copies) lie in [0, 1).
    """
    n, copies = weights.shape[-1], uniforms.shape[-1]
    one = weights.shape[-2] == 1
    if one and copies > _SEVERAL:  # bisection of one row, which many copies share
        sums = weights[:, 0].cumsum(axis=-1)
        wanted = (1 - uniforms) * sums[:, -1:]
        return np.stack([row.searchsorted(shares) for row, shares in zip(sums, wanted, strict=True)])
    # Which way is taken depends on shapes alone, so a game draws the same experts however it is cut into
    # stretches.
    if one or not _FEW < n <= _MANY or n * copies <= _FEW_IN_ALL:
        # Shares lie above 0, as uniforms are below 1: an expert of weight 0 is never the first to reach one.
        return _reached(weights.cumsum(axis=-1), 1 - uniforms)[0]
    blocks, starts, places = _blocks(n)
    # A product of arrays goes round by round, unlike `dot`. The first block is empty, so that sums begin with
    # 0.
    sums = (weights @ blocks).cumsum(axis=-1)
    block, wanted = _reached(sums, 1 - uniforms)
    row = np.arange(weights.size // n).reshape(weights.shape[:-1])
    wanted -= sums.take(row * blocks.shape[1] + block - 1)
    first = starts.take(block)
    within = weights.take((row * n + first)[..., None] + places).cumsum(axis=-1)
    np.minimum(wanted, within[..., -1], out=wanted)  # rounding may have left a little more than the block has
    first += (within >= wanted[..., None]).argmax(axis=-1)
    return first


def _reached(sums: Array, shares: Array) -> tuple[Indices, Array]:
    """Return where running sums first reach shares in (0, 1] of the last one; and these shares."""
    wanted: Array = shares * sums[..., -1]
    return (sums >= wanted[..., None]).argmax(axis=-1), wanted


@functools.lru_cache(maxsize=8)
def _blocks(n: int) -> tuple[Array, Indices, Indices]:
    """Return who is in which block, one column each, the blocks' first experts, and the places in a block.

    The first block is empty. All others are looked through in the same length. So the last one begins that
    far from the end, and the one before it may be shorter.
    """
    length = math.isqrt(n)
    starts = np.minimum(np.arange(-length, n, length), n - length)
    experts = np.arange(n)[:, None]
    blocks = ((starts <= experts) & (experts < np.append(starts[1:], n))).astype(np.float64)
    blocks[:, 0] = 0.0
    prepared = blocks, starts, np.arange(length)
    for shared in prepared:
        shared.flags.writeable = False
    return prepared
