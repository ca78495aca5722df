"""What the desk prints of a comparison with the last run: of one claim in full, of many as a table."""

import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from private_experts.replication.claims.comparing import Comparison
from private_experts.replication.claims.ledger_tables import shown_point
from private_experts.replication.claims.recomputing import Answer

NO_RUN = (
    "No run to compare with: make reproduce makes one; make smoke one in small (then --quick --results results/smoke)."
)
# By whether the run used the small grids. Other grids may have other tolerances and bounds, and fewer repetitions.
OTHER_GRID = {
    False: "Not compared: the last run used the full grid. Leave out --quick, or add --results results/smoke.",
    True: "Not compared: the last run used the small grid. Add --quick, or name a full run with --results.",
}
Pair = tuple[Answer, Comparison | None]

_NUMERICAL = ("numpy", "scipy", "python-flint")  # packages that the last bits of a value depend on
_SHOWN = 5  # points that disagree


def compared(comparison: Comparison, answer: Answer, entry: Mapping[str, Any], machine: Mapping[str, Any]) -> list[str]:
    """Return what the run stored beside what was just computed, and whether they agree."""
    here = answer.record
    lines = [
        ("", "the last run", "now"),
        ("verdict", comparison.before, comparison.now),
        *((name, str(entry.get(name, "")), str(here.get(name, ""))) for name in ("seed", "repetitions", "points")),
        ("decisive point", shown_point(entry), shown_point(here)),
    ]
    widths = [max(len(line[column]) for line in lines) for column in (0, 1)]
    shown = [f"  {name:<{widths[0]}}  {before:<{widths[1]}}  {now}".rstrip() for name, before, now in lines]
    verdict = f"{'Agrees' if comparison.agrees else 'DISAGREES'}: {in_words(comparison)}."
    return ["", *shown, verdict, *_apart(comparison), *_why(comparison, machine)]


def in_words(comparison: Comparison) -> str:
    """Return in a few words how verdicts and points agree."""
    said = "the same verdict" if comparison.same_verdict else f"{comparison.before} there, {comparison.now} here"
    if "not run" in (comparison.before, comparison.now):
        return said
    points = comparison.points
    if comparison.equal == points and not comparison.alone:
        return f"{said}, all {points} points equal to the last bit"
    counts = {
        "equal to the last bit": comparison.equal,
        "with intervals that overlap": comparison.overlapping,
        "with another value" if comparison.same_question else "drawn anew": comparison.redrawn,
        "apart": len(comparison.apart),
    }
    told = ", ".join(f"{many} {kind}" for kind, many in counts.items() if many)
    alone = f"; {comparison.alone} points that only one of them has" if comparison.alone else ""
    return f"{said}; of {points} points {told or 'none in common'}{alone}"


def _apart(comparison: Comparison) -> list[str]:
    lines = [f"  apart: {shown_point({'worst': row})}" for row in comparison.apart[:_SHOWN]]
    left = len(comparison.apart) - len(lines)
    return lines + [f"  ... and {left} more"] * bool(left)


def _why(comparison: Comparison, machine: Mapping[str, Any]) -> list[str]:
    """Return what could explain that the same question has another answer."""
    if comparison.agrees or not comparison.same_question:
        return []
    before = {"python": machine.get("python", platform.python_version()), **machine.get("packages", {})}
    here = {"python": platform.python_version(), **{name: _version(name) for name in _NUMERICAL}}
    other = [f"{name} {before[name]} there, {now} here" for name, now in here.items() if before.get(name, now) != now]
    cause = "; ".join(other) or "the packages are the same, so the code or the processor is another one"
    return [f"  The question was the same. What differs: {cause}."]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


def line(answer: Answer, comparison: Comparison | None, place: int, total: int, width: int) -> str:
    """Return one line about one of many claims."""
    claim, verdict = answer.question.claim, answer.verdict
    surprise = "" if answer.as_expected else f" (!), expected {claim.expected}"
    said = str(answer.record["reason"]) if verdict == "not run" else in_words(comparison) if comparison else ""
    mark = "" if comparison is None or comparison.agrees else "DISAGREES: "
    counted = f"[{place:>{len(str(total))}}/{total}]"
    return f"{counted} {claim.id:<{width}}  {verdict + surprise:<9}  {answer.seconds:>5.1f} s  {mark}{said}".rstrip()


def table(pairs: Sequence[Pair], seconds: float, uncompared: Sequence[str] = ()) -> list[str]:
    """Return agreements counted by paper, each disagreement, and last lines that sum up.

    `uncompared` says of each claim that was checked and not compared why it was not.
    """
    papers = sorted({answer.question.claim.paper for answer, _ in pairs})
    head = ("paper", "claims", "as expected", "same verdict", "equal", "overlap", "disagree", "not run")
    groups = {paper: [pair for pair in pairs if pair[0].question.claim.paper == paper] for paper in papers}
    rows = [tuple(map(str, _counts(name, group))) for name, group in {**groups, "all": pairs}.items()]
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    lines = ["  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)) for row in (head, *rows)]
    unexpected = [answer for answer, _ in pairs if not answer.as_expected]
    other = [(answer, each) for answer, each in pairs if each and not each.agrees]
    said = [f"{len(pairs)} claims in {seconds:.0f} s: {len(unexpected)} with another verdict than expected"]
    if any(comparison for _, comparison in pairs):
        changed = sum(not each.same_verdict for _, each in other)
        said.append(f"{changed} with another verdict than in the last run, {len(other)} that disagree with it")
    return [
        "",
        *lines,
        "",
        *(f"{a.question.claim.id}: {a.verdict}, expected {a.question.claim.expected}" for a in unexpected),
        *(f"{answer.question.claim.id}: {in_words(each)}" for answer, each in other),
        "; ".join(said) + ".",
        *(f"{many} of {len(pairs)} claims: {why}" for why, many in Counter(uncompared).items()),
    ]


def _counts(name: str, pairs: Sequence[Pair]) -> tuple[object, ...]:
    run = [(answer, each) for answer, each in pairs if answer.verdict != "not run"]
    known = [each for _, each in run if each is not None]
    equal = sum(each.agrees and each.equal == each.points and not each.alone for each in known)
    return (
        name,
        len(pairs),
        sum(answer.as_expected for answer, _ in run),
        sum(each.same_verdict for each in known),
        equal,
        sum(each.agrees for each in known) - equal,
        sum(not each.agrees for each in known),
        len(pairs) - len(run),
    )


def as_record(answer: Answer, comparison: Comparison | None, rows: bool = True) -> dict[str, Any]:
    """Return an answer and its comparison as JSON has them; with `rows`, also the evidence."""
    from private_experts.replication.claims.ledger import code_of, command_of

    question = answer.question
    claim = question.claim
    found: dict[str, Any] = {
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
        "comparison": None,
    }
    if comparison is not None:
        found["comparison"] = {
            "agrees": comparison.agrees,
            "verdict": comparison.before,
            "same_question": comparison.same_question,
            "points": comparison.points,
            "equal": comparison.equal,
            "overlapping": comparison.overlapping,
            "redrawn": comparison.redrawn,
            "apart": list(comparison.apart),
            "alone": comparison.alone,
        }
    return found | ({"evidence": list(answer.rows)} if rows else {})
