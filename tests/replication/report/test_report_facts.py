"""The numbers of the ledger that the report cites."""

import re

from private_experts.replication.report import report_facts
from tests.replication.ledger.ledgers import everything, small
from tests.sources import unbalanced


def test_braces_balance_and_every_letter_is_known_to_latex():
    for ledger in (small(), everything()):
        text = report_facts.facts(ledger)
        assert unbalanced(text) == ""
        assert text.isascii()


def test_a_claim_is_cited_at_the_point_that_its_verdict_shows():
    ledger = small()
    ledger["claims"][0]["worst"] |= {"low": 1.25, "high": 1.75}
    text = report_facts.facts(ledger)
    assert r"claim@000/plain@value\endcsname{\from{000/plain}{$1.5$ $[1.25,\,1.75]$}}" in text
    assert r"claim@000/pair/as-printed@value\endcsname{\from{000/pair/as-printed}{$2.5$}}" in text
    assert r"claim@000/pair/as-printed@bound\endcsname{\from{000/pair/as-printed}{$2$}}" in text
    assert r"claim@000/pair/as-printed@at n\endcsname{\from{000/pair/as-printed}{$2$}}" in text


def test_a_statement_of_a_claim_is_cited_by_its_name_without_what_latex_reads_as_a_command():
    ledger = small()
    worst = ledger["claims"][0]["worst"] | {"value": 0.875, "low": 0.875, "high": 0.875}
    ledger["claims"][0]["statements"] = [{"name": "about 90 % of all", "verdict": "holds", "worst": worst}]
    assert (
        r"claim@000/plain/about-90-of-all@value\endcsname{\from{000/plain}{$0.875$}}"
        in report_facts.facts(ledger)
    )


def test_facts_are_counted():
    text = report_facts.facts(small()).replace(r"\from{claims}", "")
    facts = dict(re.findall(r"\\newcommand\{\\(\w+)\}\{\{?(.*?)\}+\n", text))
    known = {"replicationclaims": "7", "replicationpapers": "2", "notasexpected": "1", "papererrata": "1"}
    known |= {"fatalerrata": "0", "otherslips": "1", "replicationauthors": "Some authors"}
    assert facts.items() >= (known | {"replicationversion": "1.2.3", "replicationdoi": ""}).items()
    given = small()
    given["citation"] = given["citation"] | {"doi": "10.1234/one_two"}
    assert r"\newcommand{\replicationdoi}{, DOI 10.1234/one\_two}" in report_facts.facts(given)
    for row in (
        "paper & claims & holds & false (fatal) & not so on these data & remarks, others' words, own "
        "questions & undecided & not run & not as expected & observed",
        "000 & 5 & 2 & 1 (0) & 0 & 0 & 1 & 1 & 0 & 2",
        "002 & 2 & 1 & 0 (0) & 0 & 1 & 0 & 0 & 1 & 0",
    ):
        assert row in facts["verdictcounts"]
    assert "SYNTHETIC DATA (seed 1)" in facts["otherdatawarning"]
    assert r"\newcommand{\otherdatawarning}{}" in report_facts.facts(small() | {"pinned": True})
