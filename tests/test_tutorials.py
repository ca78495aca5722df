"""Tutorials show what their code prints."""

import re
from pathlib import Path

import pytest
import tutorials

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("page", tutorials.pages(), ids=lambda page: page.stem)
def test_a_page_shows_what_its_code_prints(page: Path) -> None:
    assert tutorials.renewed(page) == page.read_text(encoding="utf-8"), "run make docs"


def test_tutorials_are_in_the_menu() -> None:
    menu = (ROOT / "docs/tutorials/index.md").read_text(encoding="utf-8")
    pages = {page.stem for page in tutorials.pages()} - {"start", "index"}
    assert len(pages) > 3
    assert {page: menu.count(f"\n{page}\n") for page in pages} == dict.fromkeys(pages, 1)


def test_the_first_page_begins_with_a_command_that_works_and_pages_name_what_they_need() -> None:
    start = (ROOT / "docs/start.md").read_text(encoding="utf-8")
    # in a clone; no index has it
    assert re.findall(r"```sh\n(.*?)```", start, re.DOTALL)[0] == "pip install .\n"
    for page in [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", *(ROOT / "examples").rglob("*.md")]:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"pip install '?private-experts", text), page
        if page in tutorials.pages() and re.search(r"^import pandas", text, re.MULTILINE):
            assert "`pip install . pandas`" in text.partition("import pandas")[0], page


def test_what_is_shown_is_renewed_in_the_order_of_the_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```python\nx = 1\n```\n\nWords.\n\n```python\nprint(x)\nx += 1\n```\n\n```text\nold\n```\n\n"
        "```python\nprint(x)\n```\n\n```sh\nnot run\n```\n"
    )
    assert tutorials.renewed(page) == page.read_text().replace("\nold\n", "\n1\n").replace(
        "```python\nprint(x)\n```\n", "```python\nprint(x)\n```\n\n```text\n2\n```\n"
    )


def test_a_program_is_the_code_of_a_page_each_line_in_its_place(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Title\n\n```python\nx = 1\n```\n\n```text\nold\n```\n\n```python\nprint(x)\n```\n")
    assert tutorials.program(page) == "\n\n\nx = 1\n\n\n\n\n\n\n\nprint(x)\n"


def test_a_mistake_in_a_page_is_told_with_its_line(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Title\n\n```python\nx = 1\nx / 0\n```\n")
    with pytest.raises(ZeroDivisionError) as raised:
        tutorials.renewed(page)
    assert re.search(r"page\.md:5$", f"{raised.traceback[-1].path}:{raised.traceback[-1].lineno + 1}")
