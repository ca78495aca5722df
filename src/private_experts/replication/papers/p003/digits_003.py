"""What users report, number by number, of many distributions and labels. [verdicts.md#drawn-noise]"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from private_experts.arrays import Array, Bools, Indices
from private_experts.distribution_learning.ask_comparison import AskComparison
from private_experts.distribution_learning.clipping import clip
from private_experts.distribution_learning.hadamard_response import HadamardResponse
from private_experts.distribution_learning.pure import NoisyCoordinate
from private_experts.distribution_learning.randomized_response import RandomizedResponse
from private_experts.distribution_learning.subset_selection import SubsetSelection
from private_experts.privacy.guarantees import PureDP
from private_experts.replication.papers.drawn_samples import Digits, twins
from private_experts.replication.papers.p003.report_laws import LaplaceReports

_Pairs = Iterator[tuple[Any, Any]]
_LEVEL, _T = 0.5, 20
_USERS, _SIZE, _MANY = 4000, 100, 40  # and how many labels and distributions there are
_FLIP = 1 / (1 + math.exp(_LEVEL))  # the chance that a private bit is false
_LABELS: Indices = np.arange(_USERS) % 2
_CLASSES = np.full((_MANY, _SIZE), 1 / _SIZE)


def _reported(kind: type, rng: np.random.Generator, *predictions: Array) -> Any:
    mechanism = kind(_MANY, PureDP(_LEVEL, "local"), labels=_SIZE, horizon=_T)
    return mechanism.privatize(_LABELS, _CLASSES, rng, *predictions).values


def _coordinates(seed: int) -> _Pairs:
    """One of many numbers has noise of its own, where all distributions give all cells the same mass."""
    rng, again = twins(seed, "coordinates")
    mechanism = NoisyCoordinate(_MANY, PureDP(_LEVEL, "local"), horizon=_T)
    sent = mechanism.privatize(_LABELS, np.full((_MANY, 2), 0.5), rng).values
    shown = again.integers(_MANY, size=_USERS)
    again.random((2, _USERS))  # of cells
    law = LaplaceReports(_T, _LEVEL, vector=False, experts=_MANY)
    yield sent != 0, shown[:, None] == np.arange(_MANY)
    noise = law.log_likelihoods(sent.sum(axis=1), np.ones(_USERS, dtype=np.int64)) / law.scale
    yield noise, again.laplace(size=_USERS)


def _cells(seed: int) -> _Pairs:
    """A cell is drawn by lot as often as the horizon says, and each as often as others."""
    rng, again = twins(seed, "cells")
    cells = clip(_CLASSES, _T).draw(_LABELS, rng)
    others = (_SIZE * again.random(_USERS)).astype(np.intp)  # of a uniform law each label has as many
    yield cells, np.where(again.random(_USERS) < 1 / _T, others, _LABELS)


def _randomized_response(seed: int) -> _Pairs:
    """A lie is one of all other labels."""
    rng, again = twins(seed, "response")
    others = again.integers(1, _SIZE, size=_USERS)
    lies = again.random(_USERS) < (_SIZE - 1) / (_SIZE - 1 + math.exp(_LEVEL))
    yield _reported(RandomizedResponse, rng), np.where(lies, (_LABELS + others) % _SIZE, _LABELS)


def _hadamard_response(seed: int) -> _Pairs:
    """Any row but the first, in which the second label's signs alternate and the first's do not."""
    rng, again = twins(seed, "Hadamard")
    rows = again.integers(127, size=_USERS)
    minus = (_LABELS * (rows + 1) % 2 == 1) ^ (again.random(_USERS) < _FLIP)
    yield _reported(HadamardResponse, rng), rows + 127 * minus


def _subset_selection(seed: int) -> _Pairs:
    """A set has the labels of the smallest of random keys; the true one's is the first or the last."""
    rng, again = twins(seed, "subsets")
    sets: Bools = _reported(SubsetSelection, rng)
    size, rate = int(sets[0].sum()), math.exp(_LEVEL)
    keys, inside = again.random(sets.shape), size * rate / (size * rate + _SIZE - size)
    keys[np.arange(_USERS), _LABELS] = np.where(again.random(_USERS) < inside, -1.0, 2.0)
    yield sets, keys.argsort(axis=1).argsort(axis=1) < size


def _answers(seed: int) -> _Pairs:
    """The private answer to a question whose set has the first half of all labels."""
    rng, again = twins(seed, "answers")
    asked = np.arange(_SIZE) < _SIZE // 2
    predicted = np.where(asked, 0.5, 1.5) / _SIZE * np.ones((_USERS, 1))
    again.integers(_MANY, size=_USERS)  # which distribution is asked about: all are the same
    yes = again.random(_USERS) >= _FLIP  # the labels are the first two
    yield _reported(AskComparison, rng, predicted), asked == yes[:, None]


DIGITS: Digits = {
    "NoisyVector": _cells,
    "NoisyCoordinate": _coordinates,
    "RandomizedResponse": _randomized_response,
    "HadamardResponse": _hadamard_response,
    "SubsetSelection": _subset_selection,
    "AskComparison": _answers,
}
