"""Documents at the root on the site: CONTRIBUTING is a page, and links to README lead to the start."""

import re
from pathlib import Path

from sphinx.application import Sphinx

PAGES = {"contributing": "CONTRIBUTING.md"}
INSTEAD = {**PAGES, "index": "README.md"}


def put_in(app: Sphinx, document: str, source: list[str]) -> None:
    """Replace a page by the document that it points to, and lead other pages' links to the page."""
    folder = Path(app.srcdir)
    if document in PAGES:
        text = (folder.parent / PAGES[document]).read_text(encoding="utf-8")
        text = re.sub(r"\]\((?!\w+:|#)", "](../", text)
        source[0] = text.replace("](../docs/", "](")
    for name, root in INSTEAD.items():
        up = "../" * document.count("/")
        source[0] = source[0].replace(f"]({up}../{root}", f"]({up}{name}.md")


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx when to do it."""
    app.connect("source-read", put_in)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
