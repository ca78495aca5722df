"""The stage that writes the explorer."""

from pathlib import Path
from typing import Annotated

from private_experts.replication.files import write_text
from private_experts.replication.plotting.data_label import data_label
from private_experts.replication.records import read_records
from private_experts.replication.stage_cli import OUTPUT
from private_experts.replication.study.formats import CURVES
from private_experts.replication.study.stage_parameters import (
    Confidence,
    Curves,
    Panels,
    Provenance,
    Repetitions,
)


def explorer(
    curves: Curves,
    panels: Panels,
    provenance: Provenance,
    repetitions: Repetitions,
    confidence: Confidence,
    output: Annotated[Path, OUTPUT, "HTML file."],
) -> None:
    """Write the explorer: the games of all states, in one file."""
    from private_experts.replication.report.explorer.contents import contents
    from private_experts.replication.report.explorer.document import render
    from private_experts.replication.study.data.panel import read_panels

    games = read_records(curves, CURVES)
    made = contents(games, read_panels(panels), repetitions, confidence, *data_label(provenance))
    write_text(output, render(*made))
