"""The ledger as tables, and the count of its verdicts."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from private_experts.replication.claims.verdicts import nearest_first, of_paper, tally

if TYPE_CHECKING:
    from private_experts.replication.claims.ledger import Claim

SHOWN = 30  # rows of evidence that a terminal is given


def counts(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the count of verdicts by paper, a line each."""
    lines = []
    for paper in sorted({entry["paper"] for entry in entries}):
        count = tally(of_paper(entries, paper))
        said = ", ".join(f"{number} {verdict}" for verdict, number in count["verdicts"].items() if number)
        lines.append(
            f"paper {paper}: {count['total']} claims: {said}; {count['surprising']} otherwise than expected"
            + (f"; {count['observed']} observed without expectation" if count["observed"] else "")
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
    value = value.item() if hasattr(value, "item") else value
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


def listing(claims: "Sequence[tuple[Claim, str]]") -> list[str]:
    """Return claims and their verdicts, a line each, with what each costs to verify; the last line counts them."""
    width = max((len(claim.id) for claim, _ in claims), default=0)
    lines = []
    for claim, verdict in claims:
        surprise = "" if verdict in {claim.expected, "unknown", "not run"} or claim.expected is None else " (!)"
        words = " ".join(claim.statement.split())
        lines.append(f"{claim.id:<{width}}  {verdict + surprise:<13}  {claim.seconds:>4g} s  {words}")
    return [*lines, f"{len(claims)} claims; private-experts verify CLAIM_ID recomputes one"]


def heading(claim: "Claim") -> list[str]:
    """Return what a claim says and how it is decided, for a terminal."""
    expected = f"expected: {claim.expected}" if claim.expected else "no verdict is expected: it is observed"
    return [
        f"{claim.id}  ({claim.place}; {', '.join(claim.standing)})",
        f"  {' '.join(claim.statement.split())}",
        f"  Rule: {' '.join(claim.rule.split())}",
        f"  {claim.kind}; {expected}; about {claim.seconds:g} s",
    ]


def effort(claim: "Claim", repetitions: int | None) -> list[str]:
    """Return what to expect of so many repetitions, where they are not what the workflow plays."""
    if repetitions is None:
        return []
    if claim.kind != "stochastic":
        return [f"  There is no chance in it: {repetitions} repetitions are nothing else than one."]
    if repetitions <= claim.cap:
        return []
    return [f"  {repetitions / claim.cap:.3g} times the most repetitions of the workflow: so grow time and memory."]


def answer(
    claim: "Claim", rows: Sequence[Mapping[str, Any]], record: Mapping[str, Any], seed: int, seconds: float
) -> list[str]:
    """Return the evidence, the grid point nearest to failing and the verdict, for a terminal."""
    if record["verdict"] == "not run":
        return ["", f"not run: {record['reason']}"]
    shown = rows if len(rows) <= SHOWN else nearest_first(rows)[:SHOWN]
    left = f"... the {SHOWN} of {len(rows)} points that are nearest to failing; --evidence FILE writes them all"
    chance = f"{record['repetitions']} repetitions, seed {seed}" if claim.kind == "stochastic" else "no chance in it"
    said = "as expected" if claim.expected == record["verdict"] else f"expected: {claim.expected}"
    return [
        "",
        *_aligned(shown),
        *([left] if len(rows) > SHOWN else []),
        "",
        f"nearest to failing: {_where(record)}",
        f"{claim.id} {record['verdict'].upper()} ({said if claim.expected else 'observed'}; "
        f"{record['points']} points, {chance}, {seconds:.1f} s)",
    ]


def _aligned(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return rows as columns of text, with every column that any of them has."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [names, *([str(_short(row.get(name, ""))) for name in names] for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(names))]
    return ["  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in cells]
