"""The ledger as tables: the counts of its verdicts, flat rows, and Markdown."""

from collections.abc import Mapping, Sequence
from typing import Any

from private_experts.replication.ledger.evidence import called
from private_experts.replication.ledger.grading import counted as grades
from private_experts.replication.ledger.grading import in_words, lazily
from private_experts.replication.ledger.verdicts import (
    ON_DATA,
    ORDER,
    PROOF,
    all_verdicts,
    counted,
    differences,
    errata,
    of_paper,
    sign,
    statements,
    tally,
    verdict_label,
    without_steps,
)
from private_experts.replication.plotting.formulas import cell
from private_experts.replication.plotting.numbers import number, percent

Entry = Mapping[str, Any]

# columns of all evidence
DECISIVE = ("value", "low", "high", "sense", "bound", "margin_low", "margin_high", "verdict")
SENSES = {"<=": "≤", ">=": "≥"}
_CROSSED = {"<=": "≰", ">=": "≱"}
_ERRATUM = {"erratum": "name", "said_by": "said_by", "severity": "severity"}  # columns of the CSV
HIDDEN = (*DECISIVE, "trivial", "vacuous", "lazy", "lazy_fails")  # columns that do not say where a point is


def counts(entries: Sequence[Entry]) -> list[str]:
    """Return verdicts and errata counted by paper, a line each, how known, and what differs on data."""
    lines = []
    for paper in sorted({entry["paper"] for entry in entries}):
        count = tally(of_paper(entries, paper))
        counts = ", ".join(f"{many} {verdict}" for verdict, many in count["verdicts"].items() if many)
        seen = sum(
            verdict_label(entry) == ON_DATA["fails"][1] for entry in without_steps(of_paper(entries, paper))
        )
        counts += f" ({seen} of what fails: {ON_DATA['fails'][1]})" * bool(seen)
        slips = counted(count["errata"], count["elsewhere"])
        lines.append(
            f"paper {paper}: {count['total']} claims: {counts}; {count['surprising']} not as expected"
            + (f"; {count['steps']} steps below them" if count["steps"] else "")
            + (f"; {count['observed']} without an expected verdict" if count["observed"] else "")
            + (f"; {slips}" if slips else "")
        )
    known = in_words(grades(entries))
    return [*lines, *([f"how they are known: {known}"] if known else []), *_on_data(entries)]


def _on_data(entries: Sequence[Entry]) -> list[str]:
    """Return which verdicts are others than on the pinned data, where some were found on data."""
    # Where they are expected they are counted above.
    on_data = [
        entry
        for entry in entries
        if entry.get("pinned") and entry["expected"] is None and entry["verdict"] != "not run"
    ]
    # On other data a verdict may differ from the pinned one without being wrong, so it is told and not
    # counted as surprise.
    others = [
        f"{claim['id']} ({'; '.join(differences(all_verdicts(claim)))})"
        for claim in on_data
        if claim["differs"]
    ]
    differing = (
        f"{len(others)} differ from the pinned data's: {', '.join(others)}"
        if others
        else "none known to differ"
    )
    return [f"verdicts on hospital data: {len(on_data)}, as found; {differing}"] if on_data else []


def rows(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Return the ledger as flat rows."""
    return [
        {
            "id": entry["id"],
            "step_of": entry.get("step_of", ""),
            "verdict": entry["verdict"],
            "expected": entry["expected"] or "",
            "as_expected": entry["as_expected"],
            "known": entry["grade"]["known"],
            "share": _share(entry["grade"]["share"]),
            "lazy": lazily(entry),
            "lazy_fails": entry.get("lazy_fails", ""),
            "lazy_points": entry.get("lazy_points", ""),
            "kind": entry["kind"],
            "standing": " ".join(entry["standing"]),
            "place": entry["place"],
            "statement": " ".join(entry["statement"].split()),
            "statements": stated(entry),
            "rests_on": " ".join(entry.get("rests_on", ())),
            "margin_low": _margin((entry.get("margin") or [""])[0]),
            "margin_high": _margin((entry.get("margin") or [""])[-1]),
            "points": entry.get("points", 0),
            "vacuous": entry.get("vacuous", ""),
            "vacuous_share": entry["grade"]["vacuous"],
            "repetitions": entry.get("repetitions", ""),
            "reason": entry.get("reason", ""),
            **{column: str((entry["erratum"] or {}).get(key) or "") for column, key in _ERRATUM.items()},
        }
        for entry in entries
    ]


def _share(value: float | None) -> Any:
    """Return the share of a bound to a millionth of it: where large terms cancel, less may be rounding."""
    return "" if value is None else round(value, 6)


def _margin(value: Any) -> Any:
    """Return a margin with two digits: more of a tolerance less two routes' difference is rounding."""
    return float(f"{value:.2g}") if isinstance(value, float) else value


def stated(entry: Entry) -> str:
    """Return the statements of a claim by verdict, as in ``holds: best; fails: best of all``; or nothing."""
    names: dict[str, list[str]] = {}
    for part in sorted(statements(entry), key=lambda part: ORDER.index(part["verdict"])):
        names.setdefault(verdict_label(part), []).append(part["name"])
    return "; ".join(f"{verdict}: {', '.join(parts)}" for verdict, parts in names.items())


def relation(row: Mapping[str, Any]) -> str:
    """Return the sign between value and bound of a point, crossed out if the value is on the wrong side."""
    value, bound = number(row["value"]), number(row["bound"])
    # The sign is of the value and not of the interval: it is what a reader can check at a glance.
    right = value <= bound if row["sense"] == "<=" else value >= bound
    return (SENSES if right else _CROSSED)[row["sense"]]


def shown_point(entry: Entry) -> str:
    """Return the point a verdict shows: the value and its bound, and the place on the grid; or why none."""
    point = entry.get("worst")
    if not point:
        return str(entry.get("reason", ""))
    place = ", ".join(f"{name} = {short(value)}" for name, value in point.items() if name not in HIDDEN)
    return f"{short(point['value'])} {relation(point)} {short(point['bound'])}" + (
        f" at {place}" if place else ""
    )


def short(value: Any) -> str:
    """Return a value with four significant digits."""
    value = value.item() if hasattr(value, "item") else value
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def markdown(entries: Sequence[Entry], data: str) -> str:
    """Return the ledger in Markdown: the counts, then a table with the point that each verdict shows."""
    names = (
        "claim",
        "statement",
        "verdict",
        "expected",
        "how it is known, and how near",
        "lazy program",
        "nearest to failing, or counterexample",
    )
    rows = [
        (
            f"`{entry['id']}`" + (f", a step of `{entry['step_of']}`" if entry.get("step_of") else ""),
            entry["statement"] + (f" {stated(entry)}." if stated(entry) else ""),
            f"**{verdict_label(entry)}**"
            + f" {PROOF}" * (sign(entry) == PROOF)
            + ("" if entry["as_expected"] else " (!)"),
            entry["expected"] or "observed",
            _worth(entry),
            lazily(entry),
            f"{called('fails')}: " * (entry["verdict"] == "fails") + shown_point(entry),
        )
        for entry in entries
    ]
    lines = [
        "# Claims and verdicts",
        "",
        *(f"- {line}" for line in counts(entries)),
        "",
        *_table(names, rows),
        "",
    ]
    if slips := [
        (slip["name"], slip["title"], slip["said_by"], slip["severity"] or "", slip["seen"])
        for slip, _, _ in errata(entries)
    ]:
        columns = ("erratum", "what", "said by", "severity", "where it was seen")
        lines += ["## Errata", "", *_table(columns, slips), ""]
    return "\n".join([*lines, f"Data: {data}.", ""])


def _table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [names, ["---"] * len(names), *(map(cell, row) for row in rows)]
    return [f"| {' | '.join(line)} |" for line in lines]


def _worth(entry: Entry) -> str:
    """Return the grade in words, and how many points are vacuous."""
    vacuous = entry["grade"]["vacuous"]
    return entry["grade"]["words"] + (
        f"; {percent(vacuous)} of the points vacuous" if 0 < vacuous < 1 else ""
    )
