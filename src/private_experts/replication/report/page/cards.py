"""Claims, verdict counts and errata as the page shows them: a card each."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from private_experts.errors import InputError
from private_experts.replication.ledger import verdicts
from private_experts.replication.ledger.errata import HEADINGS, SEVERITIES
from private_experts.replication.ledger.evidence import called, nearness
from private_experts.replication.ledger.grading import lazily
from private_experts.replication.ledger.ranking import added, concludes, is_corrected_form, rows_of
from private_experts.replication.ledger.timing import Account
from private_experts.replication.ledger.verdicts import all_verdicts, differences, surprises
from private_experts.replication.plotting.formulas import html, mathml
from private_experts.replication.plotting.numbers import duration, number, percent, short
from private_experts.replication.report.page import evidence_rows
from private_experts.replication.study.intervals import CONFIDENCE
from private_experts.replication.study.statements import in_words

Entry = Mapping[str, Any]

# How the formula of a claim is known; claims/schema.yaml says the same.
STANDINGS = {
    "FOUND": "published in this form",
    "SEED": "legible in the text copy",
    "SEED-FORCED": "missing in the text copy, but the text around it allows one possibility only",
    "DERIVED": "proved here",
    "TEMPLATE": "the same slot of a companion paper",
    "ASSUMED": "a choice made here",
}
# What a claim needs beside its grid.
_NEEDED = {
    "panels": "the hospital panels",
    "table-2": "Table 2",
    "report-noise": "the hospital panels, and what local players learned from",
}
# What errata are called by their severity, or by who made them: one, and several.
NOUNS = {
    "fatal": ("fatal error", "fatal errors"),
    "proof fails": ("proof that fails", "proofs that fail"),
    "constant": ("wrong constant", "wrong constants"),
    "boundary": ("boundary slip", "boundary slips"),
    "misprint": ("misprint", "misprints"),
    "gap": ("gap", "gaps"),
    "remark": ("remark", "remarks"),
    "companion paper": ("slip of a companion paper", "slips of companion papers"),
    "cited work": ("slip of a cited work", "slips of cited works"),
    "transcription": ("slip of a copy of the text", "slips of a copy of the text"),
    "heuristic": ("heuristic, taken for a bound", "heuristics, taken for bounds"),
    "nobody": ("statement that no source makes", "statements that no source makes"),
}
READ = ("FOUND", "SEED", "DERIVED")  # standings of a formula that was read, or proved here
SEEN = ("FOUND", "SEED")  # of one whose own line in the paper was read
FILLED = ("SEED-FORCED", "TEMPLATE", "ASSUMED")  # of one in whose place something else was taken
KINDS = {
    "exact": "integers, enumerations, algebra",
    "numerical": "two independent routes within a stated tolerance",
    "stochastic": f"intervals over independent repetitions, {100 * CONFIDENCE:g} % jointly over the grid",
    "reproduction": "a published figure on data",
    "by construction": "follows from a definition; only a defect of the program could make it fail",
}


def claim(
    entry: Entry,
    order: int,
    rows: Sequence[Mapping[str, str]],
    time: Account | None,
    titles: Mapping[str, str],
) -> dict[str, Any]:
    """Return one claim: its entry and place in the ledger, its evidence, and what it took, if measured."""
    texts = {"statement": entry["statement"], "rule": entry["rule"], "note": entry.get("note") or ""}
    try:
        formula = mathml(entry["latex"], display=True)
        shown = {name: html(text) for name, text in texts.items()}
    except InputError as error:
        raise InputError(f"claims: {entry['id']}: {error}") from error
    nearest = entry.get("worst")
    slip, statements = entry["erratum"] or {}, verdicts.statements(entry)
    about = " ".join(str(slip.get(name) or "") for name in ("title", "severity", "why"))
    return {
        **{"enumerated": "", "certificate": "", "reason": "", "points": 0, "vacuous": None, "seed": None},
        **entry,
        "lazy": lazily(entry),
        "order": order,
        **shown,
        "short": html(entry.get("short") or ""),
        "why": html(slip.get("why") or ""),
        "added": added(entry),
        "mends": is_corrected_form(entry),
        "math": formula,
        "needs": _NEEDED.get(entry.get("needs") or "", ""),
        "grade": entry["grade"] | {"vacuous": percent(entry["grade"]["vacuous"])},
        "statements": [
            {
                **part,
                "words": in_words(part["name"]),
                "sign": verdicts.sign(part),
                "verdict_label": verdicts.verdict_label(part),
            }
            for part in statements
        ],
        "expectation": _expectation(entry),
        "surprising": not entry["as_expected"],
        # A reader has to see where a formula was not read in the paper itself, as the claim then rests on a
        # guess.
        "unread": not {*entry["standing"]} & {*READ},
        "unseen": bool({*entry["standing"]} & {*FILLED}) and not {*entry["standing"]} & {*SEEN},
        "called": called(entry["verdict"]),
        "sign": verdicts.sign(entry),
        "verdict_label": verdicts.verdict_label(entry),
        "nearest": None
        if not nearest
        else evidence_rows.point(nearest) | {"place": evidence_rows.parameters(nearest)},
        "near": None if not nearest else f"{nearness(nearest):.6g}",
        "grid": [(name, _listed(value)) for name, value in entry["grid"].items()],
        "repetitions": short(entry["repetitions"]) if entry["kind"] == "stochastic" and nearest else "",
        "time": "" if time is None else duration(time.seconds),
        "seconds": "" if time is None else f"{time.seconds:.2f}",
        "memory": "" if time is None else f"{time.megabytes:.0f} MB",
        "estimate": duration(number(entry["seconds"])),
        "code": dict(entry["code"]),
        "figures": [{"name": name, "title": titles.get(name, name)} for name in entry["figures"]],
        "evidence": evidence_rows.table(rows),
        "words": f"{texts['rule']} {texts['note']} {about}",
        "said": texts["statement"],
    }


def searched(card: Mapping[str, Any]) -> str:
    """Return what the search of the page reads of a card, in the order of the weights in page.js."""
    parts = [f"{part['verdict_label']} {part['words']}" for part in card["statements"]]
    code, name = card["code"], (card["erratum"] or {}).get("name", "")
    beside = f"{card['id']} {name} {card['math'].striptags()} {card['mathematics']['anchor']}"
    fields = (
        *(card["short"].striptags(), " ".join(parts), card["place"], card["said"], card["words"]),
        f"{beside} {code['file']}, line {code['line']} {code['fingerprint'] or ''}",
    )
    return "\t".join(" ".join(field.split()) for field in fields)


def _expectation(entry: Entry) -> str:
    """Return in a few words what a reader must know beside the verdict, so no verdict needs a second look."""
    if entry.get("differs"):
        return f"as found; on the pinned data: {'; '.join(differences(all_verdicts(entry)))}"
    if entry["expected"] is None:
        return (
            "a conclusion of the paper" if concludes(entry) else "a question of ours: no verdict is expected"
        )
    if entry["verdict"] == "fails" and entry["as_expected"]:
        slip = entry["erratum"]
        if not slip:
            return "a conclusion of the paper" if concludes(entry) else "known not to hold"
        return "erratum: " * verdicts.is_papers(slip) + NOUNS[verdicts.label(slip)][0]
    if entry["verdict"] != "not run" and entry["as_expected"]:
        return "as expected"
    return "; ".join(surprises(entry.get("statements", ()))) or f"expected: {entry['expected']}"


def _listed(value: Any) -> str:
    """Return a grid's values as text."""
    if isinstance(value, list | tuple):
        return ", ".join(
            f"({_listed(item)})" if isinstance(item, list | tuple | Mapping) else _listed(item)
            for item in value
        )
    if isinstance(value, Mapping):
        return "; ".join(f"{name} {_listed(item)}" for name, item in value.items())
    return f"“{value}”" if isinstance(value, str) and "," in value else short(value)


def rows(claims: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the cards with what stands in each row: mended forms, steps, and steps not as expected."""
    beneath, listed = rows_of(claims), {entry["id"]: entry for entry in claims}
    found = {
        name: entry | {"row": beneath[name], "mended": [], "steps": []} for name, entry in listed.items()
    }
    for name, row in beneath.items():
        if name != row:
            found[row]["steps" if listed[name].get("step_of") else "mended"].append(listed[name])
    for card in found.values():
        # What fails or is open, also in a part of the row, is never among what a reader has to ask for.
        in_row = [card, *card["mended"], *card["steps"]]
        card["first"] = card["headline"] or any(part["verdict"] != "holds" for part in in_row)
        card["alarming"] = [step for step in card["steps"] if step["surprising"]]
        card["label"] = (
            HEADINGS[card["erratum"]["said_by"]] if card["erratum"] and card["id"].count("/") == 2 else ""
        )
    return list(found.values())


def errata(claims: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the errata by number: who said each, the wrong statements, and the mended ones."""
    return [
        {
            **slip,
            "seen": html(slip["seen"]),
            "why": html(slip.get("why") or ""),
            "figures": list(
                {figure["name"]: figure for claim in wrong for figure in claim["figures"]}.values()
            ),
            "papers": verdicts.is_papers(slip),
            "rank": [*SEVERITIES, None].index(slip["severity"]),
            "label": verdicts.label(slip),
            "heading": HEADINGS[slip["said_by"]],
            "places": _each_once(card["place"] for card in wrong + corrected if not added(card)),
            "wrong": wrong,
            "mended": corrected,
        }
        for slip, wrong, corrected in verdicts.errata(claims)
    ]


def _each_once(places: Iterable[str]) -> list[str]:
    """Return what places name, which are divided by semicolons, without repetition."""
    return list(dict.fromkeys(place for listed in places for place in listed.split("; ")))
