"""The stages of the study of readings: playing a family's readings, and the rule that chooses among all."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from private_experts.errors import InputError
from private_experts.replication.files import write_csv
from private_experts.replication.plotting.data_label import data_label
from private_experts.replication.records import read_records
from private_experts.replication.stage_cli import INPUT, WILDCARD, Config, Output, Stem
from private_experts.replication.study.formats import ANSWERS, WEEKLY
from private_experts.replication.study.stage_parameters import (
    Adjacency,
    Confidence,
    FigureStem,
    Learners,
    Panels,
    PrivacyLevels,
    Product,
    Provenance,
    Reach,
    Seed,
)

Settings = Annotated[Mapping[str, Any], Config("readings"), "The section readings of the config."]


def readings_played(
    family: Annotated[str, WILDCARD, "A family of learners, or trees."],
    panels: Panels,
    privacy_levels: PrivacyLevels,
    readings: Settings,
    windows: Annotated[Sequence[int], Config("learners.windows"), "Windows of the learners, in weeks."],
    adjacency: Adjacency,
    confidence: Confidence,
    seed: Seed,
    weekly: Annotated[Output, "Gets the mean gain of every week."],
    answers: Annotated[Output, "Gets what the statements about Table 2 answer; of trees nothing."],
    reach: Reach = 1.0,
) -> None:
    """Play every reading of a family, or every tree."""
    import pandas as pd

    from private_experts.replication.study.data.panel import read_panels
    from private_experts.replication.study.hospital_game import game
    from private_experts.replication.study.readings import reading_games

    strengths, floors = readings["strengths"], readings["floors"]
    parts, games, totals = [], {}, {}
    whole: list[tuple[float, str, Any]] = []
    for state, panel in read_panels(panels).items():
        for name in reading_games.PERIODS:
            part = reading_games.period(panel, name)
            if part.density.shape[1] < 2 or not part.weeks:
                continue
            match = game(part, state, privacy_levels, readings["repetitions"], seed, adjacency, reach)
            if family == "trees":
                plays = list(reading_games.tree_games(match))
            elif name == reading_games.FIRST:  # whose games are those of all weeks, stopped
                plays = [(mu, algorithm, gains[: len(part.weeks)]) for mu, algorithm, gains in whole]
            else:
                plays = list(reading_games.family_games(match, family, windows, strengths, floors))
            parts.append(reading_games.by_week(plays).assign(state=state, period=name))
            if name == reading_games.PERIODS[0]:
                whole, games[state] = plays, match
                totals[state] = {(mu, algorithm): gains.sum(axis=0) for mu, algorithm, gains in plays}
    if not parts:
        raise InputError("readings: no state has 2 hospitals; choose other states")
    write_csv(weekly, pd.concat(parts, ignore_index=True))
    found = pd.DataFrame({"strengths": [], "floor": [], "state": [], "mu": []})
    if family != "trees":
        found = reading_games.answers_of_family(totals, games, windows, strengths, floors, confidence)
    write_csv(answers, found)


def readings(
    weekly: Annotated[Sequence[Path], INPUT, "Mean gains by week, a file for each family, and of trees."],
    answers: Annotated[Sequence[Path], INPUT, "What statements answer, a file for each family."],
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
    from private_experts.replication.study.readings.reading_games import PERIODS

    games = {path.name.split(".")[0]: read_records([path], WEEKLY) for path in weekly}
    resampling = readings["block"], readings["resamples"], seed
    periods = {}
    for name in PERIODS:
        of_period = {family: table[table["period"] == name] for family, table in games.items()}
        periods[name] = readings_tables.scored(
            of_period,
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
    answered = {path.name.split(".")[0]: read_records([path], ANSWERS) for path in answers}
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
