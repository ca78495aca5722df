"""The figures of a paper by the functions that draw them, and the quick evidence that they are given here."""

import functools
import importlib
from collections.abc import Iterable
from types import ModuleType

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from private_experts.randomness import rng_for
from private_experts.replication.ledger.checking import points_of
from private_experts.replication.study.data.panel import Panel
from tests.replication.ledger.ledgers import KNOWN as LEDGER
from tests.replication.papers.short_grids import short_grid

STATES = {"NM": 100, "PA": 200, "CA": 400}  # hospitals


def panel(state: str, hospitals: int) -> Panel:
    """Return random densities of three weeks."""
    densities = rng_for(1, "panel", state).beta(1, 6, (3, hospitals))
    return Panel(("1", "2", "3"), tuple(map(str, range(hospitals))), densities, np.ones(3))


def figures_of(paper: str) -> dict[str, list[str]]:
    """Return the claims of each drawn figure of a paper, by the function's name."""
    figures = [figure for figure in LEDGER.figures.values() if figure.paper == paper]
    return {figure.draw.partition(":")[2]: list(figure.claims) for figure in figures if figure.draw}


def evidence_of(names: Iterable[str]) -> dict[str, pd.DataFrame]:
    """Return the evidence of claims from their quick grids."""
    return {name: _evidence(name).copy() for name in dict.fromkeys(names)}


@functools.cache
def _evidence(name: str) -> pd.DataFrame:
    claim = LEDGER.claims[name]
    module, _, function = claim.check.partition(":")
    check = getattr(importlib.import_module(f"private_experts.replication.papers.{module}"), function)
    given = {"panels": {state: panel(state, many) for state, many in STATES.items()}} if claim.needs else {}
    repetitions = max(20, claim.experiment(quick=True).repetitions // 10)
    points = points_of(check, short_grid(claim), repetitions, 1, **given)
    return pd.DataFrame([point.row() for point in points])


def heights_in(axis: Axes) -> list[float]:
    """Return all that the lines of a figure's axes show."""
    return np.concatenate([np.asarray(line.get_ydata(), dtype=float) for line in axis.lines]).tolist()


def says_that_nothing_was_run(paper: str, module: ModuleType, function: str) -> None:
    """Assert that a figure says so where its claims were not run."""
    draw, claims = getattr(module, function), figures_of(paper)[function]
    nothing = draw(dict.fromkeys(claims, pd.DataFrame({"reason": ["synthetic data"]})))
    assert all([text.get_text() for text in axis.texts] == ["not run"] for axis in nothing.axes)
    assert nothing.get_suptitle().startswith("Not run")
    nothing.draw_without_rendering()
