"""What the desk prints: the list of claims, and the evidence and verdict of one."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from private_experts.replication.claims.errata import Erratum
from private_experts.replication.claims.evidence import called, nearest_first
from private_experts.replication.claims.formulas import plain
from private_experts.replication.claims.ledger import Claim, as_expected, code_of, mathematics_of
from private_experts.replication.claims.ledger_tables import short as shortened
from private_experts.replication.claims.ledger_tables import shown_point
from private_experts.replication.claims.recomputing import Answer
from private_experts.replication.claims.strength import strength
from private_experts.replication.claims.verdicts import outcome
from private_experts.replication.claims.waiting import Estimate
from private_experts.replication.drawing.numbers import short

SHOWN = 30  # rows of evidence at most
UNKNOWN = (
    "There is no run yet, so verdicts are unknown: make reproduce finds all of them, and private-experts verify "
    "--sample 10 some."
)


def listing(claims: Sequence[tuple[Claim, str, str]], took: Mapping[str, float], ran: bool) -> list[str]:
    """Return claims, their verdicts and strengths, a line each, with the time to verify; the last line is a count.

    A verdict other than the expected one is marked. Before a run, the last line says how to get verdicts.
    """
    width = max((len(claim.id) for claim, _, _ in claims), default=0)
    lines = []
    for claim, verdict, strong in claims:
        surprise = "" if verdict == "unknown" or as_expected(claim.expected, verdict) else " (!)"
        seconds = short(float(took.get(claim.id, claim.seconds)), 2)
        marks = f"{verdict + surprise:<15}  {strong:<15}  {seconds:>4} s"
        lines.append(f"{claim.id:<{width}}  {marks}  {plain(claim.statement)}")
    if not ran:
        lines.append(UNKNOWN)
    return [*lines, f"{len(claims)} claims; private-experts verify CLAIM_ID recomputes one"]


def heading(claim: Claim, erratum: Erratum | None, estimate: Estimate, caught: str = "") -> list[str]:
    """Return what a claim says, where it is derived and checked, how it is decided, what it catches and takes."""
    expected = f"expected: {claim.expected}" if claim.expected else "no verdict is expected"
    code = code_of(claim)
    return [
        f"{claim.id}  ({claim.place}; {', '.join(claim.standing)})",
        f"  {plain(claim.statement)}",
        *(_slip(erratum) if erratum else []),
        f"  Formula: {plain(f'${claim.latex}$')}",
        f"  Mathematics: {mathematics_of(claim)}",
        f"  Rests on: {', '.join(claim.rests_on) or 'no other claim'}",
        f"  Rule: {plain(claim.rule)}",
        f"  Code: {code['file']}:{code['line']}",
        *([f"  Catches: {caught}"] if caught else []),
        f"  {claim.kind}; {expected}; {estimate.words()}",
    ]


def _slip(erratum: Erratum) -> list[str]:
    severity = f", {erratum.severity}" if erratum.severity else ""
    return [f"  {erratum.name}: {erratum.title}. Said by: {erratum.said_by}{severity}. Seen: {plain(erratum.seen)}"]


def effort(claim: Claim, repetitions: int | None) -> list[str]:
    """Return a warning when the number of repetitions that a person asked for has no effect, or is very large."""
    if repetitions is None:
        return []
    if claim.kind != "stochastic" and claim.cap == 2:
        return ["  This check is deterministic: --repetitions has no effect."]
    if repetitions <= claim.cap:
        return []
    return [f"  {repetitions / claim.cap:.3g} times the workflow's largest number of repetitions: this takes longer."]


def answer(came: Answer) -> list[str]:
    """Return the evidence, the point that the verdict shows, and the verdict."""
    claim, rows, record, verdict = came.question.claim, came.rows, came.record, came.verdict
    if verdict == "not run":
        return ["", f"not run: {record['reason']}"]
    shown = rows if len(rows) <= SHOWN else nearest_first(rows)[:SHOWN]
    first = "counterexamples first" if verdict == "fails" else "nearest to failing"
    left = f"... {SHOWN} of {len(rows)} points, {first}; --evidence FILE writes all of them"
    seed = came.question.seed
    drawn = f"{record['repetitions']} repetitions, seed {seed}" if came.question.by_chance else "deterministic"
    vacuous = f", {record['vacuous']} of them vacuous" if record.get("vacuous") else ""
    expected = "as expected" if claim.expected == verdict else f"expected: {claim.expected}"
    return [
        "",
        *_aligned(shown),
        *([left] if len(rows) > SHOWN else []),
        "",
        f"{called(verdict)}: {shown_point(record)}",
        *(f"strength: {words}" for words in [strength({**asdict(claim), **record}).words] if words),
        f"{claim.id} {_loud(claim, verdict)} ({expected if claim.expected else 'no verdict was expected'}; "
        f"{record['points']} points{vacuous}, {drawn}, {came.seconds:.1f} s)",
    ]


def _loud(claim: Claim, verdict: str) -> str:
    """Return the verdict in capitals; of a claim by construction, that it holds in this way."""
    by = outcome(claim.kind, verdict)
    return verdict.upper() if by == verdict else f"{verdict} {by}".upper()


def _aligned(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return rows as columns of text, with every column that any of them has."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [names, *([shortened(row.get(name, "")) for name in names] for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(names))]
    return ["  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in cells]
