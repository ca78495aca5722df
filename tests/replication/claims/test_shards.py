"""Claims whose pieces several jobs compute: the same evidence and verdict for any number of them."""

import json
import re
from collections.abc import Mapping
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

from private_experts.errors import InputError
from private_experts.randomness import rng_for
from private_experts.replication import accounts, spreading
from private_experts.replication.claims import checking, claims_stages, ledger
from private_experts.replication.claims.bundles import LONG, bundles
from private_experts.replication.claims.evidence import Point
from private_experts.replication.claims.shards import shard
from private_experts.replication.spreading import Spread, here, repeated, shares
from tests.each import each
from tests.replication.claims.ledgers import KNOWN
from tests.replication.whole import Whole

CLAIMS = KNOWN.claims
SPREAD = {name: claim for name, claim in CLAIMS.items() if ledger.can_be_spread(claim)}
# A grid with several pieces for each check, as small as can be.
TINY: dict[str, dict[str, Any]] = {
    "000/regret-rw-ftpl": {"stream": ["easy"], "n": [2], "T": [20], "eta": [1.0, 2.0]},
    "000/corollary-2": {"stream": ["easy"], "n": [2], "T": [20], "eta": [1.0, 2.0], "alpha": [0.01]},
    "000/theorem-3": {
        "structure": ["random", "cliques"],
        "m": [4],
        "T": [8],
        "eta": [1.0],
        "stream": ["alternating", "coin-flips"],
        "singled_out": [["orthogonal", 2, 16, 0.01, "alternating"]],
    },
    "000/theorem-3-fresh": {"choice": ["horizon", "gumbel"], "learners": ["steady"], "m": [2], "eta": [0.5], "T": [8]},
    "000/proxy-law": {"n": [2, 3, 5], "eta": [1.0], "T": 30, "t": [20], "b": [1, 2], "least": 0.001},
    "001/regret": {
        "set": ["ray"],
        "losses": ["linear", "hinges"],
        "T": [9],
        "u": [0.2],
        "lam_factor": [1.0],
        "G": 2.0,
        "cells": {"ray": 20},
    },
    "001/rates-played": {
        "tolerance": 0.25,
        "cases": [{"algorithm": "lazy", "at": {"T": 40, "d": 1, "knob": 20}, "vary": {"T": [1.0, 40, 80]}}],
    },
    "002/when-prefix-helps": {
        "steady, volatile, epsilon": [[199, 20, 1.0]],
        "gap": [0.08, 0.16],
        "spread": [0.06, 0.48],
        "T": [63],
        "early": 15,
        "late": 16,
        "rounding": 1e-9,
    },
    "004/phases": {
        "N": 2,
        "T": 32,
        "beta": 0.1,
        "kind": ["independent", "deterministic"],
        "epsilon": [2.0],
        "slack": [0.25],
        "gap": 0.8,
        "time": [0.5, 1.0],
    },
    "004/noisy-growth": {
        "N": 2,
        "base": {"T": 40, "S": 1, "epsilon": 1.0},
        "along": {"T": [20, 40]},
        "gap": [0.1, 0.8],
        "groups": 2,
        "tolerance": 0.25,
    },
    "004/theorem-3-6": {"N": 2, "gap": 0.8, "cells": [[32, 1, 10.0, "all"], [32, 1, 10.0, "dyadic"]]},
}


def found(folder: Path, count: int, seed: int = 2026, **entry: Any) -> list[str]:
    """Return the evidence and the verdict of a claim that so many shards were computed for."""
    asked = json.dumps([entry])
    shards = [folder / f"{share}-of-{count}.shard" for share in shares(count)]
    for share, output in zip(shares(count), shards, strict=True):
        shard(asked=asked, share=share, seed=seed, output=output)
    files = [folder / "evidence.csv", folder / "verdict.json"]
    claims_stages.checks(asked=asked, seed=seed, evidence=files[:1], verdicts=files[1:], shards=shards)
    return [path.read_text() for path in files]


def test_every_check_that_takes_shards_is_tried_here() -> None:
    assert SPREAD.keys() == TINY.keys()


@each("name", [*TINY])
def test_shards_of_each_check_give_the_same_bytes(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    claim = CLAIMS[name]
    module = import_module(ledger.entry_of(claim).partition(":")[0])
    if hasattr(module, "BLOCK"):
        monkeypatch.setattr(module, "BLOCK", 2)
    entry = ledger.asked(claim) | {"grid": TINY[name], "repetitions": 5, "cap": 5}
    alone = found(tmp_path, 1, **entry)
    assert alone[0].count("\n") > 2
    monkeypatch.setattr(spreading, "Gathered", Whole)
    assert found(tmp_path, 3, **entry) == alone
    if claim.kind == "stochastic":
        assert found(tmp_path, 1, seed=1, **entry) != alone


@each("name", [name for name in TINY if CLAIMS[name].kind == "stochastic"])
def test_every_generator_of_a_check_knows_how_many_repetitions_there_are_and_is_used_once(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More repetitions are a new experiment, and no two cells or blocks hear the same noise."""
    repetitions = 7
    assert not re.search(rf"\b{repetitions}\b", repr(TINY[name]))  # else a cell's key could have it by chance
    claim = CLAIMS[name]
    module = import_module(ledger.entry_of(claim).partition(":")[0])
    keys: list[tuple[Any, ...]] = []

    def noted(*key: Any) -> Any:
        keys.append(key)
        return rng_for(*key)

    monkeypatch.setattr(module, "rng_for", noted)
    monkeypatch.setattr(module, "BLOCK", 2, raising=False)
    entry = {word: value for word, value in ledger.asked(claim).items() if word != "claim"}
    checking.computed(**entry | {"grid": TINY[name], "repetitions": repetitions, "cap": repetitions}, seed=2026)
    assert keys
    assert [key for key in keys if repetitions not in key] == []
    assert len({*map(repr, keys)}) == len(keys)


def test_a_check_takes_shards_as_its_source_says() -> None:
    modules = {ledger.entry_of(claim).partition(":")[0] for claim in SPREAD.values()}
    for claim in CLAIMS.values():
        module, _, function = ledger.entry_of(claim).partition(":")
        if module in modules:
            assert ("spread" in signature(getattr(import_module(module), function)).parameters) == (claim.id in SPREAD)


def check(grid: Mapping[str, Any], repetitions: int, seed: int, spread: Spread = here) -> list[Point]:
    """Stay undecided until there are 16 repetitions."""
    from private_experts.randomness import rng_for

    def draws(cell: int, count: int, key: tuple[int, ...]) -> list[Any]:
        return [rng_for(seed, cell, *key).normal(size=count)]

    wide = 10.0 if repetitions < 16 else 0.1
    means = [float(each.mean()) for [each] in repeated(draws, [(1,), (2,)], repetitions, 2, spread)]
    return [Point({"cell": cell}, mean, 5.0, mean - wide, mean + wide) for cell, mean in enumerate(means)]


ENTRY = {"claim": "000/x", "check": "x:y", "grid": {}, "repetitions": 4, "cap": 64, "real_data_only": False}


def test_what_the_shards_leave_undecided_buys_more_repetitions_where_they_are_gathered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "named", lambda name: check)
    alone = found(tmp_path, 1, **ENTRY)
    assert json.loads(alone[1])["repetitions"] == 16
    assert all(found(tmp_path, count, **ENTRY) == alone for count in (2, 3, 7))


def test_a_claim_costs_what_its_shards_cost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(checking, "named", lambda name: check)
    monkeypatch.setattr(accounts.Meter, "account", lambda self: accounts.Account("000/x", 2.0, 1.0, 50.0, 0.0))
    found(tmp_path, 3, **ENTRY)
    assert capsys.readouterr().err == "000/x took 8.00 s, 4.00 s of CPU, 50 MB\n"


def test_shards_are_of_one_claim(tmp_path: Path) -> None:
    files = [tmp_path / "1", tmp_path / "2"]
    with pytest.raises(InputError, match="shards are of one claim, and 2 are asked for"):
        claims_stages.checks(json.dumps([ENTRY, ENTRY]), 1, files, files, shards=files)


def test_only_a_long_claim_is_spread_and_a_shard_has_work_enough_for_a_job() -> None:
    by_name = {bundle.name: bundle for bundle in bundles(CLAIMS.values())}
    spread = {name: len(bundle.shares(100)) for name, bundle in by_name.items() if bundle.shares(100)}
    assert spread.keys() == {name for name, claim in SPREAD.items() if claim.seconds >= 2 * LONG}
    assert spread
    for name, count in spread.items():
        assert 2 <= count <= CLAIMS[name].seconds / LONG
        assert by_name[name].shares(2) == ["1-of-2", "2-of-2"]
        assert by_name[name].shares(1) == []
    assert not any(bundle.shares(100) for bundle in bundles(CLAIMS.values(), quick=True) if len(bundle.claims) > 1)
