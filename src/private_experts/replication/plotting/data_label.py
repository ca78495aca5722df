"""The label under every table and figure: of which data it is."""

from collections.abc import Iterable
from pathlib import Path

from private_experts.replication.plotting.numbers import in_weeks
from private_experts.replication.records import read_json


def data_label(provenance: Path, states: Iterable[str] = ()) -> tuple[str, bool]:
    """Return the data's label, and whether the data is synthetic; of `states`, if any, with their weeks."""
    origin = read_json(provenance, ("label", "kind"))
    label = origin["label"]
    if weeks := [origin["weeks"][state] for state in states if state in origin.get("weeks", {})]:
        label = label.replace(in_weeks(origin["weeks"].values()), in_weeks(weeks))
    return label, origin["kind"] == "synthetic"
