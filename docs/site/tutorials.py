"""Pages whose Python runs: what a page shows as output is what its code printed.

In such a page the blocks of Python run in order, as one program. What a block prints stands in a block of
text right after it. `make docs` writes these; a test and `make site` compare them. `make lint` checks the
types of the programs, which `python docs/site/tutorials.py FOLDER` writes.
"""

import contextlib
import io
import re
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1]
BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<shown>.*?)^```\n)?", re.DOTALL | re.MULTILINE
)


def pages() -> list[Path]:
    """Return the pages whose code runs."""
    return [DOCS / "start.md", *sorted((DOCS / "tutorials").glob("*.md"))]


def renewed(page: Path) -> str:
    """Run a page's code, and return its text with what the code printed now."""
    names: dict[str, object] = {"__name__": "__main__"}
    text = page.read_text(encoding="utf-8")

    def run(block: re.Match[str]) -> str:
        line = text.count("\n", 0, block.start("code"))
        # so that a traceback names the page's line
        code = compile("\n" * line + block["code"], str(page), "exec")
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(code, names)
        output = "\n".join(map(str.rstrip, printed.getvalue().rstrip().splitlines()))
        return f"```python\n{block['code']}```\n" + (f"\n```text\n{output}\n```\n" if output else "")

    return BLOCK.sub(run, text)


def stale() -> list[str]:
    """Return what is wrong with the pages, one line each."""
    return [
        f"{page.relative_to(DOCS.parent)}: what it shows is not what its code prints; run make docs"
        for page in pages()
        if renewed(page) != page.read_text(encoding="utf-8")
    ]


def program(page: Path) -> str:
    """Return a page's code as a program, each line in its place."""
    text, lines = page.read_text(encoding="utf-8"), ""
    for block in BLOCK.finditer(text):
        lines += "\n" * (text.count("\n", 0, block.start("code")) - lines.count("\n")) + block["code"]
    return lines


if __name__ == "__main__":
    for page in pages():
        if sys.argv[1:]:
            folder = Path(sys.argv[1])
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"page_{page.stem.replace('-', '_')}.py").write_text(program(page), encoding="utf-8")
        else:
            page.write_text(renewed(page), encoding="utf-8")
            print(page.relative_to(DOCS.parent))
