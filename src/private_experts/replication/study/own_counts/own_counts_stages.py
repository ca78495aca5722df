"""The stages of the study of own counts: its games, and their tables and figure."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Annotated, Any

from private_experts.replication.files import write_text
from private_experts.replication.plotting.data_label import data_label
from private_experts.replication.records import read_records, read_table
from private_experts.replication.stage_cli import INPUT, Config, Stem
from private_experts.replication.study.formats import EXPOSURE, REPORT_NOISE, TOTALS
from private_experts.replication.study.stage_parameters import (
    Adjacency,
    Confidence,
    FigureStem,
    Learners,
    Panel,
    Panels,
    PrivacyLevels,
    Product,
    Provenance,
    Reach,
    Repetitions,
    ReportNoiseFile,
    Seed,
    State,
    Totals,
    TotalsFile,
)

Games = Annotated[
    Sequence[Path], INPUT, "Records of the study's games: what is played there is taken from them."
]


def own_count_games(
    state: State,
    panel: Panel,
    games: Games,
    noise: Annotated[
        Sequence[Path], INPUT, "What the study's games tell of the noise in local players' reports."
    ],
    privacy_levels: Annotated[
        Sequence[float], Config("own_counts.privacy_levels"), "Levels mu; inf is no privacy."
    ],
    repetitions: Annotated[int, Config("own_counts.repetitions"), "Independent copies of every game."],
    learners: Learners,
    seed: Seed,
    totals: TotalsFile,
    report_noise: ReportNoiseFile,
    adjacency: Adjacency = "move",
    reach: Reach = 1.0,
) -> None:
    """Play local contenders and a curator's with the paper's noise, and on own counts.

    Whom the study's games have played is taken from there.
    """
    from private_experts.replication.study.data.panel import read
    from private_experts.replication.study.hospital_game import game
    from private_experts.replication.study.own_counts.fixed_beds import play_fixed
    from private_experts.replication.study.own_counts.own_games import play, play_averaged, play_covered
    from private_experts.replication.study.own_counts.shared_games import known_games

    def match(weeks: Any) -> Any:
        return game(weeks, state, privacy_levels, repetitions, seed, adjacency, reach)

    beds = read(panel)
    whole = match(beds)
    rows, noise_rows, plays = [",".join(TOTALS)], [",".join(REPORT_NOISE)], []
    if len(beds.hospitals) > 1:
        known, of_games, of_noise = known_games(games, noise, state, privacy_levels, repetitions)
        rows += of_games
        noise_rows += of_noise
        plays = [
            *play(whole, learners, known=known),
            *play_covered(whole, learners),
            *play_averaged(whole, learners),
            *play_fixed(beds, match, learners),
        ]
    for record in plays:
        rows += record.total_rows(state)
        name = f"{state},{record.algorithm},{record.mu!r}"
        noise_rows += record.report_noise.rows(name) if record.report_noise else []
    write_text(totals, "\n".join(rows) + "\n")
    write_text(report_noise, "\n".join(noise_rows) + "\n")


def own_counts(
    totals: Totals,
    panels: Panels,
    provenance: Provenance,
    confidence: Confidence,
    output: Product,
    locality: Annotated[Stem, "Path without suffix; gets the table of what locality costs on equal terms."],
    suppression: Annotated[
        Stem, "Path without suffix; gets the table of noise that covers suppressed figures."
    ],
    exposure: Annotated[Path, INPUT, "Effect of suppression on each panel, as the stage panels wrote it."],
    price: Annotated[Stem, "Path without suffix; gets the table of what own counts cost."],
    fixed: Annotated[Stem, "Path without suffix; gets the table of own counts on fixed beds."],
    figure: FigureStem,
    price_figure: Annotated[Stem, "Path without suffix; gets the figure of gains at an average level."],
    privacy_levels: PrivacyLevels,
    repetitions: Repetitions,
    seed: Seed,
    adjacency: Adjacency = "move",
    reach: Reach = 1.0,
) -> None:
    """Write and draw what own counts gain, and what locality costs on equal terms."""
    from private_experts.replication.plotting import figures, tables
    from private_experts.replication.plotting.numbers import level
    from private_experts.replication.study.data.panel import best_hospital, read_panels
    from private_experts.replication.study.estimates import caption_facts
    from private_experts.replication.study.hospital_game import game
    from private_experts.replication.study.own_counts import fixed_beds, own_counts_price
    from private_experts.replication.study.own_counts import own_counts_tables as report
    from private_experts.replication.study.own_counts.average_level_figure import (
        at_average,
        average_level_figure,
    )
    from private_experts.replication.study.own_counts.own_games import average_levels

    by_state, games = read_panels(panels), read_records(totals, TOTALS)
    table = report.own_counts_numbers(games, best_hospital(by_state), confidence)
    facts = caption_facts(games, by_state, confidence)
    label, synthetic = data_label(provenance, by_state)
    tables.write(output, table, report.own_counts_table(table), report.CAPTION.format(**facts), label)
    tables.write(
        locality, table, report.locality_table(table), report.LOCALITY_CAPTION.format(**facts), label
    )
    caption = report.SUPPRESSION_CAPTION.format(**facts)
    tables.write(suppression, table, report.suppression_table(table), caption, label)
    figures.save(report.own_counts_figure(table), figure, label, synthetic)
    matches = {
        state: game(panel, state, privacy_levels, repetitions, seed, adjacency, reach)
        for state, panel in by_state.items()
    }
    found = read_table(exposure, EXPOSURE).set_index("state")
    growth = {
        state: {"same": found[f"growth_{adjacency}"][state], "own": found[f"growth_own_{adjacency}"][state]}
        for state in matches
    }
    average = {state: average_levels(match) for state, match in matches.items()}
    costs = own_counts_price.price_numbers(games, average, growth, privacy_levels, confidence)
    ends = {
        name: level(float(costs[f"{of}_mu"].max()))
        for name, of in (("matched", "matched"), ("strongest", "covered"))
        if len(costs)
    } or {"matched": "", "strongest": ""}
    caption = own_counts_price.CAPTION.format(**facts, **ends)
    tables.write(price, costs, own_counts_price.price_table(costs), caption, label)
    in_file = {state: average_levels(match, in_public_file=True) for state, match in matches.items()}
    points = at_average(games, average, in_file, best_hospital(by_state), confidence)
    figures.save(average_level_figure(points), price_figure, label, synthetic)
    beds = fixed_beds.fixed_numbers(games, by_state, confidence)
    caption = fixed_beds.CAPTION.format(**fixed_beds.facts(games, by_state, confidence))
    tables.write(fixed, beds, fixed_beds.fixed_table(beds), caption, label)


def own_counts_elsewhere(
    panels: Panels,
    games: Games,
    provenance: Provenance,
    privacy_levels: Annotated[
        Sequence[float], Config("own_counts.privacy_levels"), "Levels mu; inf is no privacy."
    ],
    repetitions: Annotated[int, Config("own_counts.repetitions"), "Independent copies of every game."],
    smallest: Annotated[
        int, Config("generality.smallest_number_of_hospitals"), "Number of hospitals that a state must have."
    ],
    learners: Learners,
    seed: Seed,
    confidence: Confidence,
    output: Product,
    adjacency: Adjacency = "move",
    reach: Reach = 1.0,
) -> None:
    """Play both mechanisms in the states on which nothing was settled, and write how many agree."""
    import pandas as pd

    from private_experts.replication.plotting import tables
    from private_experts.replication.study.data.panel import best_hospital, read_panels
    from private_experts.replication.study.generality import large_enough
    from private_experts.replication.study.hospital_game import game
    from private_experts.replication.study.own_counts import own_counts_elsewhere as report
    from private_experts.replication.study.own_counts.own_games import play
    from private_experts.replication.study.own_counts.shared_games import shared

    by_state, _ = large_enough(read_panels(panels), smallest)
    known = shared(read_records(games, TOTALS), repetitions)
    parts = []
    for (state, panel), mu in product(by_state.items(), privacy_levels):
        match = game(panel, state, [mu], repetitions, seed, adjacency, reach)
        there = known[(known["state"] == state) & (known["mu"] == mu)]
        parts += [there] * bool(len(there))
        for record in play(match, learners, {*report.PLAYED} - {*there["algorithm"]}):
            sums = {"repetition": range(repetitions), "total": record.earned.sum(axis=0)}
            parts.append(
                pd.DataFrame({"state": state, "algorithm": record.algorithm, "mu": record.mu, **sums})
            )
    found = pd.concat(parts) if parts else pd.DataFrame(columns=["state", "mu"])
    table = report.lead_numbers(found, best_hospital(by_state), confidence)
    facts = {
        "states": len(by_state),
        "smallest": smallest,
        "repetitions": repetitions,
        "confidence": 100 * confidence,
    }
    tables.write(
        output, table, report.tally(table), report.CAPTION.format(**facts), data_label(provenance)[0]
    )
