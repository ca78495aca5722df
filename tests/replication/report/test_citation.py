"""CITATION.cff names all papers, and what archives read follows from it."""

import json
import re
from pathlib import Path

import pytest

import private_experts
from private_experts.errors import InputError
from private_experts.replication.report import citation
from private_experts.replication.workflow.cli import main
from tests.replication.ledger.ledgers import KNOWN

ROOT = Path(__file__).parents[3]
CITED, PROJECT = citation.read(ROOT)


def test_what_archives_read_is_what_the_citation_says() -> None:
    stale = [name for name, text in citation.files(ROOT).items() if (ROOT / name).read_text(encoding="utf-8") != text]
    assert stale == [], "run private-experts metadata"


def test_page_and_report_say_who_made_which_version_and_its_doi_once_there_is_one(tmp_path: Path) -> None:
    said = citation.byline(ROOT / "CITATION.cff")
    assert said["authors"] == CITED["authors"][0]["name"] == PROJECT["authors"][0]["name"]
    assert said["authors"] in (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert (said["version"], said["doi"]) == (private_experts.__version__, "")
    path = copied(tmp_path) / "CITATION.cff"
    text = path.read_text(encoding="utf-8")
    given = re.sub("^# doi: .*$", 'doi: "10.1234/one"', text, count=1, flags=re.MULTILINE)
    path.write_text(given.replace('- name: "The', '- {family-names: B, given-names: A}\n  - name: "The', 1))
    assert citation.byline(path)["doi"] == "10.1234/one"
    assert citation.byline(path)["authors"] == f"A B, {said['authors']}"
    made = {name: json.loads(words) for name, words in citation.files(tmp_path).items()}
    assert made[citation.ZENODO]["doi"] == "10.1234/one"
    assert made[citation.CODEMETA]["identifier"] == "https://doi.org/10.1234/one"


def test_all_papers_of_the_ledger_are_named() -> None:
    assert [each["title"] for each in CITED["references"]] == [*KNOWN.papers.values()]


def test_papers_have_the_numbers_and_years_of_the_bibliography() -> None:
    text = (ROOT / "paper/replication.bib").read_text(encoding="utf-8")
    entries = {re.search(r"title += \{(.+)\},", each)[1]: each for each in text.split("\n@")[1:] if "title" in each}  # type: ignore[index]
    for paper in CITED["references"]:
        entry = entries[paper["title"]]
        assert f"{{{paper['year']}}}" in entry
        assert f"arXiv:{citation.arxiv(paper)}" in entry
        names = [f"{each['given-names']} {each['family-names']}" for each in paper["authors"]]
        assert f"{{{' and '.join(names)}}}" in entry


def test_both_forms_name_every_paper_and_the_version() -> None:
    made = {name: json.loads(text) for name, text in citation.files(ROOT).items()}
    meta, deposit = made[citation.CODEMETA], made[citation.ZENODO]
    assert meta["version"] == deposit["version"] == CITED["version"]
    assert len(meta["referencePublication"]) == len(deposit["references"]) == len(KNOWN.papers)
    for title in KNOWN.papers.values():
        assert any(title == each["name"] for each in meta["referencePublication"])
        assert any(title in each for each in deposit["references"])
    assert meta["softwareRequirements"] == PROJECT["dependencies"]


def copied(folder: Path, **changes: str | None) -> Path:
    for name in ("CITATION.cff", "pyproject.toml"):
        (folder / name).write_text((ROOT / name).read_text(encoding="utf-8"), encoding="utf-8")
    text = (folder / "CITATION.cff").read_text(encoding="utf-8")
    for old, new in changes.items():
        text = re.sub(rf"^{old}: .*\n", f"{old}: {new}\n" if new else "", text, flags=re.MULTILINE)
    (folder / "CITATION.cff").write_text(text, encoding="utf-8")
    return folder


def test_one_command_writes_both_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["metadata", "--root", str(copied(tmp_path, version="9.9.9"))]) == 0
    assert json.loads((tmp_path / "codemeta.json").read_text())["version"] == "9.9.9"
    assert json.loads((tmp_path / ".zenodo.json").read_text())["version"] == "9.9.9"
    assert "codemeta.json" in capsys.readouterr().out


def test_a_citation_that_lacks_something_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="license is missing"):
        citation.files(copied(tmp_path, license=None))


def test_the_catalogue_of_workflows_finds_this_one_and_promises_nothing_of_it() -> None:
    """It lists what has workflow/Snakefile, and with its own file besides it prints how to deploy by snakedeploy."""
    assert 'include: "../Snakefile"' in (ROOT / "workflow/Snakefile").read_text(encoding="utf-8")
    assert not (ROOT / ".snakemake-workflow-catalog.yml").exists()
