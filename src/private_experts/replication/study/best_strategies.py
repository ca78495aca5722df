"""Curators' best strategies, each sought once: a state's serves all its privacy levels and repetitions."""

import functools

import numpy as np

from private_experts.arrays import Array
from private_experts.privacy.factorization import optimal

_GAP = 1e-9  # of the squared noise, relative


def best_strategy(workload: Array, sensitivity: Array) -> Array:
    """Return the strategy of least squared noise over a workload (answers, T), at sensitivities (T,)."""
    # By their bytes, since arrays cannot be keys.
    return _best(len(sensitivity), workload.astype(np.float64).tobytes(), sensitivity.tobytes())


@functools.lru_cache(maxsize=16)
def _best(weeks: int, workload: bytes, sensitivity: bytes) -> Array:
    answers = np.frombuffer(workload).reshape(-1, weeks)
    strategy = optimal(answers, np.frombuffer(sensitivity), tolerance=_GAP).strategy
    strategy.flags.writeable = False  # it is shared
    return strategy
