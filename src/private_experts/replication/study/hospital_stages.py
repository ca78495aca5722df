"""The stages of the study: games on panels, what the paper shows of them, and what it leaves open."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

from private_experts.errors import InputError
from private_experts.replication.files import write_text
from private_experts.replication.plotting.data_label import data_label
from private_experts.replication.records import read_records
from private_experts.replication.stage_cli import FLAGS, INPUT, PARAMS, WILDCARD, Config, Output, Stem
from private_experts.replication.study.formats import CURVES, REPORT_NOISE, TOTALS
from private_experts.replication.study.stage_parameters import (
    Adjacency,
    Confidence,
    Curves,
    FigureStem,
    Panels,
    PrivacyLevels,
    Product,
    Provenance,
    Reach,
    Repetitions,
    ReportNoiseFile,
    Seed,
    TableFolder,
    Totals,
    TotalsFile,
)


def games(
    algorithm: Annotated[str, WILDCARD, "A module of study/players, such as rw-meta."],
    panels: Panels,
    totals: TotalsFile,
    curves: Annotated[
        Output, "Gets the mean cumulative gain by week, and its standard deviation over the repetitions."
    ],
    report_noise: ReportNoiseFile,
    privacy_levels: PrivacyLevels,
    repetitions: Repetitions,
    seed: Seed,
    adjacency: Adjacency = "move",
    reach: Reach = 1.0,
    settings: Annotated[
        Mapping[str, Any],
        FLAGS,
        "The sections of the config that the player takes, such as learners.windows=[8].",
    ] = MappingProxyType({}),
) -> None:
    """Play the algorithms of one player on the panels of some states."""
    from private_experts.replication.study import players
    from private_experts.replication.study.hospital_game import LEARNER, check_settings, plays_of

    player = players.module(algorithm)
    check_settings(algorithm, panels, settings)
    found = plays_of(algorithm, panels, privacy_levels, repetitions, seed, adjacency, reach, settings)
    total_rows, curve_rows, noise_rows = ([",".join(names)] for names in (TOTALS, CURVES, REPORT_NOISE))
    for state, plays in found:
        for play in plays:
            if play.algorithm not in player.SHOWN and not play.algorithm.startswith(LEARNER):
                raise InputError(
                    f"study/players: {algorithm} plays {play.algorithm!r}, which is not in its SHOWN"
                )
            name = f"{state},{play.algorithm},{play.mu!r}"
            total_rows += play.total_rows(state)
            mean = play.earned.mean(axis=1).cumsum().tolist()
            spread = play.earned.cumsum(axis=0).std(axis=1, ddof=1).tolist()
            curve_rows += [
                f"{name},{week},{gain!r},{s!r}"
                for week, (gain, s) in enumerate(zip(mean, spread, strict=True), start=1)
            ]
            noise_rows += play.report_noise.rows(name) if play.report_noise else []
    write_text(totals, "\n".join(total_rows) + "\n")
    write_text(curves, "\n".join(curve_rows) + "\n")
    write_text(report_noise, "\n".join(noise_rows) + "\n")


def table_2(
    totals: Totals,
    panels: Panels,
    provenance: Provenance,
    confidence: Confidence,
    output: Product,
) -> None:
    """Write Table 2."""
    from private_experts.replication.plotting import tables
    from private_experts.replication.study import table_2 as report
    from private_experts.replication.study.data.panel import best_hospital, read_panels
    from private_experts.replication.study.estimates import caption_facts
    from private_experts.replication.study.players import central
    from private_experts.replication.study.published import shape_difference
    from private_experts.replication.study.table_2 import cells

    by_state, games = read_panels(panels), read_records(totals, TOTALS)
    shapes = {state: panel.density.shape for state, panel in by_state.items()}
    table = report.table_numbers(cells(games, best_hospital(by_state), confidence, central()), shapes)
    facts = caption_facts(games, by_state, confidence) | {"intervals": table.attrs["intervals"]}
    caption = report.CAPTION.format(**facts)
    differences = [shape_difference(state, *shape) for state, shape in shapes.items()]
    # A panel of another shape than the paper's cannot be compared with its totals: that is said in the
    # caption.
    if any(differences):
        caption += f" Shape of the data: {'; '.join(filter(None, differences))}."
    tables.write(output, table, report.readers_table(table), caption, data_label(provenance, by_state)[0])


def figure_2(
    curves: Curves,
    panels: Panels,
    provenance: Provenance,
    output: Product,
    cell: FigureStem,
    other_kind: Annotated[
        Sequence[Path], INPUT, "Curves of the planner with the other kind of learners, if that was played."
    ] = (),
) -> None:
    """Draw Figure 2, and the cell of its last state that README shows."""
    from private_experts.replication.plotting import figures
    from private_experts.replication.study import figure_2 as report
    from private_experts.replication.study.data.panel import best_hospital, read_panels

    by_week, by_state = read_records(curves, CURVES), read_panels(panels)
    figures.save(
        report.gains_figure(by_week, best_hospital(by_state)), output, *data_label(provenance, by_state)
    )
    *_, (state, panel) = by_state.items()
    other = read_records(other_kind, CURVES) if other_kind else None
    figures.save(report.draw_cell(by_week, panel, state, other), cell, *data_label(provenance, by_state))


def generality(
    totals: Totals,
    panels: Panels,
    provenance: Provenance,
    confidence: Confidence,
    smallest: Annotated[
        int, Config("generality.smallest_number_of_hospitals"), "Number of hospitals that a state must have."
    ],
    output: Product,
    statements: Annotated[Stem, "Path without suffix; gets the counts of states by statement."],
    figure: FigureStem,
) -> None:
    """Write and draw the study on all states with enough hospitals."""
    from private_experts.replication.plotting import figures, tables
    from private_experts.replication.study import generality as report
    from private_experts.replication.study.data.panel import best_hospital, read_panels
    from private_experts.replication.study.estimates import caption_facts
    from private_experts.replication.study.players import central
    from private_experts.replication.study.statements import BANDS, answers, tally
    from private_experts.replication.study.table_2 import cells, table_numbers

    by_state, left_out = report.large_enough(read_panels(panels), smallest)
    if not by_state:
        raise InputError(
            f"generality.smallest_number_of_hospitals: no state has {smallest}; write a smaller number or "
            "add states"
        )
    games = read_records(totals, TOTALS)
    shapes = {state: panel.density.shape for state, panel in by_state.items()}
    table = table_numbers(cells(games, best_hospital(by_state), confidence, central()), shapes)
    answered = answers(table)
    facts = {"states": len(by_state), **left_out, "smallest": smallest, "bands": BANDS}
    facts |= caption_facts(games, by_state, confidence)
    label, synthetic = data_label(provenance, by_state)
    everything = table.merge(answered, on=["state", "mu"])
    tables.write(output, everything, report.ratios_table(table), report.CAPTION.format(**facts), label)
    counts = tally(answered)
    tables.write(
        statements, counts, report.shown_statements(counts), report.STATEMENTS_CAPTION.format(**facts), label
    )
    figures.save(report.ratios_figure(table), figure, label, synthetic)


def sensitivity(
    scenarios: Annotated[
        Sequence[str],
        PARAMS,
        "Scenarios to compare, the study first; games and panels follow in their order.",
    ],
    choices: Annotated[Sequence[str], PARAMS, "The choice that each of the other scenarios varies."],
    totals: Totals,
    panels: Panels,
    provenance: Provenance,
    confidence: Confidence,
    tables: TableFolder,
) -> None:
    """Write the sensitivity table of each choice that the paper leaves open."""
    from private_experts.replication.plotting.tables import write
    from private_experts.replication.study import sensitivity as report
    from private_experts.replication.study.data.panel import best_hospital, read_panels
    from private_experts.replication.study.table_2 import cells

    games_count, panels_count = len(totals) // len(scenarios), len(panels) // len(scenarios)
    compared = {}
    for number, scenario in enumerate(scenarios):
        games = read_records(totals[number * games_count : (number + 1) * games_count], TOTALS)
        by_state = read_panels(panels[number * panels_count : (number + 1) * panels_count])
        compared[scenario] = cells(games, best_hospital(by_state), confidence, central=())
    of_choice = dict(zip(scenarios[1:], choices, strict=True))
    for choice in dict.fromkeys(choices):
        table = report.compare(
            {
                name: scenario_table
                for name, scenario_table in compared.items()
                if name == scenarios[0] or of_choice[name] == choice
            }
        )
        caption = report.CAPTION.format(choice=choice, repetitions=games["repetition"].max() + 1)
        write(
            tables / f"sensitivity-{choice}",
            table,
            report.changes_table(table),
            caption,
            data_label(provenance, by_state)[0],
        )


def rw_meta_variants(
    totals: Totals,
    panels: Panels,
    provenance: Provenance,
    confidence: Confidence,
    output: Product,
) -> None:
    """Write the table that compares the variants of RW-Meta."""
    from private_experts.replication.plotting import tables
    from private_experts.replication.study import sensitivity as report
    from private_experts.replication.study.data.panel import best_hospital, read_panels
    from private_experts.replication.study.players import central
    from private_experts.replication.study.players.rw_meta import VARIANTS
    from private_experts.replication.study.table_2 import cells

    games, by_state = read_records(totals, TOTALS), read_panels(panels)
    best = best_hospital(by_state)
    table = report.compare({name: cells(games, best, confidence, central(), meta=name) for name in VARIANTS})
    caption = report.CAPTION.format(
        choice="the variant of RW-Meta", repetitions=games["repetition"].max() + 1
    )
    tables.write(output, table, report.changes_table(table), caption, data_label(provenance, by_state)[0])


def privacy_models(
    totals: Totals,
    panels: Panels,
    provenance: Provenance,
    confidence: Confidence,
    output: Product,
    figure: FigureStem,
) -> None:
    """Write and draw all algorithms' gains at equal privacy, by privacy model, and what locality costs."""
    from private_experts.replication.plotting import figures, tables
    from private_experts.replication.study import privacy_models as report
    from private_experts.replication.study.data.panel import best_hospital, read_panels
    from private_experts.replication.study.estimates import caption_facts

    by_state, games = read_panels(panels), read_records(totals, TOTALS)
    table = report.price_numbers(games, best_hospital(by_state), confidence)
    epsilons = report.epsilons(list(dict.fromkeys(table["mu"])))
    caption = report.CAPTION.format(**caption_facts(games, by_state, confidence), epsilons=epsilons)
    label, synthetic = data_label(provenance, by_state)
    tables.write(output, table, report.prices_table(table), caption, label)
    figures.save(report.prices_figure(table), figure, label, synthetic)
