"""The ledger in LaTeX."""

import re

import pytest

from private_experts.replication.ledger import verdicts
from private_experts.replication.ledger.ledger import MAIN_FIGURES
from private_experts.replication.ledger.ranking import headlines
from private_experts.replication.plotting.formulas import latex
from private_experts.replication.plotting.latex import breakable
from private_experts.replication.report import claims_tex
from tests.replication.ledger.ledgers import entry, everything, slip, small
from tests.sources import unbalanced

PARTS = (claims_tex.claims, claims_tex.errata, claims_tex.figures, claims_tex.facts)


@pytest.fixture(scope="module")
def whole():
    return everything()


@pytest.mark.parametrize("part", PARTS)
def test_environments_and_braces_balance(part, whole):
    assert unbalanced(part(small())) == ""
    assert unbalanced(part(whole)) == ""


@pytest.mark.parametrize("ledger", [small(), everything()], ids=["small", "whole"])
def test_every_claim_stands_there_once_with_statement_formula_and_verdict(ledger):
    text = claims_tex.claims(ledger)
    ordered = [each for paper in ledger["papers"] for each in verdicts.of_paper(ledger["claims"], paper["paper"])]
    assert re.findall(r"\\hypertarget\{claim:([^}]*)\}", text) == [each["id"] for each in ordered]
    rows = re.split(r"\\hypertarget", text)[1:]
    for each, row in zip(ordered, rows, strict=True):
        assert latex(each["statement"]) in row
        assert f"\\claimformula{{{' '.join(each['latex'].split())}}}" in row.replace(r"\allowbreak ", "")
        assert rf"\textbf{{{each['verdict']}}}" in row
    first = headlines(ledger["claims"])
    assert text.count(r"\begin{longtable}") == len(ledger["papers"]) + bool(first)
    ranked = text.partition("Paper ")[0]
    assert re.findall(r"\\hyperlink\{claim:([^}]*)\}", ranked) == [each["id"] for each in first]


def test_nothing_in_the_claims_of_this_project_is_unknown_to_latex(whole):
    errata = [erratum for erratum, *_ in verdicts.errata(whole["claims"])]
    for each in (*whole["claims"], *whole["figures"], *errata):
        words = " ".join(str(each.get(name, "")) for name in ("statement", "place", "note", "title", "caption", "seen"))
        assert latex(words).count("?") == words.count("?"), each
        assert latex(words).isascii()
        assert each.get("latex", "").isascii()


def test_the_margin_is_told_with_the_point_it_was_met_at():
    rows = claims_tex.claims(small()).split(r"\addlinespace")
    assert r"$1.5 \le 2$\par {\footnotesize margin $[0.5,\,\infty]$}" in rows[0]
    assert r"counterexample: $2.5 \not\le 2$\par {\footnotesize margin $[-\infty,\,-0.5]$}" in rows[1]
    assert "synthetic data" in rows[4]


def test_what_a_check_catches_is_told_with_a_step_that_may_be_broken():
    ledger = small()
    step = "walks/gap.py:_law:9"
    ledger["claims"][0]["caught"] = f"noise times 0.9, 5 of 6 steps left out, but not {step}, 2 mutants of its own"
    ledger["claims"][1]["caught"] = "any smaller bound"
    first, second, third = claims_tex.claims(ledger).split(r"\addlinespace")[:3]
    assert (
        f"Catches: noise times 0.9, 5 of 6 steps left out, but not {breakable(step)}, 2 mutants of its own.}}" in first
    )
    assert "Catches: any smaller bound.}" in second
    assert "Catches" not in third
    assert unbalanced(claims_tex.claims(ledger)) == ""


def test_a_lazy_program_is_told_with_the_points_at_which_it_fails():
    ledger = small()
    ledger["claims"][0] |= {"lazy": "a learner that never learns", "lazy_fails": 2, "lazy_points": 3}
    first, second = claims_tex.claims(ledger).split(r"\addlinespace")[:2]
    assert "Lazy program: a learner that never learns fails at 2 of 3 points that are not vacuous.}" in first
    assert "Lazy program" not in second


def test_what_was_not_expected_says_so():
    text = claims_tex.claims(small())
    assert text.count("(expected: holds)") == 1
    assert text.count("(observed)") == 2


def test_an_erratum_has_what_is_printed_beside_what_holds():
    printed, mended = claims_tex.errata(small()).split(r"\end{longtable}")[0].split(" & ")[-2:]
    assert "claim:000/pair/as-printed" in printed
    assert "A counterexample." in printed
    assert r"\textbf{fails}" in printed
    assert "claim:000/pair}" in mended
    assert r"\textbf{holds}" in mended


def test_each_pair_of_an_erratum_has_a_row_so_that_none_is_taller_than_a_page():
    ledger = small()
    more = [entry(f"000/more-{number}", erratum=slip("E000-1")) for number in range(2)]
    ledger["claims"][3:3] = more
    rows = claims_tex.errata(ledger).split(r"\endfoot")[1].partition(r"\end{longtable}")[0].split(r"\addlinespace")
    cells = [[cell.strip() for cell in row.split(" & ")] for row in rows]
    assert ["E000" in name for name, *_ in cells] == [True, False, False]
    assert [wrong.count("hyperlink") for _, wrong, _ in cells] == [1, 0, 0]
    assert [right.count("hyperlink") for *_, right in cells] == [1, 1, 1]


def test_a_formula_may_break_after_its_commas():
    ledger = small()
    ledger["claims"][0]["latex"] = r"R_T \le 1,\ \eta = 2, \quad x\,y"
    assert r"\claimformula{R_T \le 1,\allowbreak \ \eta = 2,\allowbreak  \quad x\,y}" in claims_tex.claims(ledger)


def test_an_erratum_without_a_pair_stands_on_the_side_that_it_is_on():
    own, others = claims_tex.errata(small()).split(r"\subsection*")[1:]
    assert ("000/pair" in own, "002/alone" in own) == (True, False)
    name, wrong, mended = others.rpartition(r"\endfoot")[2].split(" & ")
    assert (r"cited work" in name, r"Section 1, $x$" in wrong) == (True, True)
    assert ("hyperlink" in wrong, "002/alone" in mended) == (False, True)


def test_a_ledger_without_errata_says_so():
    ledger = small()
    ledger["claims"] = ledger["claims"][:1]
    assert "No erratum" in claims_tex.errata(ledger)


def test_figures_name_their_file_and_link_their_claims():
    text = claims_tex.figures(small())
    assert r"\includegraphics{figures/002-regret.pdf}" in text
    assert r"\label{fig:002-regret}" in text
    assert r"Regret\_1. Up to 5 \%. Claims: \hyperlink{claim:002/alone}" in text


def test_the_main_figures_come_first_in_their_order(whole):
    parts = claims_tex.figures(whole).split(r"\subsection*{")
    main = re.findall(r"\\label\{fig:([^}]*)\}", parts[1])
    assert parts[1].startswith("Main figures}")
    assert tuple(main) == MAIN_FIGURES
    assert [part[:9] for part in parts[2:]] == [f"Paper 00{number}" for number in range(5)]


def test_facts_are_counted():
    facts = dict(re.findall(r"\\newcommand\{\\(\w+)\}\{(.*)\}\n", claims_tex.facts(small())))
    assert facts["replicationclaims"] == "7"
    assert facts["replicationpapers"] == "2"
    assert (facts["replicationauthors"], facts["replicationversion"], facts["replicationdoi"]) == (
        *("Some authors", "1.2.3"),
        "",
    )
    given = small()
    given["citation"] = given["citation"] | {"doi": "10.1234/one_two"}
    assert r"\newcommand{\replicationdoi}{, DOI 10.1234/one\_two}" in claims_tex.facts(given)
    assert facts["replicationpoints"] == "7,200"
    assert facts["notasexpected"] == "1"
    assert (facts["papererrata"], facts["fatalerrata"], facts["otherslips"]) == ("1", "0", "1")
    assert (facts["stochasticclaims"], facts["fewestrepetitions"], facts["mostrepetitions"]) == ("5", "400", "400")
    assert "000 & 5 & 2 & 1 & 1 & 1 & 0 & 0 & 2" in facts["verdictcounts"]
    assert "002 & 2 & 1 & 1 & 0 & 0 & 0 & 1 & 0" in facts["verdictcounts"]
    assert "SYNTHETIC DATA (seed 1)" in facts["syntheticwarning"]
    assert r"\newcommand{\syntheticwarning}{}" in claims_tex.facts(small() | {"synthetic": False})
