"""What the statements ask of every universe: estimates with their intervals, and from each half of the repetitions."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from private_experts.replication.choices import Adjacency
from private_experts.replication.hospital.cells import Asked, critical_value, estimates
from private_experts.replication.hospital.game import game
from private_experts.replication.hospital.multiverse import design
from private_experts.replication.hospital.multiverse.choices import CHOICES, OF_PANELS, State
from private_experts.replication.hospital.multiverse.worlds import STRONG, totals
from private_experts.replication.hospital.panel import Panel
from private_experts.replication.hospital.players.rw_meta import VARIANTS
from private_experts.replication.hospital.statements import STATEMENTS

Array = NDArray[np.float64]
Cell = dict[str, Asked]

ESTIMATES = tuple(dict.fromkeys(statement.estimate for statement in STATEMENTS))
HALVES = ("even", "odd")  # repetitions, told apart so that chance can be told from choice
# Of the table of all universes.
COLUMNS: tuple[str, ...] = ("state", "block", "world", *CHOICES, "hospitals", "mu", "variant")
COLUMNS += tuple(f"{name}{part}" for name in ESTIMATES for part in ("", "_pm", *(f"_{half}" for half in HALVES)))


def cell(samples: Mapping[str, Array], best_hospital: float, mu: float, variant: str) -> Cell:
    """Return what is asked of a universe at a privacy level; of central algorithms only where there is privacy."""
    central = STRONG if mu < math.inf else ()
    asked = estimates(samples, best_hospital, central, variant, mu == math.inf)
    return {name: asked[name] for name in ESTIMATES if name in asked}


def of_world(
    panel: Panel,
    state: str,
    learners: Mapping[str, Any],
    adjacency: Adjacency,
    reach: float,
    levels: tuple[float, ...],
    repetitions: int,
    seed: int,
    states: int,
    confidence: float,
) -> Iterator[dict[str, object]]:
    """Yield a row for each level and variant of one world.

    A universe is judged as the study judges its Table 2: the intervals of all states and levels hold jointly. They are
    Student's, because there are fewer repetitions.

    Parameters
    ----------
    states : int
        Number of states of the multiverse.
    confidence : float
        Joint confidence of the intervals of one universe.
    """
    match = game(panel, state, levels, repetitions, seed, adjacency, reach)
    found, best = totals(match, learners), float(panel.density.sum(axis=0).max())
    counted = [cell(found[mu], best, mu, next(iter(VARIANTS))) for mu in levels]
    z = critical_value(
        confidence, states * sum(each.intervals for asked in counted for each in asked.values()), repetitions
    )
    for mu in levels:
        halves = {half: {name: of[at::2] for name, of in found[mu].items()} for at, half in enumerate(HALVES)}
        for variant in VARIANTS:
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
    """Play a state's worlds, or a portion of them, and return the rows of all their universes.

    Parameters
    ----------
    state : State
    options : mapping
        The options of every choice.
    share : float
        Share of the worlds that are played in all portions together.
    portion : (int, int)
        Which portion, from 1, of how many. What is played in a world does not depend on it.
    learners : mapping
        The config's section; the choice `family` takes the place of its own.
    **settings
        The other parameters of `of_world`.

    Returns
    -------
    DataFrame
        With `COLUMNS`: the block and world, their options, the number of hospitals, and what `of_world` yields. A world
        in which fewer than two hospitals are left has no game: it has one row, without level and variant.
    """
    names, sizes = list(options), [len(each) for each in options.values()]
    drawn = design.sample(sizes, share, settings["seed"], state.name)
    worlds = [(block, world) for block, members in enumerate(drawn) for world in members.tolist()]
    rows: list[dict[str, object]] = []
    panels: dict[tuple[object, ...], Panel] = {}
    for block, numbers in worlds[portion[0] - 1 :: portion[1]]:
        chosen = {name: options[name][number] for name, number in zip(names, numbers, strict=True)}
        key = tuple(chosen[name] for name in OF_PANELS)
        if key not in panels:
            panels[key] = state.panel(chosen)
        panel = panels[key]
        place = {"state": state.name, "block": block, "world": int(np.ravel_multi_index(numbers, sizes))}
        place |= {**chosen, "hospitals": len(panel.hospitals)}
        if len(panel.hospitals) < 2:
            rows.append(place)
            continue
        family = {**learners, "family": chosen["family"]}
        played = of_world(panel, state.name, family, chosen["adjacency"], **settings)
        rows += [{**place, **row} for row in played]
    return pd.DataFrame(rows, columns=list(COLUMNS))
