"""The stages of the study of readings: playing a family's readings, and the rule that chooses among all."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from private_experts.errors import InputError
from private_experts.replication.files import write_csv, write_text
from private_experts.replication.plotting.data_label import data_label
from private_experts.replication.records import read_records, read_table
from private_experts.replication.stage_cli import INPUT, WILDCARD, Config, Output, Stem
from private_experts.replication.study.choices import Patients
from private_experts.replication.study.formats import ANSWERS, COLUMN_WEEKLY, READINGS, TOTALS, WEEKLY
from private_experts.replication.study.stage_parameters import (
    Adjacency,
    Confidence,
    FigureStem,
    Learners,
    MendBeds,
    Panels,
    ParticipationMinimum,
    PrivacyLevels,
    Product,
    Provenance,
    Reach,
    Repetitions,
    Reports,
    Seed,
    SmallestBeds,
    SuppressedValue,
    TotalsFile,
)

Settings = Annotated[Mapping[str, Any], Config("readings"), "The section readings of the config."]
Chosen = Annotated[Path, INPUT, "Table of readings, with the settings of each kind that score least."]


def readings_played(
    panels: Panels,
    privacy_levels: PrivacyLevels,
    readings: Settings,
    windows: Annotated[Sequence[int], Config("learners.windows"), "Windows of the learners, in weeks."],
    adjacency: Adjacency,
    confidence: Confidence,
    seed: Seed,
    weekly: Annotated[Output, "Gets the mean gain of every week, by family of learners, and of trees."],
    answers: Annotated[Output, "Gets what the statements about Table 2 answer, by family."],
    reach: Reach = 1.0,
) -> None:
    """Play every reading of every family, and every tree."""
    import pandas as pd

    from private_experts.replication.study.data.panel import read_panels
    from private_experts.replication.study.hospital_game import game
    from private_experts.replication.study.readings import reading_games

    strengths, floors = readings["strengths"], readings["floors"]
    parts: list[Any] = []
    games: dict[str, Any] = {}
    totals: dict[str, dict[str, Any]] = {family: {} for family in readings["families"]}
    for state, panel in read_panels(panels).items():
        for name in reading_games.PERIODS:
            part = reading_games.period(panel, name)
            if part.density.shape[1] < 2 or not part.weeks:
                continue
            match = game(part, state, privacy_levels, readings["repetitions"], seed, adjacency, reach)
            trees = list(reading_games.tree_games(match))
            parts.append(
                reading_games.by_week(trees).assign(family=reading_games.TREE_ROWS, state=state, period=name)
            )
            if name == reading_games.FIRST:  # learners' games are those of all weeks, stopped
                continue
            beside = reading_games.followed_at_each_level(match)
            for family in readings["families"]:
                plays = list(reading_games.family_games(match, beside, family, windows, strengths, floors))
                parts.append(reading_games.by_week(plays).assign(family=family, state=state, period=name))
                if name == reading_games.PERIODS[0]:
                    games[state] = match
                    totals[family][state] = {
                        (mu, algorithm): gains.sum(axis=0) for mu, algorithm, gains in plays
                    }
    if not parts:
        raise InputError("readings: no state has 2 hospitals; choose other states")
    write_csv(weekly, pd.concat(parts, ignore_index=True))
    others = {state: reading_games.others(match) for state, match in games.items()}
    answered = [
        reading_games.answers_of_family(found, others, games, windows, strengths, floors, confidence).assign(
            family=family
        )
        for family, found in totals.items()
    ]
    write_csv(answers, pd.concat(answered, ignore_index=True))


def readings(
    weekly: Annotated[Path, INPUT, "Mean gains by week, by family, and of trees."],
    answers: Annotated[Path, INPUT, "What statements answer, by family."],
    provenance: Provenance,
    readings: Settings,
    learners: Learners,
    privacy_levels: PrivacyLevels,
    confidence: Confidence,
    seed: Seed,
    output: Product,
    every: Annotated[Stem, "Path without suffix; gets the scores of every reading."],
    statements: Annotated[Stem, "Path without suffix; gets what becomes of the statements about Table 2."],
    figure: FigureStem,
) -> None:
    """Score every reading against the printed table, and choose one by the rule."""
    from private_experts.replication.plotting import figures
    from private_experts.replication.plotting import tables as writing
    from private_experts.replication.study.readings import readings_figure as drawing
    from private_experts.replication.study.readings import readings_tables
    from private_experts.replication.study.readings.reading_games import PERIODS, of_period

    games = _by_family(weekly, WEEKLY)
    resampling = readings["block"], readings["resamples"], seed
    periods = {}
    for name in PERIODS:
        periods[name] = readings_tables.scored(
            {family: of_period(table, name) for family, table in games.items()},
            learners["windows"],
            readings["strengths"],
            readings["floors"],
            privacy_levels,
            resampling,
        )
    whole = periods[PERIODS[0]]
    states = {str(state) for table in games.values() for state in table["state"].unique()}
    label, synthetic = data_label(provenance, sorted(states))
    kinds = readings_tables.by_kind(periods, confidence)
    caption = readings_tables.CAPTION.format(
        repetitions=readings["repetitions"],
        block=readings["block"],
        confidence=100 * confidence,
        sentence=readings_tables.sentence(whole, learners, readings["strengths"]),
    )
    writing.write(output, kinds, readings_tables.shown_by_kind(kinds), caption, label)
    answered = _by_family(answers, ANSWERS)
    found = readings_tables.every(periods, answered)
    writing.write(
        every, found, readings_tables.every_reading_table(found), readings_tables.ALL_CAPTION, label
    )
    counts = readings_tables.of_statements(answered, whole)
    writing.write(
        statements,
        counts,
        readings_tables.shown_statements(counts),
        readings_tables.STATEMENTS_CAPTION,
        label,
    )
    figures.save(drawing.scores_figure(kinds, whole), figure, label, synthetic)


def _by_family(path: Path, columns: Sequence[str]) -> dict[str, Any]:
    return {str(family): rows for family, rows in read_records([path], columns).groupby("family", sort=False)}


def columns_played(
    patients: Annotated[Patients, WILDCARD, "Who is counted."],
    reports: Reports,
    chosen: Chosen,
    privacy_levels: PrivacyLevels,
    readings: Settings,
    learners: Learners,
    repetitions: Repetitions,
    seed: Seed,
    suppressed_value: SuppressedValue,
    participation_minimum: ParticipationMinimum,
    smallest_beds: SmallestBeds,
    panel: Annotated[Output, "Gets the panel."],
    weekly: Annotated[Output, "Gets the mean gain of every week, by family of learners, and of trees."],
    totals: TotalsFile,
    adjacency: Adjacency = "move",
    reach: Reach = 1.0,
    mend_beds: MendBeds = False,
) -> None:
    """Play New York by one column of patients: each kind's learners, the trees, and Table 2."""
    import pandas as pd

    from private_experts.replication.study.data.panel import write
    from private_experts.replication.study.hospital_game import game
    from private_experts.replication.study.players import rw_ftpl, rw_meta, tree_ftpl
    from private_experts.replication.study.readings import patient_columns as study

    densities = study.clean(
        reports, patients, suppressed_value, participation_minimum, smallest_beds, mend_beds
    )
    write(panel, densities)
    match = game(densities, study.STATE, privacy_levels, repetitions, seed, adjacency, reach)
    kinds = read_table(chosen, READINGS).dropna(subset="family").groupby("family", sort=False)
    families = {str(family): list(dict.fromkeys(rows["strengths"])) for family, rows in kinds}
    played = study.weekly_gains(
        match, families, learners["windows"], readings["strengths"], readings["floors"]
    )
    write_csv(weekly, pd.concat(played, ignore_index=True))
    plays = [*rw_meta.play(match, learners), *rw_ftpl.play(match), *tree_ftpl.play(match)]
    rows = [row for play in plays for row in play.total_rows(study.STATE)]
    write_text(totals, "\n".join([",".join(TOTALS), *rows]) + "\n")


def patient_columns(
    reports: Reports,
    chosen: Chosen,
    panels: Panels,
    weekly: Annotated[Sequence[Path], INPUT, "Mean gains by week, a file for each column."],
    totals: Annotated[Sequence[Path], INPUT, "Total gains, a file for each column."],
    privacy_levels: PrivacyLevels,
    readings: Settings,
    learners: Learners,
    confidence: Confidence,
    output: Product,
    moves: Annotated[Stem, "Path without suffix; gets how far each reading's statistics move."],
) -> None:
    """Write Table 2 of New York by either column of patients, and how far that moves what is scored."""
    import pandas as pd

    from private_experts.replication.plotting import tables as writing
    from private_experts.replication.study.data import fetch
    from private_experts.replication.study.data.panel import best_hospital, read_panels
    from private_experts.replication.study.estimates import caption_facts
    from private_experts.replication.study.readings import patient_columns as study
    from private_experts.replication.study.table_2 import cells

    parts = []
    for path, panel in zip(totals, panels, strict=True):
        games, by_state = read_records([path], TOTALS), read_panels([panel])
        weeks, hospitals = by_state[study.STATE].density.shape
        found = cells(games, best_hospital(by_state), confidence, central=())
        words = path.parent.name.replace("-", " ")
        parts.append(found.assign(patients=words, weeks=weeks, hospitals=hospitals))
    table = pd.concat(parts, ignore_index=True)
    label = fetch.describe(*fetch.from_pinned(reports, ()))["label"]
    facts = caption_facts(games, by_state, confidence)
    writing.write(output, table, study.by_column_table(table), study.CAPTION.format(**facts), label)
    gains = {path.parent.name: read_records([path], COLUMN_WEEKLY) for path in weekly}
    moved = study.moves(
        gains, read_table(chosen, READINGS), learners["windows"], readings["strengths"], privacy_levels
    )
    writing.write(moves, moved, study.moves_table(moved), study.MOVES_CAPTION.format(**facts), label)
