"""Draws from the weights of sequences that have the stated privacy to the last bit of a float.

[mathematics/004.md#pool-secure]
"""

import math
import secrets
from bisect import bisect_right
from itertools import accumulate

import numpy as np

from private_experts.algorithms.pool_parameters import PoolParameters
from private_experts.algorithms.sequence_weights import SequenceWeights
from private_experts.arrays import Array, Indices

UNIT = 2.0**16  # of a count's noise: so the step of the grid is 2^-46 of its scale
_STEP, _ULP = 2.0**-46, 2.0**-52
_LEAST = 2.0**-400  # of the largest weight


class SecureWeights(SequenceWeights):
    """The weights of all sequences by sums and products alone, whose rounding errors are known.

    A sequence is taken for a chain, which stays or moves with public probabilities.
    """

    def __init__(self, n: int, horizon: int, switches: int, eta: float) -> None:
        super().__init__(n, horizon, switches)
        self._factor = max(math.exp(-eta), _LEAST)
        self._past = np.exp(self._past)

    def add(self, log_factors: Array) -> None:
        """Multiply each weight by the factor of its expert in this round, and end the round."""
        left = max(self._horizon - self.round, 1)
        # The chance to stay follows from that to move: in long games it is too near 1 for a ratio of counts.
        ways, n = self.log_ways[left - 1 : left + 1, ::-1], self._past.shape[2]
        move = np.append(np.exp(ways[0, 1:] - ways[1, :-1]), 0.0)[:, None]  # to each of the other experts
        # Clipped: whatever rounding does in exp, one loss moves a weight by no more than this.
        paid = self._past * np.exp(np.atleast_2d(log_factors)).clip(self._factor, 1.0)[:, None]
        joint = paid * (1 - (n - 1) * move).clip(min=0.0)
        others = np.zeros_like(paid)
        np.cumsum(paid[..., :-1], axis=-1, out=others[..., 1:])
        others[..., :-1] += np.cumsum(paid[..., :0:-1], axis=-1)[..., ::-1]
        joint[:, 1:] += (others * move)[:, :-1]
        most = joint.max(axis=(1, 2), keepdims=True)
        joint = np.where(joint > 0, np.maximum(joint, _LEAST * most), 0.0)
        self._past = np.ldexp(joint, -np.frexp(most)[1])
        self.round += 1

    @property
    def joint(self) -> Array:
        """Weights of (switches made, expert) in the coming round, (1 or repetitions, S + 1, n)."""
        return self._past


def drawn_exactly(weights: Array) -> tuple[Indices, Indices]:
    """Draw (switches made, expert) for each law of `weights`, with probabilities exactly in their ratio."""
    drawn = []
    for law in weights:
        mantissas, exponents = np.frexp(law.ravel())
        shifts = (exponents - exponents.min()).tolist()
        numbers = [
            int(number) << shift for number, shift in zip((mantissas * 2.0**53).tolist(), shifts, strict=True)
        ]
        sums = [*accumulate(numbers)]
        drawn.append(bisect_right(sums, secrets.randbelow(sums[-1])))
    states: Indices = np.array(drawn, dtype=np.intp)
    return states // weights.shape[2], states % weights.shape[2]


def rows(known: int, filtered: Array | None) -> tuple[Array, Array]:
    """Return what an entry sums of the losses of known rounds, and what a count sums of the entries.

    Entries are those of a running sum's filter, if it is given, or nodes of a tree: each round ends one.
    """
    if filtered is not None:
        row = filtered[:known][::-1]
        return row, row
    ends = np.arange(1, known + 1)
    chain = [known >> level << level for level in range(known.bit_length())]
    node, nodes = ends > known - (known & -known), np.isin(ends, chain)
    return node.astype(np.float64), nodes.astype(np.float64)


def rounded(parameters: PoolParameters, n: int, horizon: int, switches: int) -> PoolParameters:
    """Return parameters that would cost what these cost with rounding. [mathematics/004.md#pool-secure]"""
    eta, epoch, scales, shift, draws = parameters
    summed = 12 + (n if switches else 0)  # roundings of a weight in a round
    share = math.sqrt(epoch) * 8 * epoch**1.5 * _ULP  # what rounding in the filter adds
    added = math.sqrt(epoch) * _STEP
    return PoolParameters(
        eta + horizon * summed * _ULP,
        epoch,
        tuple(1 / ((1 + share) / scale + added) for scale in scales),
        shift,
        draws,
    )
