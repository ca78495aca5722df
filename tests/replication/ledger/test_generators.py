"""Checks that repeat their cells: every generator belongs to one cell and to the number of repetitions."""

import re
from importlib import import_module
from typing import Any

import pytest

from private_experts.randomness import rng_for
from private_experts.replication.ledger import checking, ledger
from tests.each import each
from tests.replication.ledger.ledgers import KNOWN

CLAIMS = KNOWN.claims
# A small grid with several cells for each.
_BATCHES: dict[str, Any] = {"eta": [1.0], "T": 30, "t": [20], "b": [1, 2], "least": 0.001, "times": 1}
GRIDS: dict[str, dict[str, Any]] = {
    "000/regret-rw-ftpl": {"stream": ["easy"], "n": [2], "T": [20], "eta": [1.0, 2.0]},
    "000/corollary-2": {"stream": ["easy"], "n": [2], "T": [20], "eta": [1.0, 2.0], "alpha": [0.01]},
    "000/theorem-3": {
        **{"structure": ["random", "cliques"], "m": [4], "T": [8], "eta": [1.0]},
        "stream": ["alternating", "coin-flips"],
        "singled_out": [["orthogonal", 2, 16, 0.01, "alternating"]],
    },
    "000/theorem-3-fresh": {
        **{"choice": ["horizon", "gumbel"], "learners": ["steady"], "m": [2], "eta": [0.5], "T": [8]}
    },
    "000/proxy-law": {
        "equal means": _BATCHES | {"n": [2, 3, 5]},
        "tighter law": _BATCHES | {"n": [3]},
        "streams": _BATCHES | {"n": [3], "stream": ["turncoat"]},
    },
    "001/rates-played": {
        "tolerance": 0.25,
        "cases": [{"algorithm": "lazy", "at": {"T": 40, "d": 1, "knob": 20}, "vary": {"T": [1.0, 40, 80]}}],
    },
    "004/phases": {
        **{"N": 2, "T": [32], "beta": 0.1, "kind": ["independent", "deterministic"], "epsilon": [2.0]},
        **{"slack": [0.25], "gap": 0.8, "time": [0.5, 1.0]},
    },
    "004/noisy-growth": {
        **{"N": 2, "base": {"T": 40, "S": 1, "epsilon": 1.0}, "along": {"T": [20, 40]}},
        **{"gap": [0.1, 0.8], "groups": 2, "tolerance": 0.25},
    },
    "004/theorem-3-6": {"N": 2, "gap": 0.8, "cells": [[32, 1, 10.0, "all"], [32, 1, 10.0, "dyadic"]]},
}


@each("name", [*GRIDS])
def test_every_generator_of_a_check_knows_how_many_repetitions_there_are_and_is_used_once(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More repetitions are a new experiment, and no two cells or blocks hear the same noise."""
    repetitions = 7
    # else a cell's key could have it by chance
    assert not re.search(rf"\b{repetitions}\b", repr(GRIDS[name]))
    claim = CLAIMS[name]
    module = import_module(ledger.entry_of(claim).partition(":")[0])
    keys: list[tuple[Any, ...]] = []

    def noted(*key: Any) -> Any:
        keys.append(key)
        return rng_for(*key)

    monkeypatch.setattr(module, "rng_for", noted)
    monkeypatch.setattr(module, "BLOCK", 2, raising=False)
    small = claim.experiment()._replace(grid=GRIDS[name], repetitions=repetitions, cap=repetitions)
    checking.computed(small, seed=2026)
    assert keys
    assert [key for key in keys if repetitions not in key] == []
    assert len({*map(repr, keys)}) == len(keys)
