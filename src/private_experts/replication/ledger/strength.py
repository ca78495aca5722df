"""How much a verdict is worth: the strength of a claim, computed from its evidence.

That a claim holds says little when its bound is far away, and much when it was proved. [verdicts.md#strength]

Of each point one can say what **share** of its bound is used: a 4 that shall be at most 8 uses half. The share counts
what is used for sure, so of an interval it takes the end away from the bound. A bound of 0 has no shares, only a sign.
Nor has a box on which both sides meet: however near they come there, it says nothing of the rest.
Some points do not bound a quantity but say that two routes to it **agree**. Their bound is a tolerance, or the value is
held from both sides. Of these one can say to how many digits. An inequality whose two sides meet somewhere looks the
same. Its points say so by the note ``one_sided``.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from private_experts.replication.ledger.verdicts import BY_CONSTRUCTION, without_steps
from private_experts.replication.plotting.numbers import number, settled, short

Row = Mapping[str, Any]

# The strengths from the best to none, with what each says of a claim.
STRENGTHS = {
    "certified": "proved in ball arithmetic at every point or over whole boxes",
    "enumerated": "all cases of a finite kind were tried; the entry says which",
    "agrees": "two routes give the same, to so many digits",
    "tight": "some point uses at least half of its bound",
    "loose": "every point uses less than half of its bound",
    "sign": "the bound is 0, so there is a sign and no share",
    "lenient": "a program that is too lazy for the claim would pass at every point that is not vacuous",
    "counterexample": "it fails, at a point that exceeds its bound by so much",
    "vacuous": "no point's bound is better than the trivial one",
    BY_CONSTRUCTION: "only a defect of the program could make it fail",
}
HALF = 0.5  # a bound is tight from this share on
TOLERANCE = 1e-3  # the largest bound on an exact value that is taken for a tolerance
PINNED = 0.1  # both bounds of a value lie at most so far from their middle, relative to it: it agrees to one digit


@dataclass(frozen=True)
class Strength:
    """How much the verdict of a claim is worth."""

    name: str  # one of `STRENGTHS`; nothing for a claim that is undecided or was not run
    share: float | None = None  # of its bound that the tightest point, or the clearest counterexample, uses
    vacuous: float = 0.0  # the share of points that are vacuous
    digits: float | None = None  # to which two routes agree; infinite when they are equal
    scope: str = ""  # what alone is certified, where that is less than the claim says

    def record(self) -> dict[str, Any]:
        """Return the strength as the ledger has it, with its words; JSON has no infinity."""
        digits = str(self.digits) if self.digits == math.inf else self.digits
        return {"name": self.name, "share": self.share, "vacuous": self.vacuous, "digits": digits, "words": self.words}

    @property
    def words(self) -> str:
        """The strength in a few words."""
        if self.name == "agrees" and self.digits is not None:
            digits = f"{self.digits:.2g}"
            noun = "digit" if digits == "1" else "digits"
            return "agrees exactly" if math.isinf(self.digits) else f"agrees to {digits} {noun}"
        name = f"{self.name} for {self.scope}" if self.scope else self.name
        if self.share is None or self.name not in _WITH_SHARE:
            return name
        return f"{name}, {_of_the_bound(self.share)}"


_WITH_SHARE = ("certified", "enumerated", "tight", "loose", "lenient", "counterexample")


def _of_the_bound(share: float) -> str:
    """Return a share in words, cut and not rounded: 0.998 of a bound is not all of it."""
    if share > 1 + 1e-9:
        digits = 3 if share >= 1.01 else 6
        return f"{short(float(f'{share:.{digits}g}'), digits)} times the bound"
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
    less, more = (low, bound) if row["sense"] == "<=" else (bound, high)  # the point says: less <= more
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
    """Return what the evidence alone says of a claim's strength: ``share``, ``digits``, and whether it is certified."""
    useful = [row for row in rows if not _true(row.get("vacuous"))]
    wrong = [row for row in useful if row["verdict"] == "fails"]
    agreeing = {} if wrong else _agreements(useful)
    counting = [row for place, row in enumerate(wrong or useful) if place not in agreeing]
    shares = [used for used in map(share, counting) if used is not None]
    proved = [_true(row.get("certified")) for row in wrong or useful]
    return {
        "share": max(shares, default=None),
        "digits": min(agreeing.values()) if agreeing and not shares else None,
        "certified": any(proved) if wrong else bool(proved) and all(proved),
    }


def _true(value: Any) -> bool:
    return str(value) == "True"


def _agreements(rows: Sequence[Row]) -> dict[int, float]:
    """Return the digits of the rows that say that two routes agree, by their places."""
    two_sided = {place: row for place, row in enumerate(rows) if not _true(row.get("one_sided"))}
    small = {place: row for place, row in two_sided.items() if row["sense"] == "<=" and _is_tolerance(row)}
    signed = {number(row["bound"]) for row in small.values() if number(row["value"]) < 0}  # no differences, then
    bounds = {place: number(row["bound"]) for place, row in small.items()}
    found = {place: _digits(bound, 1.0) for place, bound in bounds.items() if bound not in signed}
    floors = {_quantity(row): place for place, row in two_sided.items() if row["sense"] == ">="}
    for place, row in two_sided.items():
        floor = floors.get(_quantity(row)) if row["sense"] == "<=" else None
        if floor is not None:
            least, most = number(rows[floor]["bound"]), number(row["bound"])
            middle = abs(least + most) / 2 or 1.0  # around 0 there is no relative difference
            if 0 <= (most - least) / 2 <= PINNED * middle * (1 + 1e-9):
                found[place] = found[floor] = _digits((most - least) / 2, middle)
    return found


def _digits(difference: float, size: float) -> float:
    return -math.log10(difference / size) if difference > 0 else math.inf


def _quantity(row: Row) -> tuple[Any, ...]:
    """Return what tells which quantity a point is about: its value but for rounding, and the numbers of its place."""
    names = list(row)
    place = [row[name] for name in names[: names.index("value")]]
    ends = (settled(number(row[name])) for name in ("value", "low", "high"))
    return (*map(str, ends), *(str(each) for each in place if _is_number(each)))


def _is_number(value: Any) -> bool:
    return not math.isnan(number(value))


def strength(entry: Mapping[str, Any]) -> Strength:
    """Return the strength of a claim, from its entry together with the record of its verdict."""
    verdict, points, found = entry["verdict"], entry.get("points", 0), entry.get("measured") or {}
    used, digits = found.get("share"), found.get("digits")
    vacuous = (entry.get("vacuous") or 0) / points if points else 0.0
    if vacuous == 1:
        name = "vacuous"
    elif verdict not in ("holds", "fails", BY_CONSTRUCTION):
        name = ""
    elif entry["kind"] == BY_CONSTRUCTION and verdict != "fails":
        name = BY_CONSTRUCTION
    elif verdict == "holds" and entry.get("lazy_points") and not entry["lazy_fails"]:
        name = "lenient"
    elif found.get("certified"):
        name = "certified"
    elif entry.get("enumerated"):
        name = "enumerated"
    elif verdict == "fails":
        name = "counterexample"
    elif used is not None:
        name = "tight" if used >= HALF else "loose"
    else:
        name = "sign" if digits is None else "agrees"
    scope = entry.get("certificate", "") if name == "certified" else ""
    return Strength(name, used, vacuous, None if digits is None else number(digits), scope)


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
    """Return how many claims of the ledger, without steps, have which strength, in the order of `STRENGTHS`."""
    names = Counter(entry["strength"]["name"] for entry in without_steps(entries))
    return {name: names[name] for name in STRENGTHS if names[name]}


def in_words(counts: Mapping[str, int]) -> str:
    """Return such counts as a line, as in ``3 tight, 1 loose``."""
    return ", ".join(f"{many} {name}" for name, many in counts.items())
