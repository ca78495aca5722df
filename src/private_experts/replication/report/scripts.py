"""Which script computes a table or draws a figure that the page and the PDFs show."""

from collections.abc import Mapping
from typing import Any

_FOLDER = "src/private_experts/replication"
# Of figures that are not a claim's, and of the tables that the PDFs cite; below replication/study.
_FIGURES = {
    "figure-1": "batching/figure_1",
    "figure-2": "figure_2",
    "figure-amplification": "batching/figure_amplification",
    "generality": "generality",
    "own-counts": "own_counts/own_counts_tables",
    "own-counts-price": "own_counts/average_level_figure",
    "privacy-models": "privacy_models",
    "readings": "readings/readings_figure",
}
_TABLES = {
    "generality-statements": "generality",
    "own-counts": "own_counts/own_counts_tables",
    "own-counts-elsewhere": "own_counts/own_counts_elsewhere",
    "own-counts-price": "own_counts/own_counts_price",
    "patient-columns": "readings/patient_columns",
    "quality": "data/quality",
    "readings": "readings/readings_tables",
    "readings-statements": "readings/readings_tables",
    "table-2": "table_2",
}


def of_figure(figure: Mapping[str, Any]) -> str:
    """Return the path of what draws a figure; nothing for one that is not known here."""
    draw = (figure["draw"] or "").partition(":")[0].replace(".", "/")
    return f"{_FOLDER}/papers/{draw}.py" if draw else _of(_FIGURES.get(figure["name"]))


def of_table(name: str) -> str:
    """Return the path of what computes a table of the study that the PDFs cite; nothing for another."""
    return _of(_TABLES.get(name))


def _of(script: str | None) -> str:
    return f"{_FOLDER}/study/{script}.py" if script else ""
