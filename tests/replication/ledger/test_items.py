"""Nothing of the papers gets lost: every item of their texts is in the inventory, with what is about it."""

import re
from collections import Counter
from collections.abc import Container, Iterable
from pathlib import Path

import pytest

from private_experts.errors import InputError
from private_experts.replication.ledger.items import NUMBERED, Item, read
from tests.each import each
from tests.replication.ledger.ledgers import KNOWN, ROOT

ITEMS = read(ROOT / "claims/items.yaml")
OWN = re.compile(r"\bnot in the paper\b", re.IGNORECASE)  # in the place of a claim that no paper makes

# Counted in the texts of the papers, not in the list.
# Numbered kinds: by a script, from lines that begin with the kind and a number, and numbers at the end of
# displays. By hand, where the conversion to text lost them: 000 Algorithms 1 to 3, Table 1 and Figure 1,
# which have no heading; of 001 what only a LaTeX label names (Theorems regret and dp, three lemmas),
# Algorithm 1, and the second table, which has no caption; of 002 equation 5, between 4 and 6. Restatements in
# an appendix count once, unless they have a number of their own (004 Lemmas A.1 to A.4).
# By reading: of all sentences of abstract and introduction, split by a script (003 by hand), those that state
# numbers, rates or comparisons; such passages elsewhere; and displays without a number that are used.
COUNTED = {
    "000": {
        **{"theorem": 3, "lemma": 6, "corollary": 3, "remark": 2, "algorithm": 4, "table": 2, "figure": 2},
        **{"equation": 19, "sentence": 22, "passage": 58, "display": 4},
    },
    "001": {
        **{"theorem": 4, "lemma": 12, "claim": 2, "definition": 2, "assumption": 1, "algorithm": 1},
        **{"table": 2, "equation": 10, "sentence": 15, "passage": 2, "display": 6},
    },
    "002": {
        **{"theorem": 1, "lemma": 5, "proposition": 1, "corollary": 1, "remark": 1, "definition": 2},
        **{"equation": 6, "sentence": 19, "passage": 9, "display": 5},
    },
    "003": {
        **{"theorem": 6, "lemma": 8, "remark": 1, "definition": 1, "algorithm": 2},
        **{"equation": 34, "sentence": 13, "passage": 10, "display": 4},
    },
    "004": {
        **{"theorem": 7, "lemma": 12, "proposition": 2, "corollary": 1, "definition": 1, "algorithm": 3},
        **{"table": 1, "equation": 3, "sentence": 25, "passage": 13, "display": 6},
    },
}


def test_the_inventory_has_as_many_items_of_each_kind_as_the_texts() -> None:
    labels = {(item.paper, item.kind, label) for item in ITEMS for label in item.labels}
    found = Counter((paper, kind) for paper, kind, _ in labels)
    counted = {(paper, kind): many for paper, kinds in COUNTED.items() for kind, many in kinds.items()}
    assert found == counted


def missing_claims(items: Iterable[Item], claims: Container[str]) -> list[str]:
    """Return in a line each which claims do not exist, and which items name them."""
    instead = "name in claims/items.yaml the claim that took its place, or give a reason"
    return [
        f"{item.paper}, {item.item}: {claim} is gone; {instead}"
        for item in items
        for claim in item.claims
        if claim not in claims
    ]


def test_every_claim_that_an_item_names_exists_and_one_that_is_gone_is_named_with_its_item() -> None:
    assert not (dead := missing_claims(ITEMS, KNOWN.claims)), "\n".join(dead)
    item = Item("000", "Remark 1", "One is one.", claims=["000/one", "000/two"])
    (line,) = missing_claims([item], {"000/two"})
    assert line.startswith("000, Remark 1: 000/one is gone; name in claims/items.yaml ")


def test_every_test_that_an_item_names_exists() -> None:
    missing = []
    for item in ITEMS:
        for test in item.tests:
            path, _, function = test.partition("::")
            text = (ROOT / path).read_text(encoding="utf-8") if (ROOT / path).is_file() else ""
            if not re.search(rf"^def {function}\(", text, re.MULTILINE):
                missing.append(f"{item.paper}, {item.item}: there is no test {test}")
    assert not missing, "\n".join(missing)
    assert sum(len(item.tests) for item in ITEMS) > 20


def test_every_claim_of_a_paper_is_about_an_item() -> None:
    listed = {claim for item in ITEMS for claim in item.claims}
    places = {claim.id: " ".join(claim.place.split()) for claim in KNOWN.claims.values()}
    lost = {name: place for name, place in places.items() if name not in listed and not OWN.search(place)}
    instead = (
        "add it to its item in claims/items.yaml; of a result of our own end its place in 'not in the paper'"
    )
    assert not lost, "\n".join(f"{name} ({place}): {instead}" for name, place in lost.items())


def test_a_claim_whose_place_begins_with_a_numbered_item_is_about_that_item() -> None:
    begins = re.compile(rf"(?:Section [\d.]+, )?((?:{'|'.join(NUMBERED)}) (?:\w\.)?[\d.]*\d)")
    named = [(claim, begins.match(" ".join(claim.place.split()))) for claim in KNOWN.claims.values()]
    about = {(claim, label) for item in ITEMS for claim in item.claims for label in item.labels}
    astray = [(claim.id, at[1]) for claim, at in named if at and (claim.id, at[1]) not in about]
    assert not astray, f"add in claims/items.yaml to the item: {astray}"
    assert sum(at is not None for _, at in named) > 70


@each(
    ("entry", "message"),
    [
        ("{item: Theorem 1, says: One.}", "000, Theorem 1: give `claims:` or `tests:`, and `reason:` only"),
        ("{item: Theorem 1, says: One., claims: [000/one], reason: cited}", "only where there are none"),
        ("{item: Theorem 1, says: One., claims: 000/one}", "`claims:` is no list of names"),
        ("{item: Theorem 1, claims: [000/one]}", "000, Theorem 1: `says:` has no text; write a few words"),
        ("{says: One., reason: cited}", "000, One.: `item:` has no text"),
        ("{item: Theorem 1, says: One., reason: cited, claim: 000/one}", "unknown key claim; leave it out"),
        ("{item: Sentence 1, says: One., reason: cited}", "000, Sentence 1: is no kind of item; begin with"),
        ("Theorem 1", "000: 'Theorem 1' is no item; write its name after `item:`"),
        (
            "{item: Table 1, says: A., reason: cited}\n- {item: Table 1, says: B., reason: cited}",
            "000, Table 1: appears twice; tell its parts apart after a comma",
        ),
        ("- Table 1\n", "write the items of each paper below its short name"),
    ],
)
def test_a_bad_entry_is_refused_in_one_line(tmp_path: Path, entry: str, message: str) -> None:
    path = tmp_path / "items.yaml"
    path.write_text('"000":\n- {item: Theorem 1, says: One., reason: cited}\n', encoding="utf-8")
    assert [item.item for item in read(path)] == ["Theorem 1"]
    path.write_text(entry if entry.startswith("-") else f'"000":\n- {entry}\n', encoding="utf-8")
    with pytest.raises(InputError) as refused:
        read(path)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@each(
    ("name", "kind", "labels"),
    [
        ("Theorem thm:dp, as stated", "theorem", ["Theorem thm:dp"]),
        ("Equations C.1 to C.3", "equation", ["Equation C.1", "Equation C.2", "Equation C.3"]),
        ("Abstract, sentence 5, separation", "sentence", ["Abstract, sentence 5"]),
        ("Display in Section 2, regret", "display", ["Display in Section 2, regret"]),
        ("Conclusion, RW-Meta", "passage", ["Conclusion, RW-Meta"]),
    ],
)
def test_an_item_says_by_its_name_what_it_counts_as(name: str, kind: str, labels: list[str]) -> None:
    item = Item("000", name, "One is one.", reason="cited")
    assert (item.kind, item.labels) == (kind, labels)
