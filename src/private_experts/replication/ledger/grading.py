"""How a verdict is known, and how near the evidence comes to its bound. [verdicts.md#grading]

Two gradings, in the words that page, terminal, tables and report use. **How it is known**: proved, in ball
arithmetic or by enumeration; measured, with its interval; or by a counterexample. **How near**: the share of
its bound that the tightest point uses, and whether a program that is too lazy for the claim would pass.

A 4 that shall be at most 8 uses half. The share counts what is used for sure, so of an interval it takes the
end away from the bound. A bound of 0 has no share, only a sign; nor has a tolerance for rounding, or a box on
which both sides meet, which says nothing of the rest.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import ROUND_FLOOR, Context
from typing import Any

from private_experts.replication.ledger.verdicts import without_steps
from private_experts.replication.plotting.numbers import number, short

Row = Mapping[str, Any]

# How a verdict is known, from the best to the least, with what each word says.
KNOWN = {
    "proved": "at every point or over whole boxes, in ball arithmetic; or by trying all cases of a finite "
    "kind",
    "measured": "with its interval, or in floating point at points of a grid",
    "counterexample": "the claim fails, at a point that exceeds its bound by so much",
}
BALLS, ENUMERATION = " in ball arithmetic", " by enumeration"
PASSES = "its lazy program would pass"
TOLERANCE = 1e-3  # the largest bound on an exact value that is taken for a tolerance


@dataclass(frozen=True)
class Grade:
    """How the verdict of a claim is known, and how near its evidence comes to the bound."""

    known: str = ""  # one of `KNOWN`; nothing for a claim that is undecided or was not run
    how: str = ""  # in which way it is proved
    share: float | None = None  # of its bound that the tightest point, or the clearest counterexample, uses
    passes: bool = False  # the lazy program fails at no point that is not vacuous
    vacuous: float = 0.0  # the share of points that are vacuous

    def record(self) -> dict[str, Any]:
        """Return the grade as the ledger has it, with its words."""
        return asdict(self) | {"words": self.words}

    @property
    def words(self) -> str:
        """Both gradings in a few words."""
        near = [] if self.share is None else [_of_the_bound(self.share)]
        return (
            ", ".join([self.known + self.how, *near, *([PASSES] if self.passes else [])])
            if self.known
            else ""
        )


def _of_the_bound(share: float) -> str:
    """Return a share in words, cut and not rounded: 0.998 of a bound is not all of it."""
    if share > 1 + 1e-9:
        digits = 3 if share >= 1.01 else 6
        cut = Context(prec=digits, rounding=ROUND_FLOOR).create_decimal_from_float(share * (1 + 1e-12))
        return f"at least {short(float(cut), digits)} times the bound"
    if share > 1 - 1e-9:  # but for rounding
        return "all of the bound"
    if share == 0:
        return "none of the bound"
    return f"{math.floor(share * 100) / 100 if share >= 0.01 else float(f'{share:.1g}'):g} of the bound"


def share(row: Row) -> float | None:
    """Return the share of its bound that a point of the evidence uses for sure; above 1 when the point fails.

    Examples
    --------
    >>> share({"sense": "<=", "low": 4.0, "high": 5.0, "bound": 8.0})
    0.5
    >>> share({"sense": ">=", "low": 3.0, "high": 4.0, "bound": 1.0})
    0.25
    >>> share({"sense": "<=", "low": -1.0, "high": -1.0, "bound": 0.0}) is None
    True
    """
    low, high, bound = (number(row[name]) for name in ("low", "high", "bound"))
    # The end of the interval that is away from the bound: what is used for sure.
    less, more = (low, bound) if row["sense"] == "<=" else (bound, high)  # the point says: less <= more
    # A share of 0 or of rounding says nothing about the claim.
    if bound == 0 or _is_tolerance(row) or number(row.get("by_series", 0)) > 0 or more <= 0 < less:
        return None
    used = less / more if more > 0 else more / less
    return max(used, 0.0) if math.isfinite(used) else None


def _is_tolerance(row: Row) -> bool:
    """Tell whether a bound only allows for rounding: a small one on an exact value, with no trivial bound."""
    known = str(row.get("trivial", "")) not in ("", "nan", "None")
    exact = number(row["low"]) == number(row["high"]) or _true(row.get("certified"))
    return not known and exact and abs(number(row["bound"])) <= TOLERANCE


def measured(rows: Sequence[Row]) -> dict[str, Any]:
    """Return what the evidence alone says of a claim's grade: ``share``, and whether it is ``certified``."""
    # Vacuous points meet any bound; as shares they would make a weak claim look tight.
    useful = [row for row in rows if not _true(row.get("vacuous"))]
    wrong = [row for row in useful if row["verdict"] == "fails"]
    shares = [used for used in map(share, wrong or useful) if used is not None]
    proved = [_true(row.get("certified")) for row in wrong or useful]
    # One proved counterexample refutes; to hold, every point has to be proved.
    certified = any(proved) if wrong else bool(proved) and all(proved)
    return {"share": max(shares, default=None), "certified": certified}


def _true(value: Any) -> bool:
    return str(value) == "True"


def grade(entry: Mapping[str, Any]) -> Grade:
    """Return the grade of a claim, from its entry together with the record of its verdict."""
    verdict, points, found = entry["verdict"], entry.get("points", 0), entry.get("measured") or {}
    vacuous = (entry.get("vacuous") or 0) / points if points else 0.0
    if verdict not in ("holds", "fails") or vacuous == 1:
        return Grade(vacuous=vacuous)
    how = BALLS if found.get("certified") else ENUMERATION if entry.get("enumerated") else ""
    if verdict == "fails":
        return Grade("counterexample", how and f", proved{how}", found.get("share"), vacuous=vacuous)
    # It passes if it fails nowhere: one failure shows that the check can tell.
    passes = bool(entry.get("lazy_points")) and not entry["lazy_fails"]
    return Grade("proved" if how else "measured", how, found.get("share"), passes, vacuous)


def lazily(entry: Mapping[str, Any]) -> str:
    """Return in words at how many points a claim's lazy program fails, or why it has none; or nothing.

    Examples
    --------
    >>> lazily({"lazy": "a learner that never restarts", "lazy_fails": 1, "lazy_points": 9})
    'a learner that never restarts fails at 1 of 9 points that are not vacuous'
    >>> lazily({"no_lazy": "no learner plays"})
    'none: no learner plays'
    """
    if not entry.get("lazy"):
        return f"none: {entry['no_lazy']}" if entry.get("no_lazy") else ""
    if "lazy_points" not in entry:
        return str(entry["lazy"])
    many = entry["lazy_points"]
    points = f"{many} point{'s' * (many != 1)} that {'are' if many != 1 else 'is'} not vacuous"
    return f"{entry['lazy']} fails at {entry['lazy_fails']} of {points}"


def counted(entries: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return how many claims of the ledger, without steps, are known in which way, in order of `KNOWN`."""
    names = Counter(entry["grade"]["known"] for entry in without_steps(entries))
    return {name: names[name] for name in KNOWN if names[name]}


def in_words(counts: Mapping[str, int]) -> str:
    """Return such counts as a line, as in ``3 proved, 1 measured``; of counterexamples, in the plural."""
    plural = {"counterexample": "counterexamples"}
    return ", ".join(
        f"{many} {plural.get(name, name) if many > 1 else name}" for name, many in counts.items()
    )
