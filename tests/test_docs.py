"""The documents know every claim, and their links lead somewhere."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SPEC = importlib.util.spec_from_file_location("tables", ROOT / "docs/tables.py")
assert SPEC
assert SPEC.loader
tables = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(tables)
KNOWN = tables.everything()
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_the_map_is_that_of_the_ledger() -> None:
    assert tables.table_in(ROOT / "docs/map.md") == tables.map_table(KNOWN), "run python docs/tables.py"


def test_the_reviewers_table_names_every_claim_and_no_other() -> None:
    named = re.findall(r"`private-experts verify (\S+)`", tables.table_in(ROOT / "docs/reviewers.md"))
    assert named == [*KNOWN.claims], "run python docs/tables.py after make reproduce"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_of_a_document_lead_to_files_that_exist(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#\s]+)\)", text) if "://" not in link]
    assert [link for link in links if not (document.parent / link).exists()] == []


def test_the_modules_of_the_map_exist() -> None:
    named = set(re.findall(r"`([\w/]+/(?:[\w*]+\.py)?)`", (ROOT / "docs/map.md").read_text(encoding="utf-8")))
    assert len(named) > 20
    package = ROOT / "src/private_experts"
    assert {name for name in named if not any(package.glob(name.rstrip("/"))) and not (ROOT / name).exists()} == set()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_claims_that_a_document_names_exist(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    named = re.findall(r"(?<![\w/])(00[0-4]/[a-z0-9-]+(?:/as-printed)?)(?![\w/])", text)
    assert {*named} <= {*KNOWN.claims}


def test_the_costs_of_a_claim_come_from_its_benchmark(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("s\th:m:s\tmax_rss\n12.34\t0:00:12\t101.7\n")
    (tmp_path / "b.tsv").write_text("s\th:m:s\tmax_rss\n0.02\t0:00:00\t-\n")
    costs = [list(tables._cost(tmp_path / f"{name}.tsv")) for name in "abc"]
    assert costs == [["12.3", "102"], ["0.0", ""], ["", ""]]
