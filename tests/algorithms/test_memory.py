"""Memory of streaming, as the docstrings state it: the slopes against experts, rounds and bands."""

import itertools
import tracemalloc

import numpy as np
import pytest

from private_experts.algorithms import RWFTPL, Algorithm, PrefixFTPL, RWAdaBatch, TreeFTPL
from private_experts.privacy import BandedSums, GaussianDP, Reports, SimulatedNoise, TightTreeSums
from private_experts.privacy.banded import root_band
from private_experts.randomness import rng_for
from private_experts.walks import delay

LOCAL, CENTRAL = GaussianDP(1.0, "local"), GaussianDP(1.0, "central")
COPIES = 3
FEW, MANY = 500, 1000  # experts


def made(name: str, n: int, horizon: int) -> Algorithm:
    given = {"noise": SimulatedNoise(rng_for(0, "test memory")), "repetitions": COPIES}
    if name == "rw-ftpl":
        return RWFTPL(n, LOCAL, noise_scale=1.0, **given)
    if name == "rw-adabatch":
        return RWAdaBatch(n, LOCAL, noise_scale=1.0, record=False, **given)
    if name == "tree":
        return TreeFTPL(n, CENTRAL, horizon=horizon, sensitivity=1.0, **given)
    if name == "band":
        return PrefixFTPL(BandedSums(n, CENTRAL, coefficients=root_band(8), sensitivity=1.0, **given))
    every, refined = np.ones(horizon), name == "refined tree"
    return PrefixFTPL(TightTreeSums(n, CENTRAL, sensitivity=every, refined=refined, **given))


def in_arrays() -> int:
    """Return the bytes of all arrays since tracing began, without what Python itself keeps for later use."""
    arrays = tracemalloc.DomainFilter(inclusive=True, domain=np.lib.tracemalloc_domain)
    return sum(trace.size for trace in tracemalloc.take_snapshot().filter_traces([arrays]).traces)


def held(name: str, n: int, rounds: int) -> tuple[int, int]:
    """Return the bytes of arrays an algorithm keeps after so many rounds, and the most on the way."""
    gains = np.linspace(0.0, 1.0, n)
    report = Reports(gains[None], LOCAL, 1.0) if name.startswith("rw-") else gains
    made(name, 2, 4).predict()  # what is imported or cached once is not counted
    tracemalloc.start()
    try:
        algorithm = made(name, n, rounds + 1)
        for _ in range(rounds):
            algorithm.predict()
            algorithm.update(report)
        return in_arrays(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


# Bytes for each expert after 31 rounds: arrays of eight bytes for each copy, and for the data.
STATED = {
    "rw-ftpl": 8 * COPIES,
    "rw-adabatch": 16 * COPIES,
    "tree": 8 * 5 * (COPIES + 1),
    "tight tree": 8 * 5 * (COPIES + 1) + 8 * COPIES,  # and the noise before the first round
    "refined tree": 8 * 5 * (COPIES + 1) + 8 * COPIES,
    "band": 8 * 8 * (COPIES + 1) + 8 * COPIES,  # and the sums
}


@pytest.mark.parametrize("name", STATED)
def test_memory_grows_with_the_experts_as_stated(name):
    few, many = held(name, FEW, 31), held(name, MANY, 31)
    extra = 8 if name in ("tree", "tight tree", "refined tree") else 0  # zeros, or room for rounding
    assert (many[0] - few[0]) / (MANY - FEW) <= 1.05 * (STATED[name] + extra)
    assert (many[0] - few[0]) / (MANY - FEW) >= 0.95 * STATED[name]
    # What one round needs for itself: a few arrays of all copies.
    assert (many[1] - few[1]) / (MANY - FEW) <= STATED[name] + 6 * 8 * (COPIES + 1)


@pytest.mark.parametrize("name", ["rw-ftpl", "rw-adabatch", "band"])
def test_memory_does_not_grow_with_the_rounds(name):
    assert held(name, 200, 70)[0] == held(name, 200, 20)[0]


@pytest.mark.parametrize("name", ["tree", "tight tree", "refined tree"])
def test_the_memory_of_trees_grows_with_the_logarithm_of_the_rounds(name):
    sizes = [held(name, 400, 2**k - 1)[0] for k in (4, 5, 6, 7)]
    for small, large in itertools.pairwise(sizes):
        level = 400 * 8 * (COPIES + 1)
        # and the scales of at most 64 more rounds
        assert 0.9 * level <= large - small <= 1.1 * level + 24 * 64


def test_a_record_of_batches_grows_with_them():
    def grown(record: bool) -> int:
        tracemalloc.start()
        try:
            leader = RWAdaBatch(2, LOCAL, noise_scale=1.0, noise=SimulatedNoise(0), record=record)
            for _ in range(64):
                leader.predict()
                leader.update(Reports(np.zeros((1, 2)), LOCAL, 1.0))
            delay._least_gaps.cache_clear()  # a few tables, whatever is played
            return in_arrays()
        finally:
            tracemalloc.stop()

    grown(True)  # a first one also makes what the process keeps for all
    kept, bare = grown(True), grown(False)
    assert bare < 1000
    assert bare + 24 * 50 <= kept <= bare + 72 * 64
