"""Ledgers for tests: a small one, and one of all claims of this project with made-up verdicts."""

import functools
import importlib
from pathlib import Path
from typing import Any

from private_experts.replication.ledger import ledger as ledgers
from private_experts.replication.ledger.grading import grade

ROOT = Path(__file__).parents[3]
# The project's own claims, read once for all tests. Nobody changes them.
KNOWN = ledgers.read(sorted((ROOT / "claims").glob("[0-9]*.yaml")), ROOT / "claims/schema.yaml")
CITED = {"title": "A & B", "authors": "Some authors", "version": "1.2.3", "date": "2026-01-02", "doi": ""}
RATIONAL = ("exact", "numerical")  # kinds without chance, whose numbers balls can decide


def check_of(name: str) -> Any:
    module, _, function = name.partition(":")
    return getattr(importlib.import_module(f"private_experts.replication.papers.{module}"), function)


def is_stochastic(claim: ledgers.Claim) -> bool:
    """Tell whether a claim is decided by repetitions."""
    return claim.kind == "stochastic"


def statements(claim: ledgers.Claim) -> list[dict[str, Any]]:
    """Return the statements of a claim, each with its known verdict, or holding."""
    return [{"name": part, "verdict": known or "holds"} for part, known in claim.statements.items()]


def slip(name: str, said_by: str = "paper", severity: str | None = "constant") -> dict[str, Any]:
    facts = {"name": name, "title": "A slip", "said_by": said_by, "seen": "Section 1, $x$"}
    return facts | {"severity": severity if said_by == "paper" else None}


def entry(name: str, verdict: str = "holds", expected: str | None = "holds", **more: Any) -> dict[str, Any]:
    low, high = {"holds": (0.5, "inf"), "fails": ("-inf", -0.5)}.get(verdict, (-0.5, "inf"))
    record = {
        **{"id": name, "paper": name[:3], "place": "Theorem 1 & 2", "kind": "stochastic", "erratum": None},
        **{"statement": r"At most 50 % of $x \le y$.", "latex": r"x_1 \le y", "reason": "synthetic data"},
        **{"verdict": verdict, "expected": expected, "headline": 0, "note": ""},
        "code": {"file": "src/private_experts/check.py", "fingerprint": ""},
        "mathematics": "docs/mathematics/000.md#setting",
        "as_expected": expected in (verdict, None) or verdict == "not run",
    }
    if verdict != "not run":
        value, used = (1.5, 0.75) if verdict == "holds" else (2.5, 1.25)
        record |= {"margin": [low, high], "points": 1200, "repetitions": 400}
        record |= {"measured": {"share": used, "certified": False}}
        record["worst"] = {"n": 2, **dict.fromkeys(("value", "low", "high"), value), "sense": "<="}
        record["worst"] |= {"bound": 2.0, "verdict": verdict, "margin_low": low, "margin_high": high}
    record |= more
    return record | {"grade": grade(record).record()}


def small() -> dict[str, Any]:
    """Return a ledger with a claim of every kind of fate."""
    return {
        "data": "SYNTHETIC DATA (seed 1)",
        "synthetic": True,
        "pinned": False,
        "citation": CITED,
        "papers": [{"paper": "000", "title": "First & last"}, {"paper": "002", "title": "Second"}],
        "claims": [
            entry("000/plain"),
            entry("000/pair/as-printed", "fails", "fails", erratum=slip("E000-1"), note="A counterexample."),
            entry("000/pair", erratum=slip("E000-1")),
            entry("000/observed", "undecided", None),
            entry("000/idle", "not run", None, kind="reproduction"),
            entry("002/surprising", "fails"),
            entry(
                "002/alone", erratum=slip("E002-1", "cited work"), kind="exact", repetitions=2, vacuous=200
            ),
        ],
        "figures": [
            {"name": "002-regret", "paper": "002", "main": False, "claims": ["002/alone"]}
            | {"title": "Regret_1", "caption": "Up to 5 %.", "alt": "A line.", "draw": ""}
        ],
    }


@functools.cache
def everything() -> dict[str, Any]:
    """Return the ledger of this project's claims, all of them as expected. Nobody changes it."""
    worst = dict.fromkeys(("value", "low", "high"), 1.0) | {"sense": "<=", "bound": 1.1, "verdict": "holds"}
    made_up = {"margin": [0.1, 0.2], "worst": worst | {"margin_low": 0.1, "margin_high": 0.2}, "points": 3}
    made_up |= {"repetitions": 2, "measured": {"share": 0.9, "certified": False}}
    verdicts = {
        name: made_up | {"verdict": claim.expected or "holds", "statements": statements(claim)}
        for name, claim in KNOWN.claims.items()
    }
    about = {"data": "made up", "synthetic": False, "pinned": True, "citation": CITED}
    return about | ledgers.gathered(KNOWN, verdicts)
