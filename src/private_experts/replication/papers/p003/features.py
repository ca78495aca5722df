"""Sequences of features: how a class's distributions change from round to round. [mathematics/003.md#classes]

Examples
--------
>>> import numpy as np
>>> from private_experts.replication.papers.p003.classes import needle
>>> from private_experts.replication.papers.p003.features import FEATURES
>>> FEATURES["late"](needle(2, 0.5), 2, np.random.default_rng(1)).tolist()
[[[0.75, 0.25], [0.75, 0.25]], [[0.75, 0.25], [0.25, 0.75]]]
"""

from collections.abc import Callable, Mapping

import numpy as np

from private_experts.arrays import Array


def _constant(classes: Array, horizon: int, rng: np.random.Generator) -> Array:
    return np.broadcast_to(classes, (horizon, *classes.shape))


def _permuted(classes: Array, horizon: int, rng: np.random.Generator) -> Array:
    order = rng.random((horizon, classes.shape[-1])).argsort(axis=-1)
    return np.take_along_axis(_constant(classes, horizon, rng), order[:, None, :], axis=-1)


def _late(classes: Array, horizon: int, rng: np.random.Generator) -> Array:
    # In the first half nothing can be learnt.
    together = np.broadcast_to(classes[:1], classes.shape)
    return np.where(np.arange(horizon)[:, None, None] < horizon // 2, together, classes)


def _one_by_one(classes: Array, horizon: int, rng: np.random.Generator) -> Array:
    differs = np.arange(len(classes)) == 1 + np.arange(horizon)[:, None] % max(len(classes) - 1, 1)
    return np.where(differs[:, :, None], classes, classes[0])


FEATURES: Mapping[str, Callable[[Array, int, np.random.Generator], Array]] = {
    "constant": _constant,
    "permuted": _permuted,
    "late": _late,
    "one-by-one": _one_by_one,
}
"""Sequences of features. Each maps a class (K, M), whose first row is the truth, to T classes (T, K, M).

``constant``: one feature. ``permuted``: each round permutes the labels. ``late``: in the first half all
distributions agree with the truth. ``one-by-one``: in each round only one distribution differs from the
truth. Parameters of each are the class (K, M), the number of rounds T and a generator for the permutations.
"""
