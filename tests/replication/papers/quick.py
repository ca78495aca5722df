"""The figures of a paper by the functions that draw them, and the quick evidence that they are given here."""

import importlib
from collections.abc import Iterable

import pandas as pd

from tests.replication.ledger.ledgers import KNOWN as LEDGER


def figures_of(paper: str) -> dict[str, list[str]]:
    """Return the claims of each drawn figure of a paper, by the function's name."""
    figures = [figure for figure in LEDGER.figures.values() if figure.paper == paper]
    return {figure.draw.partition(":")[2]: list(figure.claims) for figure in figures if figure.draw}


def evidence_of(names: Iterable[str]) -> dict[str, pd.DataFrame]:
    """Return the evidence of claims from their quick grids."""
    tables = {}
    for name in set(names):
        claim = LEDGER.claims[name]
        module, _, function = claim.check.partition(":")
        check = getattr(importlib.import_module(f"private_experts.replication.papers.{module}"), function)
        points = check(claim.experiment(quick=True).grid, claim.experiment(quick=True).repetitions, 1)
        tables[name] = pd.DataFrame([point.row() for point in points])
    return tables
