"""The ledger refuses what it cannot read, in one line, and puts each claim beside its verdict."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from private_experts.errors import InputError
from private_experts.replication.ledger.errata import Erratum
from private_experts.replication.ledger.experiments import experiments
from private_experts.replication.ledger.ledger import (
    Claim,
    Ledger,
    Picture,
    code_of,
    command_of,
    drawing_of,
    entry_of,
    gathered,
    read,
)
from private_experts.replication.ledger.verdicts import (
    all_verdicts,
    as_expected,
    differences,
    label,
    surprises,
)
from private_experts.replication.ledger.yaml_text import load_yaml
from tests.each import each
from tests.replication.ledger.ledgers import KNOWN, ROOT

SCHEMA = ROOT / "claims/schema.yaml"
CHECK = "p000.tree_baseline:tree_nodes"


def entry(**changes: Any) -> dict[str, Any]:
    wanted = {
        **{"id": "123/one", "place": "Lemma 1", "standing": ["FOUND"], "kind": "exact", "expected": "holds"},
        **{"statement": "One is one.", "latex": "1 = 1", "mathematics": "one", "rests_on": [], "seconds": 1},
        **{"check": "p123.numbers:one", "rule": "Counted."},
    }
    return {name: value for name, value in (wanted | changes).items() if value is not ...}


Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(*entries: dict[str, Any], paper: str = "123", name: str = "123.yaml", **more: Any) -> Path:
        path = tmp_path / name
        path.write_text(yaml.safe_dump({"paper": paper, "title": "Numbers", "claims": list(entries), **more}))
        return path

    return written


def test_a_claim_has_the_fields_of_its_entry_and_defaults_for_the_rest(write: Write) -> None:
    (claim,) = read([write(entry(grid={"n": [1, 2]}, needs="panels", expected=None))], SCHEMA).claims.values()
    assert (claim.id, claim.paper, claim.expected) == ("123/one", "123", None)
    assert (claim.grid, claim.needs) == ({"n": [1, 2]}, "panels")
    assert (claim.quick, claim.repetitions, claim.cap, claim.erratum, claim.note) == ({}, 2, 2, None, "")
    assert claim.real_data_only is False


def test_what_is_expected_of_claims_on_data_belongs_to_the_pinned_data(write: Write) -> None:
    on_data = entry(id="123/two", needs="panels", expected="holds", pinned="holds", check=CHECK)
    pinned = read([write(entry(check=CHECK), on_data)], SCHEMA)
    other = pinned.on_other_data()
    assert [claim.expected for claim in pinned.claims.values()] == ["holds", "holds"]
    assert [claim.expected for claim in other.claims.values()] == ["holds", None]

    def found(ledger: Ledger, verdict: str, quick: bool = False) -> list[tuple[str, bool, bool]]:
        verdicts = {name: {"verdict": verdict} for name in ledger.claims}
        claims = gathered(ledger, verdicts, quick)["claims"]
        return [(record["id"][4:], record["as_expected"], record["differs"]) for record in claims]

    assert sorted(found(pinned, "fails")) == [("one", False, False), ("two", False, True)]
    assert sorted(found(other, "fails")) == [("one", False, False), ("two", True, True)]
    # In the study's own config an expectation that is null gives way to the known verdict, and a wrong one is
    # noticed.
    of_study = read([write(entry(check=CHECK), on_data | {"expected": None})], SCHEMA).on_pinned_data()
    assert [claim.expected for claim in of_study.claims.values()] == ["holds", "holds"]
    assert ("two", False, True) in found(of_study, "fails")
    for ledger, verdict, quick in (
        (other, "holds", False),
        (other, "not run", False),
        (other, "fails", True),
    ):
        assert ("two", True, False) in found(ledger, verdict, quick)


def of_statements(**more: Any) -> dict[str, Any]:
    statements = {"one": "holds", "two": "fails"}
    return entry(check=CHECK, expected=None, needs="panels", pinned="fails", statements=statements) | more


def test_one_statement_that_turns_is_told_by_its_name_though_the_claims_verdict_is_the_same(
    write: Write,
) -> None:
    known = read([write(of_statements())], SCHEMA)
    assert known.claims["123/one"].experiment().grid == {"statement": ["one", "two"]}

    def found(ledger: Ledger, one: str, quick: bool = False) -> tuple[Any, ...]:
        statements = [{"name": "one", "verdict": one}, {"name": "two", "verdict": "fails"}]
        record = {"verdict": "fails", "statements": statements}
        (entry,) = gathered(ledger, {"123/one": record}, quick)["claims"]
        everything = all_verdicts(entry)
        assert bool(surprises(everything, quick)) == (not entry["as_expected"])
        return entry["as_expected"], entry["differs"], surprises(everything), differences(everything)

    study = known.on_pinned_data()
    assert found(study, "holds") == (True, False, [], [])
    turned = ["one: fails, expected holds"], ["one: fails, there holds"]
    assert found(study, "fails") == (False, True, *turned)
    assert found(known.on_other_data(), "fails") == (True, True, [], turned[1])
    assert found(study, "not run") == (True, False, [], [])
    assert found(study, "undecided", True)[:2] == (True, False)
    assert found(study, "undecided")[0] is False


def test_claims_come_by_id_in_the_order_of_the_files(write: Write) -> None:
    second = write(entry(id="124/a"), paper="124", name="124.yaml")
    first = write(entry(id="123/z"), entry(id="123/a"))
    claims = read([first, second], SCHEMA).claims
    assert list(claims) == ["123/z", "123/a", "124/a"]
    assert all(claims[name].id == name for name in claims)


STEP = {"id": "123/two", "step_of": "123/one"}
PRINTED = {"name": "E123-1", "title": "A slip", "said_by": "paper", "severity": "fatal", "seen": "Lemma 1"}
PRINTED["why"] = "It counts one twice."
GUESSED = {"name": "E123-1", "title": "A slip", "said_by": "heuristic", "seen": "Lemma 1"}
AS_PRINTED = {"id": "123/one/as-printed"}
UP = {"name": "up", "title": "Up", "caption": "It goes up.", "alt": "A line.", "claims": ["123/one"]}


def without(entry: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key != name}


@each(
    ("claims", "more", "message"),
    [
        # the schema
        ([{"expected": ...}], {}, "claims.0: 'expected' is a required property"),
        ([{"repetitons": 5}], {}, "'repetitons' was unexpected"),
        ([{"standing": ["GUESSED"]}], {}, "claims.0.standing.0: 'GUESSED' is not one of"),
        # which gives no interval
        ([{"repetitions": 1}], {}, "claims.0.repetitions: 1 is less than the minimum of 2"),
        # names
        ([{"id": "124/one"}], {}, "124/one does not belong to paper 123"),
        ([{}, {"place": "Lemma 2"}], {}, "123/one appears twice; give one of them another id"),
        # a verdict follows from those of its statements
        ([of_statements(pinned="holds")], {}, "of its statements follows fails; change one of them"),
        (
            [of_statements(statements={"one": "holds", "two": "undecided"})],
            {},
            "of its statements follows undecided; change one of them",
        ),
        ([of_statements(statements={"one": "holds", "two": None})], {}, "of its statements follows none; "),
        # who said an erratum
        ([{"erratum": "E123-1"}], {}, "123/one: unknown erratum E123-1; add it below `errata:` with who"),
        (
            [{}],
            {"errata": [without(PRINTED, "severity")]},
            "E123-1 has no severity; write one of fatal, proof fails",
        ),
        (
            [{}],
            {"errata": [without(PRINTED, "why")]},
            "E123-1 is fatal; say in `why:` by which mechanism it fails",
        ),
        (
            [{}],
            {"errata": [GUESSED | {"severity": "fatal"}]},
            "E123-1 is said by heuristic, so leave out its severity",
        ),
        ([{}], {"errata": [PRINTED, PRINTED]}, "the erratum E123-1 appears twice"),
        ([{}], {"errata": [PRINTED | {"name": "E124-1"}]}, "the erratum E124-1 must begin with E123-"),
        ([AS_PRINTED], {}, "123/one/as-printed ends in /as-printed, so say with"),
        (
            [AS_PRINTED | {"erratum": "E123-1"}],
            {"errata": [GUESSED]},
            "123/one/as-printed ends in /as-printed, but E123-1 is said by heuristic: write /as-bound",
        ),
        # steps and headlines
        ([{"step_of": "123/none"}], {}, "123/one: step_of: 123/none is not a claim; write the id"),
        ([{"step_of": "123/one"}], {}, "123/one: step_of: 123/one is a step itself"),
        (
            [{}, STEP, {"id": "123/three", "step_of": "123/two"}],
            {},
            "a step itself; name 123/one or another",
        ),
        ([{}, STEP | {"headline": 1, "short": "two"}], {}, "123/two: step_of: a headline is counted"),
        (
            [{"headline": 1, "short": "one"}, {"id": "123/two", "headline": 1, "short": "two"}],
            {},
            "123/two: headline: 1 is the place of 123/one; write another number",
        ),
        # figures
        ([{}], {"figures": [UP | {"claims": ["123/two"]}]}, "shows 123/two, which is not a claim"),
        ([{}], {"figures": [UP, UP]}, "appears twice"),
        ([{}], {"figures": [UP | {"draw": "p123:up", "claims": []}]}, "has no claims; name those"),
    ],
)
def test_a_file_is_refused_in_one_line_that_names_it(
    claims: list[dict[str, Any]], more: dict[str, Any], message: str, write: Write
) -> None:
    refused(write(*(entry(**changes) for changes in claims), **more), message)


def refused(path: Path, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read([path], SCHEMA)
    (line,) = str(caught.value).splitlines()
    assert line.startswith(f"{path}: ")
    assert message in line


def test_a_file_that_is_not_there_or_empty_and_what_two_files_do_not_share_are_refused(
    tmp_path: Path, write: Write
) -> None:
    path = tmp_path / "123.yaml"
    refused(path, "no such file")
    path.write_text("")
    refused(path, "top: None is not of type 'object'")
    first = write(entry(), entry(**STEP))
    assert read([first], SCHEMA).claims["123/two"].step_of == "123/one"
    for other, message in (
        (write(entry(), name="124.yaml"), "123/one appears twice"),
        (
            write(entry(id="124/two", step_of="123/one"), paper="124", name="125.yaml"),
            "124/two: step_of: 123/one is of another paper; name a claim of",
        ),
    ):
        with pytest.raises(InputError, match=rf"{other.name}: {message}"):
            read([first, other], SCHEMA)


def claim(**changes: Any) -> Claim:
    return Claim(**entry(**changes))


def test_a_quick_run_replaces_the_entries_it_names_and_keeps_the_others() -> None:
    claimed = claim(grid={"n": [2, 100], "T": 9}, quick={"n": [2]})
    assert claimed.experiment(quick=False).grid == {"n": [2, 100], "T": 9}
    assert claimed.experiment(quick=True).grid == {"n": [2], "T": 9}
    assert claimed.grid == {"n": [2, 100], "T": 9}
    assert entry_of(claimed) == "private_experts.replication.papers.p123.numbers:one"


@each(("whole", "quick"), [(50, 5), (10, 4), (3, 3), (1, 2)])
def test_a_quick_run_has_a_tenth_of_the_repetitions_but_enough_to_decide_at_once(
    whole: int, quick: int
) -> None:
    claimed = claim(repetitions=whole, cap=whole)
    assert claimed.experiment(quick=True)[2:4] == (quick, quick)
    assert claimed.experiment()[2:4] == (max(whole, 2),) * 2


@each("expected", ["holds", None])
def test_a_verdict_is_as_expected_and_may_be_undecided_where_that_is_allowed(expected: str | None) -> None:
    everything = {"holds", "fails", "undecided", "not run"}
    wanted = {expected, "not run"} if expected else everything
    assert {verdict for verdict in everything if as_expected(expected, verdict)} == wanted
    allowed = {verdict for verdict in everything if as_expected(expected, verdict, allow_undecided=True)}
    assert allowed == wanted | {"undecided"}


def test_each_claim_stands_beside_its_own_verdict_in_the_ledgers_order() -> None:
    claims = {
        name: claim(id=name, expected=wanted, check=CHECK, grid={"n": [1, 2]}, quick={"n": [1]})
        for name, wanted in (("123/b", "fails"), ("123/a", "holds"))
    }
    verdicts = {
        "123/a": {"verdict": "undecided", "margin": [-1, 1], "fingerprint": "abc"},
        "123/b": {"verdict": "fails", "points": 3},
    }
    figures = {"123-up": Picture("123", "up", "Up", "It goes up.", "A line.", "p123:up", ["123/a"])}
    everything = gathered(Ledger({"123": "Numbers"}, claims, figures), verdicts)
    first, second = everything["claims"]
    assert (first["id"], first["verdict"], first["as_expected"], first["points"]) == (
        "123/b",
        "fails",
        True,
        3,
    )
    assert (second["id"], second["verdict"], second["as_expected"]) == ("123/a", "undecided", False)
    assert second["margin"] == [-1, 1]
    assert {*entry()} <= {*first}
    assert first["paper"] == "123"
    assert (first["figures"], second["figures"]) == ([], ["123-up"])
    assert (first["code"]["fingerprint"], second["code"]["fingerprint"]) == ("", "abc")
    assert second["command"] == command_of(claims["123/a"]) == "private-experts verify 123/a"
    assert second["grid"] == {"n": [1, 2]}
    small = gathered(Ledger({}, claims, {}), verdicts, quick=True)["claims"][1]
    assert (small["grid"], small["command"]) == ({"n": [1]}, "private-experts verify 123/a --quick")
    assert everything["papers"] == [{"paper": "123", "title": "Numbers", "public": ""}]
    (figure,) = everything["figures"]
    found = (figure["name"], figure["paper"], figure["claims"], figure["main"])
    assert found == ("123-up", "123", ["123/a"], False)


@each(("check", "begins"), [(CHECK, "def tree_nodes("), ("p000.amplified_delta:late_data", "@precision")])
def test_the_code_of_a_claim_is_the_line_where_its_check_begins(check: str, begins: str) -> None:
    place = code_of(claim(check=check))
    path = Path(__file__).parents[3] / place["file"]
    assert path.read_text(encoding="utf-8").splitlines()[place["line"] - 1].startswith(begins)


@each("check", ["p000.tree_baseline:no_such", "p999.tree:tree_nodes"])
def test_a_check_that_there_is_not_is_told_in_one_line(check: str) -> None:
    with pytest.raises(InputError, match="there is no check"):
        code_of(claim(check=check))


def test_a_claim_has_the_erratum_that_it_names_with_who_said_it(write: Write) -> None:
    wrong = entry(id="123/one/as-printed", expected="fails", erratum="E123-1")
    ledger = read([write(wrong, entry(erratum="E123-1"), entry(id="123/two"), errata=[PRINTED])], SCHEMA)
    assert ledger.errata == {"E123-1": Erratum(**PRINTED)}
    assert (label(vars(ledger.errata["E123-1"])), label(GUESSED)) == ("fatal", "heuristic")
    claims = {name: replace(claim, check=CHECK) for name, claim in ledger.claims.items()}
    listed = gathered(replace(ledger, claims=claims), {name: {"verdict": "holds"} for name in claims})[
        "claims"
    ]
    assert [record["erratum"] for record in listed] == [PRINTED, PRINTED, None]
    assert [record["id"] for record in listed] == ["123/one/as-printed", "123/one", "123/two"]


def test_a_drawn_figure_is_called_after_its_paper_and_another_one_as_it_says(write: Write) -> None:
    drawn, given = UP | {"draw": "p123:up"}, UP | {"name": "figure-2"}
    ledger = read([write(entry(), figures=[drawn, given])], SCHEMA)
    assert list(ledger.figures) == ["123-up", "figure-2"]
    assert drawing_of(ledger.figures["123-up"]) == "private_experts.replication.papers.p123:up"
    assert (ledger.papers, ledger.addresses) == ({"123": "Numbers"}, {"123": ""})


def test_a_grid_keeps_the_order_of_its_entries_on_the_way_to_a_job() -> None:
    """The order of learners decides whom ties follow: jobs must play as `verify` and Table 2."""
    strengths = KNOWN.claims["000/table-2-words"].grid["learners"]["strengths"]
    (job,) = experiments([ROOT / "claims/000.yaml"], ["000/table-2-words"])
    assert [*job.grid["learners"]["strengths"]] == [*strengths] == ["weak", "medium", "strong"]
    (other,) = experiments([ROOT / "claims/000.yaml"], ["000/tree-nodes"])
    assert (job.real_data_only, other.real_data_only) == (True, False)
    config = load_yaml((ROOT / "config/study.yaml").read_text())
    assert [*config["learners"]["strengths"]] == [*strengths]
    with pytest.raises(InputError, match="there is no 000/none"):
        experiments([ROOT / "claims/000.yaml"], ["000/none"])


def test_papers_have_the_address_and_the_title_under_which_they_are_cited() -> None:
    cited = load_yaml((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["references"]
    addresses = {work["title"]: work["url"] for work in cited}
    assert {title: KNOWN.addresses[paper] for paper, title in KNOWN.papers.items()} == addresses
    assert [name for name, claim in KNOWN.claims.items() if claim.headline]  # the first screen needs one
