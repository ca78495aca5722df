"""The stages of the data: from reports to panels, and what is counted on the way."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from private_experts.errors import InputError
from private_experts.replication.files import write_csv, write_text
from private_experts.replication.plotting.data_label import data_label
from private_experts.replication.records import read_json, read_table
from private_experts.replication.stage_cli import (
    FLAGS,
    INPUT,
    PARAMS,
    Config,
    Folder,
    Output,
)
from private_experts.replication.study.choices import Kind
from private_experts.replication.study.formats import EXPOSURE, QUALITY
from private_experts.replication.study.stage_parameters import (
    Adjacency,
    BedColumns,
    CarriedWeeks,
    FirstWeek,
    LastWeek,
    MendBeds,
    ParticipationColumns,
    ParticipationMinimum,
    PatientColumns,
    PrivacyLevels,
    Product,
    Provenance,
    Reach,
    Reports,
    SmallestBeds,
    SuppressedValue,
)


def reports(
    source: Annotated[Kind, FLAGS, "Where they come from."],
    columns: Annotated[Sequence[str], FLAGS, "Columns to keep."],
    output: Annotated[Output, "Gets the reports, as CSV in one format."],
    provenance: Annotated[Output, "Gets the record of their provenance."],
    first_week: FirstWeek,
    last_week: LastWeek,
    patients: PatientColumns,
    beds: BedColumns,
    participation: ParticipationColumns,
    carried_weeks: CarriedWeeks = 4,
    paper: Annotated[Path | None, PARAMS, "Folder of the products, which gets this record as well."] = None,
    kept: Annotated[Sequence[str], PARAMS, "States whose reports are written, all by default."] = (),
    file: Annotated[Path | None, FLAGS, "CSV of reports, plain or gzipped."] = None,
    sha256: Annotated[str | None, FLAGS, "Checksum that the file must have."] = None,
    download: Annotated[str | None, FLAGS, "What to download, as JSON."] = None,
    cache: Annotated[Path, FLAGS, "Folder of downloads."] = Path("build/downloads"),
    states: Annotated[Sequence[str], FLAGS, "States of synthetic data."] = (),
    weeks: Annotated[int, FLAGS, "Weeks of synthetic data."] = 148,
    seed: Annotated[int, FLAGS, "Seed of synthetic data."] = 1,
) -> None:
    """Get hospital reports from the pinned file, another file, a download, or a generator."""
    from private_experts.replication.study.data import fetch
    from private_experts.replication.study.data.hospital_reports import NAMES, within
    from private_experts.replication.study.data.overwrite_guard import announce, check
    from private_experts.replication.study.data.query import parse
    from private_experts.replication.study.data.remarks import remarks

    if source == "synthetic":
        table, origin = fetch.from_generator(states, weeks, seed)
    elif source == "healthdata":
        if download is None:
            raise InputError("reports: --source healthdata needs --download")
        table, origin = fetch.from_service(parse(download), cache)
    elif file is None:
        raise InputError(f"reports: --source {source} needs --file")
    else:
        table, origin = (fetch.from_pinned if source == "pinned" else fetch.from_file)(file, columns)
    # Planned for one content, run on another: its results would stand under a wrong label.
    if sha256 and origin["sha256"] != sha256:
        raise InputError(f"{file}: has changed since the run began; start it again")
    # only now is the content of a download known
    check(origin, filter(None, (provenance.parent.parent, paper)))
    # Weeks that no game is played on would stand in the label of every table.
    rules = {"patients": patients, "beds": beds, "participation": participation}
    inside = within(table, first_week, last_week)
    described = fetch.describe(inside, origin, rules)
    used = described["columns_used"]
    described["remarks"], described["new_ids"] = remarks(
        inside, used["patients"], used["beds"], carried_weeks
    )
    if outside := len(table) - len(inside):
        what = f"of weeks outside {first_week} to {last_week} (hospital.first_week, hospital.last_week)"
        described["remarks"][what] = [f"{outside} of {len(table)} rows"]
    announce(described, paper)
    # Of the studied states alone, since each scenario reads them again; all if none is there, so that panels
    # can name some.
    studied = table["state"].isin(kept)
    kept_rows = table[studied] if studied.any() else table
    write_csv(output, kept_rows.drop(columns=[*NAMES], errors="ignore"))
    write_text(provenance, json.dumps(described, indent=1, allow_nan=False) + "\n")


def panels(
    reports: Reports,
    states: Annotated[Sequence[str], PARAMS, "States to clean."],
    required: Annotated[Sequence[str], Config("hospital.states"), "States that must have usable reports."],
    folder: Annotated[Folder, "Gets a CSV for each state."],
    quality: Annotated[Output, "Gets the counts of repairs."],
    suppression: Annotated[
        Output, "Gets the effect of suppressed and missing figures on the privacy of each panel."
    ],
    patients: PatientColumns,
    beds: BedColumns,
    participation: ParticipationColumns,
    suppressed_value: SuppressedValue,
    participation_minimum: ParticipationMinimum,
    smallest_beds: SmallestBeds,
    first_week: FirstWeek,
    last_week: LastWeek,
    carried_weeks: CarriedWeeks = 4,
    mend_beds: MendBeds = False,
) -> None:
    """Clean reports to one panel (weeks x hospitals) for each state, and count every repair."""
    from dataclasses import asdict

    import pandas as pd

    from private_experts.replication.study.data import cleaning, panel
    from private_experts.replication.study.data import hospital_reports as reading

    rules = cleaning.Cleaning(
        tuple(patients),
        tuple(beds),
        tuple(participation),
        suppressed_value,
        participation_minimum,
        smallest_beds,
        first_week,
        last_week,
        mend_beds,
        carried_weeks,
    )
    table = reading.read(reports, (*rules.patients, *rules.beds, *rules.participation))
    present = sorted(table["state"].unique())
    for state in required:
        if state not in present:
            raise InputError(
                f"hospital.states: {state} is not in the data; others are, as {', '.join(present)}"
            )
    cleaned, records = cleaning.clean_all(table, states, rules, required)
    for record in records:
        if record.doubts:
            key = "hospital.states" if record.state in required else "generality.states"
            raise InputError(f"{record.state}: {record.doubts[0]}, or list {key} without {record.state}")
        if record.state in required and record.hospitals < 2:
            raise InputError(
                f"hospital.states: {record.state} has {record.hospitals} hospital(s) left after cleaning, "
                f"and 2 are required ({record.left_out_participation} hardly take part, "
                f"{record.left_out_no_beds} report no beds, {record.left_out_small} are too small); choose "
                "another state or relax the rules"
            )
    for state in states:
        panel.write(folder / f"{state}.csv", cleaned[state])
    write_csv(quality, pd.DataFrame([record.row() for record in records]))
    write_csv(
        suppression, pd.DataFrame([{"state": record.state, **asdict(record.exposure)} for record in records])
    )


def quality(
    quality: Annotated[Path, INPUT, "Counts of repairs, as the stage panels wrote them."],
    provenance: Provenance,
    output: Product,
) -> None:
    """Write the table of repairs."""
    from private_experts.replication.plotting import tables
    from private_experts.replication.study.data import quality as report

    every = read_table(quality, QUALITY)
    new_ids = read_json(provenance, ("new_ids",))["new_ids"]
    counts = [new_ids.get(state, 0) for state in every["state"]]
    every.insert([*every].index("hospitals"), "new_ids", counts)
    table = every[every["rows"] > 0]
    caption = report.CAPTION.format(absent=len(every) - len(table))
    tables.write(output, table, report.quality_table(table), caption, data_label(provenance)[0])


def suppression(
    suppression: Annotated[Path, INPUT, "Effect of suppression on each panel, as the stage panels wrote it."],
    provenance: Provenance,
    output: Product,
    privacy_levels: PrivacyLevels,
    states: Annotated[Sequence[str], Config("hospital.states"), "States of the study."],
    adjacency: Adjacency = "move",
    reach: Reach = 1.0,
) -> None:
    """Write the table of the true privacy levels where figures are suppressed."""
    from private_experts.replication.plotting import tables
    from private_experts.replication.study.data import suppression as report

    found = read_table(suppression, EXPOSURE).set_index("state").loc[list(states)].reset_index()
    table = report.reach_numbers(found, privacy_levels, adjacency, reach)
    caption = report.CAPTION + report.DERIVED * (reach == "derived")
    tables.write(output, table, report.reach_table(table), caption, data_label(provenance, states)[0])
