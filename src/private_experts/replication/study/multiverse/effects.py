"""What the statements ask of every universe: estimates with their intervals, and from each half of the repetitions."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from private_experts.arrays import Array
from private_experts.replication.choices import Reach
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.estimates import critical_value
from private_experts.replication.study.hospital_game import game
from private_experts.replication.study.multiverse import design
from private_experts.replication.study.multiverse.open_choices import CHOICES, OF_PANELS, State
from private_experts.replication.study.multiverse.universe import OURS, PAPERS, STRONG, totals
from private_experts.replication.study.statements import STATEMENTS
from private_experts.replication.study.table_2_columns import Asked, estimates

Cell = dict[str, Asked]

ESTIMATES = tuple(dict.fromkeys(statement.estimate for statement in STATEMENTS))
HALVES = ("even", "odd")  # repetitions, told apart so that chance can be told from choice
# Of the table of all universes.
COLUMNS: tuple[str, ...] = ("state", "block", "universe", *CHOICES, "hospitals", "mu", "variant")
COLUMNS += tuple(f"{name}{part}" for name in ESTIMATES for part in ("", "_pm", *(f"_{half}" for half in HALVES)))


def cell(samples: Mapping[str, Array], best_hospital: float, mu: float, variant: str) -> Cell:
    """Return what is asked of a variant at a privacy level; of the strong baseline the paper's alone, under privacy."""
    central = STRONG if variant == PAPERS and mu < math.inf else ()
    asked = estimates(samples, best_hospital, central, variant, mu == math.inf)
    return {name: asked[name] for name in ESTIMATES if name in asked}


def of_universe(
    panel: Panel,
    state: str,
    learners: Mapping[str, Any],
    chosen: Mapping[str, Any],
    reach: Reach,
    levels: tuple[float, ...],
    repetitions: int,
    seed: int,
    states: int,
    confidence: float,
) -> Iterator[dict[str, object]]:
    """Yield a row for each level of one universe, with the paper's algorithm, and one with each of ours.

    A universe is judged as the study judges its Table 2: the intervals of all states and levels hold jointly. They are
    Student's, because there are fewer repetitions.
    """
    match = game(panel, state, levels, repetitions, seed, chosen["adjacency"], reach)
    found, best = totals(match, learners, chosen), float(panel.density.sum(axis=0).max())
    counted = [cell(found[mu], best, mu, PAPERS) for mu in levels]
    z = critical_value(
        confidence, states * sum(each.intervals for asked in counted for each in asked.values()), repetitions
    )
    for mu in levels:
        halves = {half: {name: of[at::2] for name, of in found[mu].items()} for at, half in enumerate(HALVES)}
        for variant in (PAPERS, *OURS):
            row: dict[str, object] = {"mu": mu, "variant": variant}
            with np.errstate(divide="ignore", invalid="ignore"):  # nobody may gain anything; such a ratio is undecided
                for name, each in cell(found[mu], best, mu, variant).items():
                    row[name], row[f"{name}_pm"] = each.of(z)
                for half, samples in halves.items():
                    for name, each in cell(samples, best, mu, variant).items():
                        row[f"{name}_{half}"] = each.of(z)[0]
            yield row


def of_state(
    state: State,
    options: Mapping[str, list[Any]],
    share: float,
    portion: tuple[int, int],
    learners: Mapping[str, Any],
    **settings: Any,
) -> pd.DataFrame:
    """Play a state's universes, or a portion (which, of how many); one without a game has one row, without level."""
    names, sizes = list(options), [len(each) for each in options.values()]
    drawn = design.sample(sizes, share, settings["seed"], state.name)
    universes = [(block, universe) for block, members in enumerate(drawn) for universe in members.tolist()]
    rows: list[dict[str, object]] = []
    panels: dict[tuple[object, ...], Panel] = {}
    for block, numbers in universes[portion[0] - 1 :: portion[1]]:
        chosen = {name: options[name][number] for name, number in zip(names, numbers, strict=True)}
        key = tuple(chosen[name] for name in OF_PANELS)
        if key not in panels:
            panels[key] = state.panel(chosen)
        panel = panels[key]
        place = {"state": state.name, "block": block, "universe": int(np.ravel_multi_index(numbers, sizes))}
        place |= {**chosen, "hospitals": len(panel.hospitals)}
        if len(panel.hospitals) < 2:
            rows.append(place)
            continue
        rows += [{**place, **row} for row in of_universe(panel, state.name, learners, chosen, **settings)]
    return pd.DataFrame(rows, columns=list(COLUMNS))
