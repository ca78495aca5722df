"""The API reference: a page for each package of the library, from its public names and their docstrings.

The names come from docs/api*.md, which `make docs` writes. On the site they link to what the docstrings say.
"""

import re
from pathlib import Path

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.nodes import make_refnode

ROOM = re.compile(r"^##+ `private_experts\.(\w+)`\n\n(.*)$", re.MULTILINE)
NAME = re.compile(r"^\| `([\w.]+)` \|", re.MULTILINE)


def rooms(docs: Path) -> dict[str, list[str]]:
    """Return the public names of each package that the pages of names list."""
    found: dict[str, list[str]] = {}
    for page in sorted(docs.glob("api*.md")):
        pieces = ROOM.split(page.read_text(encoding="utf-8"))[1:]
        for room, text in zip(pieces[::3], pieces[2::3], strict=True):
            found.setdefault(room, []).extend(NAME.findall(text))
    return found


def classes(docs: Path) -> dict[str, str]:
    """Return the full names of the library's classes, but of those that two packages have."""
    listed = [
        (name, f"private_experts.{room}.{name}")
        for room, names in rooms(docs).items()
        for name in names
        if name[0].isupper()
    ]
    short = [name for name, _ in listed]
    return {name: full for name, full in listed if short.count(name) == 1}


def page(room: str, names: list[str]) -> str:
    """Return the page of one package in reStructuredText, which docstrings are written in."""
    module = f"private_experts.{room}"
    lines = [
        room.capitalize(),
        "=" * len(room),
        "",
        f"``import {module}``",
        "",
        f".. automodule:: {module}",
        "",
    ]
    # What stands in a module comes first. Sphinx links its code to the name by which it meets the module for
    # the first time, and a class may be the package's own as well.
    for name in sorted(names, key=lambda name: "." not in name):
        if name.rpartition(".")[2][0].isupper():
            lines += [f".. autoclass:: {module}.{name}", "   :members:"]
            lines += ["   :inherited-members: tuple, object, Exception, BaseException", ""]
        else:
            lines += [f".. autofunction:: {module}.{name}", ""]
    return "\n".join([*lines, ""])


def write_pages(app: Sphinx) -> None:
    """Write the pages that have changed, for Sphinx to read."""
    folder = Path(app.srcdir) / "reference"
    folder.mkdir(exist_ok=True)
    listed = rooms(Path(app.srcdir))
    for old in folder.glob("*.rst"):
        if old.stem not in listed:
            old.unlink()
    for room, names in listed.items():
        path, text = folder / f"{room}.rst", page(room, names)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def link_names(app: Sphinx, document: str, source: list[str]) -> None:
    """Link each name of docs/api*.md to its docstring, and put the pages into the menu."""
    if not document.startswith("api"):
        return
    pieces = re.split(r"(?=^##+ `private_experts\.)", source[0], flags=re.MULTILINE)
    for number, piece in enumerate(pieces):
        if found := ROOM.match(piece):
            link = rf"| [`\1`](reference/{found[1]}.rst#private_experts.{found[1]}.\1) |"
            pieces[number] = NAME.sub(link, piece)
    source[0] = "".join(pieces)
    if document == "api":
        others = [page.stem for page in sorted(Path(app.srcdir).glob("api-*.md"))]
        menu = "\n".join([*others, *(f"reference/{room}" for room in rooms(Path(app.srcdir)))])
        source[0] += f"\n\n```{{toctree}}\n:hidden:\n\n{menu}\n```\n"


def link_mathematics(
    app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]
) -> None:
    """Turn a docstring's ``[mathematics/PAPER.md#place]`` into a link."""
    to = r"[`\1, \2 <../mathematics/\1.html#\2>`__]"
    lines[:] = re.sub(r"\[mathematics/(\w+)\.md#([\w-]+)\]", to, "\n".join(lines)).split("\n")


def find_elsewhere(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, shown: nodes.TextElement
) -> nodes.reference | None:
    """Link a name in a docstring that is another package's, when only one package offers that name."""
    if node.get("refdomain") != "py" or not node["reftarget"]:
        return None
    ending = "." + node["reftarget"].removeprefix("private_experts.")
    objects = env.domains.python_domain.objects
    found = [(name, entry) for name, entry in objects.items() if name.endswith(ending) and not entry.aliased]
    # what a package offers itself; a parameter may be called like a module's function
    if "." not in node["reftarget"]:
        found = [(name, entry) for name, entry in found if name.count(".") == 2]
    if len(found) != 1:
        return None
    entry = found[0][1]
    return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, shown, found[0][0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx when to do what."""
    app.connect("builder-inited", write_pages)
    app.connect("source-read", link_names)
    app.connect("autodoc-process-docstring", link_mathematics)
    app.connect("missing-reference", find_elsewhere)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
