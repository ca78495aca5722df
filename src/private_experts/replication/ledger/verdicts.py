"""The ledger in sum: counts of verdicts, and errata."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from private_experts.replication.ledger.errata import PAPER, REMARK, SEVERITIES, UNPROVED

Entry = Mapping[str, Any]

ORDER = ("holds", "fails", "undecided", "not run")
SIGNS = dict(zip(ORDER, "✓✗?○", strict=True))
# Of statements about data. On other data than the paper's they need not be false: the weeks, the patients
# counted and the learners differ.
ON_DATA = {
    "fails": ("\u2260", "not so on these data"),
    "not run": ("\u2249", "our data differ too much to say"),
}
PROOF = "(proof)"  # beside or instead of a verdict: what fails is a printed proof


def tally(entries: Iterable[Entry]) -> dict[str, Any]:
    """Count claims by verdict, those not as expected or observed only, errata of the papers, what is none.

    Steps are no claims. But a step that is not as expected is counted among what is not, and errata may be
    steps.
    """
    listed = list(entries)
    counting = without_steps(listed)
    by_verdict = Counter(entry["verdict"] for entry in counting)
    # Of all entries, steps too: a slip in a step is a slip of the paper.
    slips = [erratum for erratum, _, _ in errata(listed)]
    by_severity = Counter(slip["severity"] for slip in slips if is_papers(slip))
    return {
        "total": len(counting),
        "steps": len(listed) - len(counting),
        "verdicts": {verdict: by_verdict[verdict] for verdict in ORDER},
        "surprising": sum(not entry["as_expected"] for entry in listed),
        "observed": sum(entry["expected"] is None for entry in counting),
        "errata": {severity: by_severity[severity] for severity in SEVERITIES if severity != REMARK},
        "elsewhere": sum(not is_papers(slip) for slip in slips),
    }


def of_proof(verdict: str, severity: str | None) -> bool:
    """Tell if what fails is a printed proof, of a statement that may be true; `severity` is the erratum's."""
    return verdict == "fails" and severity == UNPROVED


def sign(entry: Mapping[str, Any]) -> str:
    """Return the sign of an entry's verdict; a cross is a false statement's, not a proof's or the data's."""
    severity = (entry.get("erratum") or {}).get("severity")
    if of_proof(entry["verdict"], severity):
        return PROOF
    return _on_data(entry)[0] or SIGNS[entry["verdict"]]


def verdict_label(entry: Mapping[str, Any]) -> str:
    """Return an entry's verdict in the words of its sign."""
    return _on_data(entry)[1] or str(entry["verdict"])


def _on_data(entry: Mapping[str, Any]) -> tuple[str, str]:
    return ON_DATA.get(entry["verdict"], ("", "")) if entry.get("kind") == "reproduction" else ("", "")


def as_expected(expected: str | None, verdict: str, allow_undecided: bool = False) -> bool:
    """Tell whether a verdict is as expected. It is when none was expected, and when the check was not run."""
    return (
        expected is None or verdict in (expected, "not run") or (allow_undecided and verdict == "undecided")
    )


def all_verdicts(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the verdict of an entry or a record, under the name "", and those of its statements."""
    return [{**entry, "name": ""}, *statements(entry)]


def statements(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the statements of an entry or a record, each of its kind."""
    # A record has no kind, and what was made of it none to keep.
    kind = {"kind": entry["kind"]} if entry.get("kind") else {}
    return [{**part, **kind} for part in entry.get("statements", ())]


def surprises(compared: Iterable[Mapping[str, Any]], allow_undecided: bool = False) -> list[str]:
    """Return which verdicts of a claim and its statements are not as expected, each with the one expected."""
    return [
        f"{part['name']}: " * bool(part["name"]) + f"{part['verdict']}, expected {part['expected']}"
        for part in compared
        if not as_expected(part["expected"], part["verdict"], allow_undecided)
    ]


def differences(compared: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return which verdicts of a claim and its statements differ from the pinned data's, with these."""
    return [
        f"{part['name']}: " * bool(part["name"]) + f"{part['verdict']}, there {part['pinned']}"
        for part in compared
        if part["pinned"] is not None and part["verdict"] not in (part["pinned"], "not run")
    ]


def without_steps(entries: Iterable[Entry]) -> list[Entry]:
    """Return the claims that are counted: those that are not steps of others."""
    return [entry for entry in entries if not entry.get("step_of")]


def of_paper(entries: Iterable[Entry], paper: str) -> list[Entry]:
    """Return the claims of a paper."""
    return [entry for entry in entries if entry["paper"] == paper]


def errata(entries: Iterable[Entry]) -> list[tuple[Mapping[str, Any], list[Entry], list[Entry]]]:
    """Return the errata by number, each with the claims that are wrong as they stand and the mended ones."""
    named: dict[str, tuple[Mapping[str, Any], list[Entry], list[Entry]]] = {}
    for entry in entries:
        if entry.get("erratum"):
            _, wrong, corrected = named.setdefault(entry["erratum"]["name"], (entry["erratum"], [], []))
            # A wrong statement fails, or has an id of three parts.
            (wrong if entry["id"].count("/") == 2 or entry["expected"] == "fails" else corrected).append(
                entry
            )
    return [named[name] for name in sorted(named, key=place_of)]


def counted(errata: Mapping[str, int], elsewhere: int) -> str:
    """Return the two counts of errata of a `tally` in words; nothing when there are none."""
    own = ", ".join(f"{many} {severity}" for severity, many in errata.items() if many)
    others = f"{elsewhere} listed separately" if elsewhere else ""
    return "; ".join(part for part in (f"errata: {own}" if own else "", others) if part)


def is_papers(erratum: Mapping[str, Any]) -> bool:
    """Tell whether it is an erratum of the paper: it said so itself, and it is more than a remark."""
    return bool(erratum["said_by"] == PAPER and erratum["severity"] != REMARK)


def label(erratum: Mapping[str, Any]) -> str:
    """Return its severity when the paper said it, and otherwise who did."""
    return str(erratum["severity"] if erratum["said_by"] == PAPER else erratum["said_by"])


def place_of(erratum: str) -> list[int]:
    """Return the numbers by which an erratum, such as E000-12, is sorted."""
    return [int(part) for part in re.findall(r"\d+", erratum)]
