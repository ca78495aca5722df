"""What reader's commands print: a list of claims, the evidence of one, and if it agrees with the last run."""

import os
import re
import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from private_experts.replication.ledger.errata import Erratum
from private_experts.replication.ledger.evidence import called, nearest_first
from private_experts.replication.ledger.grading import grade, lazily
from private_experts.replication.ledger.ledger import Claim, code_of, mathematics_of
from private_experts.replication.ledger.ledger_tables import short, shown_point
from private_experts.replication.ledger.verdicts import (
    ON_DATA,
    PROOF,
    of_proof,
    sign,
    statements,
    surprises,
    verdict_label,
)
from private_experts.replication.plotting.formulas import plain
from private_experts.replication.plotting.numbers import duration
from private_experts.replication.verify.comparing import Comparison
from private_experts.replication.verify.recomputing import CRASHED, Answer, Question

Pair = tuple[Answer, Comparison | None]

COLOURS = {"holds": 32, "fails": 31, "undecided": 33, "not run": 33}
VERDICT = re.compile(rf"(?<= )({'|'.join(COLOURS)})\b", re.IGNORECASE)
SHOWN = 30  # rows of evidence at most
NOT_COMPARED = (
    "Not compared: there is no run with these grids. Run make reproduce; for one of make smoke, add "
    "--quick --results results/smoke."
)
OTHER_BITS = (
    "Last bits depend on the processor and on the versions of NumPy and SciPy; results/manifest.json has "
    "the run's."
)


def width() -> int:
    """Return how many characters a line of the terminal has, 40 at least; a file or a pipe has no end."""
    return max(shutil.get_terminal_size((10**6, 24)).columns, 40)


def coloured(line: str) -> str:
    """Return a line with its first verdict in colour, on a terminal where nobody declines colours."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return line
    return VERDICT.sub(lambda found: f"\x1b[{COLOURS[found[0].lower()]}m{found[0]}\x1b[0m", line, count=1)


def listing(claims: Sequence[Claim], entries: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return claims, a line each, as a run's ledger has them: verdict (marked when unexpected) and ground.

    A step stands below the claim that it serves.
    """
    lines = []
    for claim in claims:
        entry = {"kind": claim.kind, **entries.get(claim.id, {"verdict": "unknown"})}
        surprise = " (!)" if claim.id in entries and surprises(claim.compared(entry)) else ""
        name, known = "  " * bool(claim.step_of) + claim.id, entry.get("grade", {}).get("known", "")
        statement = plain(claim.statement)
        # Fixed widths: a verdict is found in the same column whatever the id.
        proof = f" {PROOF}" if "erratum" in entry and sign(entry) == PROOF else ""
        line = (
            f"{name:<40} {entry['verdict'] + proof + _beside(entry) + surprise:<14} {known:<15} {statement}"
        )
        lines.append(line if len(line) <= width() else f"{line[: width() - 1]}…")
        lines += [f"  {part['name']:<38} {part['verdict']}{_beside(part)}" for part in statements(entry)]
    signs = [
        ": ".join(pair) for pair in ON_DATA.values() if any(f" {pair[0]} " in f"{line} " for line in lines)
    ]
    return [
        *lines,
        *([] if entries else [NOT_COMPARED]),
        *signs,
        "private-experts verify ID recomputes a claim",
    ]


def heading(question: Question, erratum: Erratum | None) -> list[str]:
    """Return what a claim says, where it is derived and checked, how it is decided, and what it takes."""
    claim, code = question.claim, code_of(question.claim)
    lines = [plain(claim.statement)]
    if erratum:
        by = f"{erratum.said_by}, {erratum.severity}" if erratum.severity else erratum.said_by
        lines.append(f"{erratum.name}: {erratum.title}. Said by: {by}. Seen: {erratum.seen}")
    lines += [
        f"Formula: {plain(f'${claim.latex}$')}",
        f"Mathematics: {mathematics_of(claim)}",
        f"Rests on: {', '.join(claim.rests_on) or 'no other claim'}",
        f"Rule: {plain(claim.rule)}",
        f"Code: {code['file']}:{code['line']}",
        f"{claim.kind}; about {duration(claim.seconds)} on a free core",
    ]
    parts = [textwrap.fill(line, width(), initial_indent="  ", subsequent_indent="      ") for line in lines]
    return [f"{claim.id}  ({claim.place}; {', '.join(claim.standing)})", *parts]


def evidence(answer: Answer, erratum: Erratum | None) -> list[str]:
    """Return the evidence, the point that the verdict shows, and the verdict."""
    claim, rows, record, verdict = answer.question.claim, answer.rows, answer.record, answer.verdict
    if "reason" in record:
        return ["", f"{verdict}: {record['reason']}"]
    shown = rows if len(rows) <= SHOWN else nearest_first(rows)[:SHOWN]
    entry = {**asdict(claim), **record}
    stated = statements({"kind": claim.kind, "statements": claim.compared(record)[1:]})
    words, lazy = grade(entry).words, lazily(entry)
    vacuous = f", {record['vacuous']} of them vacuous" if record.get("vacuous") else ""
    expected = "as expected" if claim.expected == verdict else f"expected: {claim.expected or 'no verdict'}"
    of_paper = "" if verdict_label(entry) == verdict else f"{verdict_label(entry)}; "
    chance = (
        f"{record.get('repetitions')} repetitions, seed {record.get('seed')}"
        if claim.cap > 2
        else "deterministic"
    )
    return [
        "",
        *_table(shown),
        "",
        *(
            [f"{SHOWN} of {len(rows)} points, nearest to failing; a run writes all to results/claims"]
            * (shown != rows)
        ),
        f"{called(verdict)}: {shown_point(record)}",
        *(
            f"{part['name']}: {verdict_label(part)} (expected: {part['expected'] or 'no verdict'})"
            for part in stated
        ),
        *([f"how it is known, and how near: {words}"] if words else []),
        *([f"certificate: {claim.certificate}"] if claim.certificate and grade(entry).how else []),
        *([f"lazy program: {lazy}"] if lazy else []),
        f"{claim.id} {verdict.upper()}{_proof(verdict, erratum)} "
        f"({of_paper}{expected}; {record['points']} points{vacuous}, {chance}, {answer.seconds:.1f} s)",
    ]


def _beside(entry: Mapping[str, Any]) -> str:
    """Return the sign beside a verdict on data, which says less than the word."""
    return f" {sign(entry)}" if verdict_label(entry) != entry["verdict"] else ""


def _proof(verdict: str, erratum: Erratum | None) -> str:
    return f" {PROOF}" if erratum and of_proof(verdict, erratum.severity) else ""


def _table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return points as a table, without margins and notes."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    names = [name for name in names[: names.index("verdict") + 1] if not name.startswith("margin_")]
    cells = [names, *([short(row.get(name, "")) for name in names] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(f"{cell:>{wide}}" for cell, wide in zip(row, widths, strict=True)) for row in cells]


def agreement(comparison: Comparison | None, entry: Mapping[str, Any]) -> list[str]:
    """Return what the run stored of a claim, and whether it agrees with what was just computed."""
    if comparison is None:
        return ["", NOT_COMPARED]
    bits = comparison.same_question and comparison.equal < comparison.points
    return [
        "",
        f"The last run: {comparison.before} (seed {entry.get('seed')}): {shown_point(entry)}",
        f"{'Agrees' if comparison.agrees else 'DISAGREES'}: {comparison}.",
        *([OTHER_BITS] if bits else []),
    ]


def line(answer: Answer, comparison: Comparison | None, erratum: Erratum | None) -> str:
    """Return one line about one of many claims."""
    claim, verdict = answer.question.claim, answer.verdict
    surprise = "" if answer.as_expected else f" (!), {'; '.join(answer.surprises)}"
    detail = answer.record.get("reason", comparison or "")
    mark = "" if comparison is None or comparison.agrees else "DISAGREES: "
    words = verdict + _proof(verdict, erratum) + surprise
    return f"{claim.id:<40} {words:<14} {answer.seconds:>6.1f} s  {mark}{detail}"


def agreements(pairs: Sequence[Pair], seconds: float) -> list[str]:
    """Return what is not as expected or disagrees, and how many agree with the last run."""
    surprising = [
        f"{answer.question.claim.id}: {'; '.join(answer.surprises)}"
        for answer, _ in pairs
        if not answer.as_expected
    ]
    disagreeing = [
        f"{answer.question.claim.id}: {comparison}"
        for answer, comparison in pairs
        if comparison and not comparison.agrees
    ]
    kinds = Counter(_kind(*pair) for pair in pairs)
    return [
        "",
        *surprising,
        *disagreeing,
        f"{len(pairs)} claims in {seconds:.0f} s: "
        f"{', '.join(f'{many} {kind}' for kind, many in kinds.items())}; {len(surprising)} with another "
        "verdict than expected.",
        *([NOT_COMPARED] if kinds["not compared"] else []),
    ]


def _kind(answer: Answer, comparison: Comparison | None) -> str:
    if answer.verdict in ("not run", CRASHED):
        return answer.verdict
    if comparison is None:
        return "not compared"
    if not comparison.agrees:
        return "that disagree with the last run"
    if not comparison.same_question:
        return "with the same verdict"
    return "equal to the last bit" if comparison.equal == comparison.points else "equal up to rounding"
