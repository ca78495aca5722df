"""All sequences of experts with few switches, and the exact laws of a player who draws from them.

[004, Theorem 4.1]
"""

import itertools

import numpy as np

from private_experts.algorithms.sequence_weights import SequenceWeights, count_sequences
from private_experts.arrays import Array, Indices
from private_experts.errors import InputError
from private_experts.validation import plain_numbers

_MOST = 1_000_000


@plain_numbers
def switching_sequences(horizon: int, n: int, switches: int) -> Indices:
    """Return all sequences of experts with at most so many switches, if they have at most a million entries.

    [mathematics/004.md#sequences]
    """
    entries = count_sequences(horizon, n, switches) * horizon
    if entries > _MOST:
        raise InputError(
            f"sequences of {horizon} rounds, {n} experts, {switches} switches: a list of them has {entries} "
            "entries; write smaller numbers, or use SwitchingSoftmax, which needs no list"
        )
    rows: list[list[int]] = []
    for c in range(min(switches, horizon - 1) + 1):
        for cuts in itertools.combinations(range(1, horizon), c):
            lengths = np.diff([0, *cuts, horizon]).tolist()
            for first, *steps in itertools.product(range(n), *[range(1, n)] * c):
                experts = (np.cumsum([first, *steps]) % n).tolist()
                rows.append([j for j, length in zip(experts, lengths, strict=True) for _ in range(length)])
    return np.array(rows, dtype=np.intp)


def sequence_laws(losses: Array, switches: int, rate: float) -> Array:
    """Return the exact law of every round's expert on a stream that is known, for all rounds at once.

    It is `SwitchingSoftmax.law` of each round. The recursion over rounds is a cumulative sum for each number
    of switches, so a million rounds take a second. Losses, shape (T, n), lie in [0, 1]; each row of the
    result sums to 1. [mathematics/004.md#laws-of-all-rounds]
    """
    horizon, n = losses.shape
    lost = np.multiply(rate, losses.T, order="C")  # the rounds last, along which all steps run
    ways = np.ascontiguousarray(SequenceWeights(n, horizon, switches).log_ways[horizon - 1 :: -1].T)
    # With what was paid added, weights of sequences that stay are constant, and arrivals can be summed along
    # rounds.
    paid = np.concatenate([np.zeros((n, 1)), rate * losses.T.cumsum(axis=1)], axis=1)
    past = -paid[:, :-1]  # logarithms of the weights with c switches so far, by expert and round
    joint = past + ways[switches]
    for c in range(1, min(switches, horizon - 1) + 1):
        arrived = _sums_of_others(past[:, :-1] - lost[:, :-1])
        arrived += paid[:, 1:-1]
        np.logaddexp.accumulate(arrived, axis=1, out=arrived)
        arrived -= paid[:, 1:-1]
        past[:, 0], past[:, 1:] = -np.inf, arrived
        np.logaddexp(joint, past + ways[switches - c], out=joint)
    joint -= np.logaddexp.reduce(joint, axis=0)
    return np.asarray(np.exp(joint, out=joint).T)


def _sums_of_others(logs: Array) -> Array:
    """Return for each row the logarithm of the sum of all other rows: from the left and from the right."""
    others = np.full_like(logs, -np.inf)
    total, last = logs[0], len(logs) - 1
    for j in range(1, last + 1):
        others[j] = total
        if j < last:
            total = np.logaddexp(total, logs[j])
    total = logs[last]
    for j in range(last - 1, -1, -1):
        others[j] = np.logaddexp(others[j], total) if j else total
        if j:
            total = np.logaddexp(total, logs[j])
    return others
