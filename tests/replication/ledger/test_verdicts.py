"""Verdicts are counted once, for the terminal, the tables, the notebook, the report and the page."""

from typing import Any

from private_experts.replication.ledger import verdicts
from private_experts.replication.ledger.errata import SEVERITIES
from tests.replication.ledger.ledgers import slip

TENTH, NINTH = slip("E000-10", severity="fatal"), slip("E000-9", "heuristic")


def entry(name, verdict="holds", expected="holds", erratum=None):
    return {
        **{"id": name, "paper": name[:3], "verdict": verdict, "expected": expected, "erratum": erratum},
        "as_expected": expected in (None, verdict) or verdict == "not run",
    }


ENTRIES = [
    entry("001/a"),
    entry("001/b", "fails", "holds"),
    entry("000/c/as-printed", "fails", "fails", TENTH),
    entry("000/c", "holds", "holds", TENTH),
    entry("000/d", "fails", "fails", NINTH),
    entry("000/e/as-bound", "undecided", None, NINTH),
    entry("000/f", "not run", "holds"),
]


def test_claims_are_counted_once_each():
    count = verdicts.tally(ENTRIES)
    none = {"verdicts": dict.fromkeys(verdicts.ORDER, 0), "errata": dict.fromkeys(SEVERITIES, 0)}
    none["errata"].pop("remark")
    none |= dict.fromkeys(("total", "steps", "surprising", "observed", "elsewhere"), 0)
    assert verdicts.tally(iter(())) == none
    found = {"total": 7, "steps": 0, "surprising": 1, "observed": 1, "elsewhere": 1}
    found["verdicts"] = none["verdicts"] | {"holds": 2, "fails": 3, "undecided": 1, "not run": 1}
    assert count == found | {"errata": none["errata"] | {"fatal": 1}}
    assert list(count["verdicts"]) == list(verdicts.ORDER)
    assert [record["id"] for record in verdicts.of_paper(ENTRIES, "001")] == ["001/a", "001/b"]
    assert verdicts.of_paper(ENTRIES, "002") == []


def test_a_step_is_no_claim_but_what_is_not_expected_of_it_counts_and_so_does_its_erratum():
    fails = {**entry("000/g", "fails", "holds", slip("E000-11")), "step_of": "000/f"}
    before, count = verdicts.tally(ENTRIES), verdicts.tally([*ENTRIES, fails])
    assert (count["total"], count["steps"], count["verdicts"]) == (7, 1, before["verdicts"])
    assert count["surprising"] == before["surprising"] + 1
    assert count["errata"]["constant"] == before["errata"]["constant"] + 1
    assert [step["id"] for step in verdicts.without_steps([entry("000/f"), fails])] == ["000/f"]


def test_errata_are_ordered_by_number_and_split_into_what_is_printed_and_what_is_right():
    ninth, tenth = (
        (found, *([record["id"] for record in side] for side in sides))
        for found, *sides in verdicts.errata(ENTRIES)
    )
    assert tenth == (TENTH, ["000/c/as-printed"], ["000/c"])
    # also a statement that has no mended one beside it
    assert ninth == (NINTH, ["000/d", "000/e/as-bound"], [])


def test_only_what_the_paper_says_is_counted_as_its_erratum() -> None:
    for said_by in ("paper", "companion paper", "cited work", "transcription", "nobody"):
        own = int(said_by == "paper")
        count = verdicts.tally([entry("000/c", "holds", "holds", slip("E000-1", said_by))])
        assert (sum(count["errata"].values()), count["elsewhere"]) == (own, 1 - own)
        assert verdicts.label(slip("E000-1", said_by)) == ("constant" if own else said_by)
    remark = slip("E000-1", severity="remark")
    count = verdicts.tally([entry("000/c", "holds", "holds", remark)])
    assert (sum(count["errata"].values()), count["elsewhere"], verdicts.label(remark)) == (0, 1, "remark")
    told = verdicts.counted({"fatal": 1, "gap": 0, "constant": 2}, 3)
    assert told == "errata: 1 fatal, 2 constant; 3 listed separately"
    assert verdicts.counted({"fatal": 0}, 0) == ""


def test_a_printed_proof_that_fails_is_no_false_statement():
    proof = slip("E000-2", severity="proof fails")
    assert verdicts.sign(entry("000/g-proof/as-printed", "fails", "fails", proof)) == "(proof)"
    assert verdicts.sign(entry("000/g", "holds", "holds", proof)) == "✓"
    assert [verdicts.sign(each) for each in ENTRIES[1:3]] == ["✗", "✗"]
    assert [verdicts.verdict_label(each) for each in ENTRIES[1:3]] == ["fails", "fails"]
    assert "proof fails" in SEVERITIES


def test_what_is_not_so_on_the_data_at_hand_is_not_told_as_false() -> None:
    found: dict[str, dict[str, Any]] = {
        verdict: {"kind": "reproduction", "statements": [{"name": "x", "verdict": verdict}]}
        | {"verdict": verdict}
        for verdict in verdicts.ORDER
    }
    told = {verdict: (verdicts.sign(each), verdicts.verdict_label(each)) for verdict, each in found.items()}
    assert told == {
        "holds": ("✓", "holds"),
        "fails": ("≠", "not so on these data"),
        "undecided": ("?", "undecided"),
        "not run": ("≉", "our data differ too much to say"),
    }
    # What a claim is made of is told as the claim is.
    for verdict, each in found.items():
        # A record says nothing of kinds, and what was taken from it is told as the claim is too.
        taken = verdicts.statements({"verdict": verdict, "statements": each["statements"]})
        assert taken == each["statements"]
        for claim in (each, each | {"statements": taken}):
            (part,) = verdicts.statements(claim)
            assert verdicts.verdict_label(part) == told[verdict][1]
