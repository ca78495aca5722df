"""CITATION.cff names all papers, and page and report say what it says."""

import re
from pathlib import Path

import pytest

import private_experts
from private_experts.errors import InputError
from private_experts.replication.ledger.yaml_text import read_yaml
from private_experts.replication.report.citation import byline

ROOT = Path(__file__).parents[3]
CITED = read_yaml(ROOT / "CITATION.cff")


def test_page_and_report_say_who_made_which_version_and_its_doi_once_there_is_one(tmp_path: Path) -> None:
    citation = byline(ROOT / "CITATION.cff")
    assert citation["authors"] == CITED["authors"][0]["name"]
    assert citation["authors"] in (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert (citation["version"], citation["doi"]) == (private_experts.__version__, "")
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    given = re.sub("^# doi: .*$", 'doi: "10.1234/one"', text, count=1, flags=re.MULTILINE)
    path = tmp_path / "CITATION.cff"
    path.write_text(given.replace('- name: "The', '- {family-names: B, given-names: A}\n  - name: "The', 1))
    assert byline(path)["doi"] == "10.1234/one"
    assert byline(path)["authors"] == f"A B, {citation['authors']}"


def test_papers_have_the_numbers_and_years_of_the_bibliography() -> None:
    text = (ROOT / "paper/replication.bib").read_text(encoding="utf-8")
    entries = {
        re.search(r"title += \{(.+?)\},\n", part, re.DOTALL)[1]: part
        for part in text.split("\n@")[1:]
        if "title" in part
    }  # type: ignore[index]
    for paper in CITED["references"]:
        entry = entries[paper["title"]]
        assert f"{{{paper['year']}}}" in entry
        assert paper["url"].replace("https://arxiv.org/abs/", "arXiv:") in entry
        names = [f"{author['given-names']} {author['family-names']}" for author in paper["authors"]]
        assert f"{{{' and '.join(names)}}}" in entry


def test_a_citation_that_lacks_something_is_told(tmp_path: Path) -> None:
    (tmp_path / "CITATION.cff").write_text("title: a\n")
    with pytest.raises(InputError, match="authors is missing"):
        byline(tmp_path / "CITATION.cff")
