"""What decides a claim and what draws a figure, by their entries in claims/*.yaml, whose words do not count.

It is among the params of the rules `checks` and `claim_figures`, so these run again when it changes.
"""

import copy
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from private_experts.errors import InputError


class Experiment(NamedTuple):
    """What decides a claim, besides seed and data."""

    check: str  # module:function in replication/papers
    grid: dict[str, Any]
    repetitions: int  # at first
    cap: int  # the most repetitions, while it is undecided
    real_data_only: bool


class Drawing(NamedTuple):
    """What a figure is drawn from."""

    draw: str  # module:function in replication/papers
    claims: Sequence[str]  # the ids of those that it shows
    sampled: bool  # chance is in what is drawn
    on_data: bool


def experiment(entry: Mapping[str, Any], quick: bool = False) -> Experiment:
    """Return what decides a claim; with `quick`, on its quick grid, and with a tenth of the repetitions."""
    grid = {**entry.get("grid", {}), **(entry.get("quick", {}) if quick else {})}
    if entry.get("statements"):
        grid = {"statement": [*entry["statements"]], **grid}
    # At least 2, or there is no spread to estimate.
    first, cap = (max(entry.get(name, 2), 2) for name in ("repetitions", "cap"))
    if quick:
        # Of 2 the interval is so wide that nearly each check would run again, with 8.
        first, cap = (max(count // 10, min(count, 4)) for count in (first, cap))
    # Claims may share parts of their grids in the file, and a check may spoil what it is given.
    return Experiment(entry["check"], copy.deepcopy(grid), first, cap, entry.get("real_data_only", False))


def drawing(figure: Mapping[str, Any], claims: Mapping[str, Mapping[str, Any]]) -> Drawing:
    """Return what a figure is drawn from, with the entries of the claims by id."""
    pictured = [claims[name] for name in figure["claims"]]
    sampled, on_data = (
        any(claim["kind"] == "stochastic" for claim in pictured),
        any(claim.get("needs") for claim in pictured),
    )
    return Drawing(figure["draw"], list(figure["claims"]), sampled, on_data)


def experiments(files: Iterable[Path], names: Sequence[str], quick: bool = False) -> list[Experiment]:
    """Return what decides claims, by their ids, from the ledger's files."""
    claims, _ = _entries(files)
    return [experiment(_entry_of(name, claims), quick) for name in names]


def drawings(files: Iterable[Path], names: Sequence[str]) -> list[Drawing]:
    """Return what figures are drawn from, by the names of their files, from the ledger's files."""
    claims, figures = _entries(files)
    return [drawing(_entry_of(name, figures), claims) for name in names]


def _entries(files: Iterable[Path]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the entries of claims by id, and of drawn figures by the names of their files."""
    from private_experts.replication.ledger.yaml_text import (
        read_yaml,  # no other command loads YAML as it starts
    )

    papers = [read_yaml(path) for path in files]
    claims = {claim["id"]: claim for paper in papers for claim in paper["claims"]}
    return claims, {
        f"{paper['paper']}-{figure['name']}": figure
        for paper in papers
        for figure in paper.get("figures", [])
        if figure.get("draw")
    }


def _entry_of(name: str, entries: Mapping[str, Any]) -> Any:
    if name not in entries:
        raise InputError(f"claims: there is no {name}")
    return entries[name]
