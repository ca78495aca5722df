"""Running a check: from a claim's grid to its evidence and the record of its verdict."""

import csv
import inspect
import io
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from private_experts.errors import InputError
from private_experts.replication.ledger.evidence import Point
from private_experts.replication.ledger.experiments import Experiment
from private_experts.replication.ledger.timing import Account
from private_experts.replication.plotting.data_label import data_label
from private_experts.replication.records import AGAIN, read_records, read_table
from private_experts.replication.study.formats import REPORT_NOISE


def computed(
    experiment: Experiment,
    seed: int,
    panels: Sequence[Path] = (),
    table: Path | None = None,
    report_noise: Sequence[Path] = (),
    provenance: Path | None = None,
    data: Mapping[str, Any] | None = None,
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return a claim's evidence, a row a grid point, and the record of its verdict.

    - `experiment`: What decides it, on the `panels`, `table` or `report_noise` that it rests on, whose origin
      `provenance` has.
    - `data`: What `shared` returned, where it was called before.
    """
    from private_experts.replication.ledger import evidence as evidences
    from private_experts.replication.ledger.grading import measured

    # what Arb has kept, such as nodes of integrals, would move ends of balls by a last bit
    if "flint" in sys.modules:
        sys.modules["flint"].ctx.cleanup()
    # shared, as the statements of a claim ask for the same games
    data = shared(panels, table, report_noise) if data is None else data
    # Real data only: on invented reports such a claim would decide something about the generator.
    check, grid, repetitions, cap, real_data_only = experiment
    function = imported_function(f"private_experts.replication.papers.{check}")
    if real_data_only and provenance is not None and data_label(provenance)[1]:
        return [], {"verdict": "not run", "reason": "synthetic data"}

    def record(points: Sequence[Point], spent: int) -> dict[str, Any]:
        nearest = evidences.worst(points)
        bounded = any(point.trivial is not None for point in points)
        return {
            "verdict": evidences.decide(points),
            "margin": list(nearest.margin),
            "worst": nearest.row(),
            "points": len(points),
            **({"vacuous": sum(point.vacuous for point in points)} if bounded else {}),
            **evidences.against_lazy(points),
            "measured": measured([point.row() for point in points]),
            "repetitions": spent,
            "seed": seed,
        }

    def decided(part: Mapping[str, Any]) -> tuple[Sequence[Point], dict[str, Any]]:
        try:
            points, _, spent = evidences.gather(
                lambda count: points_of(function, part, count, seed, **data), repetitions, cap
            )
        # Only a column that the table lacks is the user's matter; any other key is a defect of the check.
        except KeyError as missing:  # what a check asks of a table is for the check to know
            if table is None or missing.args[0] in data["table"]:
                raise
            raise InputError(f"{table}: column {missing.args[0]} is missing; {AGAIN}") from missing
        except evidences.NotRunError as reason:
            return [], {"verdict": "not run", "reason": str(reason)}
        return points, record(points, spent)

    if "statement" not in grid:
        points, verdict = decided(grid)
        return [point.row() for point in points], verdict
    # Each statement is decided by itself, so that one that fails, or cannot be asked, hides no other.
    parts = {name: decided({**grid, "statement": [name]}) for name in grid["statement"]}
    points = [point for decided_points, _ in parts.values() for point in decided_points]
    reasons = [f"{name}: {part['reason']}" for name, (_, part) in parts.items() if "reason" in part]
    verdict = (
        record(points, max(part.get("repetitions", 0) for _, part in parts.values()))
        if points
        else {"verdict": "not run", "reason": "; ".join(reasons)}
    )
    kept_keys = ("verdict", "reason", "worst")
    statements = [
        {"name": name, **{key: part[key] for key in kept_keys if key in part}}
        for name, (_, part) in parts.items()
    ]
    # What places the points of any statement stands before the values, so that the evidence is one table.
    columns = dict.fromkeys(name for point in points for name in point.where)
    rows = [dict.fromkeys(columns, "") | point.row() for point in points]
    return rows, {**verdict, "statements": statements}


def points_of(
    check: Callable[..., Sequence[Point]], grid: Mapping[str, Any], repetitions: int, seed: int, **data: Any
) -> Sequence[Point]:
    """Run a check on what its signature names: the grid, perhaps repetitions, seed, panels."""
    offered = {"grid": grid, "repetitions": repetitions, "seed": seed, **data}
    # By the signature, so that a check without chance cannot even see a seed.
    return check(**{name: offered[name] for name in inspect.signature(check).parameters if name in offered})


def loaded(
    panels: Sequence[Path] = (), table: Path | None = None, report_noise: Sequence[Path] = ()
) -> dict[str, Any]:
    """Return what a check is given beside its grid: results of the study, from their files."""
    from private_experts.replication.study.data.panel import read_panels

    data: dict[str, Any] = {"panels": read_panels(panels)} if panels else {}
    if report_noise:
        data["report_noise"] = read_records(report_noise, REPORT_NOISE)
    return data if table is None else {**data, "table": read_table(table)}


def shared(
    panels: Sequence[Path] = (), table: Path | None = None, report_noise: Sequence[Path] = ()
) -> dict[str, Any]:
    """Return the same for several claims, which then share the games that they play on the panels."""
    from private_experts.replication.ledger.sequential_repetitions import Shared

    data = loaded(panels, table, report_noise)
    return {**data, "panels": Shared(data["panels"])} if panels else data


def reused_costs(data: Mapping[str, Any]) -> list[Account]:
    """Return what games took that a claim asked for but another had played, and forget it for the next."""
    panels = data.get("panels")
    games: list[Account] = getattr(panels, "reused", [])
    # A copy, before the list is emptied for the next claim.
    verdict = list(games)
    games.clear()
    return verdict


def table_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as CSV, with every column that any has; without pandas, whose start each job would pay."""
    text = io.StringIO()
    writer = csv.DictWriter(
        text, list(dict.fromkeys(name for row in rows for name in row)), lineterminator="\n"
    )
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def imported_function(entry: str) -> Any:
    """Return a function by its entry point; the rule names it as an entry of its fingerprint as well."""
    module, _, function = entry.partition(":")
    try:
        return getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise InputError(f"claims: unknown check {entry}; {error}") from error


def plain(value: Any) -> Any:
    """Return a value as JSON can say it: NumPy numbers as Python's, infinities and NaN as text."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
