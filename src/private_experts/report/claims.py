"""The ledger as tables, and the count of its verdicts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

ORDER = ("holds", "fails", "undecided", "not run")


def counts(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the count of verdicts by paper, a line each."""
    lines = []
    for paper in sorted({entry["paper"] for entry in entries}):
        mine = [entry for entry in entries if entry["paper"] == paper]
        by_verdict = Counter(entry["verdict"] for entry in mine)
        said = ", ".join(f"{by_verdict[verdict]} {verdict}" for verdict in ORDER if by_verdict[verdict])
        otherwise = sum(not entry["as_expected"] for entry in mine)
        observed = sum(entry["expected"] is None for entry in mine)
        lines.append(
            f"paper {paper}: {len(mine)} claims: {said}; {otherwise} otherwise than expected"
            + (f"; {observed} observed without expectation" if observed else "")
        )
    return lines


def rows(entries: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the ledger as flat rows."""
    return [
        {
            "id": entry["id"],
            "verdict": entry["verdict"],
            "expected": entry["expected"] or "",
            "as_expected": entry["as_expected"],
            "kind": entry["kind"],
            "standing": " ".join(entry["standing"]),
            "place": entry["place"],
            "statement": entry["statement"],
            "margin_low": (entry.get("margin") or [""])[0],
            "margin_high": (entry.get("margin") or [""])[-1],
            "points": entry.get("points", 0),
            "repetitions": entry.get("repetitions", ""),
            "reason": entry.get("reason", ""),
        }
        for entry in entries
    ]


def _where(entry: Mapping[str, Any]) -> str:
    """Return the worst grid point in words."""
    nearest = entry.get("worst")
    if not nearest:
        return str(entry.get("reason", ""))
    decisive = {"value", "low", "high", "sense", "bound", "margin_low", "margin_high", "verdict"}
    place = ", ".join(f"{name} = {_short(value)}" for name, value in nearest.items() if name not in decisive)
    return f"{_short(nearest['value'])} {nearest['sense']} {_short(nearest['bound'])}" + (
        f" at {place}" if place else ""
    )


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def markdown(entries: Sequence[Mapping[str, Any]], data: str) -> str:
    """Return the ledger in Markdown: the counts, then a table with the worst grid point of each claim."""
    lines = ["# Claims and verdicts", "", *(f"- {line}" for line in counts(entries)), ""]
    lines += ["| claim | statement | verdict | expected | worst point |", "| --- | --- | --- | --- | --- |"]
    for entry in entries:
        surprise = "" if entry["as_expected"] else " (!)"
        cells = [
            f"`{entry['id']}`",
            entry["statement"],
            f"**{entry['verdict']}**{surprise}",
            entry["expected"] or "observed",
            _where(entry),
        ]
        lines.append("| " + " | ".join(" ".join(str(cell).split()).replace("|", "\\|") for cell in cells) + " |")
    return "\n".join([*lines, "", f"Data: {data}.", ""])
