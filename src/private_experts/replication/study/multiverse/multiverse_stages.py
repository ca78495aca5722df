"""The stages of the multiverse: playing a state's universes, and what they say together."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from private_experts.errors import InputError
from private_experts.replication.files import write_csv
from private_experts.replication.records import data_label, read_records
from private_experts.replication.stage_cli import INPUT, PARAMS, WILDCARD, Config, Output, Stem
from private_experts.replication.stage_parameters import (
    BedColumns,
    Confidence,
    FigureStem,
    FirstWeek,
    LastWeek,
    Learners,
    MendBeds,
    ParticipationColumns,
    PatientColumns,
    PrivacyLevels,
    Product,
    Provenance,
    Reach,
    Reports,
    Seed,
    State,
)

Choices = Annotated[Mapping[str, Any], Config("multiverse.choices"), "Choices and their options."]
Repetitions = Annotated[int, Config("multiverse.repetitions"), "Independent copies of every game."]
Share = Annotated[float, Config("multiverse.share"), "Share of the universes that are played."]


def universes(
    state: State,
    portion: Annotated[int, WILDCARD, "Which portion of the state's universes to play, from 1."],
    portions: Annotated[int, Config("multiverse.portions"), "How many portions there are."],
    states: Annotated[int, PARAMS, "Number of states of the multiverse."],
    reports: Reports,
    effects: Annotated[Output, "Gets the estimates of every universe that the statements need."],
    patients: PatientColumns,
    beds: BedColumns,
    participation: ParticipationColumns,
    first_week: FirstWeek,
    last_week: LastWeek,
    learners: Learners,
    choices: Choices,
    share: Share,
    repetitions: Repetitions,
    privacy_levels: PrivacyLevels,
    confidence: Confidence,
    seed: Seed,
    reach: Reach = 1.0,
    mend_beds: MendBeds = False,
) -> None:
    """Play the universes of one state: the paper's algorithms, and our changes."""
    from private_experts.replication.study.data import hospital_reports as reading
    from private_experts.replication.study.data.cleaning import Cleaning
    from private_experts.replication.study.multiverse import open_choices as choosing
    from private_experts.replication.study.multiverse.effects import of_state

    if not 1 <= portion <= portions:
        raise InputError(f"universes: --portion {portion}: write a number from 1 to {portions}")
    # What the choices vary is set by each universe.
    rules = Cleaning(tuple(patients), tuple(beds), tuple(participation), 0, 0, 0, first_week, last_week, mend_beds)
    table = reading.read(reports, (*rules.patients, *rules.beds, *rules.participation))
    here = choosing.of_state(table, state, rules)
    options = choosing.options(choices, table, rules)
    played = of_state(
        here, options, share, (portion, portions), learners, states=states,
        levels=tuple(privacy_levels), repetitions=repetitions, confidence=confidence, seed=seed, reach=reach,
    )  # fmt: skip
    write_csv(effects, played)


def multiverse(
    effects: Annotated[Sequence[Path], INPUT, "Estimates of every universe, a file for each portion."],
    provenance: Provenance,
    share: Share,
    repetitions: Repetitions,
    confidence: Confidence,
    output: Product,
    variance: Annotated[Stem, "Path without suffix; gets the table of each choice's part of the variance."],
    statements: Annotated[Stem, "Path without suffix; gets one sentence for each statement."],
    figure: FigureStem,
) -> None:
    """Summarise in which universes each statement holds, which choice matters most, and the effect of our changes."""
    from private_experts.replication.plotting import figures, tables
    from private_experts.replication.study.multiverse import decomposition, sentences, universe_shares
    from private_experts.replication.study.multiverse import specification_curve as curve
    from private_experts.replication.study.multiverse.design import count
    from private_experts.replication.study.multiverse.effects import COLUMNS
    from private_experts.replication.study.multiverse.open_choices import CHOICES
    from private_experts.replication.study.multiverse.universe_verdicts import answered

    names = list(CHOICES)
    found = read_records(effects, COLUMNS)
    order = {state: number for number, state in enumerate(found["state"].unique())}
    found = found.assign(order=found["state"].map(order)).sort_values(["order", "universe"], kind="stable")
    if not found["mu"].notna().any():
        raise InputError("multiverse: fewer than 2 hospitals are left in every universe; choose other states")
    # Every option is in every block, so the sizes of the design can be seen in any sample.
    drawn, blocks = count([found[name].nunique() for name in names], share)
    facts = {
        "universes": (played := int(found.groupby("state")["universe"].nunique().max())),
        "all": blocks * (played // drawn),
        "empty": int(found["mu"].isna().sum()),
        "repetitions": repetitions,
        "confidence": 100 * confidence,
    }
    every = answered(found, names)
    label, synthetic = data_label(provenance)
    counted = universe_shares.in_all(every, blocks, confidence)
    tables.write(output, counted, universe_shares.shown(counted), universe_shares.CAPTION.format(**facts), label)
    parts = decomposition.decomposition(every, names, drawn / blocks)
    tables.write(variance, parts, decomposition.shown(parts), decomposition.CAPTION.format(**facts), label)
    told = sentences.sentences(every, parts, blocks, confidence)
    tables.write(statements, told, sentences.shown(told), sentences.CAPTION.format(**facts), label)
    figures.save(curve.draw(every, names), figure, label, synthetic)
