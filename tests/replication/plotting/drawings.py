"""Every figure of the ledger, drawn from small data: claims' quick evidence and made-up games."""

import functools
import math
from collections.abc import Callable, Sequence
from importlib import import_module

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from private_experts.replication.study import figure_2, generality, privacy_models
from private_experts.replication.study.batching import (
    amplification,
    batch_size_laws,
    figure_1,
    figure_amplification,
)
from private_experts.replication.study.hospital_game import LEARNER
from private_experts.replication.study.own_counts import average_level_figure, own_counts_tables
from private_experts.replication.study.own_counts.own_games import COVERED, META, averaged, covered, name_of
from private_experts.replication.study.players import contenders
from private_experts.replication.study.readings import readings_figure
from private_experts.replication.study.readings.readings_tables import ADMISSIBLE, Scored
from private_experts.replication.study.readings.scores import RW_META, statistics
from tests.replication.ledger.ledgers import KNOWN as LEDGER
from tests.replication.papers.quick import evidence_of

LEVELS = (math.inf, 1.0, 0.5, 0.25)
ROUNDS = [20, 40, 60]
BEST = {"NM": 20.0, "PA": 22.0, "CA": 25.0}


def of_claims(stem: str) -> Figure:
    """Return a figure that is drawn from the quick evidence of its claims."""
    figure = LEDGER.figures[stem]
    assert figure.draw
    module, _, function = figure.draw.partition(":")
    draw = getattr(import_module(f"private_experts.replication.papers.{module}"), function)
    drawn: Figure = draw(evidence_of(figure.claims))
    return drawn


def totals(names: Sequence[str], states: Sequence[str], levels: Sequence[float] = LEVELS) -> pd.DataFrame:
    """Return total gains of algorithms that differ, and fall with the level."""
    rows = [
        (state, name, mu, r, 9 + place + 3 * min(mu, 2) + r % 2)
        for state in states
        for mu in levels
        for place, name in enumerate(names)
        for r in range(6)
    ]
    return pd.DataFrame(rows, columns=["state", "algorithm", "mu", "repetition", "total"])


def best(states: Sequence[str]) -> dict[str, float]:
    return {state: BEST[state] for state in states}


def weekly(states: Sequence[str]) -> pd.DataFrame:
    names = [*figure_2.LINES, f"{LEARNER}w8-weak", f"{LEARNER}w8-strong"]
    rows = [
        (state, name, mu, week, week * (len(names) - place) / 10)
        for state in states
        for mu in LEVELS
        for place, name in enumerate(names)
        for week in range(1, 30)
    ]
    return pd.DataFrame(rows, columns=["state", "algorithm", "mu", "week", "gain"])


def ratios(states: Sequence[str]) -> pd.DataFrame:
    rows = [(f"{state}{k}", mu, 1 + k / 9) for state in states for k in range(10) for mu in LEVELS]
    table = pd.DataFrame(rows, columns=["state", "mu", "ratio_to_min_noise"])
    return table.assign(hospitals=20, ratio_to_min_noise_pm=0.1)


def own_counts(states: Sequence[str]) -> pd.DataFrame:
    gains = {name: place for place, name in enumerate((*own_counts_tables.LOCAL, *own_counts_tables.CENTRAL))}
    names = [name_of(mechanism, name) for mechanism in own_counts_tables.MECHANISMS for name in gains]
    games = totals([*names, *map(covered, COVERED)], states)
    return own_counts_tables.own_counts_numbers(games, best(states), 0.95)


def average_levels(states: Sequence[str]) -> pd.DataFrame:
    names = [name_of(mechanism, META) for mechanism in own_counts_tables.MECHANISMS]
    games = pd.concat(
        [totals([*names, *map(covered, names)], states), totals([averaged(names[1])], states, [1.0])]
    )
    levels = {state: {"same": 0.05, "own": 0.7} for state in states}
    return average_level_figure.at_average(games, levels, levels, best(states), 0.95)


def readings(states: Sequence[str]) -> tuple[pd.DataFrame, Scored]:
    """Return scores of two kinds of learner with two floors, and what each statistic says of them."""
    settings = statistics((RW_META,), list(states), LEVELS)
    families = {"trend": "trend", "autoregression": "autoregression-1"}
    rows, logs = [], {}
    for place, floor in enumerate((ADMISSIBLE, "none")):
        logs[floor] = {}
        for number, (what, family) in enumerate(families.items()):
            rows.append((what, floor, family, floor == ADMISSIBLE, 0.1 + number / 20))
            errors = np.linspace(-0.1, 0.1, len(settings))[:, None]
            logs[floor][family, "wide"] = errors * (1 + number + place)
    table = pd.DataFrame(rows, columns=["what", "floor", "family", "admissible", "score"])
    return table.assign(strengths="wide", score_low=0.05, score_high=0.2), Scored(settings, [], logs, {})


@functools.cache
def batches() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the laws of batch sizes that are computed, and those that are simulated."""
    settings = ([1.0, 0.5], 90, ROUNDS)
    computed = [batch_size_laws.computed(n, *settings, 0.01) for n in (2, 5)]
    simulated = [batch_size_laws.simulated(n, *settings, [0.3, 1.0], 200, 0.01, 7) for n in (2, 5)]
    return pd.concat(computed, ignore_index=True), pd.concat(simulated, ignore_index=True)


@functools.cache
def trade_offs() -> pd.DataFrame:
    return amplification.tradeoff_curves(amplification.cells(*batches(), 90, 0.95), np.linspace(0, 1, 9))


# Those of the hospitals, by the names of their files: from states, so that one may draw one state alone.
OF_HOSPITALS: dict[str, Callable[[Sequence[str]], Figure]] = {
    "figure-2": lambda states: figure_2.gains_figure(weekly(states), best(states)),
    "generality": lambda states: generality.ratios_figure(ratios(states)),
    "readings": lambda states: readings_figure.scores_figure(*readings(states)),
    "own-counts": lambda states: own_counts_tables.own_counts_figure(own_counts(states)),
    "own-counts-price": lambda states: average_level_figure.average_level_figure(average_levels(states)),
    "privacy-models": lambda states: privacy_models.prices_figure(
        privacy_models.price_numbers(totals([*contenders()], states), best(states), 0.95)
    ),
}
OF_BATCHES: dict[str, Callable[[], Figure]] = {
    "figure-1": lambda: figure_1.trade_off_figure(trade_offs(), ROUNDS[1]),
    "figure-amplification": lambda: figure_amplification.amplification_figure(
        amplification.by_gap(batches()[1], batches()[0], 1.0, 0.95), ROUNDS[1]
    ),
}
DRAWINGS: dict[str, Callable[[], Figure]] = {
    **{stem: functools.partial(draw, ("NM", "PA", "CA")) for stem, draw in OF_HOSPITALS.items()},
    **OF_BATCHES,
    **{stem: functools.partial(of_claims, stem) for stem, figure in LEDGER.figures.items() if figure.draw},
}
