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
from private_experts.replication.verify.terminal import aligned, coloured, cut, fitting, width, wrapped

Pair = tuple[Answer, Comparison | None]

SHOWN = 30  # rows of evidence at most
APART = 5  # points that disagree, at most
NO_RUN = "There is no run yet: run make reproduce, or make smoke (then add --quick --results results/smoke)."
# By whether the run used the small grids. Other grids may have other tolerances and bounds, and fewer repetitions.
OTHER_GRID = {
    False: "Not compared: the last run used the full grid. Omit --quick, or add --results results/smoke.",
    True: "Not compared: the last run used the small grid. Add --quick, or give a full run as --results.",
}
SAME_MACHINE = "Processor, kernels, Python, NumPy and SciPy are too, so code or another package differs"
# Columns that are left out of a table too wide, the higher before the lower, beside notes (2) and all others (0).
RANKS = {"low": 1, "high": 1, "margin_low": 3, "margin_high": 3}
LEAST = 32  # characters that the statement of a claim has in a list, at least


def listing(claims: Sequence[tuple[Claim, Mapping[str, Any]]], ran: bool) -> list[str]:
    """Return claims, a line each, with what a run's ledger has of them: verdict (marked when unexpected) and strength.

    Where there is room, there is also how long the claim takes, and at how many points the lazy program fails.
    """
    rows = []
    for claim, entry in claims:
        verdict = entry.get("verdict", "unknown")
        surprise = "" if verdict == "unknown" or as_expected(claim.expected, verdict) else " (!)"
        lazy = f"lazy fails {entry['lazy_fails']}/{entry['lazy_points']}" if "lazy_points" in entry else ""
        strong = entry.get("strength", {}).get("name", "")
        name = f"  {claim.id}" if claim.step_of else claim.id  # a step stands below the claim that it serves
        rows.append((name, verdict + surprise, strong, f"{claim.seconds:g} s", lazy))
    lines = aligned(rows, "<<<><", room=LEAST)
    for number, (claim, _) in enumerate(claims):
        said = cut(plain(claim.statement), width() - len(lines[number]) - 2)
        lines[number] = coloured(f"{lines[number]}  {said}".rstrip())
    steps = sum(bool(claim.step_of) for claim, _ in claims)
    below = f" and {steps} steps" if steps else ""
    count = f"{len(claims) - steps} claims{below}; private-experts verify CLAIM_ID recomputes one"
    return [*lines, *([] if ran else wrapped(f"{NO_RUN} Verdicts are unknown.")), *wrapped(count)]


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
        *([f"Would notice {caught}."] if caught else []),
        f"{claim.kind}; {expected}; about {duration(question.seconds)} on a free core",
    ]
    if question.repetitions and not question.by_chance:
        lines.append("This check is deterministic: --repetitions has no effect.")
    elif question.repetitions and question.repetitions > claim.cap:
        lines.append(f"{question.repetitions / claim.cap:.3g} times the workflow's largest number of repetitions.")
    first = wrapped(f"{claim.id}  ({claim.place}; {', '.join(claim.standing)})")
    return [*first, *(part for line in lines for part in wrapped(line, "  "))]


def evidence(answer: Answer) -> list[str]:
    """Return the evidence, the point that the verdict shows, and the verdict."""
    claim, rows, record, verdict = answer.question.claim, answer.rows, answer.record, answer.verdict
    if "reason" in record:
        return ["", f"{verdict}: {record['reason']}"]
    shown = rows if len(rows) <= SHOWN else nearest_first(rows)[:SHOWN]
    first = "counterexamples first" if verdict == "fails" else "nearest to failing"
    entry = {**asdict(claim), **record}
    worth, lazy = strength(entry).words, lazily(entry)
    vacuous = f", {record['vacuous']} of them vacuous" if record.get("vacuous") else ""
    expected = "as expected" if claim.expected == verdict else f"expected: {claim.expected}"
    how = outcome(claim.kind, verdict)  # that it holds by construction, for one
    last = [
        *([f"{SHOWN} of {len(rows)} points, {first}; --evidence FILE writes all of them"] if len(rows) > SHOWN else []),
        f"{called(verdict)}: {shown_point(record)}",
        *([f"strength: {worth}"] if worth else []),
        *([f"lazy program: {lazy}"] if lazy else []),
        f"{claim.id} {(verdict if how == verdict else f'{verdict} {how}').upper()} "
        f"({expected if claim.expected else 'no verdict was expected'}; {record['points']} points{vacuous}, "
        f"{_chance(answer, record)}, {answer.seconds:.1f} s)",
    ]
    return ["", *_table(shown), "", *(coloured(part) for line in last for part in wrapped(line))]


def _table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return points as a table. Where it is too wide, what rows have in common is said once, and margins go first."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = {name: [name, *(shortened(row.get(name, "")) for row in rows)] for name in names}
    said = []
    if len(fitting([*zip(*cells.values(), strict=True)])) < len(names):
        common = {name: column[1] for name, column in cells.items() if len(rows) > 1 and len({*column[1:]}) == 1}
        said = wrapped(f"All rows: {', '.join(f'{name} {value}' for name, value in common.items())}") if common else []
        decisive = names[: names.index("verdict") + 1]  # notes are behind it
        rank = dict.fromkeys(names, 2) | dict.fromkeys(decisive, 0) | RANKS
        names = sorted((name for name in names if name not in common), key=rank.__getitem__)
    table = [*zip(*(cells[name] for name in names), strict=True)]
    left = names[len(fitting(table)) :]
    more = wrapped(f"Not shown: {', '.join(left)}; --evidence FILE writes all") if left else []
    return [*said, *(coloured(line.rstrip()) for line in aligned(table)), *more]


def agreement(
    answer: Answer, comparison: Comparison, entry: Mapping[str, Any], differences: Sequence[str]
) -> list[str]:
    """Return what the run stored of a claim, whether it agrees with what was just computed, and if not, why perhaps."""
    lines = [
        f"The last run: {comparison.before} ({_chance(answer, entry)}): {shown_point(entry)}",
        f"{'Agrees' if comparison.agrees else 'DISAGREES'}: {in_words(comparison)}.",
        *(f"  apart: {shown_point({'worst': row})}" for row in comparison.apart[:APART]),
        *(because(differences) if comparison.to_explain else []),
    ]
    return ["", *(part for line in lines for part in wrapped(line))]


def because(differences: Sequence[str]) -> list[str]:
    """Return why the same question may have another answer than in the run."""
    return ["The settings are those of the run. " + ("; ".join(differences) or SAME_MACHINE) + "."]


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
    if comparison.rounded == comparison.points and comparison.up_to_rounding:
        return f"{said}, all {comparison.points} points equal up to rounding"
    counts = {
        "equal to the last bit": comparison.equal,
        "equal up to rounding": comparison.rounded,
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
    start = f"{claim.id:<40} {verdict + surprise:<9} {answer.seconds:>6.1f} s  {mark}"
    return coloured((start + cut(said, width() - len(start))).rstrip())


def agreements(
    pairs: Sequence[Pair], seconds: float, uncompared: Sequence[str], differences: Sequence[str]
) -> list[str]:
    """Return agreements counted by paper, what is not as expected or disagrees, and why claims were not compared."""
    columns: tuple[str, ...] = ("equal", "rounding", "overlap", "disagree", "not compared", "not run")
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
    lines = [
        *surprising,
        *disagreeing,
        *(because(differences) if any(each and each.to_explain for _, each in pairs) else []),
        f"{len(pairs)} claims in {seconds:.0f} s: {len(surprising)} with another verdict than expected{last}.",
        *(f"{many} of {len(pairs)} claims: {why}" for why, many in Counter(uncompared).items()),
    ]
    return [
        "",
        *aligned([("paper", "claims", *columns), *rows]),
        "",
        *(part for line in lines for part in wrapped(line)),
    ]


def _kind(answer: Answer, comparison: Comparison | None) -> str:
    if "reason" in answer.record:
        return answer.verdict
    if comparison is None:
        return "not compared"
    if not comparison.agrees:
        return "disagree"
    return "equal" if comparison.identical else "rounding" if comparison.up_to_rounding else "overlap"


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
