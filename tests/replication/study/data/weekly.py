"""Small tables of reports, written week by week."""

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import pandas as pd

from private_experts.replication.study.data.cleaning import Cleaning, clean_all

NAN = math.nan
WEEKS = ("2021-01-01", "2021-01-08", "2021-01-15", "2021-01-22", "2021-01-29")
LAX = Cleaning(("patients",), ("beds",), ("patients",), 2.0, 0.0, 0.0, "2020-08-07", "2023-06-04")


def week_by_week(hospital, patients, beds, state="NM", weeks=WEEKS):
    """Return one row a week; None for a whole week means no report."""
    columns = ["hospital_pk", "collection_week", "state", "patients", "beds"]
    cells = zip(weeks, patients, beds, strict=False)
    rows = [(hospital, week, state, p, b) for week, p, b in cells if p is not None]
    return pd.DataFrame(rows, columns=columns).astype({"patients": float, "beds": float})


def table(*parts):
    return pd.concat(parts, ignore_index=True)


def clean_nm(reports, cleaning=LAX):
    panels, [quality] = clean_all(reports, ["NM"], cleaning)
    return panels["NM"], quality


# A second hospital that reports ten of a hundred beds every week, so that all weeks are there.
STEADY = week_by_week("990001", [10] * 5, [100] * 5)


def rules_of(hospital: Mapping[str, Any]) -> Cleaning:
    """Return the rules of cleaning that the section `hospital` of a config has."""
    columns = {purpose: tuple(names) for purpose, names in hospital["columns"].items()}
    others = {field.name for field in fields(Cleaning)} - columns.keys()
    return Cleaning(**columns, **{name: hospital[name] for name in others})
