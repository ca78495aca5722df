"""The stages of the hospital study: from reports to panels, games, and the tables and figures about them."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from private_experts.errors import InputError
from private_experts.replication.choices import Kind
from private_experts.replication.command_line import FLAGS, PARAMS, WILDCARD, Config, Folder, Output
from private_experts.replication.files import write_csv, write_text
from private_experts.replication.formats import CURVES, EXPOSURE, QUALITY, TOTALS
from private_experts.replication.given import (
    Adjacency,
    Panels,
    PrivacyLevels,
    Product,
    Provenance,
    Reach,
    Repetitions,
    Seed,
    TotalsFile,
)
from private_experts.replication.hospital.loading import read_game
from private_experts.replication.records import data_label, read_table


def reports(
    source: Annotated[Kind, FLAGS],
    columns: Annotated[Sequence[str], FLAGS],
    output: Output,
    provenance: Output,
    file: Annotated[Path | None, FLAGS] = None,
    cache: Annotated[Path | None, FLAGS] = None,
    query: Annotated[str, FLAGS] = "{}",
    sha256: Annotated[str | None, FLAGS] = None,
    states: Annotated[Sequence[str], FLAGS] = (),
    weeks: Annotated[int, FLAGS] = 148,
    seed: Annotated[int, FLAGS] = 1,
) -> None:
    """Get hospital reports: from a file, the public data set, or a generator.

    Parameters
    ----------
    output
        Gets the reports, as CSV in one format.
    provenance
        Gets the record of where they come from.
    source
        Where they come from; "auto" is a download, or synthetic data if the network cannot be reached and the
        results here do not rest on a download.
    columns
        Columns to keep.
    file
        CSV of reports, plain or gzipped.
    cache
        Where a download is kept.
    query
        What to download, as JSON.
    sha256
        Checksum that a download must have.
    states
        States of synthetic data.
    weeks
        Weeks of synthetic data.
    seed
        Seed of synthetic data.
    """
    from private_experts.replication.hospital import source as sources
    from private_experts.replication.hospital import standing
    from private_experts.replication.hospital.answers import Unreachable
    from private_experts.replication.hospital.portal import Query
    from private_experts.replication.hospital.reports import IDENTITY

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
            asked = Query(columns=(*IDENTITY, *wanted), **json.loads(query))
        except (ValueError, TypeError) as error:
            raise InputError(f"reports: --query is not the JSON of a query ({error})") from error
        try:
            table, origin = sources.from_healthdata(asked, cache, sha256)
        except Unreachable as error:
            if source == "healthdata":
                raise
            try:
                standing.keep(sources.Source("synthetic"), provenance.parent.parent)
            except InputError as refusal:
                raise InputError(f"{error}; {refusal}") from None
            print(f"{error}; going on with SYNTHETIC data", file=sys.stderr)
            table, origin = sources.from_generator(tuple(states), weeks, seed)
    write_csv(output, table)
    write_text(provenance, json.dumps(sources.describe(table, origin), indent=1) + "\n")


def panels(
    reports: Path,
    states: Annotated[Sequence[str], PARAMS],
    required: Annotated[Sequence[str], Config("hospital.states")],
    folder: Folder,
    quality: Output,
    suppression: Output,
    patients: Annotated[Sequence[str], Config("hospital.columns.patients")],
    beds: Annotated[Sequence[str], Config("hospital.columns.beds")],
    participation: Annotated[Sequence[str], Config("hospital.columns.participation")],
    suppressed_value: Annotated[float, Config("hospital.suppressed_value")],
    participation_minimum: Annotated[float, Config("hospital.participation_minimum")],
    smallest_beds: Annotated[float, Config("hospital.smallest_beds")],
    first_week: Annotated[str, Config("hospital.first_week")],
    last_week: Annotated[str, Config("hospital.last_week")],
) -> None:
    """Clean reports to one panel (weeks x hospitals) for each state, and count every repair.

    Parameters
    ----------
    folder
        Gets a CSV for each state.
    quality
        Gets the counts of repairs.
    suppression
        Gets what suppressed and missing figures do to the privacy of each panel.
    reports
        CSV of reports.
    states
        States to clean.
    required
        States that must have usable reports.
    patients
        Columns of patients, in order of preference.
    beds
        Columns of beds, in order of preference.
    participation
        Columns that tell who takes part, in order of preference.
    suppressed_value
        The number to use for a suppressed patient figure.
    participation_minimum
        Hospitals whose participation sums to less are left out.
    smallest_beds
        Hospitals that ever have fewer beds are left out.
    first_week
        First week of the study (ISO date).
    last_week
        Last week of the study (ISO date).
    """
    from dataclasses import asdict

    import pandas as pd

    from private_experts.replication.hospital import cleaning, panel
    from private_experts.replication.hospital import reports as reading

    asked = cleaning.Cleaning(
        tuple(patients), tuple(beds), tuple(participation),
        suppressed_value, participation_minimum, smallest_beds, first_week, last_week,
    )  # fmt: skip
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
                f"needs 2 ({record.left_out_participation} hardly take part, {record.left_out_no_beds} report no beds, "
                f"{record.left_out_small} are too small); take another state or relax the rules"
            )
    for state in states:
        panel.write(folder / f"{state}.csv", cleaned[state])
    write_csv(quality, pd.DataFrame([record.row() for record in records]))
    write_csv(suppression, pd.DataFrame([{"state": each.state, **asdict(each.exposure)} for each in records]))


def quality(quality: Path, provenance: Provenance, output: Product) -> None:
    """Write the table of repairs.

    Parameters
    ----------
    quality
        Counts of repairs, as the stage panels wrote them.
    """
    from private_experts.replication.drawing import tables

    table = read_table(quality, QUALITY)
    figures = table.set_index("state").select_dtypes("number")
    shown = figures.loc[:, (figures != 0).any()].reset_index()
    shown.columns = [str(name).replace("_", " ") for name in shown]
    caption = "What the reports contained, and how often each repair was made."
    tables.write(output, table, shown, caption, data_label(provenance)[0])


def suppression(
    suppression: Path,
    provenance: Provenance,
    output: Product,
    privacy_levels: PrivacyLevels,
    states: Annotated[Sequence[str], Config("hospital.states")],
    adjacency: Adjacency = "move",
    reach: Reach = 1.0,
) -> None:
    """Write the table of what the privacy levels really are, where figures are suppressed.

    Parameters
    ----------
    suppression
        What suppression does to each panel, as the stage panels wrote it.
    states
        States of the study.
    """
    from private_experts.replication.drawing import tables
    from private_experts.replication.hospital import suppression as report

    found = read_table(suppression, EXPOSURE).set_index("state").loc[list(states)].reset_index()
    table = report.numbers(found, privacy_levels, adjacency, reach)
    tables.write(output, table, report.shown(table), report.CAPTION, data_label(provenance)[0])


def games(
    algorithm: Annotated[str, WILDCARD],
    panels: Panels,
    totals: TotalsFile,
    curves: Output,
    privacy_levels: PrivacyLevels,
    repetitions: Repetitions,
    seed: Seed,
    adjacency: Adjacency = "move",
    reach: Reach = 1.0,
    settings: Annotated[str, FLAGS] = "{}",
) -> None:
    """Play one of the players on the panels of some states.

    Parameters
    ----------
    algorithm
        A module of hospital/players, such as rw-meta.
    curves
        Gets the mean cumulative gain by week, and its standard deviation over the repetitions.
    settings
        The sections of the config that the player asks for, as JSON.
    """
    from private_experts.replication.hospital import players
    from private_experts.replication.hospital.game import LEARNER

    names = [panel.stem for panel in panels]
    if twice := next((panel for panel in panels if names.count(panel.stem) > 1), None):
        raise InputError(
            f"games: --panels: {twice.stem} is given twice; a file is named after its state, so give one each"
        )
    player = players.module(algorithm)
    asked = _settings(settings, players.sections(algorithm))
    total_rows, curve_rows = [",".join(TOTALS)], [",".join(CURVES)]
    for panel in panels:
        state = panel.stem
        match = read_game(panel, state, privacy_levels, repetitions, seed, adjacency, reach)
        for each in player.play(match, **asked) if match.gains.shape[1] > 1 else []:
            if each.algorithm not in player.SHOWN and not each.algorithm.startswith(LEARNER):
                raise InputError(
                    f"hospital/players: {algorithm} plays {each.algorithm!r}, which its SHOWN does not name"
                )
            name = f"{state},{each.algorithm},{each.mu!r}"
            sums = each.earned.sum(axis=0).tolist()
            total_rows += [
                f"{name},{r},{s!r},{n}" for r, (s, n) in enumerate(zip(sums, each.switches.tolist(), strict=True))
            ]
            mean = each.earned.mean(axis=1).cumsum().tolist()
            spread = each.earned.cumsum(axis=0).std(axis=1, ddof=1).tolist()
            curve_rows += [
                f"{name},{week},{gain!r},{s!r}"
                for week, (gain, s) in enumerate(zip(mean, spread, strict=True), start=1)
            ]
    write_text(totals, "\n".join(total_rows) + "\n")
    write_text(curves, "\n".join(curve_rows) + "\n")


def _settings(text: str, sections: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
    """Return the sections of the config that a player asks for; refuse other ones."""
    try:
        settings = json.loads(text)
    except ValueError as error:
        raise InputError(f"games: --settings is not JSON ({error})") from error
    if not isinstance(settings, dict) or not all(isinstance(each, dict) for each in settings.values()):
        raise InputError("games: --settings is not a JSON object of sections of the config")
    if settings.keys() != set(sections):
        raise InputError(f"games: --settings has sections {sorted(settings)}; this player asks for {sorted(sections)}")
    return settings
