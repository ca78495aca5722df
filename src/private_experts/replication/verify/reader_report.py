"""What the reader's commands print: the list of claims, the evidence of one, and how it agrees with the last run."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from private_experts.replication.ledger.errata import Erratum
from private_experts.replication.ledger.evidence import called, nearest_first
from private_experts.replication.ledger.ledger import Claim, as_expected, code_of, command_of, mathematics_of
from private_experts.replication.ledger.ledger_tables import short as shortened
from private_experts.replication.ledger.ledger_tables import shown_point
from private_experts.replication.ledger.strength import lazily, strength
from private_experts.replication.ledger.verdicts import outcome
from private_experts.replication.plotting.formulas import plain
from private_experts.replication.plotting.numbers import duration
from private_experts.replication.verify.comparing import Comparison
from private_experts.replication.verify.recomputing import CRASHED, Answer, Question

Pair = tuple[Answer, Comparison | None]

SHOWN = 30  # rows of evidence at most
APART = 5  # points that disagree, at most
NO_RUN = "There is no run yet: run make reproduce, or make smoke (then add --quick --results results/smoke)."
# By whether the run used the small grids. Other grids may have other tolerances and bounds, and fewer repetitions.
OTHER_GRID = {
    False: "Not compared: the last run used the full grid. Omit --quick, or add --results results/smoke.",
    True: "Not compared: the last run used the small grid. Add --quick, or give a full run as --results.",
}
CAUSES = "The settings are the same, so code, packages, Python or the processor differ (results/manifest.json)."


def listing(claims: Sequence[tuple[Claim, Mapping[str, Any]]], ran: bool) -> list[str]:
    """Return claims, a line each, with what a run's ledger has of them: verdict (marked when unexpected) and strength.

    Behind them stands at how many points the lazy program fails, and how long the claim takes.
    """
    rows = []
    for claim, entry in claims:
        verdict = entry.get("verdict", "unknown")
        surprise = "" if verdict == "unknown" or as_expected(claim.expected, verdict) else " (!)"
        strong = entry.get("strength", {}).get("name", "")
        lazy = f"lazy fails {entry['lazy_fails']}/{entry['lazy_points']}" if "lazy_points" in entry else ""
        name = f"  {claim.id}" if claim.step_of else claim.id  # a step stands below the claim that it serves
        rows.append((name, verdict + surprise, strong, lazy, f"{claim.seconds:g} s", plain(claim.statement)))
    steps = sum(bool(claim.step_of) for claim, _ in claims)
    below = f" and {steps} steps" if steps else ""
    count = f"{len(claims) - steps} claims{below}; private-experts verify CLAIM_ID recomputes one"
    return [*_aligned(rows, "<<<<><"), *([] if ran else [f"{NO_RUN} Verdicts are unknown."]), count]


def heading(question: Question, erratum: Erratum | None, caught: str) -> list[str]:
    """Return what a claim says, where it is derived and checked, how it is decided, what it catches and takes."""
    claim, code = question.claim, code_of(question.claim)
    lines = [plain(claim.statement)]
    if erratum:
        by = f"{erratum.said_by}, {erratum.severity}" if erratum.severity else erratum.said_by
        lines.append(f"{erratum.name}: {erratum.title}. Said by: {by}. Seen: {plain(erratum.seen)}")
    expected = f"expected: {claim.expected}" if claim.expected else "no verdict is expected"
    lines += [
        f"Formula: {plain(f'${claim.latex}$')}",
        f"Mathematics: {mathematics_of(claim)}",
        f"Rests on: {', '.join(claim.rests_on) or 'no other claim'}",
        f"Rule: {plain(claim.rule)}",
        f"Code: {code['file']}:{code['line']}",
        *([f"Catches: {caught}"] if caught else []),
        f"{claim.kind}; {expected}; about {duration(question.seconds)} on a free core",
    ]
    if question.repetitions and not question.by_chance:
        lines.append("This check is deterministic: --repetitions has no effect.")
    elif question.repetitions and question.repetitions > claim.cap:
        lines.append(f"{question.repetitions / claim.cap:.3g} times the workflow's largest number of repetitions.")
    return [f"{claim.id}  ({claim.place}; {', '.join(claim.standing)})", *(f"  {line}" for line in lines)]


def evidence(answer: Answer) -> list[str]:
    """Return the evidence, the point that the verdict shows, and the verdict."""
    claim, rows, record, verdict = answer.question.claim, answer.rows, answer.record, answer.verdict
    if "reason" in record:
        return ["", f"{verdict}: {record['reason']}"]
    shown = rows if len(rows) <= SHOWN else nearest_first(rows)[:SHOWN]
    first = "counterexamples first" if verdict == "fails" else "nearest to failing"
    left = f"... {SHOWN} of {len(rows)} points, {first}; --evidence FILE writes all of them"
    names = list(dict.fromkeys(name for row in shown for name in row))
    entry = {**asdict(claim), **record}
    worth, lazy = strength(entry).words, lazily(entry)
    vacuous = f", {record['vacuous']} of them vacuous" if record.get("vacuous") else ""
    expected = "as expected" if claim.expected == verdict else f"expected: {claim.expected}"
    how = outcome(claim.kind, verdict)  # that it holds by construction, for one
    return [
        "",
        *_aligned([names, *([shortened(row.get(name, "")) for name in names] for row in shown)]),
        *([left] if len(rows) > SHOWN else []),
        "",
        f"{called(verdict)}: {shown_point(record)}",
        *([f"strength: {worth}"] if worth else []),
        *([f"lazy program: {lazy}"] if lazy else []),
        f"{claim.id} {(verdict if how == verdict else f'{verdict} {how}').upper()} "
        f"({expected if claim.expected else 'no verdict was expected'}; {record['points']} points{vacuous}, "
        f"{_chance(answer, record)}, {answer.seconds:.1f} s)",
    ]


def agreement(answer: Answer, comparison: Comparison, entry: Mapping[str, Any]) -> list[str]:
    """Return what the run stored of a claim, and whether what was just computed agrees with it."""
    return [
        "",
        f"The last run: {comparison.before} ({_chance(answer, entry)}): {shown_point(entry)}",
        f"{'Agrees' if comparison.agrees else 'DISAGREES'}: {in_words(comparison)}.",
        *(f"  apart: {shown_point({'worst': row})}" for row in comparison.apart[:APART]),
        *([f"  {CAUSES}"] if comparison.same_question and not comparison.agrees else []),
    ]


def _chance(answer: Answer, record: Mapping[str, Any]) -> str:
    """Return by how many repetitions, and from which seed, a record came about."""
    if not answer.question.by_chance:
        return "deterministic"
    return f"{record.get('repetitions')} repetitions, seed {record.get('seed')}"


def in_words(comparison: Comparison) -> str:
    """Return in a few words how verdicts and points agree."""
    said = "the same verdict" if comparison.same_verdict else f"{comparison.before} there, {comparison.now} here"
    if "not run" in (comparison.before, comparison.now):
        return said
    if comparison.identical:
        return f"{said}, all {comparison.points} points equal to the last bit"
    counts = {
        "equal to the last bit": comparison.equal,
        "with intervals that overlap": comparison.overlapping,
        "with another value" if comparison.same_question else "of newly drawn instances": comparison.redrawn,
        "apart": len(comparison.apart),
        "in only one of them": comparison.alone,
    }
    found = ", ".join(f"{many} {how}" for how, many in counts.items() if many)
    return f"{said}; of {comparison.points} points {found}"


def line(answer: Answer, comparison: Comparison | None) -> str:
    """Return one line about one of many claims."""
    claim, verdict = answer.question.claim, answer.verdict
    surprise = "" if answer.as_expected or answer.crashed else f" (!), expected {claim.expected}"
    said = str(answer.record["reason"]) if "reason" in answer.record else in_words(comparison) if comparison else ""
    mark = "" if comparison is None or comparison.agrees else "DISAGREES: "
    return f"{claim.id:<40} {verdict + surprise:<9} {answer.seconds:>6.1f} s  {mark}{said}".rstrip()


def agreements(pairs: Sequence[Pair], seconds: float, uncompared: Sequence[str]) -> list[str]:
    """Return agreements counted by paper, what is not as expected or disagrees, and why claims were not compared."""
    columns: tuple[str, ...] = ("equal", "overlap", "disagree", "not compared", "not run")
    kinds = {paper: Counter[str]() for paper in sorted({answer.question.claim.paper for answer, _ in pairs})}
    surprising, disagreeing = [], []
    for answer, comparison in pairs:
        claim = answer.question.claim
        kinds[claim.paper][_kind(answer, comparison)] += 1
        if not (answer.as_expected or answer.crashed):
            surprising.append(f"{claim.id}: {answer.verdict}, expected {claim.expected}")
        if comparison and not comparison.agrees:
            disagreeing.append(f"{claim.id}: {in_words(comparison)}")
    kinds["all"] = sum(kinds.values(), Counter())
    columns += (CRASHED,) * bool(kinds["all"][CRASHED])
    rows = [(name, counts.total(), *(counts[column] for column in columns)) for name, counts in kinds.items()]
    last = f"; {len(disagreeing)} that disagree with the last run" if any(each for _, each in pairs) else ""
    return [
        "",
        *_aligned([("paper", "claims", *columns), *rows]),
        "",
        *surprising,
        *disagreeing,
        f"{len(pairs)} claims in {seconds:.0f} s: {len(surprising)} with another verdict than expected{last}.",
        *(f"{many} of {len(pairs)} claims: {why}" for why, many in Counter(uncompared).items()),
    ]


def _kind(answer: Answer, comparison: Comparison | None) -> str:
    if "reason" in answer.record:
        return answer.verdict
    if comparison is None:
        return "not compared"
    if not comparison.agrees:
        return "disagree"
    return "equal" if comparison.identical else "overlap"


def _aligned(rows: Sequence[Sequence[Any]], sides: str = "") -> list[str]:
    """Return rows with their columns aligned, to the right unless `sides` (< and > for each column) says otherwise."""
    widths = [max(len(str(cell)) for cell in column) for column in zip(*rows, strict=True)]
    forms = [f"{{:{side}{width}}}" for side, width in zip(sides or ">" * len(widths), widths, strict=False)]
    return ["  ".join(form.format(str(cell)) for form, cell in zip(forms, row, strict=True)).rstrip() for row in rows]


def as_record(answer: Answer, comparison: Comparison | None, rows: bool = True) -> dict[str, Any]:
    """Return an answer and its comparison as JSON has them; with `rows`, also the evidence."""
    question, claim, compared = answer.question, answer.question.claim, None
    if comparison is not None:
        counts = {name: value for name, value in asdict(comparison).items() if name not in ("before", "now")}
        compared = {"agrees": comparison.agrees, "verdict": comparison.before, **counts}
    return {
        "claim": claim.id,
        "expected": claim.expected,
        "as_expected": answer.as_expected,
        "quick": question.quick,
        **answer.record,
        "seed": question.seed,
        "seconds": round(answer.seconds, 2),
        "latex": claim.latex,
        "code": code_of(claim),
        "command": command_of(claim, question.quick),
        "comparison": compared,
        **({"evidence": list(answer.rows)} if rows else {}),
    }
