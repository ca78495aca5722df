"""What rests on what: no holes, no circles, and what a statement that fails takes with it."""

from dataclasses import replace
from itertools import pairwise

import pytest

from private_experts.errors import InputError
from private_experts.replication.ledger import graph
from private_experts.replication.ledger.graph import Node
from private_experts.replication.ledger.ledger import graph_of
from tests.each import each
from tests.replication.ledger.ledgers import KNOWN

OURS = graph_of(KNOWN.claims)


def made(*nodes: Node) -> dict[str, Node]:
    return {node.id: node for node in nodes}


PRINTED = Node("1/lemma/as-printed", fails=True, erratum="E1-1")
MENDED = Node("1/lemma", erratum="E1-1")
# A theorem whose proof uses the printed lemma, and what follows from it.
SMALL = made(
    PRINTED,
    MENDED,
    Node("1/theorem", ["1/lemma/as-printed", "1/lemma"]),
    Node("1/corollary", ["1/theorem"]),
    Node("1/other", ["1/lemma"]),
)


FELL = "1/theorem rests on 1/lemma/as-printed, which does not hold"
IDLE = "rests on nothing that fails, so leave out"


def checked(*changes: Node) -> None:
    graph.check(SMALL | made(*changes), lambda name: "1.yaml")


@each(
    ("changed", "message"),
    [
        (Node("1/other", ["1/lemmma"]), "1/other rests on 1/lemmma, which is not a claim"),
        (Node("1/other", ["1/other"]), "1/other rests on 1/other; a proof must not be circular"),
        (Node("1/theorem", ["1/lemma/as-printed"]), f"{FELL}; let it"),
        (replace(MENDED, fails=True), FELL),
        (replace(PRINTED, fails=False, survives="so"), f"1/lemma/as-printed {IDLE}"),
        (Node("1/other", ["1/lemma"], unproved="so"), f"1/other {IDLE} `unproved:`"),
        (
            Node("1/other", ["1/lemma/as-printed"], survives="so", unproved="so"),
            "1/other has `survives:` and",
        ),
    ],
)
def test_a_graph_is_refused_in_one_line(changed: Node, message: str) -> None:
    with pytest.raises(InputError) as caught:
        checked(changed)
    (line,) = str(caught.value).splitlines()
    assert line.startswith(f"1.yaml: {message}")


def test_a_circle_is_told_from_above_to_below() -> None:
    with pytest.raises(InputError) as caught:
        checked(Node("1/lemma", ["1/corollary"], erratum="E1-1"))
    words = str(caught.value).partition(": ")[2].partition(";")[0].split(" rests on ")
    circle = SMALL | {"1/lemma": Node("1/lemma", ["1/corollary"])}
    assert words[0] == words[-1]
    assert all(below in circle[above].rests_on for above, below in pairwise(words))


def test_what_is_mended_stands_for_another_reason_or_fails_itself_is_taken() -> None:
    checked()
    checked(Node("1/theorem", ["1/lemma/as-printed"], survives="Another proof."), Node("1/corollary", []))
    checked(Node("1/theorem", ["1/lemma/as-printed"], fails=True), Node("1/corollary", []))


def test_what_rests_on_something_that_fell_falls_as_well() -> None:
    fallen = Node("1/theorem/as-printed", ["1/lemma/as-printed"], erratum="E1-2")
    mended = Node("1/theorem", ["1/lemma"], erratum="E1-2")
    checked(fallen, mended)
    with pytest.raises(InputError, match="1/late rests on 1/theorem/as-printed, which does not hold"):
        checked(fallen, mended, Node("1/late", ["1/theorem/as-printed"]))


def test_the_mended_form_is_the_claim_of_the_same_name_or_those_of_the_erratum() -> None:
    step, more = Node("1/step/as-printed", fails=True, erratum="E1-1"), Node("1/more", erratum="E1-1")
    nodes = SMALL | made(step, Node("1/lone/as-printed", fails=True), Node("1/free"), more)
    for name, mended in (
        ("1/lemma/as-printed", ["1/lemma"]),
        ("1/step/as-printed", ["1/lemma", "1/more"]),
        *(("1/lone/as-printed", []), ("1/lemma", [])),
    ):
        assert graph.corrections(nodes, name) == mended


def test_consequences_tell_what_falls_what_survives_and_how_and_what_stands_on_that() -> None:
    nodes = SMALL | made(
        Node("1/step/as-printed", ["1/lemma/as-printed"], erratum="E1-2"),
        Node("1/step", ["1/lemma"], erratum="E1-2"),
        Node("1/late", ["1/step/as-printed"], survives="It has another proof."),
        Node("1/summary", ["1/corollary", "1/late"]),
    )
    found = graph.consequences(nodes, ["1/lemma/as-printed"])
    assert found.falls == {"1/step/as-printed": ["1/step"]}
    assert {survivor.id: (survivor.corrections, survivor.why) for survivor in found.survives} == {
        "1/theorem": (["1/lemma"], ""),
        "1/late": ([], "It has another proof."),
    }
    # and not 1/other, which never used the printed lemma
    assert set(found.above) == {"1/corollary", "1/summary"}
    bare = graph.consequences(nodes | made(Node("1/theorem", fails=True)), ["1/theorem"])
    assert (bare.falls, bare.survives, bare.above) == ({"1/corollary": [], "1/summary": []}, [], [])


def test_what_lost_its_proof_does_not_survive_and_leaves_what_rests_on_it_in_doubt() -> None:
    nodes = SMALL | made(
        Node("1/measured", ["1/lemma/as-printed"], unproved="Nothing refutes it."),
        Node("1/next", ["1/measured", "1/theorem"]),
        Node("1/last", ["1/next"]),
    )
    graph.check(nodes, lambda name: "here")
    found = graph.consequences(nodes, ["1/lemma/as-printed"])
    assert [(conclusion.id, conclusion.why) for conclusion in found.unproved] == [
        ("1/measured", "Nothing refutes it.")
    ]
    assert [survivor.id for survivor in found.survives] == ["1/theorem"]
    assert (set(found.doubtful), found.above, found.falls) == ({"1/next", "1/last"}, ["1/corollary"], {})


def test_a_reason_counts_where_no_mended_claim_carries() -> None:
    printed, used = Node("1/gap/as-printed", fails=True, erratum="E1-3"), ["1/lemma/as-printed", "1/lemma"]
    both = Node("1/theorem", [*used, printed.id], survives="The gap is not used.")
    nodes = SMALL | made(both, printed, Node("1/gap", erratum="E1-3"))
    (by_lemma,) = graph.consequences(nodes, ["1/lemma/as-printed"]).survives
    (by_gap,) = graph.consequences(nodes, ["1/gap/as-printed"]).survives
    assert (by_lemma.corrections, by_lemma.why) == (["1/lemma"], "")
    assert (by_gap.corrections, by_gap.why) == ([], "The gap is not used.")


def test_what_carries_a_claim_is_what_stands_below_it_the_nearest_first() -> None:
    assert graph.carriers(SMALL)["1/corollary"] == ["1/theorem", "1/lemma"]
    assert graph.carriers(SMALL)["1/lemma"] == []
    saved = SMALL | made(Node("1/theorem", ["1/lemma/as-printed"], survives="It has another proof."))
    assert graph.carriers(saved)["1/corollary"] == ["1/theorem"]
    failed = SMALL | made(replace(MENDED, fails=True))
    assert graph.carriers(failed)["1/other"] == ["1/lemma"]  # nothing else would carry it


def test_supports_are_turned_round() -> None:
    above = {"1/lemma/as-printed": ["1/theorem"], "1/lemma": ["1/theorem", "1/other"]}
    above |= {"1/theorem": ["1/corollary"], "1/corollary": [], "1/other": []}
    assert graph.supported(SMALL) == above


def test_entries_of_the_ledger_make_the_same_graph_by_the_verdicts_they_got() -> None:
    holds = {"id": "1/a/as-printed", "verdict": "holds", "erratum": {"name": "E1-1"}}
    fails = {"id": "1/b", "verdict": "fails", "erratum": None, "rests_on": [], "survives": "so"}
    nodes = made(Node("1/a/as-printed", ["1/b"], False, "E1-1"), Node("1/b", [], True, None, "so"))
    assert graph.of_entries([holds | {"rests_on": ["1/b", "2/elsewhere"]}, fails]) == nodes


# The claims of the project. That they are read at all says that there is no hole, no circle, and that all
# which rests on a failing statement is mended or says why it stands. Here each of these is broken, to see
# that it is noticed.

USED = [
    name
    for name, node in OURS.items()
    if any(OURS[support].fails for support in node.rests_on) and not node.fails
]


@each("name", USED)
def test_a_claim_whose_proof_used_a_wrong_statement_is_refused_without_its_mend_or_reason(name: str) -> None:
    node = OURS[name]
    wrong = {support for support in node.rests_on if OURS[support].fails}
    mends = {mend for other in wrong for mend in graph.corrections(OURS, other)}
    left = [support for support in node.rests_on if support not in mends]
    bare = replace(node, rests_on=left, survives="", unproved="")
    with pytest.raises(InputError, match=f"{name} rests on .*, which does not hold"):
        graph.check(OURS | {name: bare}, lambda name: "here")


def test_what_the_gravest_slips_take_with_them() -> None:
    """Equation 7 of 003 carries all its upper bounds; Algorithm 3 of 004 promised what Table 1 says."""
    cells = graph.consequences(OURS, ["003/equation-7/as-printed", "003/lemma-6/as-printed"])
    assert list(cells.falls) == ["003/clipping-cost/as-printed"]
    assert {survivor.id for survivor in cells.survives} >= {"003/theorem-4", "003/theorem-5", "003/lemma-3"}
    assert "003/theorem-6" in cells.above
    sums = graph.consequences(OURS, ["004/proof-sums/as-printed"])  # the printed Theorem 3.1 is not proved
    assert [conclusion.id for conclusion in sums.unproved] == ["004/theorem-3-1"]
    assert (sums.survives, sums.above) == ([], [])
    assert {"004/phases", "004/theorem-3-6"} <= {*sums.doubtful}
    share = graph.consequences(OURS, ["004/theorem-5-2-privacy/as-printed"])
    assert [survivor.id for survivor in share.survives] == ["004/table-1"]
