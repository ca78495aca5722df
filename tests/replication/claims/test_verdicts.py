"""What the ledger comes to is counted once, for the terminal, the tables, the notebook, the report and the page."""

from private_experts.replication.claims import verdicts


def entry(name, verdict="holds", expected="holds", erratum=None):
    return {
        "id": name,
        "paper": name[:3],
        "verdict": verdict,
        "expected": expected,
        "erratum": erratum,
        "as_expected": expected in (None, verdict) or verdict == "not run",
    }


ENTRIES = [
    entry("001/a"),
    entry("001/b", "fails", "holds"),
    entry("000/c/as-printed", "fails", "fails", "E000-10"),
    entry("000/c", "holds", "holds", "E000-10"),
    entry("000/d", "fails", "fails", "E000-9"),
    entry("000/e/as-printed", "undecided", None, "E000-9"),
    entry("000/f", "not run", "holds"),
]


def test_claims_are_counted_once_each():
    count = verdicts.tally(ENTRIES)
    assert count == {
        "total": 7,
        "verdicts": {"holds": 2, "fails": 3, "undecided": 1, "not run": 1, "by construction": 0},
        "surprising": 1,
        "observed": 1,
        "errata": 2,
    }
    assert list(count["verdicts"]) == list(verdicts.ORDER)
    assert verdicts.tally(iter(())) == {
        "total": 0,
        "verdicts": dict.fromkeys(verdicts.ORDER, 0),
        "surprising": 0,
        "observed": 0,
        "errata": 0,
    }
    assert [each["id"] for each in verdicts.of_paper(ENTRIES, "001")] == ["001/a", "001/b"]
    assert verdicts.of_paper(ENTRIES, "002") == []


def test_what_holds_by_construction_is_counted_apart_and_what_fails_is_not():
    assert verdicts.outcome("by construction", "holds") == "by construction"
    for verdict in ("fails", "undecided", "not run"):
        assert verdicts.outcome("by construction", verdict) == verdict
    for kind in ("exact", "numerical", "stochastic", "reproduction"):
        assert verdicts.outcome(kind, "holds") == "holds"
    count = verdicts.tally([*ENTRIES, {**entry("001/g", "by construction"), "as_expected": True}])
    assert (count["verdicts"]["holds"], count["verdicts"]["by construction"], count["total"]) == (2, 1, 8)


def test_errata_are_ordered_by_number_and_split_into_what_is_printed_and_what_is_right():
    found = verdicts.errata(ENTRIES)
    assert list(found) == ["E000-9", "E000-10"]
    named = {name: tuple([each["id"] for each in side] for side in sides) for name, sides in found.items()}
    assert named["E000-10"] == (["000/c/as-printed"], ["000/c"])
    assert named["E000-9"] == (["000/d", "000/e/as-printed"], [])  # also a statement that has no mended one beside it
