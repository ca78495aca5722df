"""From wherever the reports are to one panel a state."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from private_experts.errors import InputError
from private_experts.files import write_text
from private_experts.records import read_table
from private_experts.stages.shared import data_label


def reports(
    source: str,
    output: Path,
    provenance: Path,
    columns: Sequence[str],
    file: Path | None = None,
    cache: Path | None = None,
    query: str = "{}",
    sha256: str | None = None,
    states: Sequence[str] = (),
    weeks: int = 148,
    seed: int = 1,
) -> None:
    """Get hospital reports from wherever the config says, in one format, with their provenance."""
    from private_experts.hospital import healthdata
    from private_experts.hospital import source as sources

    wanted = tuple(dict.fromkeys(columns))
    if source == "file":
        if file is None:
            raise InputError("reports: --source file needs --file")
        table, origin = sources.from_file(file, wanted)
    elif source == "synthetic":
        table, origin = sources.from_generator(tuple(states), weeks, seed)
    else:
        if cache is None:
            raise InputError(f"reports: --source {source} needs --cache")
        try:
            asked = healthdata.Query(columns=("hospital_pk", "collection_week", "state", *wanted), **json.loads(query))
        except (ValueError, TypeError) as error:
            raise InputError(f"reports: --query is not the JSON of a query ({error})") from error
        try:
            table, origin = sources.from_healthdata(asked, cache, sha256)
        except healthdata.Unreachable as error:
            if source == "healthdata":
                raise
            print(f"{error}; going on with SYNTHETIC data", file=sys.stderr)
            table, origin = sources.from_generator(tuple(states), weeks, seed)
    write_text(output, table.to_csv(index=False, lineterminator="\n"))
    write_text(provenance, json.dumps(sources.describe(table, origin), indent=1) + "\n")


def panels(
    reports: Path,
    states: Sequence[str],
    folder: Path,
    quality: Path,
    required: Sequence[str] = (),
    **rules: Any,
) -> None:
    """Clean the reports to one panel a state, and count every repair."""
    import pandas as pd

    from private_experts.hospital import cleaning, panel
    from private_experts.hospital import reports as reading

    frozen: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in rules.items()}
    asked = cleaning.Cleaning(**frozen)
    table = reading.read(reports, (*asked.patients, *asked.beds, *asked.participation))
    present = sorted(table["state"].unique())
    for state in required:
        if state not in present:
            raise InputError(f"hospital.states: {state} is not in the data; it has {', '.join(present)}")
    cleaned, records = cleaning.clean_all(table, states, asked, required)
    for record in records:
        if record.state in required and record.hospitals < 2:
            raise InputError(
                f"hospital.states: {record.state} has {record.hospitals} hospital(s) left after cleaning and a choice "
                f"needs 2 ({record.left_out_participation} hardly take part, {record.left_out_no_beds} tell no beds, "
                f"{record.left_out_small} are too small); take another state or relax the rules"
            )
    for state in states:
        panel.write(folder / f"{state}.csv", cleaned[state])
    write_text(quality, pd.DataFrame([record.row() for record in records]).to_csv(index=False, lineterminator="\n"))


def quality(quality: Path, provenance: Path, output: Path) -> None:
    """Write the table of repairs."""
    from private_experts.report import tables

    table = read_table(quality)
    figures = table.set_index("state").select_dtypes("number")
    shown = figures.loc[:, (figures != 0).any()].reset_index()
    shown.columns = [str(name).replace("_", " ") for name in shown]
    tables.write(
        output, table, shown, "What the reports had, and how often each repair was made.", data_label(provenance)[0]
    )
