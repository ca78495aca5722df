"""How far the column of patients moves what the readings are scored by, in the one state that has both.

The paper counts confirmed and suspected patients, the study confirmed ones alone. New York's reports have
both columns, and the hospitals here are the same with either.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd

from private_experts.arrays import Array
from private_experts.errors import InputError
from private_experts.replication.study import published
from private_experts.replication.study.choices import Patients
from private_experts.replication.study.data import fetch
from private_experts.replication.study.data.cleaning import Cleaning, clean_all
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.data.synthetic import ADULT_BEDS, CONFIRMED, SUSPECTED
from private_experts.replication.study.hospital_game import Game
from private_experts.replication.study.readings import scores
from private_experts.replication.study.readings.reading_games import (
    TREE_ROWS,
    TREES,
    Strengths,
    by_week,
    family_games,
    followed_at_each_level,
    tree_games,
)
from private_experts.replication.study.readings.scores import OF_LEARNERS, OF_TREES, Statistic, Totals
from private_experts.replication.study.table_2 import readers_table

STATE = "NY"
COLUMNS = dict(zip(get_args(Patients), (CONFIRMED, SUSPECTED), strict=True))
CAPTION = (
    "Table 2 of New York with either column of patients, over {weeks}: ratios of total gains, and gains a "
    "week. The learners are the study's, with {repetitions} repetitions; ± are intervals that hold jointly "
    "for one column at {confidence:g} % (Bonferroni). These reports are the project's own, whichever data "
    "the other tables are of."
)
MOVES_CAPTION = (
    "How far the column of patients moves what each reading is scored by: root mean square of "
    "log(confirmed and suspected / confirmed) over the levels, in New York, {repetitions} repetitions. A "
    "score is the distance from the printed table in the same measure. These reports are the project's own."
)


def clean(
    path: Path,
    patients: Patients,
    suppressed_value: float,
    participation_minimum: float,
    smallest_beds: float,
    mend_beds: bool,
) -> Panel:
    """Return New York's panel by a column of `COLUMNS`."""
    table, _ = fetch.from_pinned(path, (*COLUMNS.values(), ADULT_BEDS))
    weeks = table["collection_week"]
    # Who takes part is asked of one column, so that nothing but the gains differs.
    cleaning = Cleaning(
        (COLUMNS[patients],),
        (ADULT_BEDS,),
        (SUSPECTED,),
        suppressed_value,
        participation_minimum,
        smallest_beds,
        weeks.min(),
        weeks.max(),
        mend_beds,
    )
    panel = clean_all(table, [STATE], cleaning)[0][STATE]
    if len(panel.hospitals) < 2:
        raise InputError(
            f"{path.name}: {len(panel.hospitals)} hospital(s) left after cleaning, and 2 are required; relax "
            "the rules (hospital.participation_minimum, hospital.smallest_beds)"
        )
    return panel


def weekly_gains(
    game: Game,
    chosen: Mapping[str, Sequence[str]],
    windows: Sequence[int],
    strengths: Strengths,
    floors: Sequence[float],
) -> Iterator[pd.DataFrame]:
    """Yield the gains by week of each chosen family, with its triples of strengths, and of the trees."""
    beside = followed_at_each_level(game)
    for family, names in chosen.items():
        triples = {name: strengths[name] for name in names}
        yield by_week(family_games(game, beside, family, windows, triples, floors)).assign(family=family)
    yield by_week(tree_games(game)).assign(family=TREE_ROWS)


def moves(
    weekly: Mapping[str, pd.DataFrame],
    readings: pd.DataFrame,
    windows: Sequence[int],
    strengths: Strengths,
    levels: Sequence[float],
) -> pd.DataFrame:
    """Return how far each row of the table of readings moves; `weekly` has the gains of each column."""
    both = pd.concat([table.assign(state=patients) for patients, table in weekly.items()])
    totals = {
        str(family): Totals(part, block=1, resamples=0, seed=0) for family, part in both.groupby("family")
    }
    rows = []
    for reading in readings.dropna(subset="family").to_dict("records"):
        family, name, floor = (str(reading[key]) for key in ("family", "strengths", "floor"))
        listed = _listed(OF_LEARNERS, levels)
        ours = [
            scores.of_learners(totals[family], of_column, windows, strengths[name], name, floor)
            for of_column in listed.values()
        ]
        rows.append({"what": reading["what"], "floor": floor, **_moved(ours, listed, OF_LEARNERS)})
    for tree in TREES:
        listed = _listed(OF_TREES, levels)
        ours = [scores.of_trees(totals[TREE_ROWS], of_column, tree) for of_column in listed.values()]
        rows.append({"what": f"tree: {tree}", "floor": "", **_moved(ours, listed, OF_TREES)})
    return pd.DataFrame(rows, columns=["what", "floor", "moved", *OF_LEARNERS, *OF_TREES])


def _listed(groups: Sequence[str], levels: Sequence[float]) -> dict[str, list[Statistic]]:
    """Return by column the statistics that are printed of one state, as if they were of New York's."""
    printed = scores.statistics(groups, [next(iter(published.HOSPITALS))], levels)
    return {patients: [one._replace(state=patients) for one in printed] for patients in COLUMNS}


def _moved(
    ours: Sequence[Array], listed: Mapping[str, Sequence[Statistic]], groups: Sequence[str]
) -> dict[str, float]:
    """Return root mean squares of log(second column / first column), of all groups together and of each."""
    logs = np.log(ours[1] / ours[0])
    patients, statistics = next(iter(listed.items()))
    parts = {"moved": groups} | {group: [group] for group in groups}
    return {name: float(scores.score(logs, statistics, part, [patients])[0]) for name, part in parts.items()}


def by_column_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return Table 2 by either column for readers."""
    readable = readers_table(table)
    readable.insert(0, "patients", table["patients"])
    return readable


def moves_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return the moves for readers."""
    numbers = table.select_dtypes("number").map(lambda value: "" if math.isnan(value) else f"{value:.3f}")
    return table.assign(**numbers).rename(columns={"what": "reading"})
