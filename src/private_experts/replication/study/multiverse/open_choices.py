"""What each choice changes: the cleaning of a state's reports, the noise, the learners, or the central baseline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import pandas as pd

from private_experts.errors import InputError
from private_experts.replication.choices import Adjacency
from private_experts.replication.study.data import cleaning
from private_experts.replication.study.data.cleaning import Cleaning
from private_experts.replication.study.data.panel import Panel

PATIENTS = "patients"
# Their order numbers the universes, so it does not follow that of a config.
CHOICES = (
    "suppressed_value", "family", "adjacency", "smallest_beds", "participation_minimum", "weeks", "tree_padding",
    "tree_sensitivity", PATIENTS,
)  # fmt: skip
# Those that a panel depends on. Of the others `adjacency` changes the noise, `family` the learners, the rest the tree.
OF_PANELS = ("suppressed_value", "smallest_beds", "participation_minimum", "weeks", PATIENTS)

WEEKS = ("all", "first-half", "second-half")
PADDED, WEEKLY = "padded", "weekly"
KNOWN: Mapping[str, Sequence[str]] = {
    "adjacency": get_args(Adjacency),
    "weeks": WEEKS,
    "tree_padding": (PADDED, "unpadded"),
    "tree_sensitivity": ("largest", WEEKLY),
}


def options(choices: Mapping[str, Sequence[Any]], reports: pd.DataFrame, rules: Cleaning) -> dict[str, list[Any]]:
    """Return the options of all `CHOICES`: those of the config, and the patients' columns that the data has."""
    cleaning.columns(reports, rules)
    if missing := [name for name in CHOICES if name not in (*choices, PATIENTS)]:
        raise InputError(f"multiverse.choices: {missing[0]} is missing; config/schema.yaml explains it")
    for name, known in KNOWN.items():
        if unknown := next((each for each in choices[name] if each not in known), None):
            raise InputError(f"multiverse.choices.{name}: {unknown!r} is unknown; write one of {', '.join(known)}")
    found = {**choices, PATIENTS: _present(rules.patients, reports)}
    return {name: list(found[name]) for name in CHOICES}


def _present(names: Sequence[str], reports: pd.DataFrame) -> list[str]:
    """Return the columns that the data has a figure in."""
    return [name for name in names if name in reports.columns and reports[name].notna().any()]


@dataclass(frozen=True)
class State:
    """A state's reports, and how they become the panel of a universe."""

    name: str
    reports: pd.DataFrame
    weeks: tuple[str, ...]  # in which it reports
    rules: Cleaning
    columns: Mapping[str, str]

    def panel(self, chosen: Mapping[str, Any]) -> Panel:
        """Return the panel of a universe: the study's, with the options of `OF_PANELS` in place of its own rules."""
        weeks = half(self.weeks, chosen["weeks"])
        rules = replace(
            self.rules,
            suppressed_value=chosen["suppressed_value"],
            smallest_beds=chosen["smallest_beds"],
            participation_minimum=chosen["participation_minimum"],
        )
        inside = self.reports[self.reports["collection_week"].isin(weeks)]
        columns = {**self.columns, "patients": chosen[PATIENTS]}
        return cleaning.clean(inside, self.name, weeks, columns, rules, required=False)[0]


def of_state(reports: pd.DataFrame, state: str, rules: Cleaning) -> State:
    """Return a state's reports from those of all states; refuse a window of fewer than two weeks."""
    inside = reports[reports["collection_week"].between(rules.first_week, rules.last_week)]
    if (count := inside["collection_week"].nunique()) < 2:
        raise InputError(
            f"hospital.first_week, hospital.last_week: {count} week(s) of the data are between {rules.first_week} "
            f"and {rules.last_week}; the multiverse needs 2, one for each half"
        )
    ours = inside[inside["state"] == state]
    weeks = tuple(sorted(ours["collection_week"].unique()))
    return State(state, ours, weeks, rules, cleaning.columns(reports, rules))


def half(weeks: Sequence[str], which: str) -> tuple[str, ...]:
    """Return all weeks, the first half or the second half; of an odd number the first half has one more."""
    middle = (len(weeks) + 1) // 2
    return dict(zip(WEEKS, (tuple(weeks), tuple(weeks[:middle]), tuple(weeks[middle:])), strict=True))[which]
